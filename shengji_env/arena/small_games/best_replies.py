"""Values of strategies, and exact best replies to them, of one seat or of two partners who see both hands.

Since whoever replies remembers all that it has seen, a best reply takes in each information set the action that is best
given what comes later, from the last stage backwards; a history counts as much as chance and the others make it likely.
So one pass over the tree finds it, as OpenSpiel's `best_response` does recursively.

How likely each node's last choice is, is an array (N,), ``odds``: of all four seats together. Two teams may follow
different strategies, and so may partners.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.small_games.game_tree import GameTree, InformationSets
from shengji_env.arena.small_games.tree_play import Strategy
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.envs.positions.whole_deals import DECLARER

Odds = NDArray[np.float64]


class Reply(NamedTuple):
    """A best reply."""

    value: float
    """Levels a round that the team of whoever replies wins with it."""
    odds: Odds
    """(N,) those of the others, and of the reply."""
    worth: NDArray[np.float64]
    """(N,) levels that the team wins from each node on."""


def odds_of(tree: GameTree, strategy: Strategy) -> Odds:
    """Return how likely each node's last choice is if all seats follow a strategy."""
    odds = tree.odds
    for seat in range(NUM_SEATS):
        odds = following(tree, odds, seat, strategy)
    return odds


def following(tree: GameTree, odds: Odds, seat: int, strategy: Strategy) -> Odds:
    """Return odds, (N,), in which a seat follows a strategy."""
    return np.where(tree.mover == seat, strategy[tree.single.choice], odds)


def value_of(tree: GameTree, odds: Odds) -> float:
    """Return how many levels a round the declarers win."""
    return _mean(tree, odds, worth_of(tree, odds))


def worth_of(tree: GameTree, odds: Odds) -> NDArray[np.float64]:
    """Return how many levels the declarers win from each node on, (N,)."""
    worth = tree.worth.copy()
    for layer in reversed(tree.layers[1:]):
        _add_up(tree, layer, odds, worth)
    return worth


def reach_of(tree: GameTree, odds: Odds) -> NDArray[np.float64]:
    """Return the product of odds from the deal to each node, (N,)."""
    reach = odds.copy()
    for layer in tree.layers[1:]:
        reach[layer] *= reach[tree.parent[layer]]
    return reach


def best_reply(tree: GameTree, odds: Odds, seats: tuple[int, ...], is_given: NDArray[np.bool_] | None = None) -> Reply:
    """Return the best reply to the other seats of one seat, or of two partners who see both hands.

    Where `is_given`, (N,), the odds are those that are given also for whoever replies: in whole information sets.
    """
    sets = tree.single if len(seats) == 1 else tree.joint
    mine = np.isin(tree.mover, seats)
    if is_given is not None:
        mine &= ~is_given
    sign = 1.0 if seats[0] % NUM_TEAMS == DECLARER % NUM_TEAMS else -1.0
    odds = np.where(mine, 1.0, odds)
    reach = reach_of(tree, odds)
    worth = sign * tree.worth
    for layer in reversed(tree.layers[1:]):
        rows = layer.start + np.flatnonzero(mine[layer])
        if len(rows):
            odds[rows] = _best(sets, sets.choice[rows], reach[rows] * worth[rows])
        _add_up(tree, layer, odds, worth)
    return Reply(_mean(tree, odds, worth), odds, worth)


def single_gains(tree: GameTree, odds: Odds) -> list[float]:
    """Return what each seat would win by its best reply to the other three: their sum is OpenSpiel's `nash_conv`."""
    value = value_of(tree, odds)
    values = [value if seat % NUM_TEAMS == DECLARER % NUM_TEAMS else -value for seat in range(NUM_SEATS)]
    return [best_reply(tree, odds, (seat,)).value - values[seat] for seat in range(NUM_SEATS)]


def _mean(tree: GameTree, odds: Odds, worth: NDArray[np.float64]) -> float:
    """Return the mean over the deals; summed in an order that no processor changes, since it decides between equals."""
    return float((odds[tree.layers[0]] * worth[tree.layers[0]]).sum())


def _add_up(tree: GameTree, layer: slice, odds: Odds, worth: NDArray[np.float64]) -> None:
    """Add to the worth of nodes what their children, a layer, are worth."""
    above = tree.parent[layer]
    starts = np.flatnonzero(np.diff(above, prepend=-1))
    worth[above[starts]] = np.add.reduceat(odds[layer] * worth[layer], starts)


def _best(sets: InformationSets, choices: NDArray[np.int64], worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 where a node comes from the best choice of its information set, 0 elsewhere; the first of equal ones.

    Args:
        sets: what can be told apart.
        choices: (M,) from which choice each node comes: all nodes that come from some sets.
        worth: (M,) what each node adds to its choice.
    """
    low, high = int(choices.min()), int(choices.max()) + 1
    total = np.bincount(choices - low, worth, high - low)
    used = np.unique(choices) - low
    number = sets.of_choice[low:high][used]
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    best = np.maximum.reduceat(total[used], starts)
    is_best = total[used] == np.repeat(best, np.diff(starts, append=len(used)))
    chosen = used[is_best]
    chosen = chosen[np.unique(number[is_best], return_index=True)[1]]
    is_chosen = np.zeros(high - low)
    is_chosen[chosen] = 1
    return is_chosen[choices - low]
