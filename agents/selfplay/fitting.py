"""The network is fitted to labels as they come: Adam, and a running mean of the weights, which plays."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.checkpoint import count_of
from agents.selfplay.batches import LabelledDecisions
from agents.selfplay.model import Batch, SelfplayModel, centred
from agents.values.saving import load_arrays, save_arrays
from shengji_env.players.networks.selfplay.selfplay_inputs import GROUP_NAMES, NUM_GROUPS
from shengji_env.players.networks.selfplay.selfplay_network import UNITS_PER_LEVEL, SelfplayNetwork

_BETAS = 0.9, 0.99
_LEAST = 1e-9
_MEAN = "mean/"
"""Prefix of the names of the mean's weights, in a checkpoint."""
_FIRST_STEPS = 0.3
"""How fast the mean's memory grows at first, in steps for each step."""

Sums = NDArray[np.float64]
"""(NUM_GROUPS,) sums by kind of decision."""


class PolicyFitting:
    """A network, its optimiser, and the mean of its weights.

    Args:
        seed: seed of the random weights and of the order of decisions.
        horizon: gradient steps over which the mean of weights is taken, about.

    Attributes:
        model: the network as it was after the last step.
        mean: the network that plays.
        steps: gradient steps so far.
    """

    def __init__(self, seed: int, horizon: float) -> None:
        self._seed, self._horizon, self.steps = seed, horizon, 0
        self.model = SelfplayModel(torch.Generator().manual_seed(seed))
        self.mean = SelfplayModel(torch.Generator().manual_seed(seed))
        self.optimizer = torch.optim.Adam(self.model.parameters(), betas=_BETAS)

    def fit(self, kept: Sequence[LabelledDecisions], minibatch: int, learning_rate: float) -> dict[str, float]:
        """Take one gradient step for each minibatch, of about so many decisions of any of the generations.

        Args:
            kept: generations of labelled decisions; only the last has not been learned from before.
            minibatch: decisions of a step, about.
            learning_rate: Adam's step size.

        Returns:
            The share of the variance of the last generation's labels that the network explained before each step; NaN
            where it has none, and then no step is taken.
        """
        if len(kept[-1]) == 0:
            return dict.fromkeys(("r2", *(f"r2_{name}" for name in GROUP_NAMES)), math.nan)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        generator = np.random.default_rng([self._seed, self.steps])
        steps = max(1, sum(map(len, kept)) // minibatch)
        parts = [np.array_split(generator.permutation(len(decisions)), steps) for decisions in kept]
        errors, squares = np.zeros(NUM_GROUPS), np.zeros(NUM_GROUPS)
        for chosen in zip(*parts, strict=True):
            of_errors, of_labels = self._step(
                [decisions.take(rows) for decisions, rows in zip(kept, chosen, strict=True) if len(rows)]
            )
            errors += of_errors
            squares += of_labels
        explained = 1 - errors / np.maximum(squares, _LEAST)
        shares = {f"r2_{name}": float(share) for name, share in zip(GROUP_NAMES, explained, strict=True)}
        return {"r2": float(1 - errors.sum() / max(squares.sum(), _LEAST)), **shares}

    def _step(self, batches: Sequence[Batch]) -> tuple[Sums, Sums]:
        """Take a step; return squared errors and squared labels of the last batch, by kind of decision."""
        rows = self.model.whole_rows()
        squares = [
            (centred(self.model(batch, rows), batch.owners, len(batch.groups)) - batch.targets) ** 2
            for batch in batches
        ]
        size = sum(len(batch.groups) for batch in batches)
        self.optimizer.zero_grad()
        (torch.cat(squares).sum() * (UNITS_PER_LEVEL**2 / size)).backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.steps += 1
        self._follow()
        last, labels = batches[-1], (batches[-1].targets ** 2).numpy()
        kinds = last.groups[last.owners].numpy()
        of_errors: Sums = np.bincount(kinds, squares[-1].detach().numpy(), NUM_GROUPS).astype(np.float64)
        of_labels: Sums = np.bincount(kinds, labels, NUM_GROUPS).astype(np.float64)
        return of_errors, of_labels

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the mean of weights towards the last ones."""
        share = max(1 / self._horizon, 1 / (1 + _FIRST_STEPS * self.steps))
        for mean, last in zip(self.mean.parameters(), self.model.parameters(), strict=True):
            mean.lerp_(last, share)

    def network(self) -> SelfplayNetwork:
        """Return the network that plays."""
        return self.mean.network()

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the counter, and all weights and moments as arrays."""
        means = {_MEAN + name: weight.detach().numpy().copy() for name, weight in self.mean.named_parameters()}
        return {"steps": self.steps}, save_arrays(self.model, self.optimizer) | means

    def load(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
        """
        self.steps = count_of(meta, "steps")
        load_arrays(self.model, self.optimizer, {name: a for name, a in arrays.items() if not name.startswith(_MEAN)})
        means = {name.removeprefix(_MEAN): array for name, array in arrays.items() if name.startswith(_MEAN)}
        load_arrays(self.mean, torch.optim.Adam(self.mean.parameters()), means)
