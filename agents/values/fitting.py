"""Regression: one step on a minibatch.

The loss is the mean squared error of values centred within each decision, against labels centred in the same way: what
all candidates of a decision share is chance, and drops out. A ranking loss would be biased, since most labels of a
decision are equal.

Two **auxiliary** values share the layers and are played by nobody: points, centred too, and smoothed levels that are
not centred, of which much more can be explained. They teach the layers what a hand is worth, and so what matters.
Files of networks do not hold their weights. A run that starts from such a file fits them first (`fit_auxiliary`);
research/trials/champion_labels.md says what that brings.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from agents.values.minibatches import Minibatch
from agents.values.value_config import FittingConfig
from agents.values.value_network import NUM_AUXILIARY, ValueNetwork
from agents.values.weighting import Weighting, decision_weights
from shengji_env.players.networks.champion.compiled_network import NUM_VALUES

_WARM_UP = 100
"""Steps in which the step size rises to its highest."""
_MAX_GRADIENT = 1.0
_UNCENTRED = 0.3
"""Weight of the auxiliary value that is not centred, relative to the other one's."""
_RIDGE = 1e-3
"""Ridge of a regression on the last layer, relative to the mean square of a unit."""


def make_optimizer(network: ValueNetwork, config: FittingConfig) -> torch.optim.AdamW:
    """Make the optimiser."""
    learned = [weight for weight in network.parameters() if weight.requires_grad]
    return torch.optim.AdamW(learned, lr=config.learning_rate, weight_decay=config.weight_decay, eps=1e-6, fused=True)


def step_size(config: FittingConfig, step: int, done: float) -> float:
    """Return the step size of a step, `done` (0 to 1) of the budget being used up."""
    fall = config.final_share + (1 - config.final_share) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
    return config.learning_rate * fall * min(1.0, (step + 1) / _WARM_UP)


@dataclass(frozen=True)
class Fitting:
    """What learns, and by which loss.

    Attributes:
        network: Learns.
        optimizer: Of its weights.
        weighting: What each decision counts.
        auxiliary: Weight of the auxiliary values; 0 for none.
    """

    network: ValueNetwork
    optimizer: torch.optim.AdamW
    weighting: Weighting
    auxiliary: float

    def step(self, batch: Minibatch, size: float) -> tuple[Tensor, Tensor]:
        """Take one step of the given size.

        Returns:
            Sums of squares over the minibatch, (2,) each: what is left of the centred labels, and the labels
            themselves.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = size
        owners, counts, weights, labels = _parts(batch, self.weighting, self.network.device)
        targets = _centred(labels, owners, counts)
        values = self.network.all_values(batch.inputs) if self.auxiliary else self.network(batch.inputs)
        squares = (_centred(values[:, : targets.shape[1]], owners, counts) - targets[:, : values.shape[1]]).square()
        loss = weights @ squares[:, :NUM_VALUES].sum(1)
        if self.auxiliary:
            uncentred = (values[:, -1] - labels[:, 0]).square() / counts.squeeze(1).index_select(0, owners)
            loss = loss + self.auxiliary * (weights @ squares[:, NUM_VALUES] + _UNCENTRED * uncentred.sum())
        self.optimizer.zero_grad()
        (loss / len(counts)).backward()  # type: ignore[no-untyped-call]  # torch types it so
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), _MAX_GRADIENT)
        self.optimizer.step()
        return squares.detach()[:, :NUM_VALUES].sum(0), targets[:, :NUM_VALUES].square().sum(0)


def fit_auxiliary(network: ValueNetwork, batches: Iterable[Minibatch], weighting: Weighting) -> None:
    """Set the weights of the auxiliary values to those that fit some decisions best, all layers staying as they are.

    Args:
        network: is changed.
        batches: the decisions.
        weighting: what each decision counts.
    """
    width, device = network.widths[-1], network.device
    squares = torch.zeros(NUM_AUXILIARY, width, width, dtype=torch.float64, device=device)
    products = torch.zeros(NUM_AUXILIARY, width, dtype=torch.float64, device=device)
    for batch in batches:
        owners, counts, weights, labels = _parts(batch, weighting, device)
        with torch.no_grad():
            last = network.last_layer(batch.inputs)
        points = _centred(last, owners, counts), _centred(labels[:, NUM_VALUES:], owners, counts), weights
        levels = last, labels[:, :1], 1 / counts.squeeze(1).index_select(0, owners)
        for index, (read, wanted, counted) in enumerate((points, levels)):
            weighted = (read * counted.unsqueeze(1)).double().T
            squares[index] += weighted @ read.double()
            products[index] += (weighted @ wanted.double()).squeeze(1)
    ridge = _RIDGE * squares.diagonal(dim1=1, dim2=2).mean(dim=1).clamp_min(1e-12)
    squares += ridge[:, None, None] * torch.eye(width, dtype=torch.float64, device=device)
    # By NumPy: torch's solver failed on some processors with a matrix that has an inverse.
    found = np.linalg.solve(squares.cpu().numpy(), products.unsqueeze(2).cpu().numpy())
    with torch.no_grad():
        network.auxiliary.copy_(torch.from_numpy(found).squeeze(2).T)


def _parts(batch: Minibatch, weighting: Weighting, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return a minibatch as tensors.

    Returns:
        The decision of each candidate, (C,); the number of candidates of each decision, (D, 1); what each candidate
        counts, (C,); the labels, (C, 3).
    """
    owners = torch.from_numpy(batch.inputs.owners).to(device)
    weights = torch.from_numpy(decision_weights(weighting, batch)).to(device).index_select(0, owners)
    return owners, torch.bincount(owners).unsqueeze(1), weights, torch.from_numpy(batch.targets).to(device)


def _centred(values: Tensor, owners: Tensor, counts: Tensor) -> Tensor:
    """Subtract from each candidate's row the mean of its decision's."""
    sums = torch.zeros(len(counts), values.shape[1], device=values.device).index_add_(0, owners, values)
    return values - (sums / counts).index_select(0, owners)
