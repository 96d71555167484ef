"""What the cards say of a play: facts that are true of it, the most telling first.

A fact follows from what the seat knows: its hand, the cards that have been played, who has shown itself void; or, with
all hands open, from them. Who *may* hold cards is never told as if it held them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NAME, PASS, REBEL
from shengji_env.engine.bids import kind_of_action, reading_of, trump_of_kind
from shengji_env.engine.components import component_code, decompose, has_higher, length_of, width_of
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.referee import Trump
from shengji_env.engine.referee.values import to_cards
from shengji_env.engine.results import settle
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import (
    NO_TRUMP,
    NUM_EFFECTIVE_SUITS,
    TRUMP,
    order_of_slot,
    suit_end,
    suit_start,
    trump_start,
)
from shengji_env.engine.state import NUM_TEAMS, UNNAMED, WORKSPACE_DTYPE, Phase
from shengji_env.engine.tricks import contest, count_suit
from shengji_env.players.answers import Answer


class Fact(NamedTuple):
    """Something that is true of a play; `card_words.SENTENCES` says it."""

    key: str
    number: int = 0
    """Points, or cards."""
    suit: int = -1
    """Effective suit, -1 for none."""
    away: int = 0
    """Which seat it is about: so many after the one that decides."""


class FactFinder:
    """Finds what is true of plays at the table of a decision, as its seat knows it or with all hands open.

    Args:
        states: (1,) STATE_DTYPE, as the decision began.
        rules: the rules.
        is_open: whether it holds all hands, which may be told; otherwise what the seat knows.
    """

    def __init__(self, states: NDArray[Any], rules: RuleSet, *, is_open: bool) -> None:
        self._states, self._is_open = states, is_open
        self._state: Any = states[0]
        self._rules = rules.record()[0]
        self._work: Any = np.zeros(1, WORKSPACE_DTYPE)[0]
        self._seat, self._trump = int(self._state["seat"]), int(self._state["trump"])
        self._hand = self._state["hands"][self._seat]

    def facts(self, answer: Answer) -> list[Fact]:
        """Return what is true of an answer, the most telling first; never nothing."""
        phase = int(self._state["phase"])
        if isinstance(answer, int):
            return [Fact("forced")] if phase == Phase.FORCED else [self._of_action(answer)]
        of_cards = {Phase.LEAD: self._of_lead, Phase.FOLLOW: self._of_follow, Phase.BURY: self._of_burial}
        return list(of_cards[Phase(phase)](answer))

    def _of_follow(self, cards: NDArray[np.int8]) -> Iterator[Fact]:
        state, after = self._state, self._states.copy()
        contest(after[0], self._rules, self._work, self._seat, cards)
        own, points = self._points(cards), int(state["trick_points"]) + self._points(cards)
        holds = int(after["winning"][0]) % NUM_TEAMS == self._seat % NUM_TEAMS
        is_own, is_last = int(after["winning"][0]) == self._seat, int(state["position"]) == NUM_SEATS - 1
        is_safe = is_last or not any(self._may_beat(seat, after[0]) for seat in self._later_opponents())
        if not holds:
            yield Fact("lost" if is_last else "gives", own)
        elif is_own:
            is_ruff = int(after["winning_suit"][0]) == TRUMP != int(state["lead_suit"])
            how = "last" if is_last else "safe" if is_safe else "ruffs" if is_ruff else "beats"
            yield Fact(f"takes_{how}", points, int(state["lead_suit"]))
        else:
            yield Fact("partner_last" if is_last else "partner_safe" if is_safe else "partner", own)
        if is_own and not is_safe and int(state["lead_size"]) == 1:
            yield self._above(self._later_opponents(), int(after["winning_suit"][0]), cards)
        if is_safe or (is_last and not holds):
            yield from self._of_levels(points, int(after["winning"][0]))
        yield from self._of_hand(cards)

    def _of_lead(self, cards: NDArray[np.int8]) -> Iterator[Fact]:
        suit = next(each for each in self._suits() if count_suit(cards, each, self._trump))
        number, points = int(decompose(cards, suit, self._trump, self._work)), self._points(cards)
        codes = [int(code) for code in self._work.codes[:number]]
        higher = {seat for seat in self._others() if self._has_higher(seat, codes, suit)}
        ruffers = [seat for seat in self._opponents() if suit != TRUMP and self._may_ruff_now(seat, suit)]
        if number > 1:
            yield Fact("throw_risky" if higher else "throw_stands")
        elif higher.isdisjoint(self._opponents()):
            yield Fact("top" if width_of(codes[0]) == 1 else "top_set", points)
        elif cards.sum() == 1:
            yield self._above(self._opponents(), suit, cards)
        for seat in ruffers:
            yield Fact("ruffer", 0, suit, (seat - self._seat) % NUM_SEATS)
        if suit == TRUMP:
            yield Fact("draws", max(self._trumps(seat) for seat in self._others()))
        elif not ruffers and self._may_ruff_now((self._seat + 2) % NUM_SEATS, suit):
            yield Fact("partner_ruffs", 0, suit)
        if higher or ruffers:
            yield Fact("risks" if points else "risks_nothing", points)
        yield from self._of_hand(cards)

    def _of_burial(self, cards: NDArray[np.int8]) -> Iterator[Fact]:
        points, trumps = self._points(cards), int(count_suit(cards, TRUMP, self._trump))
        yield from self._of_hand(cards)
        yield Fact("buries_points" if points else "buries_none", points)
        if trumps:
            yield Fact("buries_trumps", trumps)

    def _of_action(self, action: int) -> Fact:
        trump, level = reading_of(self._state, self._seat)
        cards = self._hand if self._trump == UNNAMED else to_cards(self._hand, Trump.of(trump, level))
        held = [_num_trumps(cards, Trump.of(suit, level)) for suit in range(NO_TRUMP + 1)]
        if action == PASS:
            return Fact("passes", max(held[:NO_TRUMP]))
        if action < NAME:
            return Fact("bids", held[trump_of_kind(kind_of_action(action))])
        return Fact("names", held[action - NAME]) if action < REBEL else Fact("rebels")

    def _of_levels(self, points: int, winner: int) -> Iterator[Fact]:
        """Yield what the points of a trick change, if the attackers get them."""
        before, declarer = int(self._state["attackers_points"]), int(self._state["declarer"])
        if winner % NUM_TEAMS == declarer % NUM_TEAMS or not points:
            return
        if settle(self._rules, before, False) != settle(self._rules, before + points, False):
            yield Fact("reaches", before + points)

    def _of_hand(self, cards: NDArray[np.int8]) -> Iterator[Fact]:
        """Yield what becomes of the hand."""
        for suit in self._suits():
            if suit != TRUMP and 0 < count_suit(self._hand, suit, self._trump) == count_suit(cards, suit, self._trump):
                yield Fact("empties", 0, suit)
        if ((cards > 0) & (cards < self._hand)).any():
            yield Fact("breaks")

    def _suits(self) -> list[int]:
        return [suit for suit in range(NUM_EFFECTIVE_SUITS) if suit != NO_TRUMP - 1 or self._trump == NO_TRUMP]

    def _points(self, cards: NDArray[np.int8]) -> int:
        return int(cards.astype(int) @ self._state["slot_points"])

    def _others(self) -> list[int]:
        return [(self._seat + step) % NUM_SEATS for step in range(1, NUM_SEATS)]

    def _opponents(self) -> list[int]:
        return self._others()[::NUM_TEAMS]

    def _later_opponents(self) -> list[int]:
        position = int(self._state["position"])
        return [(self._seat + step) % NUM_SEATS for step in range(1, NUM_SEATS - position) if step % NUM_TEAMS]

    def _may_hold(self, seat: int) -> NDArray[np.int8]:
        """Return the cards that a seat may hold, as many of each as it may, by slot."""
        cards: NDArray[np.int8] = self._state["hands"][seat].copy()
        if self._is_open:
            return cards
        cards[:] = self._state["slot_copies"] - self._hand - self._state["played"].sum(axis=0)
        if last_taker(self._state) == self._seat:
            cards -= self._state["buried"]
        for suit in self._suits():
            if self._state["voids"][seat, suit]:
                cards[suit_start(suit, self._trump) : suit_end(suit, self._trump)] = 0
        return cards

    def _is_void(self, seat: int, suit: int) -> bool:
        """Return whether a seat has no cards of a suit, as far as that is known."""
        return not count_suit(self._may_hold(seat), suit, self._trump)

    def _trumps(self, seat: int) -> int:
        return int(count_suit(self._may_hold(seat), TRUMP, self._trump))

    def _has_higher(self, seat: int, codes: Sequence[int], suit: int) -> bool:
        return any(has_higher(self._may_hold(seat), code, suit, self._trump) for code in codes)

    def _above(self, seats: Sequence[int], suit: int, card: NDArray[np.int8]) -> Fact:
        """Return how many cards above a single card of a suit some seats may hold."""
        held = np.array([self._may_hold(seat) for seat in seats])
        cards = held.sum(axis=0) if self._is_open else held.max(axis=0)
        order = order_of_slot(int(card.argmax()), self._trump)
        slots = range(suit_start(suit, self._trump), suit_end(suit, self._trump))
        return Fact("above", sum(int(cards[slot]) for slot in slots if order_of_slot(slot, self._trump) > order))

    def _may_ruff_now(self, seat: int, suit: int) -> bool:
        """Return whether a seat is known to have no cards of a plain suit, and may have trumps."""
        return self._is_void(seat, suit) and self._trumps(seat) > 0

    def _may_beat(self, seat: int, after: Any) -> bool:
        """Return whether a seat may beat the play that is winning; True in doubt."""
        lead, suit, size = int(after["lead_suit"]), int(after["winning_suit"]), int(after["lead_size"])
        held, code = self._may_hold(seat), int(after["components"][0])
        best = component_code(width_of(code), length_of(code), int(after["winning_top"]), 0)
        if suit == lead and has_higher(held, best, suit, self._trump):
            return True
        may_ruff = lead != TRUMP and (self._is_void(seat, lead) if self._is_open else not self._shows(seat, lead))
        if not may_ruff or count_suit(held, TRUMP, self._trump) < size:
            return False
        return suit != TRUMP or bool(has_higher(held, best, TRUMP, self._trump))

    def _shows(self, seat: int, suit: int) -> bool:
        """Return whether everybody knows that a seat holds cards of a suit."""
        return bool(count_suit(self._state["known"][seat], suit, self._trump))


def _num_trumps(cards: NDArray[np.int8], trump: Trump) -> int:
    """Return how many of the cards, counted by id, are trumps."""
    is_trump = trump.slots >= trump_start(trump.suit_index)
    return int(cards[: len(is_trump)][is_trump].sum())
