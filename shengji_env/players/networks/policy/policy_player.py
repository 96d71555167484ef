"""The player ``policy:PATH``: it takes the legal action with the highest logit, or draws one."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import compile_for, jit
from shengji_env.engine.deal import fold
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError, show
from shengji_env.players.networks.network_file import file_at
from shengji_env.players.networks.policy.file import POLICY_FILE, read_policy
from shengji_env.players.networks.policy.layers import LayerStack, activate, apply_layer
from shengji_env.players.networks.policy.layers_policy import layers_policy
from shengji_env.players.player import ObservationPlayer
from shengji_env.support.announcing import part
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.own_arrays import writable
from shengji_env.tables.policies import Policy

_S11 = np.uint64(11)
_UNIT = 2.0**-53


class PolicyPlayer(ObservationPlayer):
    """A player that takes the legal action with the highest logit, or (with `sample`) draws one.

    Args:
        network: what makes the logits.
        header: its file's header.
        name: its name in reports.
        sample: whether actions are drawn with the network's probabilities.
    """

    def __init__(self, network: LayerStack, header: Mapping[str, Any], *, name: str, sample: bool = False) -> None:
        self.network = network
        self.header = header
        self.name = name
        self.sample = sample
        _compile_policy()

    @staticmethod
    def load(path: Path | str, *, sample: bool = False) -> "PolicyPlayer":
        """Read a ``policy.npz`` file, or the one in a run's folder.

        Raises:
            PlayerError: there is no such file, it is damaged, or it is not compatible (`file.VERSIONS`).
        """
        if not isinstance(sample, bool):
            raise PlayerError(f"sample={show(sample)} must be true or false")
        header, network = read_policy(file_at(path, POLICY_FILE, "policy"))
        return PolicyPlayer(network, header, name=f"policy:{path}", sample=sample)

    def policy(self, rules: RuleSet) -> Policy | None:
        """Return its policy, if it takes the highest logit; None for subclasses."""
        return layers_policy(self.network, rules) if type(self) is PolicyPlayer and not self.sample else None

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digest of its network."""
        digest = hashlib.sha256()
        for array in self.network.arrays.values():
            digest.update(array.tobytes())
        return (digest.hexdigest(), *super().identity(rules))

    @property
    def rules_fingerprint(self) -> str:
        """Fingerprint of the rules that the network was trained on; empty if the file does not say."""
        return str(self.header.get("rules_fingerprint", ""))

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Choose actions, shape (B,)."""
        logits = np.where(action_mask != 0, self.logits(observation), np.float32(-np.inf))
        if self.sample:
            logits = logits + gumbel_noise(key)
        return np.asarray(logits.argmax(axis=1), np.int64)

    def logits(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits of all actions, shape (B, 83)."""
        return self.network.logits(writable(observation))


@jit
def _draw_uniforms(keys: NDArray[Any], drawn: NDArray[Any]) -> None:
    """Write random numbers between 0 and 1, shape (B, 83), each row a function of its key."""
    for row in range(drawn.shape[0]):
        for action in range(drawn.shape[1]):
            drawn[row, action] = (np.float64(fold(keys[row], action) >> _S11) + 0.5) * _UNIT


def gumbel_noise(key: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return noise, shape (B, 83), that makes the highest of ``logits + noise`` a draw from their softmax."""
    uniforms = np.empty((len(key), NUM_ACTIONS))
    _draw_uniforms(writable(key), uniforms)
    return -np.log(-np.log(uniforms))


@part("policy", "the policy player: policy:PATH")
def _compile_policy() -> None:
    observations, values = np.zeros((1, OBSERVATION_SIZE), np.int8), np.zeros((1, 1), np.float32)
    for inputs in (observations, values):  # a layer reads observations or the output of another layer
        compile_for(apply_layer, inputs, values, values[0], values)
    compile_for(activate, values, True)
    compile_for(_draw_uniforms, np.zeros(1, np.uint64), np.zeros((1, NUM_ACTIONS)))
