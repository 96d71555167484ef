"""One table for persons, players and those who watch: what each of them sees, and how each is asked.

`round_loop.py` and `timed_bidding.py` say what happens at it, and when. Players answer in threads, so a slow one keeps
only its own table waiting.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from concurrent.futures import Executor

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.player import Needs, Player
from shengji_env.render.view import WATCHER
from shengji_env.web.board import Board
from shengji_env.web.messages import Ask, ScoreLine, State, write_message
from shengji_env.web.outbox import Outbox
from shengji_env.web.people import People, Person
from shengji_env.web.questions import ask_of
from shengji_env.web.session_log import SessionLog
from shengji_env.web.shown_offers import offered_answers, seats_offered
from shengji_env.web.table_timing import Clock, ResponseTimes, Timing

_MAX_SCORES = 60
"""Rounds on the score sheet that is sent."""


class Table:
    """One table.

    Args:
        players: by seat; those with `Needs.PERSON` stand for persons in browsers.
        rules: the rules.
        seed: seed of deals and random words.
        executor: the threads in which players answer.
        timing: how fast things happen.
        log: where the session is kept; None: nowhere.
        clock: the time.
        goes_on: whether a round follows the one before without anybody's agreement.

    Attributes:
        board: the engine's side.
        people: persons and watchers.
        move: number of the public step that the table is at; it tells messages for it from older ones.
        decision: what a person is being asked; None if nobody is.
        sheet: the score sheet.
        fault: why the table has stopped; empty while it plays.
        is_opening: whether cards are being drawn and bids made, as it is shown.
        offered: what is offered to all at once, REBEL or BID (an overbid); None at other times.
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
        timing: Timing | None = None,
        log: SessionLog | None = None,
        clock: Clock | None = None,
        goes_on: bool = False,
    ) -> None:
        self.players, self.rules, self.goes_on = tuple(players), rules, goes_on
        self.timing, self.clock = timing or Timing(), clock or Clock()
        names = tuple(player.name for player in players)
        self.board = Board(rules, seed, names)
        seats = [seat for seat, player in enumerate(players) if Needs.PERSON in player.needs]
        self.people = People({seat: Person(ResponseTimes(self.timing)) for seat in seats})
        self.move = 0
        self.decision: Decision | None = None
        self.sheet: list[ScoreLine] = []
        self._executor, self._log = executor, log
        self.is_opening = True
        self.offered: Phase | None = None
        self.window: int | None = None
        self._is_forced = False
        self.fault = ""
        self._answer: asyncio.Future[Answer] | None = None
        self._changed = asyncio.Event()
        self.ready_at = 0.0
        if log is not None:
            self._restore(log, names)

    def _restore(self, log: SessionLog, names: tuple[str, ...]) -> None:
        """Play again what was kept."""
        log.begin_record(self.rules, names)
        for actions in log.kept:
            self.board.restore(actions)
            self.note_round()
        self.is_opening = self.board.is_bidding or not self.board.transcript.actions
        self.move = len(log.kept)

    def note_round(self) -> None:
        """Note a round that has just ended."""
        if self.board.finished is not None:
            self.sheet = [*self.sheet, self.board.score()][-_MAX_SCORES:]
            if self._log is not None:
                self._log.note_round(self.board.finished)

    def state_for(self, viewer: int) -> State:
        """Return what a viewer sees now."""
        person = self.people.persons.get(viewer)
        return State(
            move=self.move,
            view=self.board.view(viewer, is_opening=self.is_opening, offered=self.offered).to_json(),
            ask=None if person is None or self.fault else self._ask_for(viewer, person),
            window=self.window,
            persons=tuple(self.people.persons),
            away=self.people.away(),
            auto=person is not None and person.auto,
            sheet=self.sheet,
            fault=self.fault,
        )

    def _ask_for(self, seat: int, person: Person) -> Ask | None:
        board = self.board
        if self.is_opening:
            if self.rules.bidding == "fixed":
                return None
            options = tuple(board.opening.options(seat))
            return Ask("bid", None, options, wish=person.bid_intent, is_done=person.is_done)
        if self.offered is not None:
            return self._offer_for(self.offered, seat, person)
        if board.phase == Phase.OVER:
            return Ask("next", is_done=person.is_done)
        if self.decision is None or self.decision.seat != seat:
            return None
        return ask_of(self.decision, is_forced=self._is_forced)

    def _offer_for(self, phase: Phase, seat: int, person: Person) -> Ask | None:
        """Return what is offered to a seat; those for whom it cannot be, as all know, are not asked."""
        state = self.board.transcript.states[0]
        if seat not in seats_offered(phase, state):
            return None
        options = offered_answers(phase, state, self.rules, seat)
        return Ask(phase.name.lower(), None, options, wish=person.bid_intent, is_done=person.is_done)

    def publish(self) -> None:
        """Let everybody see how things are."""
        for seat, person in self.people.persons.items():
            if person.outbox is not None:
                person.outbox.put_state(write_message(self.state_for(seat)))
        if self.people.watchers:
            text = write_message(self.state_for(WATCHER))
            for outbox in self.people.watchers:
                outbox.put_state(text)

    def join(self, viewer: int, outbox: Outbox) -> str:
        """Let a browser in, and show it how things are; return why not, or nothing."""
        refusal = self.people.join(viewer, outbox)
        if not refusal:
            self.publish()
        return refusal

    def leave(self, viewer: int, outbox: Outbox) -> None:
        """Let a browser go."""
        self.people.leave(viewer, outbox)
        self.publish()

    def begin_step(self, *, keep_intents: bool = False) -> None:
        """Begin what everybody sees as a new step."""
        self.move += 1
        if not keep_intents:
            self.people.begin()

    async def ask_player(self, player: Player, *, until: float | None = None) -> None:
        """Ask a player of the arena, in a thread; its answer is shown at `until` or later."""
        actions = await asyncio.get_running_loop().run_in_executor(self._executor, self.board.ask, player)
        if until is not None:
            await self.clock.until(until)
        self.make(actions)

    async def ask_person(self, person: Person, ready: float) -> Answer:
        """Ask a person, and wait for the answer; a forced play is made after a while, if the person likes that."""
        self.decision = self.board.decision()
        only = self.decision.only_play()
        self._is_forced = only is not None
        self._answer = asyncio.get_running_loop().create_future()
        began = self.clock.now()
        forced_at = max(began + person.response_times.draw(), ready)
        self.publish()
        try:
            while not self._answer.done():
                if only is not None and person.auto:
                    if self.clock.now() >= forced_at:
                        return only
                    await self.until_changed(forced_at)
                else:
                    await self.until_changed(None)
            person.response_times.note(self.clock.now() - began)
            return self._answer.result()
        finally:
            self.decision, self._answer, self._is_forced = None, None, False

    def make(self, actions: list[int]) -> None:
        """Show and keep a decision that the environment has made."""
        if self._log is not None:
            self._log.note_decision(actions)
        self.board.show(actions)

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
        """Look again at what persons want."""
        self._changed.set()
