"""The file of a network: its arrays, and a `header`, a text in JSON that says with which versions they are compatible.

It is an ``.npz`` file, read without pickle. What a header must say is decided where the kind of network is.
"""

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.support.archives import read_arrays
from shengji_env.support.text_files import parse_json
from shengji_env.support.whole_files import write_whole

MAX_LAYER = 4096
"""The widest layer of a file."""


def file_at(path: Path | str, name: str, kind: str) -> Path:
    """Return the file of a network, given itself or the folder of the run that has written it.

    Args:
        path: the file or the folder.
        name: the file's name in a folder.
        kind: what it holds, for people.

    Raises:
        PlayerError: there is no such file.
    """
    if not isinstance(path, str | Path):
        raise PlayerError(f"path={show(path)} is no path of a {kind}: write ./{path} for a file of that name")
    file = Path(path) / name if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise PlayerError(f"no {kind} at {file}; PATH is a {name}, or a run folder that holds one")
    return file


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Say of all errors in the block that the file is not what it should be, a `what`.

    Raises:
        PlayerError: instead of each `OSError` and `ShengjiError`.
    """
    try:
        yield
    except (OSError, ShengjiError) as error:
        raise PlayerError(f"{path} is not a {what}: {error}") from error


def read_network(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a file; return its header and its arrays.

    Raises:
        OSError: it cannot be read.
        ShengjiError: it is damaged.
    """
    with path.open("rb") as opened:
        arrays = read_arrays(opened)
    header = parse_json(_text_of(arrays.pop("header", None)), ShengjiError)
    if not isinstance(header, dict):
        raise ShengjiError(f"its header is {show(header)}, not a mapping")
    return header, arrays


def _text_of(header: NDArray[Any] | None) -> str:
    if header is None or header.shape != () or header.dtype.kind != "U":
        raise ShengjiError("it has no header that is a text")
    try:
        return str(header)
    except (ValueError, SystemError):  # Python's errors for numbers that are not characters
        raise ShengjiError("its header is not a text") from None


def write_network(
    path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, compressed: bool = False
) -> None:
    """Write a file, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    content = io.BytesIO()
    save: Any = np.savez_compressed if compressed else np.savez
    save(content, header=np.array(json.dumps(header)), **arrays)
    write_whole(path, content.getvalue())


def check_compatible(path: Path, header: Mapping[str, Any], demands: Mapping[str, Any]) -> None:
    """Check that a header says what is demanded for each key: a value, or one of a tuple of values.

    Raises:
        PlayerError: it says something else.
    """
    allowed = {key: value if isinstance(value, tuple) else (value,) for key, value in demands.items()}
    wrong = [
        f"{key} is {show(header.get(key))}, here {' or '.join(map(show, values))}"
        for key, values in allowed.items()
        if header.get(key) not in values
    ]
    if wrong:
        raise PlayerError(
            f"{path} is not compatible: {'; '.join(wrong)}. Train it again with this version of shengji_env"
        )


def last_axes(arrays: Mapping[str, NDArray[Any]], names: Iterable[str]) -> list[int]:
    """Return the sizes of some arrays' last axes, the widths of a network's layers.

    Raises:
        PlayerError: an array is missing, or a width is not 1 to MAX_LAYER.
    """
    widths = [arrays[name].shape[-1] if name in arrays and arrays[name].ndim else 0 for name in names]
    if not all(1 <= width <= MAX_LAYER for width in widths):
        raise PlayerError(f"its layers have the widths {', '.join(map(str, widths))}; they must be 1 to {MAX_LAYER}")
    return widths


def check_arrays(arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]], limit: int) -> None:
    """Check that arrays are those of a network.

    Args:
        arrays: the arrays.
        shapes: what there must be.
        limit: the largest weight.

    Raises:
        PlayerError: an array is missing, too many, not float32 or of another shape, or holds what is not a number or
            a larger one.
    """
    check_like(arrays, {name: np.broadcast_to(np.float32(0), shape) for name, shape in shapes.items()})
    for name, array in arrays.items():
        if not (np.abs(array) <= limit).all():
            raise PlayerError(f"{name} holds something other than numbers from -{limit:,} to {limit:,}")


def check_like(arrays: Mapping[str, NDArray[Any]], blank: Mapping[str, NDArray[Any]]) -> None:
    """Check that arrays have the names, shapes and types of others.

    Raises:
        PlayerError: an array is missing, too many, or of another shape or type.
    """
    if set(arrays) != set(blank):
        raise PlayerError(f"there are the weights {show(sorted(arrays))}; there must be {', '.join(blank)}")
    for name, like in blank.items():
        array = arrays[name]
        if array.shape != like.shape or array.dtype != like.dtype:
            raise PlayerError(f"{name} is {array.dtype} {array.shape}; it must be {like.dtype} {like.shape}")
