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
from shengji_env.engine.rows import count_cards_at, lowest_slot, num_slots, slots_with, write_rest
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import LEVEL_SLOT, NUM_EFFECTIVE_SUITS, NUM_SLOTS, PLAIN_RANKS, TRUMP, suit_slots
from shengji_env.engine.state import State
from shengji_env.players.networks.distilled.distilled_inputs import VOIDS
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.decision import Decision
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    CARD_GROUPS,
    LEFT,
    PAIRS_LEFT,
    STANDING_LEFT,
    TAKEN,
    Shape,
    first_rows,
)

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
def list_suits(s: State, d: Decision) -> None:
    """List the rows of the suits as they stand, into ``d.suit_rows``; `look` has just looked at the table."""
    for suit in range(NUM_EFFECTIVE_SUITS):
        d.num_suit_rows[suit] = _list_suit(s, d, suit, d.suit_rows[suit]) if is_suit(suit, s.trump) else 0


@jit
def _list_suit(s: State, d: Decision, suit: int, rows: NDArray[np.int16]) -> int:
    sight, seat, block = d.sight, int(s.seat), suit_slots(suit, s.trump)
    start, ranks, first = _place_of(suit), _ranks_of(suit), _FIRST_ROWS[suit // TRUMP]
    rows[0] = first[_KIND] + int(d.group) * VOIDS + sight.void[suit]
    number = 1
    if s.lead_size > 0:
        if s.lead_suit == suit:
            rows[number] = first[_LED]
            number += 1
        if block >> int(sight.top) & 1:
            rows[number] = first[_TOP] + int(sight.top) - start
            number += 1
    hand, left = s.hands[seat], (sight.held1 | sight.out1) & block
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        held, out = min(int(hand[slot]), _STATES - 1), min(int(sight.out[slot]), _STATES - 1)
        rows[number] = first[_STATE] + ((slot - start) * _STATES + held) * _STATES + out
        number += 1
    left = (sight.fives | sight.tens) & block
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        rows[number] = first[_POINTS] + (slot - start) * 2 + int(sight.tens >> slot & 1)
        number += 1
    left = sight.standing & block
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        rows[number] = first[_STANDING] + slot - start
        number += 1
    for step in range(NUM_SEATS):
        other = (seat + step) % NUM_SEATS
        at = step * ranks * _COPIES - start * _COPIES
        number = _list_counts(s.played[other], block, first[_PLAYED] + at, rows, number)
        number = _list_counts(s.trick[other], block, first[_TRICK] + at, rows, number)
        if step:
            at -= ranks * _COPIES
            number = _list_counts(s.known[other], block, first[_KNOWN] + at, rows, number)
    if last_taker(s) == seat:
        number = _list_counts(s.buried, block, first[_BURIED] - start * _COPIES, rows, number)
    return number


@jit
def _list_counts(counts: NDArray[np.int8], block: int, first: int, rows: NDArray[np.int16], number: int) -> int:
    """List the rows of the cards of a suit that there are of some counts; return how many rows there are now."""
    left = slots_with(counts, 1) & block
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        rows[number] = first + slot * _COPIES + min(int(counts[slot]), _COPIES) - 1
        number += 1
    return number


@jit
def list_changes(s: State, d: Decision, cards: NDArray[np.int8], index: int) -> None:
    """List the rows of what a choice takes from suits, into ``d.change_rows``."""
    write_rest(d.rest, s.hands[s.seat], (cards,))
    taken = slots_with(cards, 1)
    for suit in range(NUM_EFFECTIVE_SUITS):
        number, block = 0, suit_slots(suit, s.trump)
        if taken & block and is_suit(suit, s.trump):
            number = _list_change(d, cards, suit, block, d.change_rows[index, suit])
        d.num_change_rows[index, suit] = number


@jit
def _list_change(d: Decision, cards: NDArray[np.int8], suit: int, block: int, rows: NDArray[np.int16]) -> int:
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
