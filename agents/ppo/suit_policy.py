"""A policy whose plain suits share encoders and heads, in torch.

`shengji_env.players.networks.policy.suit_network` plays it.

The critic is a stack, as beside the other policy. As there, inputs are divided by their typical size.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from agents.ppo.stacks import PolicyAndCritic, arrays_of
from agents.scales import scale_of
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.slots import PLAIN_RANKS
from shengji_env.players.networks.policy.suit_inputs import (
    NUM_SUIT_INPUTS,
    NUM_TABLE_INPUTS,
    NUM_TRUMP_INPUTS,
    SuitInputs,
    make_suit_inputs,
)
from shengji_env.players.networks.policy.suit_network import (
    REST_JOKER_BIDS,
    SUIT_BIDS,
    SUIT_LEVEL,
    SUIT_NAME,
    TRUMP_JOKERS,
    TRUMP_LEVEL,
    TRUMP_OTHER_LEVEL,
    SuitNetwork,
    Widths,
    layer_sizes,
)

_SCALED = {"table": NUM_TABLE_INPUTS, "suit": NUM_SUIT_INPUTS, "trump": NUM_TRUMP_INPUTS}
"""Layers that read the observation, and how much of it."""
_LOGITS = ("suit_logits", "trump_logits", "rest_logits")


class SuitsAndCritic(PolicyAndCritic):
    """Policy and critic; the policy's latent values are its logits."""

    policy_layers: nn.ModuleDict

    def __init__(self, num_inputs: int, widths: Widths, critic: Sequence[int], dtype: torch.dtype) -> None:
        """Build both; the policy reads the observation that comes first among the inputs."""
        layers = nn.ModuleDict({name: nn.Linear(*size) for name, size in layer_sizes(widths).items()})
        super().__init__(layers, num_inputs, critic, dtype)
        self.widths = widths
        self.latent_dim_pi = NUM_ACTIONS
        for name, size in _SCALED.items():
            self.register_buffer(f"{name}_scale", torch.ones(size))

    def start_evenly(self) -> None:
        """Make all logits small, so that a fresh policy prefers hardly anything."""
        for name in _LOGITS:
            nn.init.orthogonal_(self._layer(name).weight, 0.01)

    def forward_actor(self, observation: Tensor) -> Tensor:
        """Return the logits, (B, 83) float32."""
        i, widths = _inputs_of(observation), self.widths
        is_plain = torch.from_numpy(i.is_plain)
        ends = widths.suit, widths.suit + widths.trump
        to_suits, to_trumps, to_pooled = self._run("table", i.table).tensor_split(ends, dim=1)
        suits = (self._run("suit", i.suits) + to_suits.unsqueeze(1)).relu() * is_plain.unsqueeze(2)
        trumps = (self._run("trump", i.trumps) + to_trumps).relu()
        pooled = (self._run("pooled", torch.cat([suits.sum(dim=1), trumps], dim=1)) + to_pooled).relu()
        context = self._run("context", pooled).relu()
        to_suits, to_trumps = self._run("told", context).tensor_split(2, dim=1)
        before = functional.pad(suits[:, :-1].cumsum(dim=1), (0, 0, 1, 0))
        before = before * torch.from_numpy(i.is_ordered)[:, None, None]
        suits = (self._run("suit_head", torch.cat([suits, before], dim=2)) + to_suits.unsqueeze(1)).relu()
        trumps = (self._run("trump_head", trumps) + to_trumps).relu()
        heads = zip(_LOGITS, (suits, trumps, context), strict=True)
        return _arranged(*(self._layer(name)(values.float()) for name, values in heads), has_four=is_plain[:, -1:])

    def calibrate(self, observations: Tensor) -> None:
        """Set the input scales from a sample of observations, (B, inputs)."""
        super().calibrate(observations)
        i = _inputs_of(observations)
        for name, rows in (("table", i.table), ("suit", i.suits[i.is_plain]), ("trump", i.trumps)):
            self.get_buffer(f"{name}_scale").copy_(scale_of(torch.from_numpy(rows)))

    def export(self, action_net: nn.Module) -> SuitNetwork:
        """Return the policy with the input scales folded into the weights."""
        arrays: dict[str, NDArray[np.float32]] = {}
        for name in self.policy_layers:
            weight, bias = arrays_of(self._layer(name))
            if name in _SCALED:
                weight *= self.get_buffer(f"{name}_scale").numpy()[:, None]
            arrays |= {f"{name}_w": weight, f"{name}_b": bias}
        return SuitNetwork(arrays)

    def _layer(self, name: str) -> nn.Linear:
        layer = self.policy_layers[name]
        assert isinstance(layer, nn.Linear)
        return layer

    def _run(self, name: str, values: Tensor | NDArray[np.int8]) -> Tensor:
        """Return the sums of a hidden layer."""
        layer = self._layer(name)
        weight = layer.weight * self.get_buffer(f"{name}_scale") if name in _SCALED else layer.weight
        inputs = torch.as_tensor(values).to(self.dtype)
        return functional.linear(inputs, weight.to(self.dtype), layer.bias.to(self.dtype))


def _inputs_of(observation: Tensor) -> SuitInputs:
    return make_suit_inputs(np.ascontiguousarray(observation.numpy()))


def _arranged(suits: Tensor, trumps: Tensor, rest: Tensor, *, has_four: Tensor) -> Tensor:
    """Return logits in the order of the actions, (B, 83), from those of suits, trumps and the rest."""
    ranks = suits[:, :, :PLAIN_RANKS]
    fourth = torch.where(has_four, ranks[:, -1], trumps[:, :PLAIN_RANKS])
    levels = suits[:, :, SUIT_LEVEL] + trumps[:, TRUMP_OTHER_LEVEL, None]
    last_level = torch.where(has_four, levels[:, -1:], trumps[:, TRUMP_LEVEL, None])
    bids = suits[:, :, SUIT_BIDS].transpose(1, 2)
    parts = (
        ranks[:, :-1], fourth, levels[:, :-1], last_level, trumps[:, TRUMP_JOKERS], rest[:, :1], bids,
        rest[:, REST_JOKER_BIDS], suits[:, :, SUIT_NAME], rest[:, -2:],
    )  # fmt: skip
    return torch.cat([part.flatten(1) for part in parts], dim=1)
