"""Compiled code: what the encoder of suits reads: rows of each suit as it stands, and of what a choice takes from it.

Only decisions about cards have them. Plain suits are interchangeable and share all rows; trumps have rows of their own.

| of | numbers |
|---|---|
| a suit | the kind of decision; who is void; whether it is led, and the highest card of the play that is winning |
| each card of it | copies held and out; points; copies played by each seat, in this trick, known, buried; winners |
| a choice that takes cards of it | copies taken and left of each; cards taken and left; pairs and winners left |
"""

from math import prod

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rows import count_cards_at, lowest_slot, num_slots, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import (
    LEVEL_SLOT,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    PLAIN_RANKS,
    TRUMP,
    suit_of_slot,
    suit_slots,
)
from shengji_env.engine.state import State
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.decision import DecisionRecord
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    CARD_GROUPS,
    LEFT,
    PAIRS_LEFT,
    STANDING_LEFT,
    TAKEN,
    Shape,
    first_rows,
)
from shengji_env.players.networks.selfplay.sight import VOIDS

_TRUMP_BLOCK = LEVEL_SLOT - PLAIN_RANKS
"""The first slot that may be a trump."""
_STATES, _COPIES = 4, 2
"""Copies of a card, 0 to 3 and more, held, out or left; 1, 2 and more elsewhere."""


def _inputs_of(ranks: int) -> dict[str, Shape]:
    return {
        "kind": (CARD_GROUPS, VOIDS),
        "led": (1,),
        "top": (ranks,),
        "state": (ranks, _STATES, _STATES),
        "points": (ranks, 2),
        "standing": (ranks,),
        "played": (NUM_SEATS, ranks, _COPIES),
        "trick": (NUM_SEATS, ranks, _COPIES),
        "known": (NUM_SEATS - 1, ranks, _COPIES),
        "buried": (ranks, _COPIES),
        "taken": (ranks, _STATES - 1, _STATES),
        "cards": (TAKEN, LEFT),
        "left": (2, PAIRS_LEFT, STANDING_LEFT),
    }


PLAIN_INPUTS, TRUMP_INPUTS = _inputs_of(PLAIN_RANKS), _inputs_of(NUM_SLOTS - _TRUMP_BLOCK)
NUM_PLAIN_ROWS, NUM_TRUMP_ROWS = (sum(map(prod, inputs.values())) for inputs in (PLAIN_INPUTS, TRUMP_INPUTS))
NUM_SUIT_ROWS = NUM_PLAIN_ROWS + NUM_TRUMP_ROWS
SUIT_SHAPES: list[tuple[str, Shape]] = [*PLAIN_INPUTS.items(), *TRUMP_INPUTS.items()]
"""All inputs, in the order of their rows."""
_FIRST = tuple(
    np.array(list(first_rows(inputs, first).values()))
    for inputs, first in ((PLAIN_INPUTS, 0), (TRUMP_INPUTS, NUM_PLAIN_ROWS))
)
_FIRST_ROWS = np.array(_FIRST)
"""(2, inputs) where the rows of each begin, of plain suits and of trumps."""
_KIND, _LED, _TOP, _STATE, _POINTS, _STANDING, _PLAYED, _TRICK, _KNOWN, _BURIED, _TAKEN, _CARDS, _LEFT = range(
    len(PLAIN_INPUTS)
)


@jit
def list_suits(s: State, d: DecisionRecord) -> None:
    """List the rows of the suits as they stand, into ``d.suit_rows``; `look` has just looked at the table."""
    sight, seat, trump = d.sight, int(s.seat), int(s.trump)
    for suit in range(NUM_EFFECTIVE_SUITS):
        d.num_suit_rows[suit] = 0
        if is_suit(suit, trump):
            _list_whole(s, d, suit)
    hand, left = s.hands[seat], sight.held1 | sight.out1
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        held, out = min(int(hand[slot]), _STATES - 1), min(int(sight.out[slot]), _STATES - 1)
        _list_card(d, trump, slot, _STATE, 0, _STATES * _STATES, held * _STATES + out)
    left = sight.fives | sight.tens
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        _list_card(d, trump, slot, _POINTS, 0, 2, int(sight.tens >> slot & 1))
    left = sight.standing
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        _list_card(d, trump, slot, _STANDING, 0, 1, 0)
    for step in range(NUM_SEATS):
        other = (seat + step) % NUM_SEATS
        _list_counts(d, trump, s.played[other], _PLAYED, step)
        _list_counts(d, trump, s.trick[other], _TRICK, step)
        if step:
            _list_counts(d, trump, s.known[other], _KNOWN, step - 1)
    if last_taker(s) == seat:
        _list_counts(d, trump, s.buried, _BURIED, 0)


@jit
def _list_whole(s: State, d: DecisionRecord, suit: int) -> None:
    """List what a suit is as a whole."""
    sight, top = d.sight, int(d.sight.top)
    _list_row(d, suit, _KIND, int(d.group) * VOIDS + sight.void[suit])
    if s.lead_size > 0:
        if s.lead_suit == suit:
            _list_row(d, suit, _LED, 0)
        if suit_slots(suit, s.trump) >> top & 1:
            _list_row(d, suit, _TOP, top - _place_of(suit))


@jit
def _list_counts(d: DecisionRecord, trump: int, counts: NDArray[np.int8], kind: int, step: int) -> None:
    """List the rows of the cards that there are of some counts."""
    left = slots_with(counts, 1)
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        _list_card(d, trump, slot, kind, step, _COPIES, min(int(counts[slot]), _COPIES) - 1)


@jit
def _list_card(d: DecisionRecord, trump: int, slot: int, kind: int, step: int, size: int, number: int) -> None:
    """List the row of a number, of so many, of a card; each step has as many rows as all ranks of the suit."""
    suit = suit_of_slot(slot, trump)
    _list_row(d, suit, kind, (step * _ranks_of(suit) + slot - _place_of(suit)) * size + number)


@jit
def _list_row(d: DecisionRecord, suit: int, kind: int, row: int) -> None:
    d.suit_rows[suit, d.num_suit_rows[suit]] = _FIRST_ROWS[suit // TRUMP, kind] + row
    d.num_suit_rows[suit] += 1


@jit
def list_changes(s: State, d: DecisionRecord, cards: NDArray[np.int8], index: int) -> None:
    """List the rows of what a choice takes from suits, into ``d.change_rows``; ``d.rest`` is what it leaves."""
    taken = slots_with(cards, 1)
    for suit in range(NUM_EFFECTIVE_SUITS):
        number, block = 0, suit_slots(suit, s.trump)
        if taken & block and is_suit(suit, s.trump):
            number = _list_change(d, cards, suit, block, d.change_rows[index, suit])
        d.num_change_rows[index, suit] = number


@jit
def _list_change(d: DecisionRecord, cards: NDArray[np.int8], suit: int, block: int, rows: NDArray[np.int16]) -> int:
    start, first = _place_of(suit), _FIRST_ROWS[suit // TRUMP]
    number, kept = count_cards_at(cards, block), slots_with(d.rest, 1) & block
    left = count_cards_at(d.rest, block)
    rows[0] = first[_CARDS] + min(number, TAKEN - 1) * LEFT + min(left, LEFT - 1)
    pairs = min(num_slots(slots_with(d.rest, 2) & block), PAIRS_LEFT - 1)
    standing = min(num_slots(kept & d.sight.standing), STANDING_LEFT - 1)
    rows[1] = first[_LEFT] + ((kept == 0) * PAIRS_LEFT + pairs) * STANDING_LEFT + standing
    number, slots = 2, slots_with(cards, 1) & block
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        copies, stays = min(int(cards[slot]), _STATES - 1), min(int(d.rest[slot]), _STATES - 1)
        rows[number] = first[_TAKEN] + ((slot - start) * (_STATES - 1) + copies - 1) * _STATES + stays
        number += 1
    return number


@jit
def _place_of(suit: int) -> int:
    """Return the slot of a suit's first rank."""
    return _TRUMP_BLOCK if suit == TRUMP else suit * PLAIN_RANKS


@jit
def _ranks_of(suit: int) -> int:
    return NUM_SLOTS - _TRUMP_BLOCK if suit == TRUMP else PLAIN_RANKS
