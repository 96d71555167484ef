"""Zip files and arrays that may come from anywhere, read without pickle and with bounded memory.

`numpy.load` and `zipfile` read as much as a file claims to hold, and raise a dozen kinds of errors for damaged files.
Here sizes are compared first, and all errors are of one kind.
"""

import io
import math
import zipfile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from shengji_env.errors import ShengjiError

MAX_UNPACKED = 2**28
"""Most bytes that the members of an archive may unpack to: 256 MiB, or the archive's own size if that is larger."""
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_SUFFIX = ".npy"


def read_archive(file: BinaryIO) -> dict[str, bytes]:
    """Read all members of a zip file.

    Raises:
        ShengjiError: the file is not a zip file, is damaged, holds a name twice or would unpack to too much.
    """
    try:
        size = file.seek(0, io.SEEK_END)
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if len({member.filename for member in members}) < len(members):
                raise ShengjiError("two of its members have one name")
            unpacked = sum(member.file_size for member in members)
            if unpacked > max(size, MAX_UNPACKED):
                raise ShengjiError(f"its {size:,} bytes would unpack to {unpacked:,}")
            return {member.filename: archive.read(member) for member in members}
    except ShengjiError:
        raise
    except Exception as error:  # a dozen kinds, some of them from the decompressors
        raise ShengjiError(f"it is not a zip file, or a damaged one ({_in_short(error)})") from error


def read_arrays(file: BinaryIO) -> dict[str, NDArray[Any]]:
    """Read the arrays of an ``.npz`` file by name; they may hold numbers, texts and records of these.

    Raises:
        ShengjiError: the file is not an ``.npz`` file, or is damaged.
    """
    arrays = {}
    for name, content in read_archive(file).items():
        if not name.endswith(_SUFFIX):
            raise ShengjiError(f"its member {name!r} is not an array")
        try:
            arrays[name.removesuffix(_SUFFIX)] = _read_array(content)
        except Exception as error:  # whatever NumPy and Python's parser raise for a header
            raise ShengjiError(f"its member {name!r} is not an array, or a damaged one ({_in_short(error)})") from error
    return arrays


def _read_array(content: bytes) -> NDArray[Any]:
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"version {version}")
    shape, is_fortran, dtype = _HEADERS[version](stream)
    size = len(content) - stream.tell()
    if dtype.hasobject or dtype.itemsize == 0:
        raise ValueError(f"values of type {dtype}")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != size:
        raise ValueError(f"{size:,} bytes for shape {shape}")
    buffer: NDArray[Any] = np.ndarray(shape, dtype, content, stream.tell(), order="F" if is_fortran else "C")
    return buffer.copy(order="C")


def _in_short(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:200]


def taken(arrays: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Take the arrays whose names have a prefix out of others, and return them without it."""
    return {name.removeprefix(prefix): arrays.pop(name) for name in list(arrays) if name.startswith(prefix)}
