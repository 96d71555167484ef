"""MaskablePPO's policy: a network for policy and critic, over int8 observations.

The policy reads only the player's own observation. The critic may also read the hidden columns after it (centralised
training, decentralised play): a baseline that knows all hands leaves less of the deal's luck in the advantages. The
critic is not exported.

Observations stay int8 until the first layer. Hidden layers may run in bfloat16 (which represents int8 counts exactly);
weights, optimiser, logits and values are always float32.
"""

from typing import Any

import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import nn

from agents.ppo.stacks import PolicyAndCritic, TwoStacks
from agents.ppo.suit_policy import SuitsAndCritic
from agents.precision import dtype_of
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.players.networks.policy import PolicyNetwork
from shengji_env.players.networks.policy.suit_network import Widths


class LogitsAsTheyAre(MaskableCategoricalDistribution):
    """Probabilities whose logits are the policy's latent values."""

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """Return a layer that changes nothing."""
        return nn.Identity()


class CardPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy over int8 observations whose first ``num_own`` columns are the player's own."""

    mlp_extractor: PolicyAndCritic  # type: ignore[assignment]  # stands in for SB3's MlpExtractor with the same methods

    def __init__(
        self, *args: Any, num_own: int, suit_widths: Widths | None = None, precision: str = "float32", **kwargs: Any
    ) -> None:
        """Take SB3's arguments and three more.

        Args:
            args: SB3's.
            num_own: How many columns are the player's own.
            suit_widths: The policy's widths if its plain suits share encoders; None for a stack, as in ``net_arch``.
            precision: Arithmetic of the hidden layers, float32 or bfloat16.
            kwargs: SB3's.
        """
        self.num_own = num_own
        self.suit_widths = suit_widths
        self.precision = precision
        super().__init__(*args, **kwargs)

    def extract_features(  # type: ignore[override]  # sb3-contrib's own signature
        self, obs: PyTorchObs, features_extractor: BaseFeaturesExtractor | None = None
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Return the observation unchanged: the first layer converts it."""
        assert isinstance(obs, torch.Tensor)
        return obs

    def _build(self, lr_schedule: Schedule) -> None:
        if self.suit_widths is not None:
            self.action_dist = LogitsAsTheyAre(NUM_ACTIONS)
        super()._build(lr_schedule)
        if isinstance(self.mlp_extractor, SuitsAndCritic):
            self.mlp_extractor.start_evenly()

    def _build_mlp_extractor(self) -> None:
        arch = self.net_arch
        assert isinstance(arch, dict)
        dtype = dtype_of(self.precision)
        if self.suit_widths is None:
            self.mlp_extractor = TwoStacks(self.features_dim, self.num_own, arch["pi"], arch["vf"], dtype)
        else:
            self.mlp_extractor = SuitsAndCritic(self.features_dim, self.suit_widths, arch["vf"], dtype)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"num_own": self.num_own, "suit_widths": self.suit_widths, "precision": self.precision}
        return super()._get_constructor_parameters() | own

    def calibrate(self, observations: torch.Tensor) -> None:
        """Set the input scale from a sample of observations, (B, inputs)."""
        self.mlp_extractor.calibrate(observations)

    def export(self) -> PolicyNetwork:
        """Return the policy as the package plays it; the critic is left out."""
        return self.mlp_extractor.export(self.action_net)
