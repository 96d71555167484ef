"""The file of a distilled network, ``distilled.npz``: its weights, and the versions with which they are compatible.

An ``.npz`` file without pickle: the arrays of `DistilledNetwork`, and a `header`, a text in JSON.

| in the header | what |
|---|---|
| `format`, `inputs_version` | versions of the file and of what the network reads |
| `made` | how it was made, for people |
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from shengji_env.players.networks.distilled.distilled_network import WIDTH, DistilledNetwork
from shengji_env.players.networks.distilled.distilled_rows import NUM_OUTPUTS, NUM_ROWS
from shengji_env.players.networks.network_file import (
    check_compatible,
    check_like,
    read_network,
    reading,
    shipped,
    write_network,
)

DISTILLED_FORMAT = "shengji-distilled/1"
DISTILLED_FILE = "distilled.npz"
DISTILLED_INPUTS_VERSION = 2
_WHAT = "distilled network"
_VERSIONS = {"format": DISTILLED_FORMAT, "inputs_version": DISTILLED_INPUTS_VERSION}
_BLANK = DistilledNetwork(
    np.zeros(NUM_ROWS * WIDTH, np.int16), np.zeros(NUM_OUTPUTS * WIDTH, np.int16), np.zeros(NUM_OUTPUTS, np.int64)
)


def write_distilled(path: Path, network: DistilledNetwork, made: dict[str, Any]) -> None:
    """Write a file, whole or not at all; `made` says how the network was made.

    Raises:
        OSError: it cannot be written.
    """
    write_network(path, {**_VERSIONS, "made": made}, network._asdict(), compressed=True)


def read_distilled(path: Path) -> DistilledNetwork:
    """Read a file.

    Raises:
        PlayerError: there is none, it is damaged, or it is not compatible.
    """
    with reading(path, _WHAT):
        header, arrays = read_network(path)
    check_compatible(path, header, _VERSIONS)
    with reading(path, _WHAT):
        check_like(arrays, _BLANK._asdict())
    return DistilledNetwork(**arrays)


def distilled_digest(network: DistilledNetwork) -> str:
    """Return a digest of a network, 32 hexadecimal digits: networks of equal digests decide alike."""
    digest = hashlib.sha256(DISTILLED_FORMAT.encode())
    for array in network:
        digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()[:32]


@cache
def shipped_network() -> DistilledNetwork:
    """Return the network that comes with the package."""
    return shipped("shengji_env.players.networks.distilled", DISTILLED_FILE, read_distilled)
