"""The network that learns what candidates are worth, in torch; `players.networks.champion.compiled_network` plays it.

The layers up to the last may compute in bfloat16, which represents all inputs exactly. Weights, values and the
optimiser are always float32, and so is what is played.
"""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from agents.precision import dtype_of
from agents.scales import scale_of
from agents.sparse_inputs import distinct_rows, product
from agents.values.padding import distinct, padded
from shengji_env.engine.rule_record import NUM_RULE_FEATURES
from shengji_env.players.networks.champion.compiled_network import weight_shapes
from shengji_env.players.networks.champion.conditioning import LAYERS, RULES, Weights
from shengji_env.players.networks.champion.inputs import (
    NUM_CANDIDATE_INPUTS,
    NUM_SUIT_INPUTS,
    NUM_TABLE_INPUTS,
    NUM_TRUMP_INPUTS,
    RULE_INPUTS,
    Inputs,
)

SCALED = {
    "suit": NUM_SUIT_INPUTS,
    "trump": NUM_TRUMP_INPUTS,
    "from_table": NUM_TABLE_INPUTS,
    "from_features": NUM_CANDIDATE_INPUTS,
}
"""Weights whose inputs are divided by their root mean square, so that all begin alike."""
_FROM_CODE = tuple(f"rules_{layer}" for layer in LAYERS)
"""Weights that are zero at first, so that the rules change nothing."""
NUM_AUXILIARY = 2
"""Values that only shape what the layers learn: points, and smoothed levels that are not centred."""


class _Rules:
    """What the rules of each decision change in the layers (`conditioning`).

    Args:
        code: (R, code) of the distinct rule sets.
        of: (D,) which of them each decision has.
        weights: of the network.
    """

    def __init__(self, code: Tensor, of: Tensor, weights: Mapping[str, Tensor]) -> None:
        self._of = of
        self._layers = {layer: (code @ weights[f"rules_{layer}"]).chunk(2, dim=1) for layer in LAYERS}

    def apply(self, layer: str, sums: Tensor, owners: Tensor | None = None) -> Tensor:
        """Return the sums of a layer as the rules change them; `owners` are the rows' decisions."""
        gains, terms = self._rows(layer, owners)
        return torch.addcmul(sums + terms, sums, gains)

    def scale(self, layer: str, sums: Tensor, owners: Tensor) -> Tensor:
        """Return what is added to these sums later, changed by the same factors."""
        return torch.addcmul(sums, sums, self._rows(layer, owners)[0])

    def _rows(self, layer: str, owners: Tensor | None) -> tuple[Tensor, Tensor]:
        of = self._of if owners is None else self._of.index_select(0, owners)
        gains, terms = self._layers[layer]
        return gains.index_select(0, of), terms.index_select(0, of)


class ValueNetwork(nn.Module):
    """The network; its weights have the names and shapes of `weight_shapes`.

    Args:
        widths: of the layers suit, trump, hidden, last.
        precision: arithmetic of these layers, float32 or bfloat16.
        code: width of the layer that reads the rules; 0: none, for a network of one rule set.

    Attributes:
        auxiliary: weights of the auxiliary values, which are not exported.
    """

    def __init__(self, widths: tuple[int, int, int, int], precision: str = "float32", code: int = 0) -> None:
        super().__init__()
        self.widths, self.precision, self.code = widths, precision, code
        self.weights = nn.ParameterDict()
        for name, shape in weight_shapes(*widths, code).items():
            weight = torch.zeros(shape)
            if len(shape) == 2 and name not in ("value", *_FROM_CODE):
                nn.init.kaiming_uniform_(weight.T, a=5**0.5)
            self.weights[name] = nn.Parameter(weight)
        self.auxiliary = nn.Parameter(torch.zeros(widths[-1], NUM_AUXILIARY))
        scaled = SCALED | ({RULES: NUM_RULE_FEATURES} if code else {})
        self.scales = nn.ParameterDict(
            {name: nn.Parameter(torch.ones(size), requires_grad=False) for name, size in scaled.items()}
        )

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def calibrate(self, inputs: Inputs) -> None:
        """Set the scales by some decisions.

        Inputs that are zero in all of them begin with weight zero. Those that are never set keep it, and so they add no
        noise where something sets them one day.
        """
        rules = {RULES: inputs.table[:, RULE_INPUTS]} if self.code else {}
        for name, rows in (_scaled_rows(inputs) | rules).items():
            self.scales[name].copy_(scale_of(torch.from_numpy(rows)))
        for name, rows in rules.items():
            self._clear(name, rows)
        self.silence_unset(inputs)

    def silence_unset(self, inputs: Inputs) -> None:
        """Set the weights of inputs that are zero in all of some decisions to zero; but not those into `rules`."""
        touches = {"suit_touch": inputs.suit_changes, "trump_touch": inputs.trump_changes}
        for name, rows in (_scaled_rows(inputs) | touches).items():
            self._clear(name, rows)

    def _clear(self, name: str, rows: NDArray[np.int8]) -> None:
        """Set the weights of inputs that are zero in all rows to zero."""
        with torch.no_grad():
            self.weights[name][torch.from_numpy(~rows.any(axis=0)).to(self.device)] = 0

    def load(self, weights: Weights) -> None:
        """Set the weights to those of a file; the scales stay.

        Its layers may be narrower. What is added reads with random weights, and nothing reads it at first, so that the
        values are those of the file. One for one rule set leaves what is about rules as it is.
        """
        with torch.no_grad():
            for name, weight in ((name, self.weights[name]) for name in weights):
                array = torch.from_numpy(weights[name]).to(self.device)
                if name in self.scales:
                    array = array / self.scales[name].unsqueeze(1)
                weight[len(array) :] = 0
                if name in _FROM_CODE:  # factors and terms, each as wide as the layer
                    weight, array = weight.view(len(weight), 2, -1), array.view(len(array), 2, -1)
                weight[tuple(map(slice, array.shape))] = array

    def forward(self, inputs: Inputs) -> Tensor:
        """Return what candidates are worth, (C, NUM_VALUES)."""
        return functional.linear(self.last_layer(inputs), self.weights["value"].t().contiguous())

    def all_values(self, inputs: Inputs) -> Tensor:
        """Return what candidates are worth, then the auxiliary values, (C, NUM_VALUES + NUM_AUXILIARY)."""
        return functional.linear(self.last_layer(inputs), torch.cat([self.weights["value"].t(), self.auxiliary.t()]))

    def last_layer(self, inputs: Inputs) -> Tensor:
        """Return the last layer before the values, (C, its width), float32."""
        w, (numbers, index), size = self._layers(), (self._numbers, self._index), len(inputs.features)
        if self.precision == "bfloat16":
            inputs = padded(inputs)
        rules = self._rules(inputs.table, w) if self.code else None
        suits = self._read(inputs.suits, w["suit"]).add_(w["suit_bias"])
        trumps = self._read(inputs.trumps, w["trump"]).add_(w["trump_bias"])
        if rules is not None:
            suits, trumps = rules.apply("suit", suits, index(inputs.suit_owners)), rules.apply("trump", trumps)
        plain, trump_codes = suits.relu(), trumps.relu() @ w["from_trump"]
        base = self._read(inputs.table, w["from_table"]).add_(w["hidden_bias"]).add_(trump_codes)
        sums = plain.new_zeros(len(base), plain.shape[1]).index_add_(0, index(inputs.suit_owners), plain)
        base.addmm_(sums, w["from_suit"])
        owners, changed_suits = index(inputs.owners), index(inputs.changed_suits)
        hidden = base.index_select(0, owners).addmm_(numbers(inputs.features), w["from_features"])
        changed, places = map(index, distinct(inputs.changed_suits))
        before = (plain.index_select(0, changed) @ -w["from_suit"]).index_select(0, places)
        touched = suits.index_select(0, changed_suits)
        if rules is None:
            touched.addmm_(numbers(inputs.suit_changes), w["suit_touch"])
        else:
            deciding = index(inputs.suit_owners[inputs.changed_suits])
            touched += rules.scale("suit", numbers(inputs.suit_changes) @ w["suit_touch"], deciding)
        touched = touched.relu_()
        delta = torch.addmm(before, touched, w["from_touched_suit"])
        hidden.index_add_(0, index(inputs.suit_change_owners), delta)
        trump_change_owners = index(inputs.trump_change_owners)
        deciding = owners.index_select(0, trump_change_owners)
        touched = trumps.index_select(0, deciding)
        if rules is None:
            touched.addmm_(numbers(inputs.trump_changes), w["trump_touch"])
        else:
            touched += rules.scale("trump", numbers(inputs.trump_changes) @ w["trump_touch"], deciding)
        touched = touched.relu_()
        delta = torch.addmm((-trump_codes).index_select(0, deciding), touched, w["from_touched_trump"])
        hidden.index_add_(0, trump_change_owners, delta)
        return torch.addmm(w["last_bias"], hidden.relu_(), w["last"]).relu_()[:size].float()

    def _rules(self, table: NDArray[np.int8], weights: Mapping[str, Tensor]) -> _Rules:
        """Return what the rules of some decisions change."""
        first, of = distinct_rows(table[:, RULE_INPUTS])
        code = torch.addmm(weights["rules_bias"], self._numbers(table[first, RULE_INPUTS]), weights[RULES]).relu()
        return _Rules(code, self._index(of), weights)

    def _read(self, rows: NDArray[np.int8], weight: Tensor) -> Tensor:
        """Return the product of rows that are mostly zero with a weight."""
        if self.precision == "float32" and self.device.type == "cpu":
            return product(rows, weight)
        return self._numbers(rows) @ weight

    def _layers(self) -> dict[str, Tensor]:
        """Return the weights up to the last layer's, scaled, in the network's precision."""
        weights = {name: weight for name, weight in self.weights.items() if name != "value"}
        weights |= {name: weights[name] * scale.unsqueeze(1) for name, scale in self.scales.items()}
        return {name: weight.to(dtype_of(self.precision)) for name, weight in weights.items()}

    def _numbers(self, rows: NDArray[np.int8]) -> Tensor:
        return torch.from_numpy(rows).to(self.device).to(dtype_of(self.precision))

    def _index(self, rows: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(rows).to(self.device)

    def export(self) -> dict[str, NDArray[np.float32]]:
        """Return copies of the weights as the NumPy network reads them, float32."""
        arrays = {name: weight.detach() for name, weight in self.weights.items()}
        arrays |= {name: arrays[name] * scale.detach().unsqueeze(1) for name, scale in self.scales.items()}
        return {name: np.array(array.cpu().numpy(), np.float32, order="C") for name, array in arrays.items()}


def _scaled_rows(inputs: Inputs) -> dict[str, NDArray[np.int8]]:
    """Return the rows that are read by the weights of SCALED, by their names."""
    return dict(zip(SCALED, (inputs.suits, inputs.trumps, inputs.table, inputs.features), strict=True))
