"""The files of compiled functions: damaged ones are made again; where none can be kept, nothing is left behind."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shengji_env.cli import main
from shengji_env.engine import compile as engine_compile
from shengji_env.engine import compiled_files
from shengji_env.engine.compiler import compiled
from shengji_env.engine.deal import fold
from shengji_env.support.announcing import Part
from tests.helpers.paths import ROOT

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "zeros": lambda content: bytes(len(content)),
    "one bit": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
}
if sys.platform != "win32":
    DAMAGES["of others"] = bytes


def of_no_layer(key: np.uint64, index: int) -> np.uint64:
    """A function that no digest of sources covers."""
    return key + np.uint64(index)


OF_A_LAYER: Any = getattr(fold, "py_func", fold)
FUNCTIONS: dict[str, Any] = {"of a layer": OF_A_LAYER, "of no layer": of_no_layer}


def call(function: Any) -> tuple[np.uint64, int]:
    """Call a function as a new process does; its answer, and how often it was compiled."""
    before = len(compiled)
    return engine_compile.jit(function)(np.uint64(7), 3), len(compiled) - before


def damage(home: Path, suffix: str, how: str) -> None:
    (path,) = home.rglob(f"*{suffix}")
    path.write_bytes(DAMAGES[how](path.read_bytes()))
    if how == "of others":
        path.chmod(0o620)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_damaged_file_is_made_again(cache_home: Path, kind: str) -> None:
    answer, _ = call(FUNCTIONS[kind])
    assert call(FUNCTIONS[kind]) == (answer, 0)
    for suffix, how in product((".nbi", ".nbc"), DAMAGES):
        damage(cache_home, suffix, how)
        assert call(FUNCTIONS[kind]) == (answer, 1), f"{suffix} {how}"
        assert call(FUNCTIONS[kind]) == (answer, 0), f"{suffix} {how}"


def version(number: int) -> Any:
    """A version of a function of somebody's own."""
    scope: dict[str, Any] = {"__name__": "mine"}
    exec(f"def function(key, index):\n    return key + {number}", scope)
    return scope["function"]


def test_versions_of_a_function_are_not_mixed_up(cache_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [call(version(number)) for number in (1, 2, 1, 2)] == [(8, 1), (9, 1), (8, 0), (9, 0)]
    first, second = sorted(cache_home.rglob("*.nbc"))
    shutil.copy(first, second)  # as if a process had ended between writing index and code
    assert [call(version(number)) for number in (2, 2, 1)] == [(9, 1), (9, 0), (8, 0)]
    monkeypatch.setattr(compiled_files, "_MOST", 2)
    assert [call(version(number)) for number in (3, 3, 1)] == [(10, 1), (10, 0), (8, 1)]
    assert len([*cache_home.rglob("*.nbc")]) == 2


@pytest.mark.thorough
def test_a_file_imported_by_two_names_is_compiled_for_each(tmp_path: Path) -> None:
    """A user's module is imported as ``bots.lines`` here, as ``lines`` or as a script there."""
    (tmp_path / "bots").mkdir()
    code = "from shengji_env.engine.compile import jit\n@jit\ndef next_one(number):\n    return number + 1\n"
    (tmp_path / "bots" / "lines.py").write_text(code, encoding="utf-8")
    for folder, name in ((tmp_path, "bots.lines"), (tmp_path / "bots", "lines"), (tmp_path, "bots.lines")):
        call = f"from {name} import next_one; assert next_one(1) == 2"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}
        subprocess.run([sys.executable, "-c", call], cwd=folder, env=environment, check=True, timeout=900)


def test_warm_up_loads_what_it_calls_ready(
    cache_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    toy = Part("toy", "a toy", "tables", lambda: call(OF_A_LAYER))
    monkeypatch.setattr("shengji_env.cli.warm_up.PARTS", {"toy": toy})
    said = []
    for how in (None, None, "empty", None):
        if how is not None:
            damage(cache_home, ".nbc", how)
        assert main(["warm-up", "--workers", "1"]) == 0
        said.append(capsys.readouterr().out.split()[1])
    assert said == ["compiled", "ready", "compiled", "ready"]


UNKEPT = """
import subprocess, sys
import numpy as np
from shengji_env.engine.compiler import compiled
from shengji_env.engine.deal import fold
from shengji_env.support.announcing import Part

Part("toy", "a toy", "tables", lambda: fold(np.uint64(7), 3))()
print(int(fold(np.uint64(7), 3)), len(compiled), flush=True)
if len(sys.argv) == 1:
    subprocess.run([sys.executable, *sys.orig_argv[1:], "as a worker"], check=True)
"""


@pytest.mark.thorough
def test_what_cannot_be_kept_is_there_for_workers_and_deleted_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "tmp").mkdir()
    folders = {"XDG_CACHE_HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(ROOT)}
    environment = {**os.environ, "SHENGJI_ENV_TEMPORARY_HOME": "", **folders}
    run = subprocess.run(
        [sys.executable, "-c", UNKEPT], env=environment, capture_output=True, text=True, timeout=900, check=True
    )
    answer = int(fold(np.uint64(7), 3))
    assert run.stdout.splitlines() == [f"{answer} 1", f"{answer} 0"]
    (note, _) = run.stderr.splitlines()
    assert note == (
        "shengji_env: compiling a toy, for this process alone, since the cache cannot be written to, or others may"
        " write to it; XDG_CACHE_HOME can name another folder …"
    )
    assert not list((tmp_path / "tmp").iterdir())
