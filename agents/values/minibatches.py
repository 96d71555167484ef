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


def minibatch_of(decisions: Expanded) -> Minibatch:
    """Return all of some decisions as one minibatch."""
    inputs = make_inputs(decisions.observations, decisions.offsets, decisions.cards, decisions.features)
    others = decisions.levels.astype(np.float32), decisions.points.astype(np.float32) / POINTS_UNIT
    targets = np.stack([decisions.smooth, *others], axis=1)
    return Minibatch(inputs, decisions.offsets, targets, decisions.phases, hands_of(decisions))


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


def distinct_rows(rows: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each distinct row of (N, M) stands first, (R,), and which of these each row is, (N,)."""
    whole = np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel()
    _, first, of = np.unique(whole, return_index=True, return_inverse=True)
    return first, of


def read_decisions(paths: Sequence[Path]) -> Expanded:
    """Read and expand some shards."""
    return join([expand(read_shard(path)) for path in paths])


def minibatches(decisions: Expanded, size: int, seed: Sequence[int]) -> Iterator[Minibatch]:
    """Yield decisions in random order, `size` at a time; what is left of them in the end is spread over all."""
    order = np.random.default_rng(seed).permutation(len(decisions))
    for rows in np.array_split(order, max(1, len(order) // size)):
        yield minibatch_of(decisions.take(np.sort(rows)))
