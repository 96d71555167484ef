"""What several targets share: a folder, records, arrays as a file, commands."""

import contextlib
import io
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shengji_env.errors import ShengjiError
from tests.helpers.make_playthroughs import PLAYTHROUGHS

COMMAND_CODES = (3, 130)
"""What ``shengji`` may end with, besides 0 and 2."""
record_names = st.sampled_from(sorted(path.name for path in PLAYTHROUGHS.glob("*.jsonl")))


@cache
def lines_of(name: str) -> list[str]:
    """The lines of a record."""
    return (PLAYTHROUGHS / name).read_text(encoding="utf-8").splitlines(keepends=True)


@cache
def folder() -> Path:
    """Where this process writes; it stays as long as the process."""
    return Path(_folder.name)


_folder = tempfile.TemporaryDirectory(prefix="fuzz-")


def packed_arrays(arrays: dict[str, Any]) -> bytes:
    """Arrays by name as an npz file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, value in arrays.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, np.asanyarray(value), allow_pickle=True)
            archive.writestr(f"{name}.npy", part.getvalue())
    return file.getvalue()


def run_command(main: Callable[[list[str]], int], words: list[str], codes: tuple[int, ...] = ()) -> None:
    """Run a command; its exit code must be 0, one of `codes`, or 2 for an error of ours, which memory is not."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            code = main(words)
        except SystemExit as leaving:  # argparse's way
            code, codes = leaving.code or 0, ()
    assert "not enough memory" not in said.getvalue()
    if code == 2:
        raise ShengjiError(said.getvalue())
    assert code in (0, *codes), code
