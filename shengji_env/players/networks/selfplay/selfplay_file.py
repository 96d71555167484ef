"""The file of a network that has learned by self-play, ``selfplay.npz``: an ``.npz`` file, read without pickle.

It holds the arrays of `SelfplayNetwork`, and a `header`, a text in JSON:

| in the header | what |
|---|---|
| `format`, `inputs_version`, `candidates_version` | versions of the file, of what the network reads, of PROGRAM |
| `proposals` | who proposes its choices |
| `made` | how it was made, for people |
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shengji_env.errors import ShengjiError, show
from shengji_env.players.candidates import CANDIDATES_VERSION
from shengji_env.players.networks.distilled.integer_rows import WIDTH
from shengji_env.players.networks.network_file import check_compatible, read_network, reading, write_network
from shengji_env.players.networks.selfplay.choices import PROPOSALS
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS, NUM_ROWS, SELFPLAY_INPUTS_VERSION
from shengji_env.players.networks.selfplay.selfplay_network import SelfplayNetwork

SELFPLAY_FORMAT = "shengji-selfplay/1"
SELFPLAY_FILE = "selfplay.npz"
_VERSIONS = {
    "format": SELFPLAY_FORMAT,
    "inputs_version": SELFPLAY_INPUTS_VERSION,
    "candidates_version": CANDIDATES_VERSION,
}
_SIZES = {"rows": NUM_ROWS * WIDTH, "outputs": (NUM_GROUPS + 1) * WIDTH}


@dataclass(frozen=True, eq=False)
class SelfplayFile:
    """What is in the file."""

    network: SelfplayNetwork
    proposals: str
    """One of PROPOSALS."""
    made: dict[str, Any] = field(default_factory=dict)
    """How it was made, for people."""


def write_selfplay(path: Path, file: SelfplayFile) -> None:
    """Write a file, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    header = {**_VERSIONS, "proposals": file.proposals, "made": file.made}
    write_network(path, header, file.network._asdict(), compressed=True)


def read_selfplay(path: Path) -> SelfplayFile:
    """Read a file.

    Raises:
        PlayerError: it cannot be read, is damaged, or is not compatible.
    """
    with reading(path, "network of self-play"):
        header, arrays = read_network(path)
    demands: dict[str, tuple[Any, ...]] = {key: (value,) for key, value in _VERSIONS.items()}
    check_compatible(path, header, {**demands, "proposals": PROPOSALS})
    with reading(path, "network of self-play"):
        _check(arrays)
    made = header.get("made")
    return SelfplayFile(SelfplayNetwork(**arrays), header["proposals"], made if isinstance(made, dict) else {})


def _check(arrays: dict[str, Any]) -> None:
    if set(arrays) != set(_SIZES):
        raise ShengjiError(f"there are the arrays {show(sorted(arrays))}; there must be {', '.join(_SIZES)}")
    for name, size in _SIZES.items():
        array = arrays[name]
        if array.shape != (size,) or array.dtype != np.int16:
            raise ShengjiError(f"{name} is {array.dtype} {array.shape}; it must be int16 ({size},)")


def selfplay_digest(file: SelfplayFile) -> str:
    """Return a digest of a network, 32 hexadecimal digits: networks of equal digests decide alike."""
    digest = hashlib.sha256(f"{SELFPLAY_FORMAT} {file.proposals}".encode())
    for array in file.network:
        digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()[:32]
