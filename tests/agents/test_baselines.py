"""`make baselines`: runs that cost alike, resumed where they were stopped, and played on the same deals."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from unittest.mock import ANY

import pytest

from agents.config_files import load_config
from shengji_env import __version__
from shengji_env.arena import play_matchup
from shengji_env.errors import ConfigError, ShengjiError
from tests.helpers.interrupts import heed_interrupts
from tests.helpers.paths import ROOT
from tools import run_baselines
from tools.baselines import RUNS_FILE
from tools.run_baselines import BASELINES, COST_FILE, MATCH_SEED, Baseline, learn, main, play

READY = "open('ready', 'w').close()"
NEEDS_GROUPS = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
WORK = "import sys, time; end = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"


def fake(*codes, player="greedy"):
    """An algorithm whose commands work for a moment, note that they ran, and end with these codes."""

    def commands(minutes, seed, folder):
        note = f"open({str(folder / 'ran')!r}, 'a').write('%d {minutes:g} {seed},')"
        notes = [note % place for place in range(len(codes))]
        ends = [f"sys.exit({code})" for code in codes]
        return [[sys.executable, "-c", f"{WORK}{note}\n{end}"] for note, end in zip(notes, ends, strict=True)]

    return Baseline("does nothing", commands, lambda folder: player)


def ran(folder):
    return (folder / "ran").read_text()


def test_what_was_done_is_not_done_again_and_its_cost_stays(tmp_path, monkeypatch):
    monkeypatch.setitem(run_baselines.BASELINES, "fake", fake(0, 130, 0))
    tmp_path.joinpath("run").mkdir()
    with pytest.raises(KeyboardInterrupt):
        learn("fake", 5, 3, tmp_path / "run", 2.0)
    first = json.loads((tmp_path / "run" / COST_FILE).read_text())
    assert first["done"] == 1
    assert first["seconds"] > 0.35
    monkeypatch.setitem(run_baselines.BASELINES, "fake", fake(0, 0, 0))
    minutes = learn("fake", 5, 3, tmp_path / "run", 2.0)
    assert ran(tmp_path / "run") == "0 10 3,1 10 3,1 10 3,2 10 3,"
    assert minutes > (first["seconds"] + 0.35) / 60
    assert learn("fake", 5, 3, tmp_path / "run", 2.0) == minutes


def test_a_command_that_fails_ends_it_by_name(tmp_path, monkeypatch):
    monkeypatch.setitem(run_baselines.BASELINES, "fake", fake(7))
    tmp_path.joinpath("run").mkdir()
    with pytest.raises(ShengjiError, match=r"(?s)fake, seed 3: .* ended with 7"):
        learn("fake", 1, 3, tmp_path / "run", 1.0)


def test_all_play_the_same_deals_and_the_curve_has_runs_of_its_own(tmp_path, monkeypatch, capsys):
    for name in list(BASELINES):
        monkeypatch.delitem(run_baselines.BASELINES, name)
    for name, player in (("one", "greedy"), ("two", "random")):
        monkeypatch.setitem(run_baselines.BASELINES, name, fake(0, player=player))
        for minutes in ("0.3", "0.075", "0.01875"):
            (tmp_path / f"{name}-{minutes}-seed-4").mkdir()
    command = ["--hours", "0.005", "--seeds", "4", "--deals", "20", "--out", str(tmp_path)]
    assert main(command) == 0
    runs = json.loads((tmp_path / RUNS_FILE).read_text())["runs"]
    assert [(run["algorithm"], run["minutes"]) for run in runs] == [
        (name, pytest.approx(minutes)) for minutes in (0.01875, 0.075, 0.3) for name in ("one", "two")
    ]
    expected = play_matchup("greedy", "heuristic", num_deals=20, seed=MATCH_SEED)
    assert runs[0]["levels"]["heuristic"] == pytest.approx([expected.levels_per_round, *expected.interval], abs=1e-6)
    out = capsys.readouterr().out
    assert "run 1 of 6" in out
    assert f"| one | 0.3 | {runs[4]['taken']:.1f} |" in out
    assert main(command) == 0
    assert json.loads((tmp_path / RUNS_FILE).read_text())["runs"] == runs
    assert runs[0]["settings"] == {
        "speed": 1.0, "deals": {"heuristic": 20, "greedy": 20}, "match_seed": MATCH_SEED, "rules": "two_deck",
        "package": __version__,
    }  # fmt: skip


def test_a_shorter_command_in_the_same_folder_keeps_the_other_runs(tmp_path, monkeypatch):
    for name in list(BASELINES):
        monkeypatch.delitem(run_baselines.BASELINES, name)
    monkeypatch.setitem(run_baselines.BASELINES, "one", fake(0))
    command = ["--hours", "0.005", "--points", "1", "--out", str(tmp_path), "--deals"]

    def after(*arguments):
        assert main([*command, *arguments]) == 0
        return {run["seed"]: run for run in json.loads((tmp_path / RUNS_FILE).read_text())["runs"]}

    first = after("4", "--seeds", "2", "3")
    assert after("4", "--seeds", "1") == {1: ANY, **first}
    last = after("6", "--seeds", "3")
    assert list(last) == [1, 2, 3]
    assert last[2] == first[2]
    assert [run["settings"]["deals"]["greedy"] for run in last.values()] == [4, 4, 6]


def test_a_run_of_another_speed_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(run_baselines.BASELINES, "one", fake(0))
    command = ["one", "--hours", "0.005", "--points", "1", "--seeds", "1", "--deals", "2", "--out", str(tmp_path)]
    assert main(command) == 0
    folder = tmp_path / "one-0.3-seed-1"
    assert main([*command, "--speed", "0.5"]) == 2
    assert "holds a run with the steps of 0.3 minutes at speed 1, not of 0.15" in capsys.readouterr().err
    with pytest.raises(ConfigError, match="give the --speed that it had"):
        learn("one", 0.3, 1, folder, 0.5)
    assert ran(folder) == "0 0.3 1,"
    note = json.loads((folder / COST_FILE).read_text())
    note.pop("given")  # as older commands wrote it
    (folder / COST_FILE).write_text(json.dumps(note))
    assert main([*command, "--speed", "0.5"]) == 0


def test_a_lost_deal_ends_it(tmp_path):
    with pytest.raises(ShengjiError, match="a deal was lost"):
        play("tests.helpers.players_with_faults:cheats?when=900", tmp_path, {"random": 30})


@NEEDS_GROUPS
def test_a_run_that_is_interrupted_saves_and_its_cost_is_counted(tmp_path):
    saving = textwrap.indent(f"{WORK}open('saved', 'w')\nsys.exit(130)\n", "  ")
    program = f"import sys, time\ntry:\n  {READY}; time.sleep(60)\nexcept KeyboardInterrupt:\n{saving}"
    process = start_learning(tmp_path, program)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
    assert (tmp_path / "saved").exists()
    cost = json.loads((tmp_path / "run" / COST_FILE).read_text())
    assert cost["seconds"] > 0.15
    assert cost["done"] == 0


@NEEDS_GROUPS
def test_a_second_interruption_kills_a_run(tmp_path):
    deaf = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    process = start_learning(tmp_path, f"{deaf}{READY}; time.sleep(60)")
    os.killpg(process.pid, signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT
    assert json.loads((tmp_path / "run" / COST_FILE).read_text())["done"] == 0


def start_learning(folder, program):
    """Start a run whose only command is a program, in a process group of its own, and wait for it to be ready."""
    command = [sys.executable, "-c", f"import os; os.chdir({str(folder)!r})\n{program}"]
    code = (
        "from pathlib import Path\n"
        "from tools import run_baselines\n"
        f"one = run_baselines.Baseline('', lambda *_: [{command!r}], str)\n"
        "run_baselines.BASELINES['one'] = one\n"
        f"run_baselines.learn('one', 1, 1, Path({str(folder / 'run')!r}), 1.0)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        preexec_fn=heed_interrupts,
    )
    for _ in range(1200):
        if (folder / "ready").exists():
            return process
        time.sleep(0.05)
    process.kill()
    raise AssertionError("the run did not begin within a minute")


@pytest.mark.parametrize("algorithm", ["MaskablePPO", "value learner"])
def test_the_configs_of_runs_can_be_read(algorithm, tmp_path):
    (command,) = BASELINES[algorithm].commands(0.01, 2, tmp_path)
    config, overrides = command[2], [part.removeprefix("--set=") for part in command if part.startswith("--set=")]
    loaded = load_config(Path(config), overrides)
    assert loaded.run.seed == 2
    assert loaded.evaluation.final_deals == 2


def test_every_baseline_names_its_player(tmp_path):
    for baseline in BASELINES.values():
        assert str(tmp_path) in baseline.player(tmp_path)
        assert all(str(tmp_path) in " ".join(command) for command in baseline.commands(1, 1, tmp_path))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--hours", "0"], "above 0"),
        (["--points", "4", "0"], "above 0"),
        (["PPO"], "no baseline is called 'PPO'"),
        (["--deals", "0"], "--deals=0 must be a whole number from 2"),
        (["--deals", "1"], "one deal gives no interval"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_runs(options, said, tmp_path, monkeypatch, capsys):
    for name in list(BASELINES):
        monkeypatch.setitem(run_baselines.BASELINES, name, fake(7))
    assert main([*options, "--out", str(tmp_path / "runs")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
