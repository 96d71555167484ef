"""One table: rounds from the first drawn card to the last trick, for persons, players and those who watch.

What all see goes from step to step by the clock alone while cards are drawn and bids made (`pace.py`): a seat that can
bid is not waited for, and nobody hears who was asked. Afterwards it is the turn of a seat that everybody knows.

Players answer in threads, so a slow one keeps only its own table waiting.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from typing import Any

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, ShengjiError, printable
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.player import Needs, Player
from shengji_env.render.view import WATCHER
from shengji_env.web.asking import Ask, ask_of
from shengji_env.web.bidding import open_round
from shengji_env.web.board import Board
from shengji_env.web.evening import Evening
from shengji_env.web.mailbox import Mailbox
from shengji_env.web.messages import State, write_message
from shengji_env.web.pace import Clock, Habit, Pace
from shengji_env.web.persons import Company, Person

_LOG = logging.getLogger(__name__)
_MOST_SCORES = 60
"""Rounds on the score sheet that is sent."""


class Table:
    """One table.

    Args:
        players: by seat; those with `Needs.PERSON` stand for persons in browsers.
        rules: the rules.
        seed: seed of deals and random words.
        executor: the threads in which players answer.
        pace: how fast things happen.
        evening: where the evening is kept; None: nowhere.
        clock: the time.
        goes_on: whether a round follows the one before without anybody's agreement.

    Attributes:
        board: the engine's side.
        company: persons and watchers.
        move: number of the public step that the table is at; it tells messages for it from older ones.
        decision: what a person is being asked; None if nobody is.
        sheet: the score sheet.
        is_opening: whether cards are being drawn and bids made, as it is shown.
        window: seconds for last bids, while they may be made; otherwise None.
        ready_at: when what came last was complete, and a pause began.
    """

    def __init__(
        self,
        players: Sequence[Player],
        rules: RuleSet,
        seed: int,
        *,
        executor: Executor,
        pace: Pace | None = None,
        evening: Evening | None = None,
        clock: Clock | None = None,
        goes_on: bool = False,
    ) -> None:
        self.players, self.rules, self.goes_on = tuple(players), rules, goes_on
        self.pace, self.clock = pace or Pace(), clock or Clock()
        names = tuple(player.name for player in players)
        self.board = Board(rules, seed, names)
        seats = [seat for seat, player in enumerate(players) if Needs.PERSON in player.needs]
        self.company = Company({seat: Person(Habit(self.pace)) for seat in seats})
        self.move = 0
        self.decision: Decision | None = None
        self.sheet: list[dict[str, Any]] = []
        self._executor, self._evening = executor, evening
        self.is_opening = True
        self.window: int | None = None
        self._is_forced = False
        self._fault = ""
        self._answer: asyncio.Future[Answer] | None = None
        self._changed = asyncio.Event()
        self.ready_at = 0.0
        if evening is not None:
            self._restore(evening, names)

    def _restore(self, evening: Evening, names: tuple[str, ...]) -> None:
        """Play again what was kept."""
        evening.begin_record(self.rules, names)
        for actions in evening.kept:
            self.board.restore(actions)
            self.note_round()
        self.is_opening = self.board.phase == Phase.BID or not self.board.transcript.actions
        self.move = len(evening.kept)

    def note_round(self) -> None:
        """Note a round that has just ended."""
        if self.board.finished is not None:
            self.sheet = [*self.sheet, self.board.score()][-_MOST_SCORES:]
            if self._evening is not None:
                self._evening.note_round(self.board.finished)

    def state_for(self, viewer: int) -> State:
        """Return what a viewer sees now."""
        person = self.company.persons.get(viewer)
        return State(
            move=self.move,
            view=self.board.view(viewer, is_opening=self.is_opening).to_json(),
            ask=None if person is None or self._fault else self._ask_for(viewer, person),
            window=self.window,
            persons=tuple(self.company.persons),
            away=self.company.away(),
            auto=person is not None and person.auto,
            sheet=self.sheet,
            fault=self._fault,
        )

    def _ask_for(self, seat: int, person: Person) -> dict[str, Any] | None:
        board = self.board
        if self.is_opening:
            if self.rules.bidding == "fixed":
                return None
            options = tuple(board.opening.options(seat))
            return asdict(Ask("bid", None, options, wish=person.wish, is_done=person.is_done))
        if board.phase == Phase.OVER:
            return asdict(Ask("next", is_done=person.is_done))
        if self.decision is None or self.decision.seat != seat:
            return None
        return asdict(ask_of(self.decision, is_forced=self._is_forced))

    def publish(self) -> None:
        """Let everybody see how things are."""
        for seat, person in self.company.persons.items():
            if person.mailbox is not None:
                person.mailbox.put_state(write_message(self.state_for(seat)))
        if self.company.watchers:
            text = write_message(self.state_for(WATCHER))
            for mailbox in self.company.watchers:
                mailbox.put_state(text)

    def join(self, viewer: int, mailbox: Mailbox) -> str:
        """Let a browser in, and show it how things are; return why not, or nothing."""
        refusal = self.company.join(viewer, mailbox)
        if not refusal:
            self.publish()
        return refusal

    def leave(self, viewer: int, mailbox: Mailbox) -> None:
        """Let a browser go."""
        self.company.leave(viewer, mailbox)
        self.publish()

    async def run(self) -> None:
        """Play round after round, until the task is cancelled or a player fails."""
        try:
            while True:
                if self.board.phase == Phase.OVER:
                    self.board.next_round()
                    self.is_opening = True
                await open_round(self)
                while self.board.phase != Phase.OVER:
                    await self._decide()
                self.note_round()
                await self._rest()
        except (ShengjiError, OSError) as error:
            _LOG.error("the table has stopped: %s", printable(str(error)))
            self._fault = "a player has failed" if isinstance(error, PlayerError) else "see the server's log"
            self.publish()

    def begin_step(self, *, keep_wishes: bool = False) -> None:
        """Begin what everybody sees as a new step."""
        self.move += 1
        if not keep_wishes:
            self.company.begin()

    async def _decide(self) -> None:
        """Let the seat to move make its decision."""
        board, seat = self.board, self.board.seat
        self.begin_step()
        person = self.company.persons.get(seat)
        is_lead = board.phase == Phase.LEAD and bool(int(board.transcript.states["tricks"][0]))
        pause = self.pace.trick if is_lead else self.pace.play
        ready = self.ready_at + pause
        if person is None:
            self.publish()
            await self.ask_player(self.players[seat], until=ready)
        else:
            self.make(board.actions_of(await self._ask_person(person, ready)))
        self.ready_at = self.clock.now()

    async def ask_player(self, player: Player, *, until: float | None = None) -> None:
        """Ask a player of the arena, in a thread; its answer is shown at `until` or later."""
        actions = await asyncio.get_running_loop().run_in_executor(self._executor, self.board.ask, player)
        if until is not None:
            await self.clock.until(until)
        self.make(actions)

    async def _ask_person(self, person: Person, ready: float) -> Answer:
        """Ask a person, and wait for the answer; a forced play is made after a while, if the person likes that."""
        self.decision = self.board.decision()
        only = self.decision.only_play()
        self._is_forced = only is not None
        self._answer = asyncio.get_running_loop().create_future()
        began = self.clock.now()
        forced_at = max(began + person.habit.draw(), ready)
        self.publish()
        try:
            while not self._answer.done():
                if only is not None and person.auto:
                    if self.clock.now() >= forced_at:
                        return only
                    await self.until_changed(forced_at)
                else:
                    await self.until_changed(None)
            person.habit.note(self.clock.now() - began)
            return self._answer.result()
        finally:
            self.decision, self._answer, self._is_forced = None, None, False

    def make(self, actions: list[int]) -> None:
        """Show and keep a decision that the environment has made."""
        if self._evening is not None:
            self._evening.note_decision(actions)
        self.board.show(actions)

    async def _rest(self) -> None:
        """Wait for the next round: until all persons want it, or for a while if it goes on by itself."""
        self.begin_step()
        self.publish()
        if self.goes_on or not self.company.persons:
            until = self.clock.now() + self.pace.round
            while self.clock.now() < until and not (self.company.persons and self.company.are_done()):
                await self.until_changed(until)
        else:
            while not self.company.are_done():
                await self.until_changed(None)
        self.ready_at = self.clock.now()

    async def until_changed(self, moment: float | None) -> None:
        """Wait until a person has said something, or for a moment."""
        self._changed.clear()
        waiting = asyncio.ensure_future(self._changed.wait())
        timer = None if moment is None else asyncio.ensure_future(self.clock.until(moment))
        both = [waiting] if timer is None else [waiting, timer]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in both:
                each.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await each

    def answer(self, answer: Answer) -> None:
        """Take the answer of the person who is asked."""
        assert self._answer is not None
        if not self._answer.done():
            self._answer.set_result(answer)
        self._changed.set()

    def wake(self) -> None:
        """Look again at what persons wish."""
        self._changed.set()
