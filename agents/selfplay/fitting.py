"""The policy's network is fitted to labels as they come; the moving mean of its weights plays."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.selfplay.batches import LabelledDecisions
from agents.selfplay.model import Batch, SelfplayModel, centred
from agents.selfplay.moving_mean import MovingMean
from shengji_env.players.networks.selfplay.selfplay_inputs import GROUP_NAMES, NUM_GROUPS
from shengji_env.players.networks.selfplay.selfplay_network import UNITS_PER_LEVEL, NetworkShape, SelfplayNetwork

ALL = "all"
_LEAST = 1e-9

Sums = NDArray[np.float64]
"""(NUM_GROUPS,) sums by kind of decision."""


class PolicyFitting(MovingMean[SelfplayModel]):
    """The network of the policy, which learns from labels.

    Args:
        seed: seed of the random weights and of the order of decisions.
        horizon: gradient steps over which the mean of weights is taken, about.
        reads_rules: whether it learns what the rules are to a decision.
        shape: widths of its layers.
    """

    def __init__(self, seed: int, horizon: float, reads_rules: bool, shape: NetworkShape) -> None:
        super().__init__(lambda: SelfplayModel(torch.Generator().manual_seed(seed), reads_rules, shape), horizon)
        self._seed = seed

    def start_as(self, network: SelfplayNetwork) -> None:
        """Begin as a network of the same shape."""
        for model in (self.model, self.mean):
            model.start_as(network)

    def fit(self, kept: Sequence[LabelledDecisions], minibatch: int, learning_rate: float) -> dict[str, float]:
        """Take one gradient step for each minibatch, of about so many decisions of any of the generations.

        Args:
            kept: generations of labelled decisions; only the last has not been learned from before.
            minibatch: decisions of a step, about.
            learning_rate: Adam's step size.

        Returns:
            The share of the variance of the last generation's labels, as weighted, that the network explained before
            each step; NaN where it has none, and then no step is taken.
        """
        if len(kept[-1]) == 0:
            return dict.fromkeys(("r2", *(f"r2_{name}" for name in GROUP_NAMES)), math.nan)
        generator = np.random.default_rng([self._seed, self.steps])
        steps = max(1, sum(map(len, kept)) // minibatch)
        parts = [np.array_split(generator.permutation(len(decisions)), steps) for decisions in kept]
        errors, squares = np.zeros(NUM_GROUPS), np.zeros(NUM_GROUPS)
        for chosen in zip(*parts, strict=True):
            of_errors, of_labels = self._step(
                [decisions.take(rows) for decisions, rows in zip(kept, chosen, strict=True) if len(rows)], learning_rate
            )
            errors += of_errors
            squares += of_labels
        shares = shares_of(errors, squares)
        return {"r2": shares.pop(ALL), **{f"r2_{name}": share for name, share in shares.items()}}

    def _step(self, batches: Sequence[Batch], learning_rate: float) -> tuple[Sums, Sums]:
        """Take a step; return squared errors and squared labels of the last batch, by kind of decision."""
        squares = [squared_errors(self.model, batch) for batch in batches]
        size = sum(len(batch.groups) for batch in batches)
        self.step(torch.cat(squares).sum() * (UNITS_PER_LEVEL**2 / size), learning_rate)
        return squares_of(batches[-1], squares[-1].detach())

    def network(self) -> SelfplayNetwork:
        """Return the network that plays."""
        return self.mean.network()


def squared_errors(model: SelfplayModel, batch: Batch) -> Tensor:
    """Return weighted squared errors of choices, (C,), centred within each decision."""
    values = centred(model(batch), batch.owners, len(batch.groups))
    return (values - batch.targets) ** 2 * batch.weights[batch.owners]


def squares_of(batch: Batch, squares: Tensor) -> tuple[Sums, Sums]:
    """Return the sums of squared errors of choices, (C,), and of their weighted labels, by kind of decision."""
    kinds = batch.groups[batch.owners].numpy()
    labels = (batch.targets**2 * batch.weights[batch.owners]).numpy()
    of_errors: Sums = np.bincount(kinds, squares.numpy(), NUM_GROUPS).astype(np.float64)
    of_labels: Sums = np.bincount(kinds, labels, NUM_GROUPS).astype(np.float64)
    return of_errors, of_labels


def shares_of(errors: Sums, squares: Sums) -> dict[str, float]:
    """Return the share of the labels' variance that was explained, by kind of decision, and ALL."""
    explained = 1 - errors / np.maximum(squares, _LEAST)
    shares = {name: float(share) for name, share in zip(GROUP_NAMES, explained, strict=True)}
    return shares | {ALL: float(1 - errors.sum() / max(squares.sum(), _LEAST))}
