"""The network is fitted to labels as they come: Adam, and a running mean of the weights, which plays."""

import numpy as np
import torch

from agents.selfplay.batches import Decisions
from agents.selfplay.model import SelfplayModel, centred
from shengji_env.datasets.selfplay.selfplay_inputs import NUM_GROUPS
from shengji_env.datasets.selfplay.selfplay_network import SelfplayNetwork

_BETAS = 0.9, 0.99
_FIRST_STEPS = 0.3
"""How fast the mean's memory grows at first, in steps for each step."""


class Fitting:
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

    def fit(self, decisions: Decisions, minibatch: int, learning_rate: float) -> dict[str, float]:
        """Take one gradient step for each minibatch; return the share of the labels' variance that is explained."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        order = np.random.default_rng([self._seed, self.steps]).permutation(len(decisions))
        errors, variances = np.zeros(NUM_GROUPS), np.zeros(NUM_GROUPS)
        for first in range(0, len(order) - minibatch + 1, minibatch):
            self._step(decisions, order[first : first + minibatch], errors, variances)
        explained = 1 - errors / np.maximum(variances, 1e-9)
        names = ("bury", "lead", "one", "many", "action")
        shares = {f"r2_{name}": float(share) for name, share in zip(names, explained, strict=True)}
        return {"r2": float(1 - errors.sum() / variances.sum()), **shares}

    def _step(self, decisions: Decisions, chosen: "np.ndarray[tuple[int], np.dtype[np.int64]]", errors: "np.ndarray[tuple[int], np.dtype[np.float64]]", variances: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
        batch = decisions.take(chosen)
        values = centred(self.model(batch), batch.owners, len(chosen))
        squares = (values - batch.targets) ** 2
        self.optimizer.zero_grad()
        (squares.sum() / len(chosen) * 64).backward()
        self.optimizer.step()
        self.steps += 1
        kinds = batch.groups[batch.owners].numpy()
        errors += np.bincount(kinds, squares.detach().numpy(), NUM_GROUPS)
        variances += np.bincount(kinds, (batch.targets**2).numpy(), NUM_GROUPS)
        self._follow()

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the mean of weights towards the last ones."""
        share = max(1 / self._horizon, 1 / (1 + _FIRST_STEPS * self.steps))
        for mean, last in zip(self.mean.parameters(), self.model.parameters(), strict=True):
            mean.lerp_(last, share)

    def network(self) -> SelfplayNetwork:
        """Return the network that plays."""
        return self.mean.network()
