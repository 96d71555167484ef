"""`shengji warm-up`, and how processes share what they compile."""

import ast
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shengji_env.cli import main
from shengji_env.engine import compile as engine_compile
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.support.announcing import Part, get_ready
from tests.helpers.paths import ROOT

COMPILING = "shengji_env: compiling"


def registered_names() -> list[str]:
    """Return the names of all parts that the sources of library and table register."""
    calls = [
        node
        for package in ("shengji_env", "shengji_table")
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("part", "policy_part")
    ]
    return [node.args[0].value for node in calls if isinstance(node.args[0], ast.Constant)]


def test_warming_up_knows_all_parts():
    """In a process that has imported nothing else; each has a name of its own."""
    ask = "from shengji_env.cli.compiled_parts import PARTS; print(*PARTS)"
    known = subprocess.run([sys.executable, "-c", ask], cwd=ROOT, capture_output=True, text=True, check=True)
    by_rules = [name for player in (GreedyPlayer, HeuristicPlayer) for name in (player.name, player.rule.kind)]
    assert sorted([*registered_names(), *by_rules]) == sorted(known.stdout.split())


def test_what_is_ready_is_loaded_without_a_note(cache_home: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    made = []
    toys = {name: Part(name, "a toy", "tables", lambda name=name: made.append(name)) for name in ("first", "second")}
    monkeypatch.setattr("shengji_env.cli.warm_up.PARTS", toys)
    assert main(["warm-up", "--only", "second", "--workers", "1"]) == 0
    assert made == ["second"]
    assert "second" in capsys.readouterr().out
    assert main(["warm-up", "--only", "second", "first", "--workers", "1"]) == 0
    assert made == ["second", "second", "first"]
    said = capsys.readouterr()
    assert "ready" in said.out
    assert "1 of 2 parts compiled" in said.out
    assert said.err.count(COMPILING) == 1


def test_several_parts_have_one_note(cache_home: Path, capsys, monkeypatch):
    """The second process does not know the toys: then this one makes them all."""
    monkeypatch.setattr("shengji_env.support.announcing.time.perf_counter", lambda: 0.0)
    made = []
    names = "first", "second", "third"
    toys = [Part(name, "a toy", "tables", lambda name=name: made.append(name)) for name in names]
    get_ready(toys[1:2], "one toy")
    get_ready(toys, "what the toys need")
    get_ready(toys, "what is there")
    assert made == ["second", "first", "third"]
    assert capsys.readouterr().err.splitlines() == [
        f"{COMPILING} one toy, once for this version and machine …",
        "shengji_env: compiled in 0 s",
        f"{COMPILING} what the toys need, once for this version and machine …",
        "shengji_env: compiled in 0 s",
    ]


def test_an_unknown_part_is_refused(capsys):
    assert main(["warm-up", "--only", "everything"]) == 2
    assert "--only everything: there is no such part; parts are batch, rollout" in capsys.readouterr().err


def test_a_cache_that_cannot_be_written_has_an_exit_code(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("shengji_env.cli.warm_up.PARTS", {})
    engine_compile.cache_folder.cache_clear()
    assert main(["warm-up"]) == 1
    assert "could not be kept" in capsys.readouterr().out
    engine_compile.cache_folder.cache_clear()


WAITING_TOY = """
import sys, time
from pathlib import Path
from shengji_env.support.announcing import Part

def call_all():
    Path(sys.argv[1]).touch()
    while not Path("go on").exists():
        time.sleep(0.05)
    with open("made", "a") as file:
        file.write("made\\n")

Part("toy", "a toy: for tests", "tables", call_all)()
"""


def start_toy(folder: Path, name: str) -> subprocess.Popen[str]:
    """Start a process that compiles, or waits for another; compiling ends when there is a file "go on"."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", WAITING_TOY, name]
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def wait_for(path: Path) -> None:
    ends = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < ends
        time.sleep(0.05)


@pytest.mark.thorough
def test_a_second_process_waits_and_compiles_nothing(tmp_path: Path):
    with start_toy(tmp_path, "first") as first:
        wait_for(tmp_path / "first")
        with start_toy(tmp_path, "second") as second:
            assert second.stderr is not None
            said = second.stderr.readline()
            (tmp_path / "go on").touch()
            assert second.communicate(timeout=120)[1] == ""
        first.communicate(timeout=120)
    assert (tmp_path / "made").read_text() == "made\n"
    assert said == "shengji_env: another process is compiling a toy; waiting for it …\n"


@pytest.mark.thorough
def test_a_killed_process_leaves_the_work_to_the_next(tmp_path: Path):
    with start_toy(tmp_path, "first") as first:
        wait_for(tmp_path / "first")
        first.kill()
    (tmp_path / "go on").touch()
    with start_toy(tmp_path, "second") as second:
        said = second.communicate(timeout=120)[1]
    assert second.returncode == 0
    assert said.startswith(f"{COMPILING} a toy")
    assert (tmp_path / "made").read_text() == "made\n"


@pytest.mark.slow
def test_play_compiles_in_two_processes_and_only_once(tmp_path: Path):
    play = [sys.executable, "-m", "shengji_env.cli", "play", "--seed", "1"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    said = [
        subprocess.run(play, cwd=ROOT, env=environment, input="", capture_output=True, text=True, timeout=900).stderr
        for _ in range(2)
    ]
    notes = [line.split(",")[0] for line in said[0].splitlines() if line.startswith(COMPILING)]
    assert notes == [f"{COMPILING} what the table needs"]
    assert COMPILING not in said[1]
