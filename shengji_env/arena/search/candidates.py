"""Candidates: the plays that a search compares, the heuristic player's first.

| decision | candidates |
|---|---|
| lead | components and standing throws, the best by the heuristic player's own estimate, and the best of every suit |
| follow | as cheap as can be, feeding points and withholding them; each suit discarded from; several plays that win |
| bury | every set of suits emptied, the cheapest ways first |
| bid, name, forced | all legal actions |

A candidate is an action or a set of cards (`playout.CARDS`). Each set is made legal card by card, as the heuristic
player does with its own, and sets that come to the same are one candidate.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.heuristic import plan_cards
from shengji_env.arena.heuristic.bidding import choose_bid, choose_name
from shengji_env.arena.heuristic.burying import set_prices, sort_slots, want_suits
from shengji_env.arena.heuristic.following import add_shape, principal_shape, want_discard, winning_play
from shengji_env.arena.heuristic.keeping import set_charges
from shengji_env.arena.heuristic.leading import points_of_hidden, value_of_lead, want_standing
from shengji_env.arena.heuristic.plans import NEVER, add_run, clear_want, cost_of_run
from shengji_env.arena.search.playout import CARDS, next_of_plan
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.components import length_of, most_at, top_of, width_of
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions, write_mask
from shengji_env.engine.slots import (
    NO_TRUMP,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    num_orders,
    suit_end,
    suit_start,
)
from shengji_env.engine.state import Phase
from shengji_env.envs.observation import write_observation

MAX_FOUND = 96
"""Most candidates looked at."""

FOUND_DTYPE = record_type(
    [
        ("number", np.int64),
        ("actions", np.int64, (MAX_FOUND,)),
        ("cards", np.int8, (MAX_FOUND, NUM_SLOTS)),
        ("values", np.float64, (MAX_FOUND,)),
        ("suits", np.int64, (MAX_FOUND,)),
    ]
)
"""Candidates found: actions or CARDS, the cards, what the heuristic player makes of them, a lead's effective suit."""

_GAINS = (1.4, -1.4, 0.0)
_MOST_WITH_WINS = 7
_CHEAP = 100.0
_THROW = 0.25


@jit
def find_candidates(states: NDArray[Any], scratch: NDArray[Any], most: int, found: NDArray[Any]) -> int:
    """Find at most `most` candidates for a decision that begins at a veiled state (1,); returns their number."""
    s, x, f = states[0], scratch[0], found[0]
    f.number = 0
    if s.phase == Phase.BID or s.phase == Phase.NAME or s.phase == Phase.FORCED:
        _find_actions(s, x, f)
        return int(f.number)
    write_observation(s, x.rules, s.seat, x.seen)
    plan_cards(x.seen, x.plan)
    _add(s, x, f, 0.0, 0)
    if s.phase == Phase.BURY:
        _find_buries(s, x, f)
    elif s.phase == Phase.LEAD:
        _find_leads(s, x, f)
        _keep_best(f, most)
    else:
        _find_follows(s, x, f)
    f.number = min(f.number, most)
    return int(f.number)


@jit
def _find_actions(s: np.record, x: np.record, f: np.record) -> None:
    """The heuristic player's action, and all others."""
    x.state = s
    write_mask(x.state, x.rules, x.work, x.mask)
    f.actions[0] = _heuristic_action(s, x)
    f.number = 1
    for action in range(NUM_ACTIONS):
        if x.mask[action] and action != f.actions[0]:
            f.actions[f.number] = action
            f.number += 1


@jit
def _heuristic_action(s: np.record, x: np.record) -> int:
    """The heuristic player's bid, trumps or forced component."""
    write_observation(s, x.rules, s.seat, x.seen)
    if s.phase == Phase.BID:
        return int(choose_bid(x.seen, x.mask))
    if s.phase == Phase.NAME:
        return int(choose_name(x.seen))
    action = 0
    while not x.mask[action]:
        action += 1
    return action


@jit
def _add(s: np.record, x: np.record, f: np.record, value: float, suit: int) -> None:
    """Add what is wanted, made legal, unless it has been found before."""
    if f.number == MAX_FOUND:
        return
    place = f.number
    cards = f.cards[place]
    for slot in range(NUM_SLOTS):
        cards[slot] = 0
    x.state = s
    t = x.state
    while True:
        slots, others = legal_actions(t, x.rules, x.work)
        action = next_of_plan(t, slots, others, x.plan)
        if action < NUM_SLOTS:
            cards[action] += 1
        apply_action(t, x.rules, x.work, np.uint64(0), 0, action)
        if t.taken_size == 0:
            break
    for other in range(place):
        same = True
        for slot in range(NUM_SLOTS):
            same = same and f.cards[other, slot] == cards[slot]
        if same:
            return
    f.actions[place] = CARDS
    f.values[place] = value
    f.suits[place] = suit
    f.number += 1


@jit
def _find_buries(s: np.record, x: np.record, f: np.record) -> None:
    """Empty every set of suits that fits into the kitty, the cheapest sets first."""
    plan = x.plan
    set_prices(x.seen, plan)
    size = sort_slots(plan)
    done = -NEVER
    for _ in range(1 << NO_TRUMP):
        lowest, best = NEVER, -1
        for chosen in range(1 << (NO_TRUMP if plan.trump == NO_TRUMP else NO_TRUMP - 1)):
            cost = want_suits(x.seen, plan, chosen, size)
            if done < cost < lowest:
                lowest, best = cost, chosen
        if best < 0:
            return
        want_suits(x.seen, plan, best, size)
        _add(s, x, f, -lowest, 0)
        done = lowest


@jit
def _find_leads(s: np.record, x: np.record, f: np.record) -> None:
    """All components of some width, the highest and lowest singles, and the throw of each suit."""
    o, plan = x.seen, x.plan
    set_charges(o, plan, 0.0)
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] == 0:
            continue
        feed = points_of_hidden(o, plan, suit)
        if o.rule_throws[0] and plan.length[suit] > 1:
            clear_want(plan)
            code, number = want_standing(plan, suit)
            if number > 1:
                value = value_of_lead(o, plan, suit, width_of(code), length_of(code), top_of(code), feed)
                _add(s, x, f, value + _THROW * number, suit)
        for top in range(num_orders(suit, plan.trump)):
            held = most_at(plan.hand, top, suit, plan.trump)
            for width in range(1, held + 1):
                for length in range(1, (top + 1 if width > 1 else 1) + 1):
                    if most_at(plan.hand, top - length + 1, suit, plan.trump) < width:
                        break
                    clear_want(plan)
                    add_run(plan, suit, width, length, top)
                    _add(s, x, f, value_of_lead(o, plan, suit, width, length, top, feed), suit)


@jit
def _keep_best(f: np.record, most: int) -> None:
    """Sort all but the first: the best of each suit, then the others, the best first."""
    for place in range(1, f.number):
        is_best = True
        for other in range(1, f.number):
            is_same = f.suits[other] % NUM_EFFECTIVE_SUITS == f.suits[place]
            if is_same and f.values[other] > f.values[place]:
                is_best = False
        f.suits[place] += NUM_EFFECTIVE_SUITS if is_best else 0
    for place in range(1, min(f.number, most)):
        best = place
        for other in range(place + 1, f.number):
            if _goes_before(f, other, best):
                best = other
        _swap(f, place, best)


@jit
def _goes_before(f: np.record, place: int, other: int) -> bool:
    is_best, is_other_best = f.suits[place] >= NUM_EFFECTIVE_SUITS, f.suits[other] >= NUM_EFFECTIVE_SUITS
    return bool(is_best) if is_best != is_other_best else bool(f.values[place] > f.values[other])


@jit
def _swap(f: np.record, place: int, other: int) -> None:
    f.values[place], f.values[other] = f.values[other], f.values[place]
    f.suits[place], f.suits[other] = f.suits[other], f.suits[place]
    for slot in range(NUM_SLOTS):
        f.cards[place, slot], f.cards[other, slot] = f.cards[other, slot], f.cards[place, slot]


@jit
def _find_follows(s: np.record, x: np.record, f: np.record) -> None:
    """Discards by what points count for, plays that win, and discards from each suit."""
    o, plan = x.seen, x.plan
    lead = 0
    while not o.lead_suit[lead]:
        lead += 1
    held = plan.length[lead]
    for gain in _GAINS:
        set_charges(o, plan, gain)
        clear_want(plan)
        want_discard(o, plan, lead)
        _add(s, x, f, 0.0, 0)
    if held == 0 or held >= o.lead_size[0]:
        _find_wins(s, x, f, lead, lead if held else TRUMP)
    if held < o.lead_size[0]:
        _find_discards(s, x, f, lead)


@jit
def _find_wins(s: np.record, x: np.record, f: np.record, lead: int, own: int) -> None:
    """For tops that beat what lies there, from both ends, the cheapest play with points and without."""
    o, plan = x.seen, x.plan
    width, length, number = principal_shape(o)
    suit, top = winning_play(o, plan, width)
    if (suit == TRUMP and own != TRUMP) or (number > 1 and own == lead) or plan.length[own] < o.lead_size[0]:
        return
    low, high = max(top + 1 if own == suit else 0, length - 1), num_orders(own, plan.trump) - 1
    is_low = True
    while low <= high and f.number < _MOST_WITH_WINS:
        tried = low if is_low else high
        low, high = (low + 1, high) if is_low else (low, high - 1)
        clear_want(plan)
        if cost_of_run(plan, own, width, length, tried) < NEVER:
            is_low = not is_low
            for variant in range(2 if number > 1 or own == TRUMP else 1):
                set_charges(o, plan, _GAINS[variant])
                clear_want(plan)
                if add_shape(o, plan, own, width, length, tried, number):
                    _add(s, x, f, 0.0, 0)


@jit
def _find_discards(s: np.record, x: np.record, f: np.record, lead: int) -> None:
    """Discard from each other suit first, with points and without."""
    o, plan = x.seen, x.plan
    for suit in range(NUM_EFFECTIVE_SUITS):
        if suit == lead or plan.length[suit] == 0:
            continue
        for variant in range(2):
            set_charges(o, plan, _GAINS[variant])
            for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
                plan.charge[slot] -= _CHEAP
            clear_want(plan)
            want_discard(o, plan, lead)
            _add(s, x, f, 0.0, 0)
