"""Features of sets of cards: buries, leads and follows.

The plan of the scratch memory is that of the decision: hand, lengths, hidden cards and shares are counted. Chances and
values are those by which the heuristic player compares its own plays (`heuristic/`).
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose
from shengji_env.engine.rows import copy_row, lowest_slot, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_EFFECTIVE_SUITS, NUM_SLOTS, suit_end, suit_of_slot, suit_start
from shengji_env.engine.state import Phase, State
from shengji_env.engine.tricks import contest
from shengji_env.players.candidates.scratch import Scratch
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.burying import set_prices
from shengji_env.players.heuristic.counting import Run
from shengji_env.players.heuristic.following import (
    chance_to_win,
    value_of_play,
    weight_of_points,
    what_was_led,
    winning_run,
    worth_of_lead,
)
from shengji_env.players.heuristic.keeping import set_charges, set_keep_values
from shengji_env.players.heuristic.leading import chance_of_overs, describe_suit, run_of, value_of_lead

FeatureRow: TypeAlias = np.record
"""One row of FEATURES_DTYPE (`features.py`)."""

KEEP_UNITS = 4.0
"""Steps in a card's worth of 1, which stands for five points."""
CHANCE_UNITS = 100.0
_MAX = 127


@jit
def as_byte(value: float) -> int:
    """Round a value, and cut it off where int8 ends."""
    return int(max(-_MAX, min(_MAX, round(value))))


@jit
def begin_sets(s: State, scratch: Scratch) -> None:
    """Value the cards of the hand, once for all candidates of the decision."""
    set_keep_values(scratch.observation, scratch.plan)
    if s.phase == Phase.FOLLOW:
        scratch.state = s


@jit
def write_cards(scratch: Scratch, cards: NDArray[Any], row: FeatureRow) -> None:
    """Write what the cards are, and what stays in hand."""
    observation, plan = scratch.observation, scratch.plan
    points, most, kinds, standing, broken, keep = 0, 0, 0, 0, 0, 0.0
    for suit in range(NUM_EFFECTIVE_SUITS):
        played = 0
        if plan.length[suit] > 0:
            for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
                count = int(cards[slot])
                left = plan.hand[slot] - count
                if left > 0:
                    row.suit_pairs[suit] += left > 1
                    row.suit_standing[suit] += left * observation.standing[slot]
                if count > 0:
                    played += count
                    kinds += 1
                    points += count * observation.card_points[slot]
                    most = max(most, count)
                    standing += count * observation.standing[slot]
                    broken += left > 0
                    keep += count * plan.keep[slot]
        row.suit_cards[suit] = played
        row.suit_left[suit] = plan.length[suit] - played
        row.suit_emptied[suit] = played > 0 and played == plan.length[suit]
        row.cards[0] += played
    row.points[0] = points
    row.widest[0] = most
    row.kinds[0] = kinds
    row.standing[0] = standing
    row.broken[0] = broken
    row.keep[0] = as_byte(KEEP_UNITS * keep)


@jit
def write_value(s: State, scratch: Scratch, cards: NDArray[Any], row: FeatureRow) -> float:
    """Write what the decision's phase adds; return the heuristic player's value of the candidate."""
    copy_row(scratch.plan.want, cards)
    if s.phase == Phase.BURY:
        return -_price_of_bury(scratch, row)
    if s.phase == Phase.LEAD:
        return float(_write_lead(scratch, row))
    return float(_write_follow(s, scratch, cards, row))


@jit
def _price_of_bury(scratch: Scratch, row: FeatureRow) -> float:
    plan = scratch.plan
    set_prices(scratch.observation, plan)
    price = 0.0
    for slot in range(NUM_SLOTS):
        if plan.want[slot] > 0:
            price += plan.want[slot] * plan.charge[slot]
    for suit in range(NO_TRUMP):
        price -= parameters.BURY_VOID * row.suit_emptied[suit]
    return price


@jit
def _write_lead(scratch: Scratch, row: FeatureRow) -> float:
    observation, plan = scratch.observation, scratch.plan
    suit = suit_of_slot(lowest_slot(slots_with(plan.want, 1)), plan.trump)
    number = decompose(plan.want, suit, plan.trump, plan.work)
    principal = run_of(plan.work.codes[0], suit)
    value = value_of_lead(observation, plan, principal, describe_suit(observation, plan, suit))
    if number > 1:
        value += parameters.LEAD_THROW * number
    row.components[0] = number
    row.width[0] = principal.width
    row.length[0] = principal.length
    row.top[0] = principal.top
    row.hidden[0] = plan.hidden[suit]
    _write_chances(scratch, 1.0 - chance_of_overs(plan), row)
    return float(value)


@jit
def _write_follow(s: State, scratch: Scratch, cards: NDArray[Any], row: FeatureRow) -> float:
    """Write what a follow does to the trick. ``scratch.state`` is the table before it, but for who is winning."""
    observation, plan, table = scratch.observation, scratch.plan, scratch.state
    table.winning, table.winning_suit, table.winning_top = s.winning, s.winning_suit, s.winning_top
    contest(table, scratch.rules, scratch.work, s.seat, cards)
    wins = table.winning == s.seat
    led = what_was_led(observation)
    suit, top = int(table.winning_suit), int(table.winning_top)
    if not wins:
        suit, _, _, top = winning_run(observation, plan, led)
    chance = chance_to_win(observation, plan, led, Run(suit, led.width, led.length, top), wins)
    set_charges(observation, plan, weight_of_points(plan, chance))
    value = value_of_play(observation, plan, chance)
    if wins:
        value += chance * worth_of_lead(observation, plan)
        row.wins[0] = 1
        row.top[0] = top
    else:
        row.loses[0] = 1
    row.trick_points[0] = as_byte(float(observation.trick_points[0]) + row.points[0])
    _write_chances(scratch, chance, row)
    return float(value)


@jit
def _write_chances(scratch: Scratch, chance: float, row: FeatureRow) -> None:
    for seat in range(1, NUM_SEATS):
        row.over[seat - 1] = as_byte(CHANCE_UNITS * scratch.plan.over[seat])
    row.chance[0] = as_byte(CHANCE_UNITS * chance)
