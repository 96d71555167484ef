"""A decision that a person is asked for: the possible answers, why an answer is refused, what `heuristic` would do.

The reasons come from the referee. An answer is an action, or the cards of a whole play counted by slot.

Source: docs/rules.md §4–§9.
"""

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NAME, PASS, REBEL, action_text, parse_action
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import LITTLE_JOKER, RANKS, card_text, format_cards
from shengji_env.engine.referee import (
    Component,
    IllegalPlayError,
    Trump,
    check_follow,
    check_lead,
    decompose,
    legal_follows,
)
from shengji_env.engine.referee.values import excess_card, to_cards, to_slots
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import Phase
from shengji_env.errors import NotationError
from shengji_env.players.decisions import Decisions
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.typed import read_typed_cards, read_typed_trump
from shengji_env.players.whole_plays import begin_decisions, choose_whole
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables

REBEL_WORD = "rebel"
"""How a rebellion is typed; its first letter will do."""

Answer = int | NDArray[np.int8]
"""An action, or the cards of a whole play by slot, shape (54,)."""


class Decision:
    """One of the decisions that a player is asked for, as it was when it began.

    Attributes:
        states: the information state, shape (1,), before any card of the decision was taken.
        phase: what is to be decided.
        seat: who decides.
        trump: the trumps; before they are named, no trump with the level that the seat bids with.
    """

    def __init__(self, decisions: Decisions, row: int) -> None:
        self.rules = decisions.rules
        self.now = decisions.states[row : row + 1]
        self.mask = decisions.action_mask[row]
        self.observation = decisions.observation[row]
        self.states = self.now.copy()
        begin_decisions(self.states)
        self.state: Any = self.states[0]
        self.phase = Phase(int(self.state["phase"]))
        self.seat = int(self.state["seat"])
        self.trump = Trump.of(*reading_of(self.state, self.seat))

    @property
    def hand(self) -> NDArray[np.int8]:
        """The seat's cards, shape (54,), by card id."""
        return to_cards(self.state["hands"][self.seat], self.trump)

    @property
    def led(self) -> NDArray[np.int8]:
        """The cards that were led, shape (54,), by card id."""
        return to_cards(self.state["trick"][int(self.state["leader"])], self.trump)

    @property
    def options(self) -> list[str]:
        """The answers that can be listed: bids, trumps, a rebellion, the components of a failed throw."""
        if self.phase == Phase.FORCED:
            return [str(choice) for choice in self.choices]
        if self.phase not in (Phase.BID, Phase.NAME, Phase.REBEL):
            return []
        return [self.text(int(action)) for action in np.flatnonzero(self.mask) if action != PASS]

    @property
    def choices(self) -> list[Component]:
        """The components that may be led after a failed throw."""
        slots = self.trump.slots
        return [part for part in decompose(self.led, self.trump) if self.mask[slots[part.top]]]

    def only_play(self) -> NDArray[np.int8] | None:
        """Return the only legal play, by slot; None if there are several, or if cards are to be buried."""
        plays: list[NDArray[np.int8]] = []
        if self.phase == Phase.LEAD and self.hand.sum() == 1:
            plays = [self.hand]
        elif self.phase == Phase.FOLLOW:
            plays = list(islice(legal_follows(self.led, self.hand, self.trump, self.rules), 2))
        return to_slots(plays[0], self.trump) if len(plays) == 1 else None

    def text(self, answer: Answer) -> str:
        """Return an answer as a person would type it."""
        if not isinstance(answer, int):
            return format_cards(to_cards(answer, self.trump))
        if self.phase == Phase.FORCED:
            return next(str(choice) for choice in self.choices if self.trump.slots[choice.top] == answer)
        text = action_text(answer, trump=self.trump.suit_index, level=self.trump.level_index, is_bid=True)
        return text.removeprefix("bid ").removeprefix("name ")

    def read(self, text: str) -> Answer:
        """Read an answer from a text.

        Raises:
            NotationError: the text cannot be read.
            IllegalPlayError: the rules do not allow it; the reason says why.
        """
        if self.phase == Phase.NAME:
            return self._read_name(text)
        if self.phase == Phase.REBEL:
            return _read_rebellion(text)
        cards = read_typed_cards(text)
        if self.phase == Phase.FORCED:
            return self._read_forced(cards)
        self._check_held(cards)
        if self.phase == Phase.BID:
            return self._read_bid(cards)
        self._check_play(cards)
        return to_slots(cards, self.trump)

    def _check_held(self, cards: NDArray[np.int8]) -> None:
        if not cards.any():
            raise NotationError("no card is named")
        card = excess_card(cards, self.hand)
        if card is not None:
            excess = f", not {cards[card]}" if self.hand[card] else ""
            raise self._refusal(cards, f"the hand holds {self.hand[card] or 'no'} {card_text(card)}{excess}")

    def _check_play(self, cards: NDArray[np.int8]) -> None:
        if self.phase == Phase.LEAD:
            check_lead(cards, self.trump, self.rules)
        elif self.phase == Phase.FOLLOW:
            check_follow(self.led, self.hand, cards, self.trump, self.rules)
        elif cards.sum() != self.rules.kitty:
            raise self._refusal(cards, f"{self.rules.kitty} cards are to be buried, these are {cards.sum()}")

    def _read_name(self, text: str) -> int:
        action = NAME + read_typed_trump(text)
        if not self.mask[action]:
            raise IllegalPlayError("NAME", text.strip(), "these rules have no bid of no trump", self.options)
        return action

    def _read_forced(self, cards: NDArray[np.int8]) -> int:
        for choice in self.choices:
            if np.array_equal(cards, choice.cards) or (cards.sum() == 1 and cards[choice.top]):
                return int(self.trump.slots[choice.top])
        raise self._refusal(cards, "it is none of the throw's beaten components")

    def _read_bid(self, cards: NDArray[np.int8]) -> int:
        level = self.trump.level_index
        try:
            action = parse_action(f"bid {format_cards(cards)}", trump=NO_TRUMP, level=level)
        except NotationError:
            what = f"a bid shows {RANKS[level]}s of one suit, or two or more equal jokers"
            raise self._refusal(cards, what) from None
        if self.mask[action]:
            return action
        raise self._refusal(cards, self._bid_objection(cards))

    def _bid_objection(self, cards: NDArray[np.int8]) -> str:
        """Say why a bid that the hand holds may not be made."""
        if cards[LITTLE_JOKER:].any() and not self.rules.no_trump_bids:
            return "these rules have no bid of no trump"
        holder = int(self.state["bid_seat"])
        if not self.rules.overturn and holder != self.seat:
            return "these rules let nobody bid over another's bid"
        if holder == self.seat:
            return "the standing bid is this seat's own: it may only be reinforced 加固, with more of the same card"
        return f"it is not stronger than the standing bid of seat {holder}"

    def _refusal(self, cards: NDArray[np.int8], reason: str) -> IllegalPlayError:
        return IllegalPlayError(self.phase.name, format_cards(cards), reason, self.options)

    def hint(self) -> Answer:
        """Return what `heuristic` would answer. It answers card by card, so the decision is played through here."""
        player, key = HeuristicPlayer(), np.zeros(1, np.uint64)
        tables = Tables(TableSettings(rules=self.rules), np.zeros(1, np.int64))
        tables.states[:] = self.now
        tables.masks[0], tables.vectors[0] = self.mask, self.observation
        return choose_whole(tables, lambda: int(player.act(tables.vectors, tables.masks, key)[0]))


def _read_rebellion(text: str) -> int:
    if text.strip().lower() in (REBEL_WORD, REBEL_WORD[0]):
        return REBEL
    raise NotationError(f"write {REBEL_WORD} to have the cards dealt again, or pass")
