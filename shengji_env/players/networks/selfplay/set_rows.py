"""Compiled code: the rows of a set of cards, led, followed with or buried."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, length_of, top_slot_of, width_of
from shengji_env.engine.rows import count_cards_at, lowest_slot, num_slots, slots_from, slots_with, write_rest
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP, first_slot, suit_of_slot, suit_slots, suit_start
from shengji_env.engine.state import Rules, State, Workspace
from shengji_env.engine.tricks import contest
from shengji_env.players.networks.selfplay.chance_rows import list_chances
from shengji_env.players.networks.selfplay.context_rows import is_suit, list_suit_of
from shengji_env.players.networks.selfplay.decision import Beater, DecisionRecord
from shengji_env.players.networks.selfplay.scaled_rows import (
    FEW_DECKS,
    list_scaled_burial,
    list_scaled_stake,
    list_scaled_suit,
)
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    BROKEN,
    BURIED_POINTS,
    BURIED_TRUMPS,
    BURY_GROUP,
    CARD_INPUTS,
    COMPONENTS,
    LEAD_GROUP,
    LEAD_HIGHER,
    LEFT,
    MAX_ROWS,
    NUM_CARD_ROWS,
    ONE_GROUP,
    PAIRS_LEFT,
    RUNS,
    SET_POINTS,
    SIZES,
    STANDING_LEFT,
    TAKEN,
    TRICK_POINTS,
    TRUMPS_LEFT,
    WIDTHS,
    first_rows,
)
from shengji_env.players.networks.selfplay.sight import CLASSES, COPIES, HIGHER, RANKS, VOIDS, class_of

_FIRST = first_rows(CARD_INPUTS, 0)
_OF_TAKEN, _OF_LEFT = _FIRST["of_taken"], _FIRST["of_left"]
_RANK, _CLASS = _FIRST["card_rank"], _FIRST["card_class"]
_SET, _SIDE = _FIRST["set"], _FIRST["set_side"]
_SHAPE, _HEIGHT = _FIRST["lead_shape"], _FIRST["lead_height"]
_STAKE, _POINTS, _AHEAD = _FIRST["follow_stake"], _FIRST["follow_points"], _FIRST["follow_ahead"]
_SIZE, _VOID = _FIRST["follow_size"], _FIRST["follow_void"]
_BURIED, _REST = _FIRST["bury_points"], _FIRST["bury_left"]
_SUIT_ROWS, _WHOLE_ROWS, _CARD_ROWS = 7, 13, 2
"""Rows of a suit without its cards, of a set as a whole at most, of a card."""
_LAST_CARD_ROW = MAX_ROWS - (NUM_EFFECTIVE_SUITS - 1) * _SUIT_ROWS - _WHOLE_ROWS - _CARD_ROWS
"""Where the cards of a large set are listed no longer, so that there is room for what follows."""
WINS, _PARTNER_WINS, _OPPONENT_WINS = range(3)
_PARTNER = 2


class Counted(NamedTuple):
    """What is counted of a set of cards."""

    points: int
    """In fives."""
    broken: int
    """Slots of which it takes some cards and leaves some, up to BROKEN - 1."""
    size: int
    taken: int
    """The slots of its cards, then those of two or more of a card."""
    twice: int
    kept: int
    """The slots of the cards that stay, then those of two or more of a card."""
    kept_twice: int


@jit
def list_set(s: State, r: Rules, w: Workspace, d: DecisionRecord, cards: NDArray[Any], rows: NDArray[np.int16]) -> int:
    """List the rows of a set of cards; return how many these are.

    Args:
        s: the table, before the set is played.
        r: its rules.
        w: scratch memory.
        d: what is seen of the table, and the kind of decision; scratch memory.
        cards: (54,) the set.
        rows: written.

    What stays of the hand is left in ``d.rest``.
    """
    first = int(d.group) * NUM_CARD_ROWS
    counted = _count(s, d, cards)
    number = 0
    for suit in range(NUM_EFFECTIVE_SUITS):
        if is_suit(suit, s.trump) and counted.taken & suit_slots(suit, s.trump):
            number = _list_suit(s, r, d, cards, counted, suit, rows, number)
    few = min(counted.points, SET_POINTS - 1)
    rows[number] = first + _SET + (min(counted.size, SIZES - 1) * SET_POINTS + few) * BROKEN + counted.broken
    rows[number + 1] = first + _SIDE + int(s.declarer - s.seat) % NUM_SEATS * SET_POINTS + few
    number += 2
    if d.group == LEAD_GROUP:
        return _list_lead(s, w, d, cards, counted.taken, rows, number)
    if d.group == BURY_GROUP:
        return _list_burial(s, r, d, cards, counted, rows, number)
    return _list_follow(s, r, w, d, cards, counted, rows, number)


@jit
def _count(s: State, d: DecisionRecord, cards: NDArray[Any]) -> Counted:
    kept = write_rest(d.rest, s.hands[s.seat], (cards,))
    taken, points, size = slots_with(cards, 1), 0, 0
    left = taken
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        points += int(cards[slot]) * int(s.slot_points[slot]) // 5
        size += int(cards[slot])
    broken = min(num_slots(taken & kept), BROKEN - 1)
    return Counted(points, broken, size, taken, slots_with(cards, 2), kept, slots_with(d.rest, 2))


@jit
def _num_cards(r: Rules, cards: NDArray[Any], once: int, twice: int, block: int) -> int:
    """Return the number of cards at some slots; with two decks, no more than two are alike."""
    return num_slots(once & block) + num_slots(twice & block) if r.decks <= FEW_DECKS else count_cards_at(cards, block)


@jit
def _list_suit(
    s: State, r: Rules, d: DecisionRecord, cards: NDArray[Any], counted: Counted, suit: int, rows: NDArray[np.int16],
    number: int,
) -> int:  # fmt: skip
    """List the cards that are taken from a suit, and what stays of it."""
    first = int(d.group) * NUM_CARD_ROWS
    sight = d.sight
    block, start, is_trump = suit_slots(suit, s.trump), suit_start(suit, s.trump), suit // TRUMP
    number = list_suit_of(sight, suit, first, rows, number)
    taken = _num_cards(r, cards, counted.taken, counted.twice, block)
    left = _num_cards(r, d.rest, counted.kept, counted.kept_twice, block)
    rows[number] = first + _OF_TAKEN + (is_trump * TAKEN + min(taken, TAKEN - 1)) * LEFT + min(left, LEFT - 1)
    pairs = min(num_slots(counted.kept_twice & block), PAIRS_LEFT - 1)
    standing = min(num_slots(counted.kept & block & sight.standing), STANDING_LEFT - 1)
    emptied = 1 if left == 0 else 0
    rows[number + 1] = first + _OF_LEFT + ((is_trump * 2 + emptied) * PAIRS_LEFT + pairs) * STANDING_LEFT + standing
    number = list_scaled_suit(s, r, sight, d.group, suit, 1, rows, number + 2)
    slots = counted.taken & block
    while slots and number <= _LAST_CARD_ROW:
        slot = lowest_slot(slots)
        slots &= slots - 1
        copies = min(int(cards[slot]), COPIES) - 1
        rows[number] = first + _RANK + (is_trump * RANKS + slot - start) * COPIES + copies
        rows[number + 1] = first + _CLASS + is_trump * CLASSES + class_of(sight, slot, block)
        number += 2
    return number


@jit
def _list_lead(
    s: State, w: Workspace, d: DecisionRecord, cards: NDArray[Any], taken: int, rows: NDArray[np.int16], number: int
) -> int:
    """List what a lead is made of, and what can beat it."""
    first = int(d.group) * NUM_CARD_ROWS
    sight = d.sight
    suit = suit_of_slot(lowest_slot(taken), s.trump)
    components = decompose(cards, suit, s.trump, w)
    code = w.codes[0]
    width, run = min(width_of(code), WIDTHS), min(length_of(code), RUNS)
    is_trump = suit // TRUMP
    shape = (is_trump * WIDTHS + width - 1) * RUNS + run - 1
    rows[number] = first + _SHAPE + shape * COMPONENTS + min(components, COMPONENTS) - 1
    above = suit_slots(suit, s.trump) & slots_from(top_slot_of(code, suit, s.trump) + 1)
    out = sight.out1 if width == 1 else slots_with(sight.out, width)
    higher = min(num_slots(out & above), LEAD_HIGHER - 1)
    height = (is_trump * 2 + (width > 1)) * LEAD_HIGHER + higher
    rows[number + 1] = first + _HEIGHT + height * VOIDS + sight.void[suit]
    if not d.chances:
        return number + 2
    play = Beater(suit, top_slot_of(code, suit, s.trump), width_of(code), length_of(code))
    return int(list_chances(s, d, WINS, play, rows, number + 2))


@jit
def _list_burial(
    s: State, r: Rules, d: DecisionRecord, cards: NDArray[Any], counted: Counted, rows: NDArray[np.int16], number: int
) -> int:
    """List what a burial risks, and what it leaves."""
    first, points = int(d.group) * NUM_CARD_ROWS, counted.points
    trumps = suit_slots(TRUMP, s.trump)
    buried = min(count_cards_at(cards, trumps), BURIED_TRUMPS - 1)
    rows[number] = first + _BURIED + min(points, BURIED_POINTS - 1) * BURIED_TRUMPS + buried
    emptied = 0
    for suit in range(TRUMP):
        if is_suit(suit, s.trump):
            emptied += slots_with(d.rest, 1) & suit_slots(suit, s.trump) == 0
    rows[number + 1] = first + _REST + emptied * TRUMPS_LEFT + min(count_cards_at(d.rest, trumps), TRUMPS_LEFT - 1)
    return int(list_scaled_burial(r, d.group, points * 5, rows, number + 2))


@jit
def _list_follow(
    s: State, r: Rules, w: Workspace, d: DecisionRecord, cards: NDArray[Any], counted: Counted, rows: NDArray[np.int16],
    number: int,
) -> int:  # fmt: skip
    """List what a follow does to the trick."""
    first, points = int(d.group) * NUM_CARD_ROWS, counted.points
    status, suit, top = outcome_of_follow(s, r, w, d, cards)
    position = int(s.position)
    stake = min(int(s.trick_points) // 5 + points, TRICK_POINTS - 1)
    rows[number] = first + _STAKE + (status * NUM_SEATS + position) * TRICK_POINTS + stake
    rows[number + 1] = first + _POINTS + (status * SET_POINTS + min(points, SET_POINTS - 1)) * BROKEN + counted.broken
    rows[number + 2] = first + _SIZE + status * SIZES + min(int(s.lead_size), SIZES - 1)
    rows[number + 3] = first + _VOID + (status * VOIDS + d.sight.void[s.lead_suit]) * NUM_SEATS + position
    number = list_scaled_stake(s, r, d.group, status, int(s.trick_points) + points * 5, rows, number + 4)
    if d.chances:
        if status != WINS:
            suit, top = int(s.winning_suit), first_slot(s.winning_top, int(s.winning_suit), s.trump)
        play = Beater(suit, top, width_of(s.components[0]), length_of(s.components[0]))
        number = list_chances(s, d, status, play, rows, number)
    if status != WINS:
        return number
    above = suit_slots(suit, s.trump) & slots_from(top + 1)
    higher = min(num_slots(d.sight.out1 & above), HIGHER - 1)
    rows[number] = first + _AHEAD + ((suit != s.lead_suit) * HIGHER + higher) * NUM_SEATS + position
    return number + 1


@jit
def outcome_of_follow(s: State, r: Rules, w: Workspace, d: DecisionRecord, cards: NDArray[Any]) -> tuple[int, int, int]:
    """Return who is ahead once a follow is made, and, if it is the seat, the suit and the slot of its highest card."""
    if d.group == ONE_GROUP:
        slot = lowest_slot(slots_with(cards, 1))
        if d.sight.beats >> slot & 1:
            return WINS, suit_of_slot(slot, s.trump), slot
    else:
        trial = d.trial
        trial.winning, trial.winning_suit, trial.winning_top = s.winning, s.winning_suit, s.winning_top
        contest(trial, r, w, s.seat, cards)
        if trial.winning == s.seat:
            suit = int(trial.winning_suit)
            return WINS, suit, first_slot(trial.winning_top, suit, s.trump)
    return (_PARTNER_WINS if (s.winning - s.seat) % NUM_SEATS == _PARTNER else _OPPONENT_WINS), 0, 0
