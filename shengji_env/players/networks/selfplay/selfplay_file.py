"""The file of a network that has learned by self-play, ``selfplay.npz``: an ``.npz`` file, read without pickle.

It holds the parts of `SelfplayNetwork`; those of a smaller one for playouts, if there is one, their names after
`playouts/`; and a `header`, a text in JSON:

| in the header | what |
|---|---|
| `format`, `inputs_version`, `candidates_version` | versions of the file, of what the policy reads, of CANDIDATES |
| `proposals` | who proposes its choices |
| `shape` | widths of its layers, as `NetworkShape` |
| `playouts` | the same of the smaller network; or null |
| `made` | how it was made, for people |
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from shengji_env.errors import ShengjiError, show
from shengji_env.players.candidates import CANDIDATES_VERSION
from shengji_env.players.networks.network_file import check_compatible, check_like, read_network, reading, write_network
from shengji_env.players.networks.selfplay.choices import PROPOSALS
from shengji_env.players.networks.selfplay.selfplay_inputs import SELFPLAY_INPUTS_VERSION
from shengji_env.players.networks.selfplay.selfplay_network import (
    SHAPE_RULE,
    NetworkShape,
    SelfplayNetwork,
    blank_network,
    is_shape,
    network_of_parts,
)
from shengji_env.support.archives import taken

SELFPLAY_FORMAT = "shengji-selfplay/1"
SELFPLAY_FILE = "selfplay.npz"
_VERSIONS = {
    "format": SELFPLAY_FORMAT,
    "inputs_version": SELFPLAY_INPUTS_VERSION,
    "candidates_version": CANDIDATES_VERSION,
}
_PLAYOUTS = "playouts/"
"""Prefix of the names of the weights of the network for playouts."""
_WHAT = "network of self-play"


@dataclass(frozen=True, eq=False)
class SelfplayFile:
    """What is in the file."""

    network: SelfplayNetwork
    proposals: str
    """One of PROPOSALS."""
    made: dict[str, Any] = field(default_factory=dict)
    """How it was made, for people."""
    playouts: SelfplayNetwork | None = None
    """A smaller network, which plays playouts in less time; None: the policy plays them."""


def write_selfplay(path: Path, file: SelfplayFile) -> None:
    """Write a file, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    shape, playouts = file.network.shape._asdict(), file.playouts and file.playouts.shape._asdict()
    said = {"proposals": file.proposals, "shape": shape, "playouts": playouts, "made": file.made}
    header = _VERSIONS | said
    arrays: dict[str, NDArray[Any]] = file.network.parts
    if file.playouts is not None:
        arrays |= {_PLAYOUTS + name: array for name, array in file.playouts.parts.items()}
    write_network(path, header, arrays, compressed=True)


def read_selfplay(path: Path) -> SelfplayFile:
    """Read a file.

    Raises:
        PlayerError: it cannot be read, is damaged, or is not compatible.
    """
    with reading(path, _WHAT):
        header, arrays = read_network(path)
    check_compatible(path, header, {**_VERSIONS, "proposals": PROPOSALS})
    made = header.get("made")
    with reading(path, _WHAT):
        of_playouts = taken(arrays, _PLAYOUTS)
        network = _network_of(header.get("shape"), arrays)
        playouts = _network_of(header.get("playouts"), of_playouts) if of_playouts or header.get("playouts") else None
    return SelfplayFile(network, header["proposals"], made if isinstance(made, dict) else {}, playouts)


def _network_of(said: Any, arrays: dict[str, NDArray[Any]]) -> SelfplayNetwork:
    """Return a network of the shape that a header says.

    Raises:
        ShengjiError: it says none, or the arrays are not those of the shape.
    """
    widths = said if isinstance(said, dict) else {}
    if widths.keys() != set(NetworkShape._fields) or not is_shape(shape := NetworkShape(**widths)):
        raise ShengjiError(f"its shape is {show(said)}; it must be {SHAPE_RULE}")
    check_like(arrays, blank_network(shape).parts)
    return network_of_parts(shape, arrays)


def selfplay_digest(file: SelfplayFile) -> str:
    """Return a digest of a network, 32 hexadecimal digits: networks of equal digests decide alike."""
    digest = hashlib.sha256(f"{SELFPLAY_FORMAT} {file.proposals}".encode())
    digest.update(file.network.weights.astype("<i2").tobytes())
    return digest.hexdigest()[:32]
