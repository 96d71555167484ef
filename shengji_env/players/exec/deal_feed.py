"""What a seat is told of a round, message by message, from the actions that a table logs.

A message is made once for all seats, from what the round's record says; the cards that a seat draws, the kitty and the
buried cards are told to their own seat alone. A seat is told everything when it is asked, so the moment of a message
says nothing either. That a seat was asked whether it rebels, and did not, is told to nobody, since only weak hands are
asked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import CARD_TEXTS, RANKS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, UNNAMED, Phase
from shengji_env.players.exec import bot_messages as messages
from shengji_env.players.exec.bot_messages import ToBot, line_of
from shengji_env.records.writing import round_begun
from shengji_env.render.round_record import RoundDecision
from shengji_env.tables.tables import Tables

_PUBLIC: tuple[type[ToBot], ...] = (messages.BotBid, messages.Name, messages.BotLead, messages.Forced, messages.Follow)
"""The messages that are decisions of a record, field by field."""


class _Event(NamedTuple):
    """Something that has happened."""

    drawn: int
    """How many cards were drawn by then."""
    line: bytes
    """What is told to all seats but `owner`."""
    owner: int = NOBODY
    """A seat that is told something else."""
    own_line: bytes = b""
    """What it is told."""


@dataclass
class Cursor:
    """How much of a deal has been sent to a seat."""

    events: int = 0
    """How many events."""
    drawn: int = 0
    """Up to which of the cards that all seats draw."""


class DealFeed:
    """One deal at one table, followed action by action, and what its seats are told.

    Args:
        tables: the tables; they must keep logs.
        row: which of them.
    """

    def __init__(self, tables: Tables, row: int) -> None:
        state = tables.states[row]
        self._deal = int(state["round_index"]), int(state["redeals"])
        self._start = {
            name: int(state[name]) for name in ("round_index", "match_round", "redeals", "rebellions", "first_drawer")
        }
        self._declarer = int(state["declarer"]) if state["had_declarer"] else None
        self._levels = [RANKS[level] for level in state["levels"].tolist()]
        rebellions = self._start["rebellions"]
        self._rebel = int(tables.logs[row]["abandoned"]["rebels"][rebellions - 1]) if rebellions else None
        self._is_match = bool(tables.shared["is_match"][0])
        self._transcript = round_begun(tables, row)
        self._events: list[_Event] = []
        self._decisions, self._tricks, self._takers, self._trump, self._points = 0, 0, 0, UNNAMED, 0
        self._total = NUM_SEATS * tables.rules.hand
        self._hides_throws = tables.rules.failed_throw == "lowest_card"
        self._note()

    def is_at(self, tables: Tables, row: int) -> bool:
        """Whether a table is still at this deal."""
        return (int(tables.states["round_index"][row]), int(tables.states["redeals"][row])) == self._deal

    def follow(self, tables: Tables, row: int) -> None:
        """Follow what has happened at the table since."""
        self._make(tables.logs["actions"][row], int(tables.progress["logged"][row]))

    def finish(self, tables: Tables, row: int) -> None:
        """Follow the rest of the deal, if it was played to its end; the table plays another one now."""
        log = tables.logs[row]
        last = log["finished_state"]
        if not self.is_over and (int(last["round_index"]), int(last["redeals"])) == self._deal:
            self._make(log["finished_actions"], int(log["finished_size"]))

    @property
    def is_over(self) -> bool:
        """Whether the round has been followed to its end."""
        return self._transcript.phase == Phase.OVER

    def begin(self, seat: int) -> bytes:
        """Return the line that tells a seat that the round begins, or its cards are dealt again."""
        start = self._start
        return line_of(
            messages.BotRound(
                seat=seat, round=start["round_index"], match_round=start["match_round"], redeals=start["redeals"],
                rebellions=start["rebellions"], rebel=self._rebel, levels=self._levels, declarer=self._declarer,
                first_drawer=start["first_drawer"],
            )
        )  # fmt: skip

    def messages_for(self, seat: int, cursor: Cursor) -> bytes:
        """Return the lines that tell a seat what it has not been told yet; the cursor moves on."""
        return b"".join(self._lines(seat, cursor))

    def _lines(self, seat: int, cursor: Cursor) -> Iterator[bytes]:
        for event in self._events[cursor.events :]:
            yield from self._draw(seat, cursor, event.drawn)
            yield event.own_line if event.owner == seat else event.line
        cursor.events = len(self._events)
        if self._trump == UNNAMED:
            yield from self._draw(seat, cursor, int(self._transcript.states["drawn"][0]))

    def _draw(self, seat: int, cursor: Cursor, drawn: int) -> Iterator[bytes]:
        """Tell a seat which cards it has drawn; `drawn` counts the cards of all seats."""
        if drawn <= cursor.drawn:
            return
        first = cursor.drawn + (seat - self._start["first_drawer"] - cursor.drawn) % NUM_SEATS
        cards = self._transcript.states["deal"][0, first:drawn:NUM_SEATS].tolist()
        cursor.drawn = drawn
        yield line_of(messages.Draw(drawn, _text(cards)))

    def _make(self, actions: Any, size: int) -> None:
        for action in actions[len(self._transcript.actions) : size].tolist():
            self._transcript.make(action)
            if self._trump == UNNAMED or len(self._transcript.decisions) > self._decisions:
                self._note()

    def _note(self) -> None:
        """Note what the last action has brought about."""
        transcript = self._transcript
        for decision in transcript.decisions[self._decisions :]:
            self._decisions += 1
            self._note_decision(decision)
        self._note_trumps()
        if self._tricks < len(transcript.tricks) and "winner" in transcript.tricks[self._tricks]:
            self._announce(messages.BotTrick(**transcript.tricks[self._tricks]))
            self._tricks += 1
            self._points = int(transcript.states["attackers_points"][0])
            if self.is_over:
                self._note_result()

    def _note_decision(self, decision: RoundDecision) -> None:
        seat = decision["seat"]
        if "bury" in decision:
            self._announce(messages.Bury(seat, None), seat, messages.Bury(seat, decision["bury"]))
        elif decision.get("bid", "") is not None and "rebel" not in decision:
            kind = next(kind for kind in _PUBLIC if kind.type in decision)
            fields: Mapping[str, Any] = decision
            if "lead" in decision and self._hides_throws:
                led = self._transcript.tricks[-1]["led"]
                self._announce(messages.BotLead(seat, led), seat, messages.BotLead(seat, decision["lead"]))
            else:
                self._announce(kind(**fields), drawn=decision.get("drawn"))
        if ("lead" in decision or "forced" in decision) and len(self._transcript.tricks) > self._tricks:
            self._note_led(decision)

    def _note_led(self, decision: RoundDecision) -> None:
        """Note what is led instead, if a throw has failed; only its penalty shows one that nobody sees."""
        leader, led = self._transcript.tricks[-1]["leader"], self._transcript.tricks[-1]["led"]
        if led == decision.get("lead"):
            return
        penalty = abs(int(self._transcript.states["attackers_points"][0]) - self._points)
        line = line_of(messages.BotLed(leader, led, penalty))
        is_seen = penalty > 0 or not self._hides_throws
        self._events.append(_Event(self._total, line if is_seen else b"", leader, line))

    def _note_trumps(self) -> None:
        """Note that trumps are settled, or others than before, and that the kitty is taken up."""
        transcript = self._transcript
        state = transcript.states[0]
        trump = int(state["trump"])
        if trump == UNNAMED or transcript.is_abandoned:
            return
        if trump != self._trump:
            self._trump = trump
            texts = TRUMP_TEXTS[trump], RANKS[int(state["level_rank"])]
            self._announce(messages.Trumps(*texts, int(state["declarer"]), transcript.text(state["turned"])))
        if int(state["num_takers"]) > self._takers:
            self._note_taker(int(state["takers"][self._takers]))

    def _note_taker(self, seat: int) -> None:
        """Note that a seat takes up the kitty: the last cards of the deal, then what was buried last."""
        transcript, rules = self._transcript, self._transcript.rules
        first = transcript.states["deal"][0, NUM_SEATS * rules.hand : rules.total].tolist()
        cards = transcript.buried if self._takers else _text(first)
        self._takers += 1
        self._announce(messages.Takes(seat))
        self._events.append(_Event(self._total, b"", seat, line_of(messages.Kitty(cards))))

    def _note_result(self) -> None:
        record, last = self._transcript.record(), self._transcript.states["result"][0]
        is_over = self._is_match and bool(last["match_over"])
        winner = int(last["match_winner"]) if is_over and last["match_winner"] != NOBODY else None
        self._announce(messages.BotResult(record["result"], record["buried"], is_over, winner))

    def _announce(
        self, message: ToBot, owner: int = NOBODY, own: ToBot | None = None, *, drawn: int | None = None
    ) -> None:
        """Note a message; `drawn` says how many cards had been drawn, if not all."""
        own_line = b"" if own is None else line_of(own)
        self._events.append(_Event(self._total if drawn is None else drawn, line_of(message), owner, own_line))


def _text(cards: list[int]) -> str:
    return " ".join(CARD_TEXTS[card] for card in cards)
