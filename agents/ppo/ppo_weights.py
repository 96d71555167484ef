"""The network and its optimiser from a checkpoint, checked: tensors of the config's shapes, all finite.

Torch's own files are read with ``weights_only``: anything but tensors and plain values is refused, so no code runs.
"""

import io
import itertools
import math
from collections.abc import Mapping
from typing import Any

import torch
from sb3_contrib import MaskablePPO

from agents.ppo.maskable_ppo import policy_of
from agents.ppo.ppo_config import PPOConfig
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.errors import CheckpointError, ShengjiError
from shengji_env.players.networks.policy.suit_network import layer_sizes
from shengji_env.support.archives import read_archive
from shengji_env.tables.observation import OBSERVATION_SIZE

POLICY, OPTIMISER = "policy", "policy.optimizer"
"""SB3's names for the network and its optimiser."""
_RATE = "lr"
"""The optimiser's setting that each update changes."""
_MOMENTS = ("exp_avg", "exp_avg_sq")


def check_size(model: bytes, config: PPOConfig) -> None:
    """Refuse a config whose network is larger than the archive, before the network is made.

    Raises:
        CheckpointError: The network is larger.
    """
    widths = config.network.suit_widths
    policy = itertools.pairwise([OBSERVATION_SIZE, *config.network.policy, NUM_ACTIONS])
    critic = itertools.pairwise([OBSERVATION_SIZE, *config.network.critic, 1])
    sizes = itertools.chain(policy if widths is None else layer_sizes(widths).values(), critic)
    number = sum(before * after for before, after in sizes)
    if number * torch.float32.itemsize > len(model):
        raise CheckpointError(f"its model.zip of {len(model):,} bytes cannot hold the {number:,} weights of its config")


def load_weights(model: bytes, ppo: MaskablePPO) -> None:
    """Put the tensors of SB3's archive into MaskablePPO.

    Raises:
        CheckpointError: They do not fit, or are not finite; nothing has changed.
    """
    try:
        members = read_archive(io.BytesIO(model))
        network, optimiser = (_read_tensors(members, name) for name in (POLICY, OPTIMISER))
    except ShengjiError as error:
        raise CheckpointError(f"its model.zip cannot be read: {error}") from None
    own = ppo.get_parameters()
    _check_network(network, own[POLICY])
    _check_optimiser(optimiser, own[OPTIMISER], policy_of(ppo).optimizer)
    tensors: dict[str, Any] = {POLICY: network, OPTIMISER: optimiser}
    ppo.set_parameters(tensors, device="cpu")


def _read_tensors(members: Mapping[str, bytes], name: str) -> dict[str, Any]:
    content = members.get(f"{name}.pth")
    if content is None:
        raise ShengjiError(f"it has no {name}.pth")
    try:
        read_archive(io.BytesIO(content))  # torch would unpack a file of any size
        found = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except ShengjiError as error:
        raise ShengjiError(f"{name}.pth: {error}") from None
    except Exception as error:  # torch raises many kinds of errors, with long messages
        raise ShengjiError(f"{name}.pth holds no tensors ({type(error).__name__})") from error
    if not isinstance(found, dict):
        raise ShengjiError(f"{name}.pth is a {type(found).__name__}, not a dictionary")
    return found


def _check_network(found: dict[str, Any], own: Mapping[str, torch.Tensor]) -> None:
    if set(found) != set(own):
        raise CheckpointError(f"its network has other parts than {', '.join(own)}")
    for name, expected in own.items():
        _check_tensor(f"{name} of its network", found[name], expected)


def _check_tensor(what: str, found: Any, expected: torch.Tensor) -> None:
    is_dense = isinstance(found, torch.Tensor) and found.layout == torch.strided and found.device.type == "cpu"
    if not is_dense or found.dtype != expected.dtype or found.shape != expected.shape:
        shape = f"{expected.dtype} of shape {tuple(expected.shape)}"
        raise CheckpointError(f"{what} is not a tensor of {shape}")
    if not torch.isfinite(found).all():
        raise CheckpointError(f"{what} is not finite: training has diverged; resume from an earlier checkpoint")


def _check_optimiser(found: dict[str, Any], own: Mapping[str, Any], optimiser: torch.optim.Optimizer) -> None:
    groups, state = found.get("param_groups"), found.get("state")
    if set(found) != set(own) or not isinstance(groups, list) or not isinstance(state, dict):
        raise CheckpointError("its optimiser's state is not Adam's")
    if len(groups) != len(own["param_groups"]):
        raise CheckpointError("its optimiser has other groups of weights")
    for group, expected in zip(groups, own["param_groups"], strict=True):
        _check_group(group, expected)
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    for index, moments in state.items():
        if type(index) is not int or not 0 <= index < len(weights) or not isinstance(moments, dict):
            raise CheckpointError("its optimiser's state belongs to none of the weights")
        _check_moments(index, moments, weights[index])


def _check_group(group: Any, expected: Mapping[str, Any]) -> None:
    if not isinstance(group, dict) or not {_RATE, "params"} <= set(group) <= set(expected):
        raise CheckpointError("its optimiser has other settings")
    rate = group[_RATE]
    if not isinstance(rate, float) or not 0 <= rate < math.inf:
        raise CheckpointError("its optimiser's step size is not a number")
    for name, value in group.items():
        if name != _RATE and (type(value) is not type(expected[name]) or value != expected[name]):
            raise CheckpointError(f"its optimiser has another {name}")


def _check_moments(index: int, moments: dict[str, Any], weight: torch.Tensor) -> None:
    what = f"of its optimiser for weight {index}"
    if set(moments) != {"step", *_MOMENTS}:
        raise CheckpointError(f"the state {what} is not Adam's")
    for name in _MOMENTS:
        _check_tensor(f"{name} {what}", moments[name], weight)
    _check_tensor(f"step {what}", moments["step"], torch.zeros(()))
    if moments["step"] < 0 or (moments["exp_avg_sq"] < 0).any():
        raise CheckpointError(f"the state {what} is negative")
