"""Courses: how rounds go on after a play, in sampled deals, with where the points go and what is kept."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.deal import Deals
from shengji_env.engine.play import Plays, make_play, play_at
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import (
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    order_of_slot,
    suit_end,
    suit_start,
    trump_start,
)
from shengji_env.engine.state import NUM_TEAMS, Phase, State
from shengji_env.players.candidates.scratch import value_of
from shengji_env.players.playing import play_next
from shengji_env.tables.policies import PackedPolicies

COURSE_DTYPE = record_type(
    [
        ("levels", np.int16),  # levels that the seat's team wins; negative: loses
        ("is_attacker", np.int8),  # 1 if it attacks
        ("penalty", np.int32),  # the attackers' points by a failed throw of the decision itself
        ("trick", np.int32),  # those by the trick of the decision, if it is a play and not in the last trick
        ("later", np.int32),  # those by the tricks after it but the last, and by later penalties
        ("last", np.int32),  # those by the last trick and the kitty
        ("before", np.int32),  # those that they had
        ("takes", np.int8),  # 1 if the team wins the trick of the decision; its lead follows
        ("in_trick", np.int16),  # points in that trick
        ("takes_last", np.int8),  # 1 if the team wins the last trick
        ("trumps", np.int8, (NUM_TEAMS,)),  # trumps of the team and of the others, after that trick
        ("winners", np.int8, (NUM_TEAMS,)),  # the same of cards that no card of the other side beats
        ("pairs", np.int8, (NUM_TEAMS,)),  # and of pairs
    ]
)
"""What became of a round after a play, in one sampled deal, from a team's view."""


@jit
def follow_courses(
    plays: Plays, samples: NDArray[Any], courses: NDArray[Any], scratch: NDArray[Any], policies: PackedPolicies
) -> None:
    """Play rounds to their ends after each of some plays.

    Args:
        plays: C plays of a decision.
        samples: (W,) STATE_DTYPE: whole tables.
        courses: (C, W) COURSE_DTYPE, written.
        scratch: (1,) SCRATCH_DTYPE.
        policies: the playout policy.
    """
    own = scratch[0]
    for sample in range(samples.size):
        deals = Deals(np.uint64(sample), 0)
        for index in range(plays.actions.size):
            own.state = samples[sample]
            s, course = own.state, courses[index, sample]
            team, phase, trick = s.seat % NUM_TEAMS, s.phase, s.tricks
            is_play = phase == Phase.LEAD or phase == Phase.FORCED or phase == Phase.FOLLOW
            course.before = points = s.attackers_points
            held = points_held(s) + s.trick_points
            course.penalty = course.trick = course.in_trick = course.takes = 0
            course.trumps[:] = course.winners[:] = course.pairs[:] = 0
            make_play(s, own.rules, own.work, deals, play_at(plays, index))
            if phase == Phase.LEAD:
                course.penalty = s.attackers_points - points
                points = s.attackers_points
            first = points
            while s.phase != Phase.OVER:
                if s.phase == Phase.LEAD:
                    if is_play and s.tricks == trick + 1:
                        course.trick = s.attackers_points - first
                        course.in_trick = held - points_held(s)
                        course.takes = s.leader % NUM_TEAMS == team
                        _note_kept(s, team, course)
                    points = s.attackers_points
                play_next(s, own.rules, own.work, deals, policies, 0, deals.seed)
            result = s.result
            course.last = result.attackers_points - points
            course.later = points - first - course.trick
            course.is_attacker = result.declarer % NUM_TEAMS != team
            course.levels = int(value_of(result, team, 0.0))
            course.takes_last = s.winning % NUM_TEAMS == team


@jit
def points_held(s: State) -> int:
    """Return the points of the cards in all hands."""
    points = 0
    for seat in range(NUM_SEATS):
        for slot in range(NUM_SLOTS):
            points += s.hands[seat, slot] * s.slot_points[slot]
    return points


@jit
def _note_kept(s: State, team: int, course: Any) -> None:
    """Note of both sides trumps, cards that no card of the other side beats in their suits, and pairs."""
    for seat in range(NUM_SEATS):
        side = 0 if seat % NUM_TEAMS == team else 1
        for suit in range(NUM_EFFECTIVE_SUITS):
            if suit != TRUMP and suit_start(suit, s.trump) >= trump_start(s.trump):
                continue  # one suit is trumps
            highest = max(_highest(s, (seat + 1) % NUM_SEATS, suit), _highest(s, (seat + 3) % NUM_SEATS, suit))
            for slot in range(suit_start(suit, s.trump), suit_end(suit, s.trump)):
                count = s.hands[seat, slot]
                course.pairs[side] += count >= 2
                if suit == TRUMP:
                    course.trumps[side] += count
                if order_of_slot(slot, s.trump) > highest:
                    course.winners[side] += count


@jit
def _highest(s: State, seat: int, suit: int) -> int:
    """Return the highest order of a seat's cards of an effective suit, -1 if it has none."""
    highest = -1
    for slot in range(suit_start(suit, s.trump), suit_end(suit, s.trump)):
        if s.hands[seat, slot]:
            highest = max(highest, order_of_slot(slot, s.trump))
    return highest
