"""The greedy player: a dozen lines of common sense, and the yardstick for everything else.

| decision | rule |
|---|---|
| bid | the suit with the most trumps, if they are more than a fair share; all its level cards |
| overbid | as a bid, if there are more of them than of the present trumps |
| rebel | always |
| bury | low plain cards; points, pairs, high cards and trumps stay |
| lead | the best plain card that nobody can beat, with its copies; otherwise the cheapest card |
| follow | give points to a winning partner; otherwise win a trick with points cheaply; otherwise the cheapest cards |

It sees an observation and a mask, uses no randomness and keeps no memory. It answers card by card: each time it works
out the whole play from the cards that it held when the decision began, and takes the next card of that play that the
mask allows. If the rules demand another card, it takes the cheapest card that the mask allows.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import BID_SUIT, DONE, NAME, PASS, REBEL
from shengji_env.engine.cards import MAX_DECKS, NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.masks import write_legal
from shengji_env.engine.rows import copy_row, first_set, slots_with, write_rest
from shengji_env.engine.rule_record import index_of
from shengji_env.engine.slots import LEVEL_SLOT, NO_TRUMP, NUM_SLOTS, PLAIN_RANKS, order_of_slot, trump_start
from shengji_env.engine.state import Phase, Rules, State
from shengji_env.players.compiled import CompiledPlayer, Rule, make_rule_memory
from shengji_env.players.suit_blocks import block_of_suit
from shengji_env.players.whole_plays import is_single, next_of_plan
from shengji_env.tables.observation import ObservationRecord
from shengji_env.tables.observing import (
    mark,
    relative_seat,
    units_of,
    write_beats,
    write_observation,
    write_slot_points,
    write_standing,
    write_unseen,
)
from shengji_env.tables.raw_arrays import reading

GreedyPlan: TypeAlias = np.record

PLAN_DTYPE = np.dtype(
    (np.record, [("hand", np.int16, (NUM_SLOTS,)), ("want", np.int16, (NUM_SLOTS,)), ("cost", np.int16, (NUM_SLOTS,))])
)
"""Scratch memory of a decision, by slot: the hand as it began, the cards of the play, the cost of each card."""

_memory_at = reading(lambda: make_rule_memory(PLAN_DTYPE))

FAIR_SHARE = 0.36
"""A suit is worth a bid when at least this share of the cards drawn so far would be trumps."""
_HEADSTART = 1
_UNNAMED = NO_TRUMP + 1
_PARTNER = 2
_LAST = 3
_KITTY = index_of("kitty")
_POINT_COST, _PAIR_COST, _TRUMP_COST = 8, 6, 30


@jit
def choose_greedily(observations: NDArray[Any], masks: NDArray[Any], plans: NDArray[Any], chosen: NDArray[Any]) -> None:
    """Choose an action for each row of OBSERVATION_DTYPE."""
    for row in range(observations.size):
        chosen[row] = greedy_action(observations[row], masks[row], plans[0])


@jit
def next_greedily(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: Any) -> int:
    """Return the greedy player's action at a table, as `tables.policies` says."""
    records = _memory_at(memory)
    seen, plan = records.seen[0], records.plans[0]
    if is_new:
        write_view(s, r, seen)
        if is_single(s.phase):
            mask = records.masks[0]
            write_legal(mask.legal, slots, others)
            return greedy_action(seen, mask.legal, plan)
        _plan_cards(seen, plan)
    return int(next_of_plan(s.taken, slots, others != 0, plan.want, plan.cost))


@jit
def write_view(s: State, r: Rules, seen: ObservationRecord) -> None:
    """Write what the seat to move reads into `seen`, prepared as for `write_observation`; the rest stays as it is."""
    seat = s.seat
    if s.phase != Phase.BURY and s.phase != Phase.LEAD and s.phase != Phase.FOLLOW:
        write_observation(s, r, seat, seen)
        return
    write_rest(seen.hand, s.hands[seat], (s.taken,))
    copy_row(seen.taken, s.taken)
    mark(seen.phase, s.phase)
    mark(seen.trump, s.trump)
    write_slot_points(s, seen)
    if s.phase == Phase.LEAD:
        write_standing(write_unseen(s, seat, seen), s.trump, seen)
    elif s.phase == Phase.FOLLOW:
        write_beats(s, s.trump, seen)
        mark(seen.winning, relative_seat(s.winning, seat))
        mark(seen.position, relative_seat(seat, s.leader))
        seen.lead_size[0] = s.lead_size
        seen.trick_points[0] = units_of(s.trick_points)


@jit
def greedy_action(seen: ObservationRecord, mask: NDArray[Any], plan: GreedyPlan) -> int:
    """Return the greedy player's action, from what a seat sees; `plan` is scratch memory."""
    if seen.phase[Phase.BID]:
        return _bid(seen, mask)
    if seen.phase[Phase.REBEL]:
        return REBEL
    if seen.phase[Phase.NAME]:
        return NAME + _longest_suit(seen, mask)
    _plan_cards(seen, plan)
    return int(next_of_plan(seen.taken, slots_with(mask, 1), mask[DONE] != 0, plan.want, plan.cost))


@jit
def _plan_cards(seen: ObservationRecord, plan: GreedyPlan) -> None:
    """Choose the cards of a play: the same at every card of the decision; none where a component is forced."""
    _set_costs(seen, plan)
    if seen.phase[Phase.BURY]:
        _add_cheapest(plan, seen.rules[_KITTY])
    elif seen.phase[Phase.LEAD]:
        _plan_lead(seen, plan)
    elif seen.phase[Phase.FOLLOW]:
        _plan_follow(seen, plan)


@jit
def count_trumps(seen: ObservationRecord, suit: int) -> int:
    """Count the trumps in hand if the suit of a block of slots, 4 for none, were trumps.

    Before trumps are named, slots are no trump's.
    """
    trumps = 0
    for slot in range(LEVEL_SLOT, NUM_SLOTS):
        trumps += seen.hand[slot]
    if suit != NO_TRUMP:
        for slot in range(suit * PLAIN_RANKS, (suit + 1) * PLAIN_RANKS):
            trumps += seen.hand[slot]
    return trumps


@jit
def _longest_suit(seen: ObservationRecord, mask: NDArray[Any]) -> int:
    """Return the suit that would give the most trumps."""
    best = first_set(mask[NAME:])
    for suit in range(NUM_SUITS):
        if mask[NAME + suit] and count_trumps(seen, suit) > count_trumps(seen, best):
            best = suit
    return best


@jit
def _bid(seen: ObservationRecord, mask: NDArray[Any]) -> int:
    """Bid the longest suit that may be bid now, with all its level cards; pass if it is too short."""
    best = PASS
    most = FAIR_SHARE * seen.cards_left[0] + _HEADSTART
    trump = NO_TRUMP
    if not seen.trump[_UNNAMED]:
        trump = first_set(seen.trump)
        most = max(most, count_trumps(seen, block_of_suit(trump, trump)) + 1.0)
    for suit in range(NUM_SUITS):
        trumps = count_trumps(seen, block_of_suit(suit, trump))
        for count in range(MAX_DECKS):
            action = BID_SUIT + count * NUM_SUITS + suit
            if mask[action] and trumps >= most:
                most = trumps
                best = action
    return best


@jit
def _set_costs(seen: ObservationRecord, plan: GreedyPlan) -> None:
    """Clear the chosen cards, and price all cards: high cards, points, pairs and above all trumps cost more."""
    trump = first_set(seen.trump)
    for slot in range(NUM_SLOTS):
        plan.hand[slot] = seen.hand[slot] + seen.taken[slot]
        plan.want[slot] = 0
        trump_or_pair = _TRUMP_COST * (slot >= trump_start(trump)) + _PAIR_COST * (plan.hand[slot] > 1)
        plan.cost[slot] = order_of_slot(slot, trump) + _POINT_COST * seen.card_points[slot] + trump_or_pair


@jit
def _add_cheapest(plan: GreedyPlan, number: int) -> None:
    """Choose the cheapest `number` cards of the hand that are not chosen yet."""
    for _ in range(number):
        best = -1
        for slot in range(NUM_SLOTS):
            if plan.hand[slot] > plan.want[slot] and (best < 0 or plan.cost[slot] < plan.cost[best]):
                best = slot
        plan.want[best] += 1


@jit
def _plan_lead(seen: ObservationRecord, plan: GreedyPlan) -> None:
    """Choose the highest plain card that nobody can beat, with its copies; otherwise the cheapest card."""
    trump = first_set(seen.trump)
    best = -1
    for slot in range(trump_start(trump)):
        if seen.standing[slot] and plan.hand[slot] and (best < 0 or plan.hand[slot] >= plan.hand[best]):
            best = slot
    if best >= 0:
        plan.want[best] = plan.hand[best]
    else:
        _add_cheapest(plan, 1)


@jit
def _plan_follow(seen: ObservationRecord, plan: GreedyPlan) -> None:
    """Choose points for a winning partner, or a cheap win of a trick with points, or the cheapest cards."""
    size = seen.lead_size[0]
    if seen.winning[_PARTNER]:
        for slot in range(NUM_SLOTS):
            plan.cost[slot] -= 2 * _POINT_COST * seen.card_points[slot]
    elif seen.trick_points[0] > 0 or seen.position[_LAST]:
        best = -1
        for slot in range(NUM_SLOTS):
            if seen.beats[slot] and plan.hand[slot] >= size and (best < 0 or plan.cost[slot] < plan.cost[best]):
                best = slot
        if best >= 0:
            plan.want[best] = size
            return
    _add_cheapest(plan, size)


class GreedyPlayer(CompiledPlayer):
    """A player with some common sense."""

    name = "greedy"
    rule = Rule(name, choose_greedily, next_greedily, PLAN_DTYPE)
