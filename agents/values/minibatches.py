"""Shards as shuffled minibatches: which decisions a step learns from is a function of the seed and the step alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts import Expanded, expand, join, read_shard
from shengji_env.players.networks.champion.inputs import Inputs, make_inputs
from shengji_env.tables.observation import view

POINTS_UNIT = 40.0
"""About a level, with two decks."""


@dataclass(frozen=True, eq=False)
class Minibatch:
    """Some decisions and what became of their candidates."""

    inputs: Inputs
    """What the network reads."""
    offsets: NDArray[np.int64]
    """(D + 1,) where the candidates of each decision begin."""
    targets: NDArray[np.float32]
    """(C, 3) smoothed levels, levels, and points in units of POINTS_UNIT."""
    phases: NDArray[np.int8]
    """(D,) a `Phase`."""
    hands: NDArray[np.int8]
    """(D,) cards in hand."""
    factors: NDArray[np.float32]
    """(D,) by which the weight of each decision is multiplied."""


@dataclass(frozen=True, eq=False)
class Targets:
    """What is to be learned of some decisions."""

    values: NDArray[np.float32]
    """(C, 3) as `Minibatch.targets`."""
    factors: NDArray[np.float32]
    """(D,) as `Minibatch.factors`."""


def minibatch_of(decisions: Expanded, targets: Targets | None = None) -> Minibatch:
    """Return all of some decisions as one minibatch, with their labels as targets unless others are given."""
    inputs = make_inputs(decisions.observations, decisions.offsets, decisions.cards, decisions.features)
    found = labels_of(decisions) if targets is None else targets
    return Minibatch(inputs, decisions.offsets, found.values, decisions.phases, hands_of(decisions), found.factors)


def labels_of(decisions: Expanded) -> Targets:
    """Return the labels of some decisions as what is to be learned."""
    others = decisions.levels.astype(np.float32), decisions.points.astype(np.float32) / POINTS_UNIT
    return Targets(np.stack([decisions.smooth, *others], axis=1), np.ones(len(decisions), np.float32))


def hands_of(decisions: Expanded) -> NDArray[np.int8]:
    """Return the number of cards in hand at each decision, (D,)."""
    hands: NDArray[np.int8] = view(decisions.observations)["cards_left"][:, 0]
    return hands


def owners_of(decisions: Expanded) -> NDArray[np.int64]:
    """Return the decision of each candidate, (C,)."""
    return np.repeat(np.arange(len(decisions)), np.diff(decisions.offsets))


def centred(values: NDArray[Any], decisions: Expanded) -> NDArray[np.float64]:
    """Subtract from each candidate's value the mean of its decision's, in double precision."""
    values, owners = values.astype(np.float64), owners_of(decisions)
    means = np.bincount(owners, values, len(decisions)) / np.diff(decisions.offsets)
    return values - means[owners]


def read_decisions(paths: Sequence[Path]) -> Expanded:
    """Read and expand some shards."""
    return join([expand(read_shard(path)) for path in paths])


def minibatches(
    decisions: Expanded, size: int, seed: Sequence[int], targets: Targets | None = None
) -> Iterator[Minibatch]:
    """Yield decisions in random order, `size` at a time; what is left of them in the end is spread over all.

    Args:
        decisions: the decisions.
        size: of a minibatch, in decisions.
        seed: of the order.
        targets: what is to be learned; None: the labels.
    """
    targets = targets or labels_of(decisions)
    order = np.random.default_rng(seed).permutation(len(decisions))
    for chosen in np.array_split(order, max(1, len(order) // size)):
        rows = np.sort(chosen)
        chosen_targets = Targets(targets.values[decisions.candidates_of(rows)], targets.factors[rows])
        yield minibatch_of(decisions.take(rows), chosen_targets)
