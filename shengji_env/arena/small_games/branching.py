"""The upper value of a team's best reply, brought down towards what partners can do who do not see each other's hands.

Partners who see both hands may choose otherwise in one information set of a seat, as the partner's hand is this or
that. So they are made to choose alike there, once for each action: the best of these values is an upper value again,
and no larger (branch and bound). The information set that is taken is the one in which choosing alike costs most as
things stand, and the branch that is split next is the one with the highest value. Where a reply differs in no
information set, partners can play it without seeing anything, and where the highest value left is no larger than the
lower value, that one is exact.

Source: Land and Doig, "An automatic method of solving discrete programming problems" (1960).
"""

import heapq
import itertools

import numpy as np

from shengji_env.arena.small_games.best_replies import Odds, best_reply, reach_of
from shengji_env.arena.small_games.game_tree import GameTree

_NEAR = 1e-12
_NOWHERE = -1


def tightened(
    tree: GameTree, odds: Odds, team: tuple[int, ...], lower: float, most: int, near: float
) -> tuple[float, float]:
    """Return a lower and an upper value of a team's best reply.

    Args:
        tree: the nodes.
        odds: those of the others.
        team: the two seats.
        lower: a lower value.
        most: how many replies of partners who see both hands are computed at most, after the first one.
        near: values that differ by less are equal.
    """
    value, torn = _reply(tree, odds, team, ())
    order = itertools.count()
    ahead: list[tuple[float, int, int, tuple[int, ...]]] = [(-value, next(order), torn, ())]
    made = 0
    while -ahead[0][0] > lower + near:
        negative, _, torn, decided = ahead[0]
        if torn == _NOWHERE:
            return -negative, -negative
        choices = range(*tree.single.first[torn : torn + 2].tolist())
        made += len(choices)
        if made > most:
            break
        heapq.heappop(ahead)
        for choice in choices:
            value, torn = _reply(tree, odds, team, (*decided, choice))
            heapq.heappush(ahead, (-value, next(order), torn, (*decided, choice)))
    return lower, max(lower, -ahead[0][0])


def _reply(tree: GameTree, odds: Odds, team: tuple[int, ...], decided: tuple[int, ...]) -> tuple[float, int]:
    """Return the value of a reply with some choices decided, and the information set that should be decided next."""
    sets, is_own = tree.single, np.isin(tree.mover, team)
    given = np.full(sets.num_choices, np.nan)
    for choice in decided:
        number = sets.of_choice[choice]
        given[sets.first[number] : sets.first[number + 1]] = 0
        given[choice] = 1
    is_given = is_own & ~np.isnan(given[sets.choice])
    odds = np.where(is_given, given[sets.choice], odds)
    reply = best_reply(tree, odds, team, is_given)
    others, own = reach_of(tree, np.where(is_own, 1.0, odds)), reach_of(tree, np.where(is_own, reply.odds, 1.0))
    first = sets.first[:-1]
    came = np.flatnonzero(is_own & ~is_given & (own[tree.parent] > 0))
    chosen = came[reply.odds[came] > 0]
    # What choosing alike costs as things stand; where that is nothing, in how many rounds the reply differs.
    for weight, counted in ((others * reply.worth, came), (others, chosen)):
        alike = np.maximum.reduceat(np.bincount(sets.choice[counted], weight[counted], sets.num_choices), first)
        cost = np.bincount(sets.of_node[tree.parent[chosen]], weight[chosen], len(sets)) - alike
        if cost.max() > _NEAR:
            return reply.value, int(cost.argmax())
    return reply.value, _NOWHERE
