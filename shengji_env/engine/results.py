"""Results: what the kitty is worth, levels from points, who declares next, when a match is over.

Source: docs/rules.md §11, §12, §13.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import ACE
from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, length_of, width_of
from shengji_env.engine.demotion import levels_lost
from shengji_env.engine.result_tables import DRAW_MARGIN
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NOBODY, NUM_TEAMS, Result, Rules, State, Winner, Workspace

_MAX_EXPONENTIAL = 64
_NONE, _DOUBLE, _PATTERN, _CARDS, _COMPONENT = (
    code_of("kitty_multiplier", word) for word in ("none", "double", "pattern", "cards", "component")
)
_SHAPE_OF_LEAD = code_of("kitty_shape", "lead")
_REACH_ACE, _PASS_ACE, _ROUNDS, _BEYOND_ACE = (
    code_of("match_end", word) for word in ("reach_ace", "pass_ace", "rounds", "beyond_ace")
)


@jit
def kitty_multiplier(r: Rules, components: NDArray[Any], num_components: int) -> int:
    """Return the factor of the kitty's points (§11); `components` are codes."""
    kind = r.kitty_multiplier
    if kind == _NONE:
        return 0
    if kind == _DOUBLE:
        return 2
    if kind == _PATTERN:
        return _pattern_multiplier(components, num_components)
    most = 0
    cards = 0
    for index in range(num_components):
        size = width_of(components[index]) * length_of(components[index])
        most = max(most, size)
        cards += size
    if kind == _CARDS:
        return 2 * cards
    if kind == _COMPONENT:
        return 2 * most
    return min(1 << min(most, 8), _MAX_EXPONENTIAL)


@jit
def _pattern_multiplier(components: NDArray[Any], num_components: int) -> int:
    titanic = 0
    tractor = 0
    widest = 1
    for index in range(num_components):
        width = width_of(components[index])
        length = length_of(components[index])
        widest = max(widest, width)
        if length > 1 and width > 2:
            titanic = max(titanic, length)
        elif length > 1:
            tractor = max(tractor, length)
    if titanic:
        return 2 * 3**titanic
    if widest > 2:
        return 6
    if tractor:
        return 2 << tractor
    return 2 * widest


@jit
def score_kitty(s: State, r: Rules, w: Workspace, attackers_won_last: bool) -> tuple[int, int]:
    """Give the attackers what the kitty is worth if they won the last trick; return its points and their factor."""
    points = 0
    for slot in range(NUM_SLOTS):
        points += s.buried[slot] * s.slot_points[slot]
    multiplier = 0
    if attackers_won_last:
        shaper = s.leader if r.kitty_shape == _SHAPE_OF_LEAD else s.winning
        suit = s.lead_suit if r.kitty_shape == _SHAPE_OF_LEAD else s.winning_suit
        num_components = decompose(s.trick[shaper], suit, s.trump, w)
        multiplier = kitty_multiplier(r, w.codes, num_components)
    s.attackers_points += points * multiplier
    return points, multiplier


@jit
def settle(r: Rules, points: int, attackers_won_last: bool) -> tuple[int, int]:
    """Return the winner (a `Winner`) and the levels that the result table gives for the attackers' points."""
    threshold = int(r.attackers_from[0])
    if r.last_trick_wins:
        won = (1 if points >= threshold else 0) + (1 if attackers_won_last else 0)
        if won:
            return Winner.ATTACKERS.value, won
        if points == threshold - DRAW_MARGIN:
            return Winner.DRAW.value, 0
    if points >= threshold:
        return Winner.ATTACKERS.value, _attackers_levels(r, points)
    for entry in range(r.num_declarers_entries):
        if points < r.declarers_below[entry]:
            return Winner.DECLARERS.value, r.declarers_levels[entry]
    return Winner.DECLARERS.value, 0


@jit
def _attackers_levels(r: Rules, points: int) -> int:
    last = r.num_attackers_entries - 1
    for entry in range(last):
        if points < r.attackers_from[entry + 1]:
            return r.attackers_levels[entry]
    beyond = (points - int(r.attackers_from[last])) // int(r.attackers_step) if r.attackers_step else 0
    return int(r.attackers_levels[last]) + beyond


@jit
def close_round(s: State, r: Rules, kitty_points: int, multiplier: int, attackers_won_last: bool) -> None:
    """Fill ``s.result`` from the final points, and move levels and declarer on."""
    winner, levels = settle(r, s.attackers_points, attackers_won_last)
    result = s.result
    result.attackers_points = s.attackers_points
    result.kitty_points = kitty_points
    result.kitty_multiplier = multiplier
    result.winner = winner
    result.levels_nominal = levels
    result.declarer = s.declarer
    result.round_index = s.round_index
    result.levels_lost = levels_lost(s, r, winner, attackers_won_last)
    result.match_winner = NOBODY
    result.match_over = 0
    s.match_round += 1
    _rise(s, r, winner, levels)
    _choose_declarer(s, winner)
    result.next_declarer = s.declarer
    for team in range(NUM_TEAMS):
        result.new_levels[team] = s.levels[team]


@jit
def worth_to_attackers(result: Result) -> int:
    """Return the levels that a round is worth to the attackers: by the result table, and those the declarers lost."""
    levels = int(result.levels_nominal)
    return (-levels if result.winner == Winner.DECLARERS else levels) + int(result.levels_lost)


def all_worth_to_attackers(results: NDArray[Any]) -> NDArray[np.int64]:
    """Return `worth_to_attackers` of results with the fields of RESULT_DTYPE that it reads, as an array."""
    signs = np.where(results["winner"] == Winner.DECLARERS, -1, 1)
    return signs * results["levels_nominal"].astype(np.int64) + results["levels_lost"]


@jit
def _rise(s: State, r: Rules, winner: int, levels: int) -> None:
    """Lower the declarers' level if they fall, raise the winners', and note whether the match is over."""
    result = s.result
    result.levels = 0
    s.levels[s.declarer % NUM_TEAMS] -= result.levels_lost
    has_held = winner == Winner.DECLARERS and result.levels_lost == 0
    if winner != Winner.DRAW:
        team = (s.declarer + (1 if winner == Winner.ATTACKERS else 0)) % NUM_TEAMS
        before = s.levels[team]
        is_passing = r.match_end == _BEYOND_ACE or (r.match_end == _PASS_ACE and has_held and before == ACE)
        risen = _risen(before, levels, has_held, r.must_defend, ACE + 1 if is_passing else ACE)
        s.levels[team] = min(risen, ACE)
        result.levels = risen - before
        if risen > ACE or (r.match_end == _REACH_ACE and risen == ACE):
            result.match_over = 1
            result.match_winner = team
    if r.match_end == _ROUNDS and s.match_round >= r.match_rounds:
        result.match_over = 1
        if s.levels[0] != s.levels[1]:
            result.match_winner = 0 if s.levels[0] > s.levels[1] else 1


@jit
def _risen(level: int, levels: int, has_held: bool, must_defend: int, highest: int) -> int:
    """Return the level that a team rises to: past no level that it must hold first (§13).

    Args:
        level: its rank, 0..12.
        levels: by how many it would rise.
        has_held: whether it has just held its own level, as declarers.
        must_defend: the ranks to be held, as bits.
        highest: the level at which it stops: the ace, or the step beyond it.
    """
    left = levels
    while left > 0 and level < highest and (has_held or not must_defend >> level & 1):
        level += 1
        left -= 1
        has_held = False
    return level


@jit
def _choose_declarer(s: State, winner: int) -> None:
    """Choose the declarer's partner if the declarers won, the seat after the declarer if not, nobody after a draw."""
    if winner == Winner.DRAW:
        s.declarer = NOBODY
    else:
        s.declarer = (s.declarer + (2 if winner == Winner.DECLARERS else 1)) % NUM_SEATS
