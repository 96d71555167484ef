"""What a decision is charged with: the value of the best candidate minus that of the one that was played.

A pass while trumps are bid for has cost nothing as long as the seat can still bid, so it is charged only with what it
has let go: with the best bid minus the best answer that the seat still had when it was asked next, or gave then. A bid
that the seat makes later, or could still make, is not charged. Of a seat's bids and passes, only the one that has cost
most is charged.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from shengji_env.render.decision_values import DecisionValues

LEAST_COST = 0.01
"""Levels; what costs less is charged with nothing."""


def charged(valued: Sequence[DecisionValues], bid_plies: Iterable[int]) -> list[DecisionValues]:
    """Return decisions with their costs.

    Args:
        valued: a round's decisions, with all candidates, by ply.
        bid_plies: which of them are bids and passes before trumps are named.
    """
    bids = set(bid_plies)
    costs = {each.ply: _cost_of(each) for each in valued if each.ply not in bids}
    for seat in {each.seat for each in valued}:
        costs |= _costs_of_bids([each for each in valued if each.ply in bids and each.seat == seat])
    return [replace(each, cost=costs.get(each.ply, 0.0)) for each in valued]


def _cost_of(values: DecisionValues, kept: Iterable[str | None] = ()) -> float:
    """Return what a play has cost, if some answers besides it are still to be had."""
    if values.played is None:
        return 0.0
    had = values.options[values.played][0]
    best = max(value for _, value in values.options)
    cost = best - max(value for answer, value in values.options if answer == had or answer in set(kept))
    return round(cost, 3) if cost >= LEAST_COST else 0.0


def _costs_of_bids(bids: Sequence[DecisionValues]) -> dict[int, float]:
    """Return what the bids and passes of one seat have cost, by ply: only the worst of them."""
    costs = {}
    for index, values in enumerate(bids):
        is_pass = values.played is not None and values.options[values.played][0] is None
        later = bids[index + 1] if is_pass and index + 1 < len(bids) else None
        costs[values.ply] = _cost_of(values, [answer for answer, _ in later.options] if later else ())
    worst = max(costs, key=lambda ply: costs[ply], default=-1)
    return {ply: cost for ply, cost in costs.items() if ply == worst}
