"""One table for persons, players and those who watch: what each of them sees, and how each is asked.

`round_loop.py` and `timed_bidding.py` say what happens at it, and when. Players answer in threads, so a slow one keeps
only its own table waiting.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from concurrent.futures import Executor

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import Phase
from shengji_env.errors import RecordError
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.player import Player
from shengji_env.render.view import WATCHER
from shengji_table.web.board import Board
from shengji_table.web.ended_rounds import EndedRound
from shengji_table.web.kept_events import Came, Decided, PersonEvent, Released, Substituted, Taken
from shengji_table.web.links import Keys, new_secret
from shengji_table.web.messages import Ask, Lobby, LobbySeat, ScoreLine, TableState, write_message
from shengji_table.web.outbox import Outbox
from shengji_table.web.people import People, Person
from shengji_table.web.public_steps import PublicSteps
from shengji_table.web.questions import ask_of
from shengji_table.web.seating import TableSeats
from shengji_table.web.session_log import EventLog
from shengji_table.web.shown_offers import offered_answers, seats_offered
from shengji_table.web.table_timing import Clock, ResponseTimes, Timing
from shengji_table.web.thinking import think

_MAX_SCORES = 60
"""Rounds on the score sheet that is sent."""
_MAX_ROUNDS = 200
"""Rounds that are remembered for the evening's page."""


class Table:
    """One table.

    Args:
        players: by seat; those with `Needs.PERSON` stand for persons in browsers.
        rules: the rules.
        seed: seed of deals and random words.
        executor: the threads in which players answer.
        timing: how fast things happen.
        log: where the session is kept; None: nowhere.
        keys: secrets of the table's links; None: new ones.
        substitute: who decides for persons who are not there; None: `heuristic`.
        clock: the time.
        goes_on: whether a round follows the one before without anybody's agreement.
        is_match: whether rounds are those of a match (`Board`).
        has_counter: whether persons may let the page count cards.

    Attributes:
        board: the engine's side.
        people: persons and watchers.
        move: number of the public step that the table is at; it tells messages for it from older ones.
        decision: what a person is being asked; None if nobody is.
        sheet: the score sheet.
        rounds: the rounds that have ended, the newest last.
        seating: who sits where.
        has_begun: whether persons are waited for no more before the first round.
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
        executor: Executor | None,
        timing: Timing | None = None,
        log: EventLog | None = None,
        keys: Keys | None = None,
        substitute: Player | None = None,
        clock: Clock | None = None,
        goes_on: bool = False,
        is_match: bool = True,
        has_counter: bool = True,
    ) -> None:
        self.players, self.rules, self.goes_on, self.has_counter = tuple(players), rules, goes_on, has_counter
        self.timing, self.clock = timing or Timing(), clock or Clock()
        self.substitute = substitute or HeuristicPlayer()
        self.seating = TableSeats(players, keys or Keys())
        self.board = Board(rules, seed, self.seating.names, is_match=is_match)
        self.people = People({
            seat: Person(ResponseTimes(self.timing), auto=self.timing.plays_forced) for seat in self.seating.persons
        })  # fmt: skip
        self.has_begun = False
        self.move = 0
        self.decision: Decision | None = None
        self.sheet: list[ScoreLine] = []
        self.rounds: list[EndedRound] = []
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
            self._restore(log)

    def _restore(self, log: EventLog) -> None:
        """Let everything happen again that was kept."""
        log.begin_record(self.rules, self.board.names)
        steps = PublicSteps(self.board)
        for event in log.kept:
            if isinstance(event, Decided):
                if self.board.finished is not None:
                    self.board.next_round()
                steps.begin()
                self.board.restore(event.actions, event.by)
                steps.end()
                self.note_round()
            elif event.seat not in self.people.persons:
                raise RecordError(f"no person sits in seat {event.seat}: the file is of other players")
            else:
                self._apply(event)
        self.is_opening = self.board.is_bidding or not self.board.transcript.actions
        if not self.is_opening and self.board.phase != Phase.OVER:
            steps.end_opening()
        self.move = steps.number
        self.has_begun = any(isinstance(event, Decided) for event in log.kept)
        log.begin()

    def _note(self, event: PersonEvent) -> None:
        """Keep what happens to a person, and let it happen: what cannot be kept does not."""
        if self._log is not None:
            self._log.note(event)
        self._apply(event)

    def _apply(self, event: PersonEvent) -> None:
        if isinstance(event, Taken):
            self.seating.take(event)
            self.board.names = self.seating.names
            if self._log is not None:
                self._log.begin_record(self.rules, self.board.names)
        elif isinstance(event, Came):
            self.people.persons[event.seat].has_come = True
        elif isinstance(event, Released):
            self.seating.release(event.seat)
            self.people.persons[event.seat].has_come = False
        else:
            person = self.people.persons[event.seat]
            person.is_substituted, person.bid_intent = event.is_on, ""

    def note_round(self) -> None:
        """Note a round that has just ended."""
        if self.board.finished is not None:
            score, number = self.board.score(), self.rounds[-1].number + 1 if self.rounds else 1
            self.sheet = [*self.sheet, score][-_MAX_SCORES:]
            ended = EndedRound(number, self.board.names, score, self.board.finished)
            self.rounds = [*self.rounds, ended][-_MAX_ROUNDS:]
            if self._log is not None:
                self._log.note_round(self.board.finished)

    def lobby(self) -> Lobby:
        """Return what guests see now."""
        free, away = self.seating.free(), self.people.away()
        seats = [
            LobbySeat(seat, self.seating.shown_name(seat), seat in free, seat not in away, seat in self.people.persons)
            for seat in range(NUM_SEATS)
        ]
        return Lobby(str(self.rules), self.substitute.name, tuple(seats), self.has_begun)

    def state_for(self, viewer: int) -> TableState:
        """Return what a viewer sees now."""
        person = self.people.persons.get(viewer)
        is_over = not self.is_opening and self.board.phase == Phase.OVER
        is_played = not self.is_opening and self.offered is None  # as far as anybody is shown
        return TableState(
            move=self.move,
            view=self.board.view(viewer, is_opening=self.is_opening, offered=self.offered).to_json(),
            ask=None if person is None or self.fault else self._ask_for(viewer, person),
            window=self.window,
            persons=tuple(self.people.persons),
            away=self.people.away(),
            free=tuple(seat for seat in self.seating.free() if not self.seating.shown_name(seat)),
            waiting=() if self.has_begun else self.people.missing(),
            substituted=self.people.substituted(),
            done=self.people.done() if is_over else (),
            redealt=self.board.redealt if self.is_opening and not self.board.opening.is_drawn else "",
            auto=person is not None and person.auto,
            sheet=self.sheet,
            fault=self.fault,
            said=tuple((seat, *each.said) for seat, each in self.people.persons.items() if each.said),
            unseen=self.board.unseen(viewer) * is_played if self.has_counter and person is not None else None,
        )

    def _ask_for(self, seat: int, person: Person) -> Ask | None:
        board = self.board
        if not self.has_begun or person.is_substituted:
            return None
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
        return ask_of(self.decision, board.transcript.states[0], is_forced=self._is_forced)

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
        if self.people.guests:
            text = write_message(self.lobby())
            for outbox in self.people.guests:
                outbox.put_state(text)

    def join(self, viewer: int, outbox: Outbox) -> str:
        """Let a browser in, and show it how things are; return why not, or nothing."""
        refusal = self.people.join(viewer, outbox)
        if refusal:
            return refusal
        try:
            self._note_coming(viewer)
        except OSError:
            self.people.leave(viewer, outbox)
            raise
        self.publish()
        self.wake()
        return ""

    def _note_coming(self, viewer: int) -> None:
        """Note that a person has come, if it is for the first time: nobody decides in that place any longer."""
        person = self.people.persons.get(viewer)
        if person is not None and not person.has_come:
            self._note(Came(viewer))
            if person.is_substituted:
                self._note(Substituted(viewer, is_on=False))

    def leave(self, viewer: int, outbox: Outbox) -> None:
        """Let a browser go."""
        self.people.leave(viewer, outbox)
        self.publish()

    def take_seat(self, seat: int, typed: str) -> None:
        """Let a guest take a seat under a name; its secret is made.

        Raises:
            GuestError: the seat or the name cannot be had.
        """
        self._note(self.seating.check(seat, typed))
        self.publish()

    def open_seat(self, seat: int) -> None:
        """Make the secret of a seat that has a link of its own from the beginning, under the name that it has."""
        self._note(Taken(seat, "", new_secret()))

    def replace(self, *seats: int) -> None:
        """Let the substitute decide for persons from now on."""
        for seat in seats:
            self._note(Substituted(seat, is_on=True))
        self.publish()
        self.wake()

    def release(self, seat: int) -> None:
        """Free the seat of a person who is not connected; the substitute decides for whoever takes it, until then."""
        self._note(Released(seat))
        if self.has_begun:
            self._note(Substituted(seat, is_on=True))
        self.publish()
        self.wake()

    def come_back(self, seat: int) -> None:
        """Let a person decide again, from the next decision on."""
        self._note(Substituted(seat, is_on=False))
        self.publish()
        self.wake()

    async def wait_for_persons(self) -> None:
        """Wait until every person has come once, or the others begin without those who have not."""
        while not self.has_begun and self.people.missing():
            self.publish()
            await self.until_changed(None)
        self.has_begun = True

    def person_at(self, seat: int) -> Person | None:
        """Return the person who decides for a seat; None where a player does."""
        person = self.people.persons.get(seat)
        return None if person is None or person.is_substituted else person

    def begin_step(self, *, keep_intents: bool = False) -> None:
        """Begin what everybody sees as a new step."""
        self.move += 1
        if not keep_intents:
            self.people.begin()

    async def ask_player(self, seat: int, *, until: float | None = None) -> None:
        """Ask a seat's player or substitute, in a thread; its answer is shown at `until` or later."""
        is_substitute = seat in self.people.persons
        player = self.substitute if is_substitute else self.players[seat]
        actions = await think(self._executor, self.board.ask, player)
        if until is not None:
            await self.clock.until(until)
        self.make(actions, player.name if is_substitute else "")

    async def ask_person(self, person: Person, ready: float) -> Answer | None:
        """Ask a person, and wait for the answer; a forced play is made after a while, if the person likes that.

        Returns:
            The answer; None if a substitute is to decide after all.
        """
        self.decision = self.board.decision()
        only = self.decision.only_play()
        self._is_forced = only is not None
        self._answer = asyncio.get_running_loop().create_future()
        began = self.clock.now()
        forced_at = max(began + person.response_times.draw(), ready)
        self.publish()
        try:
            while not self._answer.done():
                if person.is_substituted:
                    return None
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

    def make(self, actions: list[int], by: str = "") -> None:
        """Show and keep a decision that the environment has made, `by` a substitute or whoever sits there."""
        if self._log is not None:
            self._log.note(Decided(actions, by))
        self.board.show(actions, by)

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
