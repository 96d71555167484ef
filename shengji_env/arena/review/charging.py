"""What a decision is charged with: the value of the best candidate minus that of the one that was played.

A pass while trumps are bid for has cost nothing as long as the seat can still bid, so it is charged only with what it
has let go: with the best bid minus the best answer that the seat still had when it was asked next, or gave then. A bid
that the seat makes later, or could still make, is not charged. Of a seat's bids and passes, only the one that has cost
most is charged.

Values are estimates. What costs less than LEAST_COST, or than SURE standard errors of what it has cost, is charged with
nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from shengji_env.render.decision_values import DecisionValues

LEAST_COST = 0.1
"""Levels; what costs less is charged with nothing."""
SURE = 2
"""Standard errors; so is what is not as far from nothing."""

Errors = Mapping[int, Sequence[float]]
"""By ply, for each candidate of a decision the standard error of the best one's lead over it."""


def charged(valued: Sequence[DecisionValues], bid_plies: Iterable[int], errors: Errors) -> list[DecisionValues]:
    """Return decisions with their costs.

    Args:
        valued: a round's decisions, with all candidates, by ply.
        bid_plies: which of them are bids and passes before trumps are named.
        errors: how far the values may be wrong.
    """
    bids = set(bid_plies)
    costs = {each.ply: _cost_of(each, errors[each.ply]) for each in valued if each.ply not in bids}
    for seat in {each.seat for each in valued}:
        costs |= _costs_of_bids([each for each in valued if each.ply in bids and each.seat == seat], errors)
    nothing = 0.0, 0.0
    return [
        replace(each, cost=cost, error=error)
        for each, (cost, error) in ((each, costs.get(each.ply, nothing)) for each in valued)
    ]


def may_be_charged(values: DecisionValues, errors: Sequence[float]) -> bool:
    """Return whether a play may be charged with something; a pass may still be excused by what comes later."""
    return _cost_of(values, errors)[0] > 0


def _cost_of(values: DecisionValues, errors: Sequence[float], kept: Iterable[str | None] = ()) -> tuple[float, float]:
    """Return what a play has cost, and its standard error, if some answers besides it are still to be had."""
    if values.played is None:
        return 0.0, 0.0
    had = {values.options[values.played][0], *kept}
    best = max(value for _, value in values.options)
    value, left = max((value, at) for at, (answer, value) in enumerate(values.options) if answer in had)
    cost, error = round(best - value, 3), errors[left]
    return (cost, round(error, 3)) if cost >= max(LEAST_COST, SURE * error) else (0.0, 0.0)


def _costs_of_bids(bids: Sequence[DecisionValues], errors: Errors) -> dict[int, tuple[float, float]]:
    """Return what the bids and passes of one seat have cost, by ply: only the worst of them."""
    costs = {}
    for index, values in enumerate(bids):
        is_pass = values.played is not None and values.options[values.played][0] is None
        later = bids[index + 1] if is_pass and index + 1 < len(bids) else None
        kept = [answer for answer, _ in later.options] if later else []
        costs[values.ply] = _cost_of(values, errors[values.ply], kept)
    worst = max(costs, key=lambda ply: costs[ply], default=-1)
    return {ply: cost for ply, cost in costs.items() if ply == worst}
