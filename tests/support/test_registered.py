"""What packages beside the library add to it."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from shengji_env.arena.tracks import TRACKS
from shengji_env.cli.compiled_parts import PARTS
from shengji_env.support import registered as registering
from shengji_env.support.registered import registered
from tests.helpers.paths import ROOT

COMMANDS = {"compare", "people", "play", "puzzles", "replay", "serve"}


def test_a_checkout_says_itself_what_it_adds(monkeypatch: pytest.MonkeyPatch):
    """Not installed at all; or installed long ago, when less was added."""
    monkeypatch.setattr(registering, "entry_points", lambda group: ())
    assert set(registered("shengji_env.commands")) == COMMANDS
    assert registered("shengji_env.tracks")["decisions"] is TRACKS["decisions"]
    assert registered("shengji_env.parts") == {"reviewing": PARTS["reviewing"]}
    assert registered("shengji_env.nothing") == {}


def test_other_distributions_add_more(monkeypatch: pytest.MonkeyPatch):
    added = EntryPoint("mine", "json:dumps", "shengji_env.tracks")
    monkeypatch.setattr(registering, "entry_points", lambda group: (added,) if group == added.group else ())
    assert registered("shengji_env.tracks")["mine"]([1]) == "[1]"
    assert "decisions" in registered("shengji_env.tracks")


def test_what_cannot_be_loaded_is_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch):
    broken = EntryPoint("mine", "no_such_module:ADDED", "shengji_env.commands")
    monkeypatch.setattr(registering, "entry_points", lambda group: (broken,))
    said = "'mine' of shengji_env.commands is left out, as no_such_module:ADDED fails: ModuleNotFoundError"
    with pytest.warns(UserWarning, match=said):
        assert set(registered("shengji_env.commands")) == COMMANDS


def test_the_library_works_without_the_table(tmp_path):
    """Where it lies alone, its commands are its own, and nothing of the table is asked for."""
    shutil.copytree(ROOT / "shengji_env", tmp_path / "shengji_env", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'of somebody else'\n")
    program = (
        "import importlib.metadata, sys\n"
        "importlib.metadata.entry_points = lambda group: ()\n"
        "from shengji_env.arena.tracks import TRACKS\n"
        "from shengji_env.cli import main\n"
        "assert 'decisions' not in TRACKS and 'strength' in TRACKS\n"
        "assert 'shengji_table' not in sys.modules\n"
        "main(['serve'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "argument COMMAND: invalid choice: 'serve'" in done.stderr
