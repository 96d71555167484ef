"""Convert value networks that read layout 2 of observations: `python -m tools.convert_values FILE…`.

Layout 3 has more segments, phases and features of the rules. An input that layout 2 had keeps its weights, found again
by the segment's name; an input that is new gets weight zero, so the values are those of before, bit for bit: a sum
skips inputs that are zero, and new ones that are not come last.

| layout | inputs version | what is new |
|---|---|---|
| 2 | 2 | |
| 3 | 3 | `NEW_SEGMENTS`, the phase REBEL, more features of the rules |

Files are written in place, whole or not at all. A file of layout 3 is left as it is.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players.networks.champion.inputs import (
    INPUTS_VERSION,
    SUIT_COLUMNS,
    TABLE_COLUMNS,
    TRUMP_COLUMNS,
)
from shengji_env.players.networks.champion.value_file import CONVERTIBLE_LAYOUT, VALUES_FORMAT, read_values
from shengji_env.players.networks.network_file import check_compatible, read_network, reading, write_network
from shengji_env.tables.observation import LAYOUT, LAYOUT_VERSION

OLD_INPUTS = 2
NEW_SEGMENTS = ("passed_on", "burier", "first_bidder", "rebellions")
OLD_SIZES = {"phase": 7, "rules": 80}
"""Segments of which layout 2 had only the first values."""
OLD_RULE_FEATURES = 48
"""Values of `rules` that layout 2 used; the others were always zero, whatever their weights."""

_WHAT = "value network"
_PLACES = [(segment.name, index) for segment in LAYOUT for index in range(segment.size)]
"""The segment, and the index in it, of each column of an observation."""
COLUMNS = {
    "suit": np.append(SUIT_COLUMNS[0], -1),
    "trump": TRUMP_COLUMNS,
    "from_table": TABLE_COLUMNS,
}
"""The columns of an observation that the rows of each array read; -1: another input, which has not changed."""


def convert_weights(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return arrays of layout 3 for those of layout 2, in their own precision.

    Raises:
        ShengjiError: an array has other rows than those of layout 2.
    """
    converted = dict(arrays)
    for name, columns in COLUMNS.items():
        rows = [row for row, column in enumerate(columns) if column < 0 or was_in_layout_2(column)]
        old = arrays.get(name, np.zeros((0, 0)))
        if old.ndim != 2 or len(old) != len(rows):
            raise ShengjiError(
                f"its {name} has the shape {old.shape}; layout {CONVERTIBLE_LAYOUT} has {len(rows)} rows"
            )
        new = np.zeros((len(columns), old.shape[1]), old.dtype)
        new[rows] = old
        new[[column >= 0 and not was_seen_in_layout_2(column) for column in columns]] = 0
        converted[name] = new
    return converted


def was_in_layout_2(column: int) -> bool:
    """Return whether layout 2 had a column of an observation of layout 3."""
    segment, index = _PLACES[column]
    return segment not in NEW_SEGMENTS and index < OLD_SIZES.get(segment, index + 1)


def was_seen_in_layout_2(column: int) -> bool:
    """Return whether it had it, and it was not always zero."""
    segment, index = _PLACES[column]
    return was_in_layout_2(column) and not (segment == "rules" and index >= OLD_RULE_FEATURES)


def convert_file(path: Path) -> bool:
    """Convert a file; return whether it was of layout 2.

    Raises:
        PlayerError: it is no value network, or neither of layout 2 nor of layout 3.
        OSError: it cannot be written.
    """
    with reading(path, _WHAT):
        header, arrays = read_network(path)
    if header.get("layout_version") == LAYOUT_VERSION:
        read_values(path)
        return False
    check_compatible(path, header, {"layout_version": (CONVERTIBLE_LAYOUT,), "inputs_version": (OLD_INPUTS,)})
    with reading(path, _WHAT):
        converted = convert_weights(arrays)
    header |= {"format": VALUES_FORMAT, "layout_version": LAYOUT_VERSION, "inputs_version": INPUTS_VERSION}
    write_network(path, header, converted, compressed=True)
    read_values(path)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert the files that are named; return 2 if one cannot be converted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a values.npz")
    for path in parser.parse_args(arguments).files:
        try:
            print(f"{path}: {'converted' if convert_file(path) else 'is converted already'}")
        except (PlayerError, OSError) as error:
            print(error, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
