"""The network: two stacks of ReLU layers, one for the policy, one for the critic.

The policy reads only the player's own observation. The critic may also read the hidden columns after it (centralised
training, decentralised play): a baseline that knows all hands leaves less of the deal's luck in the advantages. The
critic is not exported.

Observations stay int8 until the first layer. Inputs are divided by their typical size, measured once on random play;
the export folds the divisors into the first layer. Hidden layers may run in bfloat16 (which represents int8 counts
exactly); weights, optimiser and the two heads are always float32.
"""

import itertools
import time
from collections.abc import Sequence
from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import PyTorchObs
from torch import nn
from torch.nn import functional

from shengji_env.players.policy import Layers

SMALLEST_SCALE = 0.25
"""Lower limit of the scale: inputs that are almost always 0 are multiplied by at most four."""


class TwoStacks(nn.Module):
    """Hidden layers of policy and critic, in place of SB3's ``MlpExtractor``.

    Attributes:
        input_scale: (inputs,) float32 factors on the raw observation.
        latent_dim_pi, latent_dim_vf: Widths of the last hidden layers.
    """

    input_scale: torch.Tensor

    def __init__(
        self, num_inputs: int, num_own: int, policy: Sequence[int], critic: Sequence[int], dtype: torch.dtype
    ) -> None:
        """Build both stacks; the first ``num_own`` inputs are the policy's."""
        super().__init__()
        self.num_own = num_own
        self.dtype = dtype
        self.policy_layers = _stack(num_own, policy)
        self.critic_layers = _stack(num_inputs, critic)
        self.latent_dim_pi, self.latent_dim_vf = policy[-1], critic[-1]
        self.register_buffer("input_scale", torch.ones(num_inputs))

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the latent values of policy and critic, float32."""
        inputs = observation.to(self.dtype)
        return self._run(self.policy_layers, inputs[:, : self.num_own]), self._run(self.critic_layers, inputs)

    def forward_actor(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the latent values of the policy."""
        return self._run(self.policy_layers, observation[:, : self.num_own].to(self.dtype))

    def forward_critic(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the latent values of the critic."""
        return self._run(self.critic_layers, observation.to(self.dtype))

    def _run(self, layers: nn.ModuleList, hidden: torch.Tensor) -> torch.Tensor:
        scale: torch.Tensor | None = self.input_scale[: hidden.shape[1]]
        for layer in layers:
            assert isinstance(layer, nn.Linear)
            weight = layer.weight if scale is None else layer.weight * scale
            hidden = functional.linear(hidden, weight.to(self.dtype), layer.bias.to(self.dtype)).relu()
            scale = None
        return hidden.float()


class CardPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy over int8 observations whose first ``num_own`` columns are the player's own."""

    mlp_extractor: TwoStacks  # type: ignore[assignment]  # stands in for SB3's MlpExtractor with the same methods

    def __init__(self, *args: Any, num_own: int, precision: str = "float32", **kwargs: Any) -> None:
        """Take SB3's arguments, ``num_own`` and the hidden layers' ``precision`` (float32 or bfloat16)."""
        self.num_own = num_own
        self.precision = precision
        super().__init__(*args, **kwargs)

    def _build_mlp_extractor(self) -> None:
        arch = self.net_arch
        assert isinstance(arch, dict)
        dtype = torch.bfloat16 if self.precision == "bfloat16" else torch.float32
        self.mlp_extractor = TwoStacks(self.features_dim, self.num_own, arch["pi"], arch["vf"], dtype)

    def extract_features(  # type: ignore[override]  # sb3-contrib's own signature
        self, obs: PyTorchObs, features_extractor: BaseFeaturesExtractor | None = None
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Return the observation unchanged: the first layer converts it."""
        assert isinstance(obs, torch.Tensor)
        return obs

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"num_own": self.num_own, "precision": self.precision}

    def calibrate(self, observations: torch.Tensor) -> None:
        """Set the input scale from a sample of observations, (B, inputs)."""
        typical = observations.float().square().mean(0).sqrt()
        self.mlp_extractor.input_scale.copy_(1 / typical.clamp_min(SMALLEST_SCALE))

    def own_logits(self, observation: torch.Tensor) -> torch.Tensor:
        """Return unmasked logits, (B, 82); only the first ``num_own`` columns of the observations are read."""
        logits: torch.Tensor = self.action_net(self.mlp_extractor.forward_actor(observation))
        return logits

    def own_layers(self) -> Layers:
        """Return weights (inputs, outputs) and biases from the raw observation to the logits, float32.

        The critic is left out, and the input scale is folded into the first layer.
        """
        modules = [*self.mlp_extractor.policy_layers, self.action_net]
        (first, bias), *others = ((m.weight.detach().numpy().T.copy(), m.bias.detach().numpy().copy()) for m in modules)
        scale = self.mlp_extractor.input_scale[: self.num_own].numpy()
        return (first * scale[:, None], bias), *others


def faster_precision(width: int = 256, batch: int = 1024, inputs: int = 1024) -> str:
    """Return ``bfloat16`` if this machine multiplies it 1.5 times faster than float32, otherwise ``float32``."""
    timings = []
    for dtype in (torch.float32, torch.bfloat16):
        left, right = torch.ones(batch, inputs, dtype=dtype), torch.ones(width, inputs, dtype=dtype)
        timings.append(min(_seconds_of_linear(left, right) for _ in range(5)))
    return "bfloat16" if timings[0] > 1.5 * timings[1] else "float32"


def _seconds_of_linear(left: torch.Tensor, right: torch.Tensor) -> float:
    started = time.perf_counter()
    functional.linear(left, right)
    return time.perf_counter() - started


def _stack(num_inputs: int, widths: Sequence[int]) -> nn.ModuleList:
    sizes = [num_inputs, *widths]
    return nn.ModuleList(nn.Linear(before, after) for before, after in itertools.pairwise(sizes))
