"""Plays under choice: which cards may join those already chosen, in any order, and why the others may not.

Masks take a play's cards in one order. A person chooses them in any order; here the question is only whether some legal
play holds all chosen cards and one card more.

| reason | the card may not join, because |
|---|---|
| ``other_suit`` | the chosen cards are of another effective suit, and a lead is of one |
| ``no_component`` | without throws a lead is one component, and none that the hand holds has all these cards |
| ``enough`` | the play has as many cards as it needs |
| ``owes_suit`` | cards of the led suit must be played first |
| ``owes`` | it leaves no room for the pairs and the like that the hand owes |

Source: docs/rules.md §8, §9.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.packing import can_pack, set_piece
from shengji_env.engine.referee.play_position import FOLLOWER, PlayPosition, follow_position, workspace
from shengji_env.engine.referee.plays import check_lead, legal_leads
from shengji_env.engine.referee.values import Cards, Trump, excess_card, read_cards, to_cards, to_slots
from shengji_env.engine.rule_sets import RulesLike, as_rules
from shengji_env.engine.slots import NUM_SLOTS, EffectiveSuit, suit_end, suit_start

Objection = Literal["other_suit", "no_component", "enough", "owes_suit", "owes"]


@dataclass(frozen=True)
class Extensions:
    """How a play under choice may go on."""

    is_whole: bool
    """Whether the chosen cards are a legal play."""
    reasons: dict[int, Objection | None]
    """For each card of which the hand holds another copy: why it may not join, or None if it may."""


def lead_extensions(hand: Cards, chosen: Cards, trump: Trump, rules: RulesLike) -> Extensions:
    """Return how a lead may go on; with throws on, any cards of one effective suit may be led."""
    rules = as_rules(rules)
    held, taken = (read_cards(cards, decks=rules.decks) for cards in (hand, chosen))
    if excess_card(taken, held) is not None:
        return Extensions(False, {})
    suits = {trump.effective_suit(int(card)) for card in np.flatnonzero(taken)}
    if rules.throws:
        reasons: dict[int, Objection | None] = {
            card: None if suits <= {trump.effective_suit(card)} else "other_suit" for card in _left(held, taken)
        }
        return Extensions(len(suits) == 1, reasons)
    plays = [play for play in legal_leads(held, trump, rules) if (play >= taken).all()]
    reasons = {}
    for card in _left(held, taken):
        wrong: Objection = "no_component" if suits <= {trump.effective_suit(card)} else "other_suit"
        reasons[card] = None if any(play[card] > taken[card] for play in plays) else wrong
    return Extensions(bool(taken.any()) and any((play == taken).all() for play in plays), reasons)


def follow_extensions(lead: Cards, hand: Cards, chosen: Cards, trump: Trump, rules: RulesLike) -> Extensions:
    """Return how a follow may go on."""
    rules = as_rules(rules)
    led, held, taken = (read_cards(cards, decks=rules.decks) for cards in (lead, hand, chosen))
    check_lead(led, trump, rules)
    if excess_card(taken, held) is not None:
        return Extensions(False, {})
    position = follow_position(led, held, trump, rules)
    reasons = {card: _objection(position, _with(taken, card), card) for card in _left(held, taken)}
    is_whole = taken.sum() == led.sum() and _may_hold(position, taken)
    return Extensions(bool(is_whole), reasons)


def forced_cards(lead: Cards, hand: Cards, trump: Trump, rules: RulesLike) -> NDArray[np.int8]:
    """Return the cards that every legal follow holds, as a count vector."""
    rules = as_rules(rules)
    position = follow_position(read_cards(lead, decks=rules.decks), read_cards(hand, decks=rules.decks), trump, rules)
    held, forced = position.state.hands[FOLLOWER], np.zeros(NUM_SLOTS, np.int8)
    for slot in np.flatnonzero(held).tolist():
        while forced[slot] < held[slot] and not _may_keep(position, slot, held[slot] - forced[slot]):
            forced[slot] += 1
    return to_cards(forced, trump)


def lead_objections(hand: Cards, chosen: Sequence[int], trump: Trump, rules: RulesLike) -> list[tuple[int, Objection]]:
    """Return which of the cards chosen to lead, one after the other, could not join those before them, and why."""
    rules = as_rules(rules)
    held, taken = read_cards(hand, decks=rules.decks), np.zeros(NUM_CARDS, np.int8)
    plays = [] if rules.throws else list(legal_leads(held, trump, rules))
    wrong: list[tuple[int, Objection]] = []
    for card in chosen:
        suits, cards = {trump.effective_suit(int(other)) for other in np.flatnonzero(taken)}, _with(taken, card)
        if not suits <= {trump.effective_suit(card)}:
            wrong.append((card, "other_suit"))
        elif rules.throws or any((play >= cards).all() for play in plays):
            taken = cards
        else:
            wrong.append((card, "no_component"))
    return wrong


def follow_objections(
    lead: Cards, hand: Cards, chosen: Sequence[int], trump: Trump, rules: RulesLike
) -> list[tuple[int, Objection]]:
    """Return which of the cards chosen to follow, one after the other, could not join those before them, and why."""
    rules = as_rules(rules)
    held, taken = read_cards(hand, decks=rules.decks), np.zeros(NUM_CARDS, np.int8)
    position = follow_position(read_cards(lead, decks=rules.decks), held, trump, rules)
    wrong: list[tuple[int, Objection]] = []
    for card in chosen:
        reason = _objection(position, _with(taken, card), card)
        if reason is None:
            taken[card] += 1
        else:
            wrong.append((card, reason))
    return wrong


def _left(held: NDArray[np.int8], taken: NDArray[np.int8]) -> list[int]:
    """Return the cards of which another copy is held."""
    return [int(card) for card in np.flatnonzero(held > taken)]


def _with(taken: NDArray[np.int8], card: int) -> NDArray[np.int8]:
    cards = taken.copy()
    cards[card] += 1
    return cards


def _objection(position: PlayPosition, cards: NDArray[np.int8], card: int) -> Objection | None:
    """Return why no legal follow holds all these cards, the last of which is `card`."""
    if cards.sum() > position.state.lead_size:
        return "enough"
    if _may_hold(position, cards):
        return None
    return "owes" if position.trump.effective_suit(card) == position.state.lead_suit else "owes_suit"


def _may_hold(position: PlayPosition, cards: NDArray[np.int8]) -> bool:
    """Return whether some legal follow holds all these cards, no more of them than were led."""
    s, led = position.state, _led_slots(position)
    by_slot, of_hand = to_slots(cards, position.trump), s.hands[FOLLOWER]
    others = int(by_slot.sum() - by_slot[led].sum())
    if not s.must_match:
        return others <= int(s.lead_size) - int(of_hand[led].sum())
    return not others and _can_match(position, of_hand, by_slot)


def _may_keep(position: PlayPosition, slot: int, copies: int) -> bool:
    """Return whether some legal follow leaves so many copies of a card in the hand."""
    s, led = position.state, _led_slots(position)
    left = s.hands[FOLLOWER].copy()
    left[slot] -= copies
    if not led.start <= slot < led.stop:
        return bool(s.must_match) or int(left.sum()) >= int(s.lead_size)
    return bool(s.must_match and left[led].sum() >= s.lead_size and _can_match(position, left, np.zeros_like(left)))


def _led_slots(position: PlayPosition) -> slice:
    suit, trump = int(position.state.lead_suit), position.trump.suit_index
    return slice(suit_start(suit, trump), suit_end(suit, trump))


def _can_match(position: PlayPosition, available: NDArray[np.int8], fixed: NDArray[np.int8]) -> bool:
    """Return whether cards of the led suit, some of them in the play already, can supply what the hand owes."""
    s, w, led = position.state, workspace(), _led_slots(position)
    owed = 0
    for piece in range(s.num_owed):
        set_piece(w.packing, piece, s.owed_width[piece], s.owed_length[piece])
        owed += int(s.owed_width[piece]) * int(s.owed_length[piece])
    w.packing.available[led], w.packing.fixed[led] = available[led], fixed[led]
    suit = EffectiveSuit(int(s.lead_suit), position.trump.suit_index)
    return bool(can_pack(w.packing, int(s.num_owed), suit, int(s.lead_size) - owed))
