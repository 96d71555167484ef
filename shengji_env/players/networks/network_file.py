"""The file of a network: its arrays, and a `header`, a text in JSON that says in which world they mean something.

It is an ``.npz`` file, read without pickle. What a header must say is decided where the kind of network is.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.support.archives import read_arrays
from shengji_env.support.text_files import parse_json


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Say of all errors in the block that the file is not `what` it should be.

    Raises:
        PlayerError: instead of each `OSError` and `ShengjiError`.
    """
    try:
        yield
    except (OSError, ShengjiError) as error:
        raise PlayerError(f"{path} is no {what}: {error}") from error


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
        raise ShengjiError(f"its header is {show(header)}, no mapping")
    return header, arrays


def _text_of(header: NDArray[Any] | None) -> str:
    if header is None or header.shape != () or header.dtype.kind != "U":
        raise ShengjiError("it has no header, a text")
    try:
        return str(header)
    except (ValueError, SystemError):  # Python's errors for numbers that are not characters
        raise ShengjiError("its header is no text") from None


def check_world(path: Path, header: Mapping[str, Any], demands: Mapping[str, tuple[Any, ...]]) -> None:
    """Check that a header says one of the values that are demanded for each key.

    Raises:
        PlayerError: it says something else.
    """
    wrong = [
        f"{key} is {show(header.get(key))}, here {' or '.join(map(show, values))}"
        for key, values in demands.items()
        if header.get(key) not in values
    ]
    if wrong:
        raise PlayerError(
            f"{path} belongs to another world: {'; '.join(wrong)}. Train it again with this version of shengji_env"
        )
