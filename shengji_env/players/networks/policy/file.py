"""The file ``policy.npz``: a JSON `header`, and the float32 arrays of a network. It is read without pickle.

| in the header | what |
|---|---|
| `format` | which kind of network it is, and the version of the file |
| `layout_version`, `actions_version`, `observation_size` | with what the weights are compatible |
| `activation` | of `layers.LayerStack` only |
| `inputs_version` | of `suit_network.SuitNetwork` only |
| `rules`, `rules_fingerprint` | what it was trained on; it may play others, since the observation describes the rules |
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.players.networks.network_file import check_compatible, read_network, reading
from shengji_env.players.networks.policy.layers import ACTIVATIONS, LAYERS_FORMAT, LayerStack
from shengji_env.players.networks.policy.suit_inputs import INPUTS_VERSION
from shengji_env.players.networks.policy.suit_network import SUITS_FORMAT, SuitNetwork
from shengji_env.tables.observation import LAYOUT_VERSION, OBSERVATION_SIZE

POLICY_FILE = "policy.npz"
VERSIONS = {
    "layout_version": LAYOUT_VERSION,
    "actions_version": ACTIONS_VERSION,
    "observation_size": OBSERVATION_SIZE,
}
"""What every header must say to be played here."""


class PolicyNetwork(Protocol):
    """A network that a file may hold."""

    @property
    def header(self) -> dict[str, Any]:
        """The fields of a file's header that describe this network."""

    @property
    def arrays(self) -> Mapping[str, NDArray[np.float32]]:
        """The arrays of a file."""

    def logits(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits of all actions, shape (B, 83)."""


class _Kind(NamedTuple):
    read: Callable[[Mapping[str, Any], Mapping[str, NDArray[Any]]], PolicyNetwork]
    key: str  # what the header must say besides `VERSIONS`
    values: tuple[Any, ...]  # one of these


_KINDS: Mapping[str, _Kind] = {
    LAYERS_FORMAT: _Kind(LayerStack.read, "activation", ACTIVATIONS),
    SUITS_FORMAT: _Kind(SuitNetwork.read, "inputs_version", (INPUTS_VERSION,)),
}


def read_policy(file: Path) -> tuple[dict[str, Any], PolicyNetwork]:
    """Read a file; return its header and the network.

    Raises:
        PlayerError: there is none, it is damaged, or it is not compatible.
    """
    with reading(file, POLICY_FILE):
        header, arrays = read_network(file)
    name = header.get("format")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    demands = {"format": tuple(_KINDS), **{key: (value,) for key, value in VERSIONS.items()}}
    check_compatible(file, header, demands if kind is None else {**demands, kind.key: kind.values})
    assert kind is not None  # the format is one of theirs
    with reading(file, POLICY_FILE):
        return header, kind.read(header, arrays)
