"""Follows to compare: discards and winning plays, with points and without."""

from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP, num_orders, suit_end, suit_start
from shengji_env.engine.state import State
from shengji_env.players.candidates.candidate_list import CandidateList, add_candidate
from shengji_env.players.candidates.scratch import Scratch
from shengji_env.players.heuristic.counting import Run
from shengji_env.players.heuristic.following import (
    Led,
    add_shape,
    run_to_beat,
    want_discard,
    what_was_led,
    winning_run,
)
from shengji_env.players.heuristic.keeping import set_charges
from shengji_env.players.heuristic.plans import NEVER, clear_want, cost_of_run

_GAINS = (1.4, -1.4, 0.0)
"""What one of the seat's own points counts for: to be given, to be withheld, ignored."""
_MAX_WITH_WINS = 7
_CHEAP = 100.0
"""Taken off the price of a suit's cards that are to be discarded first."""


@jit
def find_follows(s: State, scratch: Scratch, found: CandidateList) -> None:
    """Find discards for each value of points, winning plays, and discards from each suit."""
    observation, plan = scratch.observation, scratch.plan
    led = what_was_led(observation)
    for gain in _GAINS:
        set_charges(observation, plan, gain)
        clear_want(plan)
        want_discard(observation, plan, led.suit)
        add_candidate(s, scratch, found, 0.0, 0)
    _find_wins(s, scratch, found, led)
    if plan.length[led.suit] < observation.lead_size[0]:
        _find_discards(s, scratch, found, led.suit)


@jit
def _find_wins(s: State, scratch: Scratch, found: CandidateList, led: Led) -> None:
    """Find the cheapest plays, with points and without, for winning tops, taken in turn from both ends."""
    observation, plan = scratch.observation, scratch.plan
    suit, width, length, top = run_to_beat(observation, plan, led, winning_run(observation, plan, led))
    if width == 0:
        return
    low, high = max(top + 1, length - 1), num_orders(suit, plan.trump) - 1
    is_low = True
    while low <= high and found.number < _MAX_WITH_WINS:
        tried = Run(suit, width, length, low if is_low else high)
        low, high = (low + 1, high) if is_low else (low, high - 1)
        clear_want(plan)
        if cost_of_run(plan, tried) < NEVER:
            is_low = not is_low
            for variant in range(2 if led.number > 1 or suit == TRUMP else 1):
                set_charges(observation, plan, _GAINS[variant])
                clear_want(plan)
                if add_shape(observation, plan, tried, led.number):
                    add_candidate(s, scratch, found, 0.0, 0)


@jit
def _find_discards(s: State, scratch: Scratch, found: CandidateList, lead: int) -> None:
    """Find discards that take each other suit first, with points and without."""
    observation, plan = scratch.observation, scratch.plan
    for suit in range(NUM_EFFECTIVE_SUITS):
        if suit == lead or plan.length[suit] == 0:
            continue
        for variant in range(2):
            set_charges(observation, plan, _GAINS[variant])
            for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
                plan.charge[slot] -= _CHEAP
            clear_want(plan)
            want_discard(observation, plan, lead)
            add_candidate(s, scratch, found, 0.0, 0)
