"""The file ``policy.npz``: a JSON `header`, and the float32 arrays of a network. It is read without pickle.

| in the header | what |
|---|---|
| `format` | which kind of network it is, and the version of the file |
| `layout_version`, `actions_version`, `observation_size` | the world in which the weights mean something |
| `activation` | of `layers.LayerStack` only |
| `inputs_version` | of `suits.SuitNetwork` only |
| `rules`, `rules_fingerprint` | what it was trained on; it may play others, since the observation describes the rules |
"""

import reprlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players.networks.policy.layers import ACTIVATIONS, LAYERS_FORMAT, LayerStack
from shengji_env.players.networks.policy.suit_inputs import INPUTS_VERSION
from shengji_env.players.networks.policy.suits import SUITS_FORMAT, SuitNetwork
from shengji_env.support.archives import read_arrays
from shengji_env.support.text_files import parse_json
from shengji_env.tables.observation import LAYOUT_VERSION, OBSERVATION_SIZE

POLICY_FILE = "policy.npz"
WORLD = {
    "layout_version": LAYOUT_VERSION,
    "actions_version": ACTIONS_VERSION,
    "observation_size": OBSERVATION_SIZE,
}
"""What every header must say to be played here."""


class PolicyNetwork(Protocol):
    """A network that a file may hold."""

    @property
    def header(self) -> dict[str, Any]:
        """What a file's header says of this network."""

    @property
    def arrays(self) -> Mapping[str, NDArray[np.float32]]:
        """The arrays of a file."""

    def logits(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits of all actions, shape (B, 82)."""


class _Kind(NamedTuple):
    read: Callable[[Mapping[str, Any], Mapping[str, NDArray[Any]]], PolicyNetwork]
    key: str  # what the header must say besides `WORLD`
    values: tuple[Any, ...]  # one of these


_KINDS: Mapping[str, _Kind] = {
    LAYERS_FORMAT: _Kind(LayerStack.read, "activation", ACTIVATIONS),
    SUITS_FORMAT: _Kind(SuitNetwork.read, "inputs_version", (INPUTS_VERSION,)),
}


def read_policy(file: Path) -> tuple[dict[str, Any], PolicyNetwork]:
    """Read a file; return its header and the network.

    Raises:
        PlayerError: there is none, it is damaged, or it belongs to another world.
    """
    try:
        with file.open("rb") as opened:
            arrays = read_arrays(opened)
        header = parse_json(_text_of(arrays.pop("header", None)), ShengjiError)
    except (OSError, ShengjiError) as error:
        raise PlayerError(f"{file} is no {POLICY_FILE}: {error}") from error
    if not isinstance(header, dict):
        raise PlayerError(f"{file}: its header is {reprlib.repr(header)}, no mapping")
    kind = _kind_of(file, header)
    try:
        network = kind.read(header, arrays)
    except PlayerError as error:
        raise PlayerError(f"{file}: {error}") from error
    return header, network


def _text_of(header: NDArray[Any] | None) -> str:
    if header is None or header.shape != () or header.dtype.kind != "U":
        raise ShengjiError("it has no header, a text")
    try:
        return str(header)
    except (ValueError, SystemError):  # Python's errors for numbers that are not characters
        raise ShengjiError("its header is no text") from None


def _kind_of(file: Path, header: Mapping[str, Any]) -> _Kind:
    """Return the kind of network that the header names, after checking the rest of it."""
    name = header.get("format")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    demands: dict[str, tuple[Any, ...]] = {"format": tuple(_KINDS), **{key: (value,) for key, value in WORLD.items()}}
    if kind is not None:
        demands[kind.key] = kind.values
    wrong = [
        f"{key} is {reprlib.repr(header.get(key))}, here {' or '.join(map(repr, values))}"
        for key, values in demands.items()
        if header.get(key) not in values
    ]
    if wrong or kind is None:
        raise PlayerError(
            f"{file} belongs to another world: {'; '.join(wrong)}. Train it again with this version of shengji_env"
        )
    return kind
