"""The training of the distilled network: it learns which cards the champion chooses, and what others would cost."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from research.distilling.distilled_model import ILLEGAL, DistilledModel, StepBatch, StepBatches
from research.distilling.steps import UNKNOWN


@dataclass(frozen=True, kw_only=True)
class DistillingConfig:
    """How the network is trained."""

    epochs: int = 6
    """Passes over all steps."""
    batch_size: int = 2048
    """Steps of a batch."""
    learning_rate: float = 6e-3
    """The highest learning rate of a cycle that begins and ends with lower ones."""
    temperature: float = 0.07
    """Levels by which a choice is worse if the champion would take it e times less often."""
    regret_weight: float = 20.0
    """Weight of the expected loss in levels, besides the cross-entropy."""
    unknown_cost: float = 0.15
    """Levels by which a card with which no candidate goes on counts less than the worst candidate."""
    seed: int = 0
    """Seed of the first weights and of the order of steps."""


@dataclass(frozen=True)
class Quality:
    """What a network does at steps that it has not learned from."""

    agreement: float
    """Share of the steps at which it chooses what the champion chooses."""
    regret: float
    """Mean levels lost by its choices, in the champion's values."""


def train(
    batches: StepBatches, config: DistillingConfig, watch: Callable[[float, dict[str, str]], None] = lambda *_: None
) -> DistilledModel:
    """Train a network.

    Args:
        batches: the steps.
        config: how.
        watch: called after each batch with the share done, and loss and speed as texts by name.
    """
    torch.manual_seed(config.seed)
    chance = np.random.default_rng(config.seed)
    model = DistilledModel()
    size = min(config.batch_size, len(batches))
    num_batches = config.epochs * (len(batches) // size)
    optimizer = torch.optim.Adam(model.parameters(), config.learning_rate)
    rates = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, config.learning_rate, total_steps=num_batches + 1, pct_start=0.1
    )
    began, done, mean = time.monotonic(), 0, 0.0
    for _ in range(config.epochs):
        order = chance.permutation(len(batches))
        for first in range(0, len(order) - size + 1, size):
            batch = batches.take(order[first : first + size])
            loss = loss_of(model(batch), batch, config)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            rates.step()
            done += 1
            mean += (float(loss.detach()) - mean) / min(done, 100)
            speed = done * size / (time.monotonic() - began)
            watch(done / num_batches, {"loss": f"{mean:.4f}", "cards/s": f"{speed:,.0f}"})
    return model


def loss_of(values: Tensor, batch: StepBatch, config: DistillingConfig) -> Tensor:
    """Return the loss: cross-entropy to the champion's values, plus the weighted expected loss in them."""
    is_known = batch.is_legal & (batch.values > UNKNOWN / 2)
    wanted = torch.softmax((batch.values / config.temperature).masked_fill(~is_known, ILLEGAL), 1)
    logs = torch.log_softmax(values, 1)
    entropy = -(wanted * logs).masked_fill(~batch.is_legal, 0).sum(1)
    regret = (logs.exp() * _regrets(batch, config.unknown_cost)).masked_fill(~batch.is_legal, 0).sum(1)
    return (entropy + config.regret_weight * regret).mean()


def _regrets(batch: StepBatch, unknown_cost: float) -> Tensor:
    """Return how many levels each choice loses, (B, C)."""
    is_known = batch.is_legal & (batch.values > UNKNOWN / 2)
    best = batch.values.masked_fill(~is_known, ILLEGAL).amax(1, keepdim=True)
    worst = batch.values.masked_fill(~is_known, -ILLEGAL).amin(1, keepdim=True)
    return best - torch.where(is_known, batch.values, worst - unknown_cost)


def quality_of(model: DistilledModel, batches: StepBatches, config: DistillingConfig) -> Quality:
    """Return what a network does at some steps."""
    agreements, regrets = [], []
    with torch.no_grad():
        for first in range(0, len(batches), config.batch_size):
            batch = batches.take(np.arange(first, min(first + config.batch_size, len(batches))))
            chosen = model(batch).argmax(1, keepdim=True)
            agreements.append(batch.is_best.gather(1, chosen)[:, 0].double())
            regrets.append(_regrets(batch, config.unknown_cost).gather(1, chosen)[:, 0].double())
    return Quality(float(torch.cat(agreements).mean()), float(torch.cat(regrets).mean()))
