"""Hidden layers of policy and critic: a stack of ReLU layers for each.

Inputs are divided by their typical size, measured once on random play; the export folds the divisors into the first
layer. `agents.ppo.suit_policy` has another policy beside the same critic.
"""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from agents.scales import scale_of
from shengji_env.players.networks.policy import LayerStack, PolicyNetwork


class PolicyAndCritic(nn.Module):
    """Hidden layers of policy and critic, in place of SB3's ``MlpExtractor``; subclasses know those of the policy.

    Attributes:
        input_scale: (inputs,) float32 factors on the raw observation.
        latent_dim_pi, latent_dim_vf: Widths of what both return.
    """

    input_scale: torch.Tensor
    latent_dim_pi: int

    def __init__(self, policy_layers: nn.Module, num_inputs: int, critic: Sequence[int], dtype: torch.dtype) -> None:
        """Build the critic's stack beside the policy's layers."""
        super().__init__()
        self.dtype = dtype
        self.policy_layers = policy_layers
        self.critic_layers = stack(num_inputs, critic)
        self.latent_dim_vf = critic[-1]
        self.register_buffer("input_scale", torch.ones(num_inputs))

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what `forward_actor` and `forward_critic` return."""
        return self.forward_actor(observation), self.forward_critic(observation)

    def forward_actor(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the latent values of the policy, float32."""
        raise NotImplementedError

    def forward_critic(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the latent values of the critic, float32."""
        return self.run_stack(self.critic_layers, observation.to(self.dtype))

    def calibrate(self, observations: torch.Tensor) -> None:
        """Set the input scale from a sample of observations, (B, inputs)."""
        self.input_scale.copy_(scale_of(observations))

    def export(self, action_net: nn.Module) -> PolicyNetwork:
        """Return the policy as the package plays it; ``action_net`` makes logits of its latent values."""
        raise NotImplementedError

    def run_stack(self, layers: nn.ModuleList, hidden: torch.Tensor) -> torch.Tensor:
        """Return what a stack of ReLU layers makes of the first inputs, float32."""
        scale: torch.Tensor | None = self.input_scale[: hidden.shape[1]]
        for layer in layers:
            assert isinstance(layer, nn.Linear)
            weight = layer.weight if scale is None else layer.weight * scale
            hidden = functional.linear(hidden, weight.to(self.dtype), layer.bias.to(self.dtype)).relu()
            scale = None
        return hidden.float()


class TwoStacks(PolicyAndCritic):
    """A policy that is a stack of ReLU layers on the first ``num_own`` inputs."""

    policy_layers: nn.ModuleList

    def __init__(
        self, num_inputs: int, num_own: int, policy: Sequence[int], critic: Sequence[int], dtype: torch.dtype
    ) -> None:
        """Build both stacks."""
        super().__init__(stack(num_own, policy), num_inputs, critic, dtype)
        self.num_own = num_own
        self.latent_dim_pi = policy[-1]

    def forward_actor(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the latent values of the policy."""
        return self.run_stack(self.policy_layers, observation[:, : self.num_own].to(self.dtype))

    def export(self, action_net: nn.Module) -> LayerStack:
        """Return the policy with the input scale folded into the first layer."""
        return layer_stack([*self.policy_layers, action_net], self.input_scale[: self.num_own])


def stack(num_inputs: int, widths: Sequence[int]) -> nn.ModuleList:
    """Return linear layers, one after the other."""
    sizes = [num_inputs, *widths]
    return nn.ModuleList(nn.Linear(before, after) for before, after in itertools.pairwise(sizes))


def layer_stack(layers: Iterable[nn.Module], scale: torch.Tensor) -> LayerStack:
    """Return linear layers as the package plays them, the scale of the inputs folded into the first one."""
    (first, bias), *others = map(arrays_of, layers)
    return LayerStack(((first * scale.numpy()[:, None], bias), *others))


def arrays_of(layer: nn.Module) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return copies of a linear layer's weights, (inputs, outputs), and biases."""
    assert isinstance(layer, nn.Linear)
    return layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()
