"""A critic that sees all hands, so that the rounds of labels need not be played to their ends.

It learns how rounds that were played out ended, from how they stood after each of a few tricks. Its values of other
rounds are their labels: there is less chance in them than in how a single round ends, and they cost less. It serves
labels alone; nothing that plays reads it.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.selfplay.batches import ranges_of, starts_of
from agents.selfplay.model import Indices, centred
from agents.selfplay.moving_mean import MovingMean
from agents.selfplay.selfplay_config import CriticTable
from agents.sparse_inputs import distinct_rows, parts_of, product, sums
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
_AT_ONCE = 4096
"""Situations that are valued at once."""
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
        self.suit = nn.Sequential(nn.ReLU(True), nn.Linear(table.suit, table.suit), nn.ReLU(True))
        self.trump = nn.Linear(each * (NUM_SLOTS - _START), table.suit)
        self.scene = nn.EmbeddingBag(sum(_ROWS.values()), table.hidden, mode="sum")
        nn.init.normal_(self.scene.weight, 0, 0.05)
        self.rules = nn.Linear(rules, table.hidden, bias=False) if rules else None
        self.hidden = nn.Linear(2 * table.suit, table.hidden)
        self.last = nn.Sequential(nn.Linear(table.hidden, _LAST), nn.ReLU(True), nn.Linear(_LAST, 1))

    def forward(self, situations: NDArray[np.void], rules: NDArray[np.int8]) -> Tensor:
        """Return the values of S situations, (S,); ``rules``: (S, R) features of their rules."""
        cards, no_trump = situations["cards"], np.flatnonzero(situations["no_trump"])
        trumps = cards[:, _START:].copy()
        fourth = trumps[no_trump, :PLAIN_RANKS]
        trumps[no_trump, :PLAIN_RANKS] = 0
        suits = np.concatenate([cards[:, :_START].reshape(-1, PLAIN_RANKS, NUM_SEATS), fourth])
        first, of_suits = _of_cards(self.plain, suits)
        codes, three, fourth_one = self.suit(first), *np.split(of_suits, [_THREE * len(cards)])
        plain = _summed(three.reshape(-1, _THREE), codes).index_add(0, torch.from_numpy(no_trump), codes[fourth_one])
        of_trump, which = _of_cards(self.trump, trumps)
        from_plain, from_trump = torch.split(self.hidden.weight.t(), self.plain.out_features)
        table = torch.cat([self.scene.weight, torch.addmm(self.hidden.bias, of_trump.relu_(), from_trump)])
        scene = np.column_stack([_scene_rows(situations), len(self.scene.weight) + which])
        hidden = torch.addmm(_summed(scene, table), plain, from_plain)
        if self.rules is not None:
            hidden = hidden + _of_rules(self.rules, rules)
        values: Tensor = self.last(hidden.relu_())[:, 0]
        return values


def _summed(rows: Indices, table: Tensor) -> Tensor:
    """Return the sums of rows of a table, (N, width); ``rows``: (N, M) which."""
    return sums(parts_of(np.full(len(rows), rows.shape[1]), rows.ravel()), table)


def _of_rules(layer: nn.Linear, rules: NDArray[np.int8]) -> Tensor:
    """Return what a layer makes of rules, (N, R), of which neighbours are often the same."""
    changes = np.concatenate([[True], (rules[1:] != rules[:-1]).any(axis=1)])
    different = torch.from_numpy(np.minimum(rules[changes], RULE_VALUES)).float() / RULE_VALUES
    values: Tensor = nn.functional.embedding(torch.from_numpy(changes.cumsum() - 1), layer(different))
    return values


def _of_cards(layer: nn.Linear, cards: NDArray[np.int8]) -> tuple[Tensor, Indices]:
    """Return what a layer makes of whether one, two … of each card are held; ``cards``: (N, slots, seats) numbers.

    Of those that are alike once, (R, width), and which of them each is, (N,).
    """
    flat = cards.reshape(len(cards), cards[0].size)
    firsts, of = distinct_rows(flat)
    held = np.concatenate([flat[firsts] > number for number in range(flat.max(initial=1))], 1).view(np.int8)
    return product(held, layer.weight[:, : held.shape[1]].t().contiguous()).add_(layer.bias), of


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
            numbers = labels.num_choices[chosen].astype(np.int64)
            choices = ranges_of(asked.first[chosen], numbers)
            if asked.is_on[choices].any():
                owners = torch.from_numpy(np.repeat(np.arange(len(chosen)), numbers))
                errors = self._errors(labels, asked, choices)
                differences = centred(errors, owners, len(chosen))
                squares = (errors**2).mean(0) + _DIFFERENCES * (differences**2).mean(0)
                self.step(squares.sum(), learning_rate)

    def _errors(self, labels: LabelArrays, asked: "_Asked", choices: Indices) -> Tensor:
        """Return the errors of its values of some choices, (N, tricks); 0 where the round was over."""
        is_on = asked.is_on[choices]
        rows, tricks = np.nonzero(is_on)
        errors = asked.values(self.model, choices[rows], tricks) - torch.from_numpy(labels.smooth[choices[rows]])
        return torch.zeros(is_on.shape).masked_scatter(torch.from_numpy(is_on), errors)

    @torch.no_grad()
    def label(self, labels: LabelArrays) -> LabelArrays:
        """Return the labels with its values in them: of each choice the mean of these and, if it is known, its end."""
        asked = _Asked(labels)
        choices, tricks = np.nonzero(asked.is_on)
        total, number = labels.smooth * labels.is_over.astype(np.float64), labels.is_over.astype(np.int64)
        for start in range(0, len(choices), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            values = asked.values(self.mean, choices[part], tricks[part])
            total += np.bincount(choices[part], values.numpy(), len(total))
        number += asked.is_on.sum(1)
        return labels._replace(smooth=(total / number).astype(np.float32))


class _Asked:
    """What of labels a critic is asked about.

    Attributes:
        is_on: (C, tricks) whether the round is on after a trick.
        first: (D,) where the choices of each decision begin.
        owners: (C,) the decision of each choice.
    """

    def __init__(self, labels: LabelArrays) -> None:
        numbers = labels.num_choices.astype(np.int64)
        self._labels, self.is_on = labels, labels.situations["hand_size"] > 0
        self.first, self.owners = starts_of(numbers), np.repeat(np.arange(len(numbers)), numbers)

    def values(self, critic: Critic, choices: Indices, tricks: Indices) -> Tensor:
        """Return values after some tricks of some choices, (N,), for the teams that decided."""
        situations, is_attacker = self._labels.situations[choices, tricks], self._labels.is_attacker[choices]
        sides = np.where(situations["leader"] % NUM_TEAMS == is_attacker, 1, -1).astype(np.float32)
        values: Tensor = critic(situations, self._labels.rules[self.owners[choices]])
        return values * torch.from_numpy(sides)
