"""What a decision is charged with: the value of the best candidate minus that of the one that was played.

A pass while trumps are bid for has cost nothing as long as the seat can still bid, so it is charged only with what it
has let go: with the best bid minus the best answer that the seat still had when it was asked next, or gave then. A bid
that the seat makes later, or could still make, is not charged. Of a seat's bids and passes, only the one that has cost
most is charged.

Values are estimates. All that is lost is summed, but what costs less than LEAST_COST, or than SURE standard errors of
what it has cost, is charged with nothing: it is not listed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from shengji_env.render.decision_values import DecisionValues

LEAST_COST = 0.1
"""Levels; what costs less is charged with nothing."""
SURE = 2
"""Standard errors; so is what is not as far from nothing."""


class Loss(NamedTuple):
    """What a decision has lost."""

    levels: float
    """The best value minus that of what it has left."""
    left: int
    """Which candidate that is."""


Losses = Mapping[int, Loss]
"""By ply."""
Errors = Mapping[int, Sequence[float]]
"""By ply, for each candidate of a decision the standard error of the best one's lead over it."""


def charged(valued: Sequence[DecisionValues], losses: Losses, errors: Errors) -> list[DecisionValues]:
    """Return decisions with their costs.

    Args:
        valued: a round's decisions, with all candidates, by ply.
        losses: what they have lost.
        errors: how far the values may be wrong.
    """
    costs = [_cost(losses[each.ply], errors[each.ply]) for each in valued]
    return [replace(each, cost=cost, error=error) for each, (cost, error) in zip(valued, costs, strict=True)]


def losses_of(valued: Sequence[DecisionValues], bid_plies: Iterable[int]) -> dict[int, Loss]:
    """Return what decisions have lost, by ply.

    Args:
        valued: a round's decisions, with all candidates, by ply.
        bid_plies: which of them are bids and passes before trumps are named.
    """
    bids = set(bid_plies)
    losses = {each.ply: _loss_of(each) for each in valued if each.ply not in bids}
    for seat in {each.seat for each in valued}:
        losses |= _losses_of_bids([each for each in valued if each.ply in bids and each.seat == seat])
    return losses


def may_be_charged(values: DecisionValues, errors: Sequence[float]) -> bool:
    """Return whether a play may be charged with something; a pass may still be excused by what comes later."""
    return _cost(_loss_of(values), errors)[0] > 0


def _cost(loss: Loss, errors: Sequence[float]) -> tuple[float, float]:
    """Return what is charged, and its standard error."""
    error = errors[loss.left]
    return (loss.levels, round(error, 3)) if loss.levels >= max(LEAST_COST, SURE * error) else (0.0, 0.0)


def _loss_of(values: DecisionValues, kept: Iterable[str | None] = ()) -> Loss:
    """Return what a play has lost if some answers besides it are still to be had."""
    if values.played is None:
        return Loss(0.0, 0)
    had = {values.options[values.played][0], *kept}
    best = max(value for _, value in values.options)
    value, left = max((value, at) for at, (answer, value) in enumerate(values.options) if answer in had)
    return Loss(round(best - value, 3), left)


def _losses_of_bids(bids: Sequence[DecisionValues]) -> dict[int, Loss]:
    """Return what the bids and passes of one seat have lost, by ply: only the worst of them."""
    losses = {}
    for index, values in enumerate(bids):
        is_pass = values.played is not None and values.options[values.played][0] is None
        later = bids[index + 1] if is_pass and index + 1 < len(bids) else None
        losses[values.ply] = _loss_of(values, [answer for answer, _ in later.options] if later else [])
    worst = max(losses, key=lambda ply: losses[ply].levels, default=-1)
    return {ply: loss if ply == worst else Loss(0.0, 0) for ply, loss in losses.items()}
