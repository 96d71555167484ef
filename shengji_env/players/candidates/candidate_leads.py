"""Leads to compare: components and throws of every suit, the best by the heuristic player's own estimate."""

from shengji_env.engine.compile import jit
from shengji_env.engine.components import most_at
from shengji_env.engine.rule_record import index_of
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS, num_orders
from shengji_env.engine.state import State
from shengji_env.players.candidates.candidate_list import CandidateList, add_candidate
from shengji_env.players.candidates.scratch import Scratch
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.counting import Run
from shengji_env.players.heuristic.keeping import set_charges
from shengji_env.players.heuristic.leading import describe_suit, value_of_lead, want_standing
from shengji_env.players.heuristic.plans import add_run, clear_want

_THROWS = index_of("throws")


@jit
def find_leads(s: State, scratch: Scratch, found: CandidateList) -> None:
    """Find all components and the unbeatable throw of each suit."""
    observation, plan = scratch.observation, scratch.plan
    set_charges(observation, plan, 0.0)
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] == 0:
            continue
        common = describe_suit(observation, plan, suit)
        if observation.rules[_THROWS] and plan.length[suit] > 1:
            clear_want(plan)
            principal, number = want_standing(plan, suit)
            if number > 1:
                value = value_of_lead(observation, plan, principal, common)
                add_candidate(s, scratch, found, value + parameters.LEAD_THROW * number, suit)
        for top in range(num_orders(suit, plan.trump)):
            held = most_at(plan.hand, top, suit, plan.trump)
            for width in range(1, held + 1):
                for length in range(1, (top + 1 if width > 1 else 1) + 1):
                    if most_at(plan.hand, top - length + 1, suit, plan.trump) < width:
                        break
                    run = Run(suit, width, length, top)
                    clear_want(plan)
                    add_run(plan, run)
                    add_candidate(s, scratch, found, value_of_lead(observation, plan, run, common), suit)


@jit
def keep_best(found: CandidateList, most: int) -> None:
    """Sort all but the first: first the best of each suit, then the others, both in descending order of value."""
    for index in range(1, found.number):
        is_best = True
        for other in range(1, found.number):
            is_same = found.suits[other] % NUM_EFFECTIVE_SUITS == found.suits[index]
            if is_same and found.values[other] > found.values[index]:
                is_best = False
        found.suits[index] += NUM_EFFECTIVE_SUITS if is_best else 0
    for index in range(1, min(found.number, most)):
        best = index
        for other in range(index + 1, found.number):
            if _ranks_above(found, other, best):
                best = other
        _swap(found, index, best)


@jit
def _ranks_above(found: CandidateList, index: int, other: int) -> bool:
    is_best, is_other_best = found.suits[index] >= NUM_EFFECTIVE_SUITS, found.suits[other] >= NUM_EFFECTIVE_SUITS
    return bool(is_best) if is_best != is_other_best else bool(found.values[index] > found.values[other])


@jit
def _swap(found: CandidateList, index: int, other: int) -> None:
    found.values[index], found.values[other] = found.values[other], found.values[index]
    found.suits[index], found.suits[other] = found.suits[other], found.suits[index]
    for slot in range(NUM_SLOTS):
        found.cards[index, slot], found.cards[other, slot] = found.cards[other, slot], found.cards[index, slot]
