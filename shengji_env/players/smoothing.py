"""Smoothed levels: what labels and judges count instead of levels, of which the result table's steps make noise.

A result table has steps: 75 points and 80 are a level or two apart, 80 and 115 the same. Which side of a step a round
ends on is mostly chance, so the steps are noise in a label. A smoothed level is the mean of the table over points
around the final ones, weighted by a Gaussian with a standard deviation of SIGMA_PER_DECK points for each 100 dealt. Its
bias is the same for all candidates of a decision to the first order, and its variance is a third lower.

Points come in fives, so does the blur. Points below 0 count as the table has it, which is as 0. Where the last trick
wins by itself (`one_deck_45`), whether the attackers won it is taken as it was, and only points are blurred; a draw
counts as no level. Levels that the declarers lose by the last trick count in full.
"""

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import DECK_POINTS, MAX_DECKS
from shengji_env.engine.compile import jit
from shengji_env.engine.results import settle
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Winner
from shengji_env.tables.observation import POINTS_UNIT

SIGMA_PER_DECK = 7.5
"""Standard deviation of the blur, in points for each DECK_POINTS dealt; a deck with fewer points has less."""
_SIGMAS = 4.0
_DIGITS = 12
"""Decimals of weights: processors compute the same ones."""
_LOWEST, _HIGHEST = -100 * MAX_DECKS, 1000 * MAX_DECKS
"""Points between which the table is blurred; outside it is constant or rises steadily."""


def smooth_levels(
    levels: NDArray[Any], points: NDArray[Any], is_attacker: NDArray[Any], rules: RuleSet
) -> NDArray[np.float32]:
    """Return the smoothed levels of some rounds, from a team's view; arguments as in `datasets.rollouts`.

    Args:
        levels: (...,) nominal levels.
        points: (...,) the attackers' points, negative where the team declared.
        is_attacker: (...,) 1 where the team attacked.
        rules: the rules.

    Returns:
        (...,) float32, positive for the team.
    """
    side = np.where(is_attacker, 1, -1)
    attackers_points = side * points.astype(np.int64)
    won_last = np.zeros(levels.shape, np.int64)
    if rules.table.last_trick_wins:
        won_last = (side * levels > (attackers_points >= rules.table.threshold)).astype(np.int64)
    index = (np.clip(attackers_points, _LOWEST, _HIGHEST) - _LOWEST) // POINTS_UNIT
    smooth: NDArray[np.float32] = (side * _tables(rules)[won_last, index]).astype(np.float32)
    if rules.last_trick_demotion != "none":
        lost = side * levels - _level_tables(rules)[won_last, index]
        smooth += (side * lost).astype(np.float32)
    return smooth


@functools.lru_cache(maxsize=256)
def _level_tables(rules: RuleSet) -> NDArray[np.int64]:
    """Return the table from the attackers' view, as `_tables` has it, but not blurred."""
    return _levels_from(rules.record(), _LOWEST, (_HIGHEST - _LOWEST) // POINTS_UNIT + 1)


@functools.lru_cache(maxsize=256)
def _tables(rules: RuleSet) -> NDArray[np.float64]:
    """Return the blurred table from the attackers' view, by whether they won the last trick and by points in fives."""
    sigma = SIGMA_PER_DECK * (rules.points / DECK_POINTS) / POINTS_UNIT
    reach = int(np.ceil(_SIGMAS * sigma))
    # Rounded, and added up in order: libraries do both as suits the processor, which would decide between equal plays.
    weights = np.round([math.exp(-0.5 * (step / sigma) ** 2) for step in range(-reach, reach + 1)], _DIGITS)
    size = (_HIGHEST - _LOWEST) // POINTS_UNIT + 1
    table = _levels_from(rules.record(), _LOWEST - POINTS_UNIT * reach, size + 2 * reach)
    blurred = np.zeros((len(table), size))
    for first, weight in enumerate(weights / weights.sum()):
        blurred += weight * table[:, first : first + size]
    return blurred


@jit
def _levels_from(rules: NDArray[Any], lowest: int, size: int) -> NDArray[np.int64]:
    """Return levels from the attackers' view, (2, size): by whether they won the last trick, and by points in fives."""
    table = np.zeros((2, size), np.int64)
    for won_last in range(2):
        for index in range(size):
            winner, levels = settle(rules[0], lowest + POINTS_UNIT * index, won_last == 1)
            if winner != Winner.DRAW:
                table[won_last, index] = levels if winner == Winner.ATTACKERS else -levels
    return table
