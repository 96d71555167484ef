"""A critic that sees all hands, so that the rounds of labels need not be played to their ends.

It learns how rounds that were played out ended, from how they stood after each of a few tricks. Its values of other
rounds are their labels: there is less chance in them than in how a single round ends, and they cost less. It serves
labels alone; nothing that plays reads it.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.selfplay.batches import Indices, ranges_of, starts_of
from agents.selfplay.model import centred
from agents.selfplay.moving_mean import MovingMean
from agents.selfplay.selfplay_config import CriticTable
from shengji_env.datasets.selfplay.label_kernels import LabelArrays
from shengji_env.engine.cards import NUM_RANKS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS, PLAIN_RANKS
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.players.networks.selfplay.selfplay_inputs import PARTS, RESULTS, RULE_VALUES

_LAST = 64
"""Width of the last hidden layer."""
_POINTS, _CARDS = 100, 64
"""Rows for points in fives, and for cards of a hand; the last one stands for more."""
_ROWS = {
    "points": NUM_TEAMS * _POINTS,
    "kitty": NUM_TEAMS * _POINTS,
    "cards": NUM_SEATS * _CARDS,
    "level": NUM_TEAMS * NUM_RANKS,
    "standing": NUM_TEAMS * RESULTS * PARTS,
}
_HORIZON = 200.0
"""Gradient steps over which the mean of weights is taken, which is asked."""
_DIFFERENCES = 2.0
"""Weight of errors in the differences between a decision's choices, beside errors in what a round is worth."""
_AT_ONCE = 2048
"""Choices that are valued at once."""
_THREE = 3
"""Plain suits where there is a trump suit."""
_START = _THREE * PLAIN_RANKS
"""Where the slots begin that are trumps then, and otherwise a fourth suit and trumps."""


class Critic(nn.Module):
    """Values of rounds between two tricks, in smoothed levels for the team that leads.

    Args:
        table: its widths.
        copies: how often a card is dealt at most.
        rules: how many features of the rules it reads; 0: they never change.
    """

    def __init__(self, table: CriticTable, copies: int, rules: int) -> None:
        super().__init__()
        each = NUM_SEATS * copies
        self.plain = nn.Linear(each * PLAIN_RANKS, table.suit)
        self.suit = nn.Sequential(nn.ReLU(), nn.Linear(table.suit, table.suit), nn.ReLU())
        self.trump = nn.Linear(each * (NUM_SLOTS - _START), table.suit)
        self.scene = nn.EmbeddingBag(sum(_ROWS.values()), table.hidden, mode="sum")
        nn.init.normal_(self.scene.weight, 0, 0.05)
        self.rules = nn.Linear(rules, table.hidden, bias=False) if rules else None
        self.hidden = nn.Linear(2 * table.suit, table.hidden)
        self.last = nn.Sequential(nn.Linear(table.hidden, _LAST), nn.ReLU(), nn.Linear(_LAST, 1))

    def forward(self, situations: NDArray[np.void], rules: NDArray[np.int8]) -> Tensor:
        """Return the values of S situations, (S,); ``rules``: (S, R) features of their rules."""
        copies = int(situations["cards"].max(initial=1))
        cards = torch.from_numpy(situations["cards"])
        no_trump = torch.from_numpy(np.flatnonzero(situations["no_trump"]))
        trumps = cards[:, _START:].clone()
        fourth = trumps[no_trump, :PLAIN_RANKS].flatten(1)
        trumps[no_trump, :PLAIN_RANKS] = 0
        suits = cards[:, :_START].reshape(-1, _THREE, PLAIN_RANKS * NUM_SEATS)
        plain = self.suit(_of_cards(self.plain, suits, copies)).sum(1)
        plain = plain.index_add(0, no_trump, self.suit(_of_cards(self.plain, fourth, copies)))
        scene = self.scene(torch.from_numpy(_scene_rows(situations)))
        if self.rules is not None:
            scene = scene + self.rules(torch.from_numpy(np.minimum(rules, RULE_VALUES)).float() / RULE_VALUES)
        both = torch.cat([plain, _of_cards(self.trump, trumps.flatten(1), copies).relu()], 1)
        values: Tensor = self.last((self.hidden(both) + scene).relu())[:, 0]
        return values


def _of_cards(layer: nn.Linear, cards: Tensor, copies: int) -> Tensor:
    """Return what a layer makes of whether one, two … of each card are held; ``cards``: (..., N), up to `copies`."""
    held = torch.cat([cards > number for number in range(copies)], -1).float()
    return nn.functional.linear(held, layer.weight[:, : held.shape[-1]], layer.bias)


def _scene_rows(situations: NDArray[np.void]) -> Indices:
    """Return the rows of what besides cards matters, (S, 5)."""
    leader = situations["leader"].astype(np.int64)
    side = leader % NUM_TEAMS
    points, kitty = (np.clip(situations[f"{whose}_points"] // 5, 0, _POINTS - 1) for whose in ("attackers", "kitty"))
    cards = np.minimum(situations["hand_size"], _CARDS - 1)
    rows = [side * _POINTS + points, side * _POINTS + kitty, leader * _CARDS + cards]
    rows.append(side * NUM_RANKS + situations["level_rank"])
    rows.append(side * (RESULTS * PARTS) + situations["standing"])
    firsts: Indices = np.cumsum([0, *_ROWS.values()])[:-1]
    return np.stack(rows, 1).astype(np.int64) + firsts


class CriticFitting(MovingMean[Critic]):
    """A critic, and how it learns.

    Args:
        seed: seed of its random weights and of the order of decisions.
        table: its settings.
        copies: how often a card is dealt at most.
        rules: how many features of the rules it reads.
    """

    def __init__(self, seed: int, table: CriticTable, copies: int, rules: int) -> None:
        def make() -> Critic:
            torch.manual_seed(seed)
            return Critic(table, copies, rules)

        super().__init__(make, _HORIZON)
        self._seed, self._table = seed, table

    def fit(self, labels: LabelArrays, learning_rate: float) -> None:
        """Learn from the decisions whose choices were all played to the end, once."""
        asked = _Asked(labels)
        is_over = np.bincount(asked.owners, labels.is_over, len(labels.groups)) == labels.num_choices
        decisions = np.random.default_rng([self._seed, self.steps]).permutation(np.flatnonzero(is_over))
        for chosen in np.array_split(decisions, max(1, len(decisions) // self._table.minibatch)):
            if len(chosen):
                self.step(self._loss(labels, asked, chosen), learning_rate)

    def _loss(self, labels: LabelArrays, asked: "_Asked", chosen: Indices) -> Tensor:
        """Return the loss of some decisions."""
        numbers = labels.num_choices[chosen].astype(np.int64)
        choices = ranges_of(asked.first[chosen], numbers)
        ended = torch.from_numpy(labels.smooth[choices])
        owners = torch.from_numpy(np.repeat(np.arange(len(chosen)), numbers))
        loss = torch.zeros(())
        for trick in range(labels.situations.shape[1]):
            errors = torch.where(*asked.values(self.model, labels, choices, trick), ended) - ended
            loss = loss + (errors**2).mean() + _DIFFERENCES * (centred(errors, owners, len(chosen)) ** 2).mean()
        return loss

    @torch.no_grad()
    def label(self, labels: LabelArrays) -> LabelArrays:
        """Return the labels with its values in them: of each choice the mean of these and, if it is known, its end."""
        asked, smooth = _Asked(labels), labels.smooth.copy()
        for choices in np.array_split(np.arange(len(smooth)), 1 + len(smooth) // _AT_ONCE):
            total, number = torch.from_numpy(smooth[choices]), torch.from_numpy(labels.is_over[choices]).float()
            total = total * number
            for trick in range(labels.situations.shape[1]):
                is_on, values = asked.values(self.mean, labels, choices, trick)
                total, number = total + values * is_on, number + is_on
            smooth[choices] = (total / number).numpy()
        return labels._replace(smooth=smooth)


class _Asked:
    """What of labels a critic is asked about."""

    def __init__(self, labels: LabelArrays) -> None:
        numbers = labels.num_choices.astype(np.int64)
        self.first = starts_of(numbers)
        self.owners = np.repeat(np.arange(len(numbers)), numbers)

    def values(self, critic: Critic, labels: LabelArrays, choices: Indices, trick: int) -> tuple[Tensor, Tensor]:
        """Return whether the round is on after a trick, and the value then for the team that decided, both (C,)."""
        situations = labels.situations[choices, trick]
        values = critic(situations, labels.rules[self.owners[choices]])
        own = np.where(situations["leader"] % NUM_TEAMS == labels.is_attacker[choices], 1, -1).astype(np.float32)
        return torch.from_numpy(situations["hand_size"] > 0), values * torch.from_numpy(own)
