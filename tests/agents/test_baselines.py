"""`make baselines`: runs that cost alike, resumed where they were stopped, and played on the same deals."""

import json
import sys
from pathlib import Path

import pytest

from agents.config_files import load_config
from shengji_env.arena import play_matchup
from shengji_env.errors import ShengjiError
from tools import run_baselines
from tools.baselines import RUNS_FILE
from tools.run_baselines import BASELINES, COST_FILE, MATCH_SEED, Baseline, learn, main

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


@pytest.mark.parametrize("algorithm", ["MaskablePPO", "value learner"])
def test_the_configs_of_runs_can_be_read(algorithm, tmp_path):
    (command,) = BASELINES[algorithm].commands(0.01, 2, tmp_path)
    config, overrides = command[2], [part.removeprefix("--set=") for part in command if part.startswith("--set=")]
    loaded = load_config(Path(config), overrides)
    assert loaded.run.seed == 2
    assert loaded.evaluation.every_seconds == 0


def test_every_baseline_names_its_player(tmp_path):
    for baseline in BASELINES.values():
        assert str(tmp_path) in baseline.player(tmp_path)
        assert all(str(tmp_path) in " ".join(command) for command in baseline.commands(1, 1, tmp_path))


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--hours", "0"], "above 0"), (["--points", "4", "0"], "above 0"), (["PPO"], "no baseline is called 'PPO'")],
)
def test_what_cannot_be_run_is_refused_before_anything_runs(options, said, tmp_path, capsys):
    assert main([*options, "--out", str(tmp_path / "runs")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
