"""Counterfactual regret minimisation (CFR) on the arrays of a small game, as OpenSpiel's `CFRSolver` does it.

In each iteration the seats follow one another. A seat's regret of a choice grows by what the choice would have won more
than its strategy did, times how likely chance and the others make the place; its next strategy is proportional to the
regrets above 0 (uniform if there are none). The average strategy counts each iteration by how likely the seat itself
made the place.

With two players against each other the average comes as close to an equilibrium as one likes. With four there is no
such guarantee, not even where two and two win and lose together: see research/small_games.md.

Source: Zinkevich and others, "Regret minimization in games with incomplete information" (2007).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.small_games.best_replies import odds_of, reach_of, worth_of
from shengji_env.arena.small_games.game_tree import GameTree
from shengji_env.arena.small_games.tree_play import Strategy, uniform
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.envs.positions.whole_deals import DECLARER


def average_strategy(tree: GameTree, iterations: int, watch: Callable[[int, int], object] | None = None) -> Strategy:
    """Return the average strategy of some iterations of CFR; `watch` is told how many are done."""
    choice, size = tree.single.choice, tree.single.num_choices
    regret, total, strategy = np.zeros(size), np.zeros(size), uniform(tree)
    for iteration in range(iterations):
        for seat in range(NUM_SEATS):
            nodes = np.flatnonzero(tree.mover == seat)
            chosen, is_own = choice[nodes], tree.mover == seat
            odds = odds_of(tree, strategy)
            others, own = reach_of(tree, np.where(is_own, 1.0, odds)), reach_of(tree, np.where(is_own, odds, 1.0))
            sign = 1.0 if seat % NUM_TEAMS == DECLARER % NUM_TEAMS else -1.0
            won = np.bincount(chosen, (sign * others * worth_of(tree, odds))[nodes], size)
            number = np.bincount(chosen, minlength=size)
            regret += np.where(number, won - _within_sets(tree, strategy * won), 0.0)
            total += np.bincount(chosen, own[nodes], size) / np.maximum(number, 1)
            strategy = _shares(tree, np.maximum(regret, 0))
        if watch is not None:
            watch(iteration + 1, iterations)
    return _shares(tree, total)


def _within_sets(tree: GameTree, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each choice the sum over all choices of its information set, (C,)."""
    sums: NDArray[np.float64] = np.bincount(tree.single.of_choice, values).astype(np.float64)
    return sums[tree.single.of_choice]


def _shares(tree: GameTree, values: NDArray[np.float64]) -> Strategy:
    """Return values as shares of the sums of their information sets; where these are 0, all choices alike."""
    sums = _within_sets(tree, values)
    return np.where(sums > 0, values / np.where(sums > 0, sums, 1), uniform(tree))
