"""Regression: one step on a minibatch.

The loss is the mean squared error of values centred within each decision, against labels centred in the same way: what
all candidates of a decision share is chance, and drops out. A ranking loss would be biased, since most labels of a
decision are equal.
"""

import math

import torch
from torch import Tensor

from agents.values.config import FittingConfig
from agents.values.network import ValueNetwork
from agents.values.samples import Minibatch

_WARM_UP = 100
"""Steps in which the step size rises to its highest."""
_MOST_GRADIENT = 1.0


def make_optimizer(network: ValueNetwork, config: FittingConfig) -> torch.optim.AdamW:
    """Make the optimiser."""
    learned = [weight for weight in network.parameters() if weight.requires_grad]
    return torch.optim.AdamW(learned, lr=config.learning_rate, weight_decay=config.weight_decay, eps=1e-6, fused=True)


def step_size(config: FittingConfig, step: int, done: float) -> float:
    """Return the step size of a step, `done` (0 to 1) of the budget being used up."""
    fall = config.final_share + (1 - config.final_share) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
    return config.learning_rate * fall * min(1.0, (step + 1) / _WARM_UP)


def fit(network: ValueNetwork, optimizer: torch.optim.AdamW, batch: Minibatch, size: float) -> tuple[Tensor, Tensor]:
    """Take one step of the given size.

    Returns:
        Sums of squares over the minibatch, (2,) each: what is left of the centred labels, and the labels themselves.
    """
    for group in optimizer.param_groups:
        group["lr"] = size
    device = network.device
    owners = torch.from_numpy(batch.inputs.owners).to(device)
    counts = torch.bincount(owners).unsqueeze(1)
    targets = _centred(torch.from_numpy(batch.targets).to(device), owners, counts)
    left = (_centred(network(batch.inputs), owners, counts) - targets).square().sum(0)
    optimizer.zero_grad()
    (left.sum() / len(counts)).backward()  # type: ignore[no-untyped-call]  # torch types it so
    torch.nn.utils.clip_grad_norm_(network.parameters(), _MOST_GRADIENT)
    optimizer.step()
    return left.detach(), targets.square().sum(0)


def _centred(values: Tensor, owners: Tensor, counts: Tensor) -> Tensor:
    """Subtract from each candidate's row the mean of its decision's."""
    sums = torch.zeros(len(counts), values.shape[1], device=values.device).index_add_(0, owners, values)
    return values - (sums / counts).index_select(0, owners)
