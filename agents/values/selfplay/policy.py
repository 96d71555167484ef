"""The policy: a softmax of the candidates' values divided by the temperature; and the critic.

The policy's weights are those of the value network, and nothing else: what PPO makes of them is exported as any value
network is, and plays the best candidate. The critic reads what the seat sees and what it does not (`agents.hidden`); it
shares no layer with the policy, and is not exported.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from agents.ppo.card_policy import BytesPolicy, LogitsAsTheyAre
from agents.scales import scale_of
from agents.values.selfplay.vec_env import CARDS, FEATURES, HIDDEN, NUMBER, OWN
from agents.values.table_packing import packed_inputs
from agents.values.value_network import ValueNetwork
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.players.candidates import DEFAULT_CANDIDATES, NUM_FEATURES
from shengji_env.players.networks.champion.inputs import Inputs


class ValuesAndCritic(nn.Module):
    """The value network as policy, and the critic's hidden layers, in place of SB3's ``MlpExtractor``."""

    input_scale: Tensor

    def __init__(self, widths: tuple[int, int, int, int], temperature: float, critic: Sequence[int]) -> None:
        """``widths`` are the value network's."""
        super().__init__()
        self.network = ValueNetwork(widths)
        self.temperature = temperature
        num_inputs = OWN.stop - OWN.start + HIDDEN.stop - HIDDEN.start
        sizes = itertools.pairwise([num_inputs, *critic])
        self.critic_layers = nn.Sequential(*(part for pair in sizes for part in (nn.Linear(*pair), nn.ReLU())))
        self.register_buffer("input_scale", torch.ones(num_inputs))
        self.latent_dim_pi, self.latent_dim_vf = DEFAULT_CANDIDATES, critic[-1]

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits, (B, DEFAULT_CANDIDATES), and the critic's latent values; ``rows`` are observations."""
        return self.forward_actor(rows), self.forward_critic(rows)

    def forward_actor(self, rows: Tensor) -> Tensor:
        """Return the logits; those beyond a decision's candidates mean nothing."""
        inputs, is_there = inputs_of(rows.cpu().numpy())
        values = self.network(inputs).mean(dim=1) / self.temperature
        logits = values.new_zeros(is_there.shape)
        filled: Tensor = logits.masked_scatter(torch.from_numpy(is_there).to(values.device), values)
        return filled

    def forward_critic(self, rows: Tensor) -> Tensor:
        """Return the critic's latent values."""
        latent: Tensor = self.critic_layers(self.seen_by_critic(rows) * self.input_scale)
        return latent

    def seen_by_critic(self, rows: Tensor) -> Tensor:
        """Return what the critic reads, float32."""
        return torch.cat([rows[:, OWN], rows[:, HIDDEN]], dim=1).float()

    def calibrate(self, rows: Tensor) -> None:
        """Set the scale of the critic's inputs by some observations."""
        self.input_scale.copy_(scale_of(self.seen_by_critic(rows)))


class CandidatePolicy(BytesPolicy):
    """MaskablePPO's policy over candidates; ``net_arch`` has the critic's widths."""

    mlp_extractor: ValuesAndCritic  # type: ignore[assignment]  # stands in for SB3's MlpExtractor with the same methods

    def __init__(self, *args: Any, widths: tuple[int, int, int, int], temperature: float, **kwargs: Any) -> None:
        """Take SB3's arguments, the value network's ``widths`` and the softmax's ``temperature``."""
        self.widths, self.temperature = widths, temperature
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        self.action_dist = LogitsAsTheyAre(DEFAULT_CANDIDATES)
        super()._build(lr_schedule)

    def _build_mlp_extractor(self) -> None:
        assert isinstance(self.net_arch, dict)
        self.mlp_extractor = ValuesAndCritic(self.widths, self.temperature, self.net_arch["vf"])

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"widths": self.widths, "temperature": self.temperature}

    @property
    def network(self) -> ValueNetwork:
        """The value network that is the policy."""
        return self.mlp_extractor.network


def inputs_of(rows: NDArray[np.int8]) -> tuple[Inputs, NDArray[np.bool_]]:
    """Return what the network reads of observations (B, NUM_COLUMNS), and which candidates there are."""
    numbers = rows[:, NUMBER][:, 0].astype(np.int64)
    cards = rows[:, CARDS].reshape(-1, DEFAULT_CANDIDATES, NUM_SLOTS)
    features = rows[:, FEATURES].reshape(-1, DEFAULT_CANDIDATES, NUM_FEATURES)
    inputs, _ = packed_inputs(rows[:, OWN], cards, features, numbers)
    return inputs, np.arange(DEFAULT_CANDIDATES) < numbers[:, None]
