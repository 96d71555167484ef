"""A form between self-play's and the champion's: rows of a choice, and encodings of the suits that it changes."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.scales import scale_of
from agents.selfplay.model import make_factors, sums_of_rows
from agents.values.sparse_inputs import product
from research.forms.reading import AnyForm, Reading
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.players.networks.champion.compiled_network import Network, network_of, weight_shapes
from shengji_env.players.networks.champion.inputs import (
    NUM_CANDIDATE_INPUTS,
    NUM_SUIT_CHANGE,
    NUM_SUIT_INPUTS,
    NUM_TRUMP_CARDS,
    NUM_TRUMP_CHANGE,
    NUM_TRUMP_INPUTS,
    Inputs,
)
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS
from shengji_env.players.networks.selfplay.selfplay_network import UNITS_PER_LEVEL
from shengji_env.tables.observation import LAYOUT

_COUNTS = [
    part.name
    for part in LAYOUT
    if part.shape[-1] == NUM_SLOTS and part.name != "taken"
    for _ in range(part.size // NUM_SLOTS)
]
"""What the inputs of a suit count of each of its slots, in order."""
_IS_OUT = np.array([name in ("unseen", "known") for name in _COUNTS])
_CHANGE_FEATURES = NUM_TRUMP_CHANGE - NUM_TRUMP_CARDS
_STATES, _POINTS = 9, 3
"""States of a card: none, one, two held, none, one, two out; its points: none, five, ten."""


class Joint(AnyForm):
    """Self-play's hidden units read encodings of suits beside their rows; a second layer stands beside their product.

    What has a row of its own, table and features, is read as rows alone.

    Args:
        suit: units of the encoder of plain suits.
        trump: of that of trumps.
        hidden: hidden units.
        last: units of the second layer.
        by_card: whether encoders have a row for each state of a card, too.
        estimates: which of `reading.ESTIMATES` it reads; without any it reads no features.
    """

    scale: Tensor

    def __init__(
        self, suit: int, trump: int, hidden: int, last: int, *, by_card: bool = False, estimates: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.widths, self.row_units = (suit, trump, hidden, last), hidden
        self.factors_of = make_factors(reads_rules=False)
        self.rows = nn.Parameter(torch.zeros(len(self.factors_of), hidden))
        self.factors = nn.Parameter(torch.randn(int(self.factors_of.max()) + 1, hidden) * 0.05)
        self.plain = _Encoder(NUM_SUIT_INPUTS, NUM_SUIT_CHANGE, suit, hidden, by_card)
        self.trumps = _Encoder(NUM_TRUMP_INPUTS, NUM_TRUMP_CHANGE, trump, hidden, by_card)
        self._estimates = tuple(estimates)
        self.from_features = nn.Parameter(torch.zeros(NUM_CANDIDATE_INPUTS, hidden))
        self.register_buffer("scale", torch.ones(NUM_CANDIDATE_INPUTS))
        self.outputs = nn.Parameter(torch.randn(NUM_GROUPS, hidden) * 0.05)
        self.second = nn.Parameter(torch.randn(NUM_GROUPS, hidden, last) * (2 / hidden) ** 0.5)
        self.second_bias = nn.Parameter(torch.zeros(NUM_GROUPS, last))
        self.second_outputs = nn.Parameter(torch.zeros(NUM_GROUPS, last))

    def forward(self, reading: Reading) -> Tensor:
        """Return the values of choices."""
        batch, inputs = reading.batch, reading.inputs(self._estimates)
        common, whole = sums_of_rows(batch, self.factors_of, self.rows, self.factors)
        owners, suit_owners, changed = map(torch.from_numpy, (inputs.owners, inputs.suit_owners, inputs.changed_suits))
        changing, trumps_changing = map(torch.from_numpy, (inputs.suit_change_owners, inputs.trump_change_owners))
        of = owners[trumps_changing]
        suits = self.plain.read(inputs.suits, batch.groups[suit_owners])
        trumps = self.trumps.read(inputs.trumps, batch.groups)
        suit_codes, trump_codes = self.plain.code(suits), self.trumps.code(trumps)
        base = (common + trump_codes).index_add(0, suit_owners, suit_codes)
        seen, trumps_seen = inputs.suits[inputs.changed_suits], inputs.trumps[of.numpy()]
        suits_after = self.plain.code_after(suits[changed], seen, inputs.suit_changes) - suit_codes[changed]
        trumps_after = self.trumps.code_after(trumps[of], trumps_seen, inputs.trump_changes) - trump_codes[of]
        hidden = (whole + base[owners]).index_add(0, changing, suits_after).index_add(0, trumps_changing, trumps_after)
        if self._estimates:
            hidden = hidden + torch.from_numpy(inputs.features).float() @ (self.from_features * self.scale[:, None])
        return self._values(hidden.relu(), batch.groups[owners])

    def _values(self, hidden: Tensor, groups: Tensor) -> Tensor:
        values = (hidden * self.outputs[groups]).sum(1)
        for group in range(NUM_GROUPS):
            rows = (groups == group).nonzero()[:, 0]
            if len(rows):
                last = torch.addmm(self.second_bias[group], hidden[rows], self.second[group]).relu()
                values = values.index_add(0, rows, last @ self.second_outputs[group])
        return values / UNITS_PER_LEVEL

    def calibrate(self, reading: Reading) -> None:
        """Scale the inputs of suits by some decisions."""
        inputs = reading.inputs(self._estimates)
        self.plain.calibrate(inputs.suits)
        self.trumps.calibrate(inputs.trumps)
        self.scale.copy_(scale_of(torch.from_numpy(inputs.features)))

    def encoders(self, reading: Reading) -> tuple[Network, Inputs]:
        """Return one of these widths; zeros take no time, and table and features are rows here."""
        generator, shapes = np.random.default_rng(0), weight_shapes(*self.widths)
        network = {name: generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
        inputs = reading.inputs(self._estimates)
        features = inputs.features if self._estimates else inputs.features * 0
        return network_of(network), inputs._replace(table=inputs.table * 0, features=features)


class _Encoder(nn.Module):
    """Encodes a suit, as it is and as a choice leaves it.

    Args:
        inputs: numbers about a suit (`champion.inputs`).
        change: numbers about what a choice does to it; the first are its cards, by slot.
        width: units.
        hidden: units that read them.
        by_card: whether there are rows for the state of each card.
    """

    scale: Tensor

    def __init__(self, inputs: int, change: int, width: int, hidden: int, by_card: bool) -> None:
        super().__init__()
        self._slots, self._cards, self._by_card = inputs // len(_COUNTS), change - _CHANGE_FEATURES, by_card
        self.inputs = nn.Parameter(torch.randn(inputs, width) * 0.2)
        self.bias = nn.Parameter(torch.zeros(NUM_GROUPS, width))
        self.change = nn.Parameter(torch.randn(change, width) * 0.2)
        self.onward = nn.Parameter(torch.zeros(width, hidden))
        self.onward_changed = nn.Parameter(torch.zeros(width, hidden))
        self.register_buffer("scale", torch.ones(inputs))
        if by_card:
            self.states = nn.Parameter(torch.zeros((self._cards + _POINTS) * _STATES, width))

    def calibrate(self, rows: NDArray[np.int8]) -> None:
        self.scale.copy_(scale_of(torch.from_numpy(rows)))

    def read(self, rows: NDArray[np.int8], groups: Tensor) -> Tensor:
        """Return the sums of suits, (N, width)."""
        sums = product(rows, self.inputs * self.scale[:, None]) + self.bias[groups]
        return sums + self._of_cards(rows) if self._by_card else sums

    def code(self, sums: Tensor) -> Tensor:
        """Return what suits bring to the hidden units."""
        return sums.relu() @ self.onward

    def code_after(self, sums: Tensor, rows: NDArray[np.int8], changes: NDArray[np.int8]) -> Tensor:
        """Return the same once a choice has been made, given the sums before."""
        sums = torch.addmm(sums, torch.from_numpy(changes).float(), self.change)
        if self._by_card:
            sums = sums + self._of_cards(rows, changes[:, : self._cards]) - self._of_cards(rows)
        return sums.relu() @ self.onward_changed

    def _of_cards(self, rows: NDArray[np.int8], taken: NDArray[np.int8] | int = 0) -> Tensor:
        """Return the sums of the rows of cards: how many are held and out, by slot and by points."""
        numbers = rows.astype(np.int64)
        counts = numbers[:, : len(_COUNTS) * self._slots].reshape(len(rows), len(_COUNTS), self._slots)[
            ..., : self._cards
        ]
        held, out = counts[:, _COUNTS.index("hand")] - taken, counts[:, _IS_OUT].sum(1)
        state = np.minimum(held, 2) * 3 + np.minimum(out, 2)
        by_points = self._cards + np.minimum(counts[:, _COUNTS.index("card_points")], _POINTS - 1)
        places = np.concatenate([np.arange(self._cards) * _STATES + state, by_points * _STATES + state], axis=1)
        return nn.functional.embedding_bag(torch.from_numpy(places), self.states, mode="sum")
