"""Small but whole runs: resuming is exact, interruptions lose little, mistakes give one line."""

import itertools
import json
import operator
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents.folder
import train
from agents.checkpoint import CHECKPOINT_NAME, Checkpoint, read_checkpoint, write_checkpoint
from agents.config_files import override
from agents.display import Display
from agents.evaluation import OPPONENTS
from agents.interrupt import InterruptFlag
from agents.run import TrainingRun
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.cli.exit_codes import EXIT_INTERRUPTED
from shengji_env.players.networks.network_file import read_network
from shengji_env.support.whole_files import lock_folder
from tests.helpers.paths import ROOT

AT_ONCE = 4
"""Rounds between two updates."""
MANY = 30
"""Updates of a run that is stopped before its end."""
TINY = [
    f"selfplay.rounds_at_once={AT_ONCE}",
    "selfplay.threads=1",
    "selfplay.lead_share=0.05",
    "selfplay.one_share=0.05",
    "selfplay.many_share=0.05",
    "selfplay.bury_share=0.1",
    "network.units=32",
    "network.playouts=32",
    "fitting.minibatch=16",
    "environment.rules=one_deck",
    "evaluation.every_seconds=0",
    "evaluation.deals=4",
    "evaluation.final_deals=4",
    "evaluation.ablation_deals=4",
    "checkpoint.every_seconds=0",
]


SELFPLAY, PPO = (str(ROOT / "configs" / f"{name}.toml") for name in ("selfplay", "ppo"))
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}


def arguments(*assignments: str) -> list[str]:
    """The command line of a tiny run of self-play, of so many rounds as is said, or one update."""
    return [SELFPLAY, *_settings(f"selfplay.rounds={AT_ONCE}", *assignments)]


def _settings(*assignments: str) -> list[str]:
    return [part for assignment in [*TINY, *assignments] for part in ("--set", assignment)]


def rounds(updates: int) -> str:
    return f"selfplay.rounds={updates * AT_ONCE}"


def test_a_run_that_has_ended_leaves_no_thread(tmp_path: Path) -> None:
    config = override(SelfplayConfig(), TINY)
    with Display() as display:
        before = set(threading.enumerate())
        with TrainingRun.start(config, tmp_path / "run", display, InterruptFlag()):
            assert set(threading.enumerate()) - before
        assert set(threading.enumerate()) <= before


def weights(folder: Path) -> dict[str, np.ndarray]:
    return read_network(folder / "selfplay.npz")[1]


def progress(folder: Path) -> dict[str, Any]:
    """What a run's checkpoint says of its progress, with the rounds and updates of self-play."""
    saved: dict[str, Any] = read_checkpoint(folder / CHECKPOINT_NAME).meta["progress"]
    play = saved["stages"].get("self-play", {"amount": 0, "updates": 0})
    return saved | {"rounds": play["amount"], "updates": play["updates"]}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A long tiny run that has made some updates, and its folder; a match-up after each makes it longer."""
    folder = tmp_path / "run"
    process = start_in_subprocess(folder, "evaluation.every_seconds=1e-6")
    yield process, folder
    process.kill()
    process.wait()


def command_of(folder: Path, *assignments: str) -> list[str]:
    return [sys.executable, "train.py", "--out", str(folder), *arguments(*assignments)]


def start_in_subprocess(
    folder: Path, *assignments: str, counted: str = "updates", count: int = 3
) -> subprocess.Popen[bytes]:
    """A run of MANY updates, once its checkpoint holds ``count`` of what is counted or listed."""
    command = command_of(folder, rounds(MANY), *assignments)
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        if (folder / CHECKPOINT_NAME).exists():
            saved = progress(folder)[counted]
            if (len(saved) if isinstance(saved, list) else saved) >= count:
                return process
        if process.poll() is not None:
            break
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"not enough {counted} in 180 s; exit status {process.wait()}")


def test_a_run_leaves_its_metrics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.display.PLAIN_INTERVAL", 0.0)
    folder = tmp_path / "run"
    extra = [rounds(2), "evaluation.every_seconds=1e-6"]
    assert train.main(["--out", str(folder), *arguments(*extra)]) == 0
    result = json.loads((folder / "result.json").read_text())
    (play,) = result["stages"]
    assert (play["name"], play["unit"], play["amount"]) == ("self-play", "rounds", 2 * AT_ONCE)
    assert tuple(result["opponents"]) == OPPONENTS
    for metrics in result["opponents"].values():
        assert {"deals", "levels_per_round", "interval", "level_rate"} <= set(metrics)
        assert metrics["deals"] == 4
    assert set(result["ablation"]) == {"BID", "BURY"}
    assert sum(play["shares"].values()) == pytest.approx(1, abs=1e-3)
    assert set(play["shares"]) == {"labels", "update"}
    assert all(path.name in str(agents.folder.__doc__) for path in folder.iterdir())
    for name in ("learning_curve.png", "selfplay.npz", "config.toml", "run.json"):
        assert (folder / name).stat().st_size > 0
    assert list((folder / "tensorboard").iterdir())
    printed = capsys.readouterr().out
    assert f"selfplay:{folder} heuristic" in printed
    assert "against greedy" in printed
    shown = re.findall(r"^(against \w+|with random \w+) +(\d+)%", printed, re.MULTILINE)
    for _, lines in itertools.groupby(shown, key=operator.itemgetter(0)):
        percents = [int(percent) for _, percent in lines]
        assert percents == sorted(percents), "each match-up has a beginning of its own"
    assert {title for title, _ in shown} >= {"against random", "against heuristic", "with random BID"}
    assert re.search(r"vs greedy: .* level rate [\d.]+% \[[\d.]+%, [\d.]+%\], 4 deals", printed)
    command = re.search("^evaluate it with: (.*)$", printed, re.MULTILINE)
    assert command is not None
    followed = subprocess.run(shlex.split(command[1]), cwd=ROOT, capture_output=True, text=True, check=False)
    assert followed.returncode == 0, followed.stderr
    assert "level rate" in followed.stdout
    times = [row["seconds"] for row in progress(folder)["history"]]
    assert times == sorted(set(times))
    assert times[-1] == pytest.approx(result["seconds"], abs=1e-3)
    assert train.main(["--out", str(folder), *arguments()]) == 2
    assert "already holds a run" in capsys.readouterr().err


@pytest.mark.thorough
def test_kill_9_loses_at_most_one_interval_and_changes_nothing(
    running: tuple[subprocess.Popen[bytes], Path], tmp_path: Path
) -> None:
    process, folder = running
    before = progress(folder)
    process.kill()
    process.wait()
    assert before["updates"] <= progress(folder)["updates"] < MANY
    assert train.main(["--resume", str(folder), "--set", "evaluation.every_seconds=0"]) == 0
    assert json.loads((folder / "result.json").read_text())["stages"][-1]["amount"] == MANY * AT_ONCE
    whole = tmp_path / "whole"
    assert train.main(["--out", str(whole), *arguments(rounds(MANY))]) == 0
    for name, expected in weights(whole).items():
        np.testing.assert_array_equal(weights(folder)[name], expected)


@pytest.mark.thorough
def test_kill_9_loses_nothing_that_came_before_a_match_up(tmp_path: Path) -> None:
    """Checkpoints on the clock are out of reach here: only those around match-ups are left."""
    folder = tmp_path / "run"
    extra = (rounds(MANY), "checkpoint.every_seconds=1e6", "evaluation.every_seconds=1e-6")
    process = subprocess.Popen(command_of(folder, *extra), cwd=ROOT, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert process.stdout is not None
    played = []
    for line in process.stdout:
        if found := re.search(r"([\d,]+) rounds: vs random", line):
            played.append(int(found[1].replace(",", "")))
            if len(played) == 3:
                process.kill()
                break
    process.wait()
    process.stdout.close()
    assert played == [0, AT_ONCE, 2 * AT_ONCE]
    saved = progress(folder)
    assert saved["rounds"] >= played[-1]
    assert len(saved["matchups"]) >= 4
    (folder / f".{CHECKPOINT_NAME}.part").write_bytes(b"torn")
    assert train.main(["--resume", str(folder), "--set", "evaluation.every_seconds=0"]) == 0
    assert progress(folder)["updates"] == MANY
    assert not list(folder.glob(f".{CHECKPOINT_NAME}.*"))


@pytest.mark.thorough
def test_match_ups_are_saved_as_soon_as_they_are_played(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    extra = ("checkpoint.every_seconds=1e6", "evaluation.every_seconds=1e6")
    process = start_in_subprocess(folder, *extra, counted="matchups", count=len(OPPONENTS))
    process.kill()
    process.wait()
    assert [row["opponent"] for row in progress(folder)["matchups"]] == list(OPPONENTS)


@pytest.mark.thorough
def test_one_process_at_a_time_has_a_run_and_ctrl_c_saves_first(
    running: tuple[subprocess.Popen[bytes], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    process, folder = running
    for command in (["--resume", str(folder)], ["--out", str(folder), *arguments()]):
        assert train.main(command) == 2
        message = capsys.readouterr().err
        assert f"another run has {folder}: let it end, or choose another folder" in message
        assert message.count("\n") == 1
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == EXIT_INTERRUPTED
    saved = progress(folder)
    assert saved["updates"] == len(saved["history"])
    assert (folder / "selfplay.npz").exists()
    assert not (folder / "result.json").exists()
    assert train.main(["--resume", str(folder), "--set", "evaluation.every_seconds=0"]) == 0


@pytest.fixture(scope="module")
def ended_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of one update, to be copied."""
    folder = tmp_path_factory.mktemp("ended") / "run"
    assert train.main(["--out", str(folder), *arguments()]) == 0
    return folder


@pytest.fixture
def ended(ended_once: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The folder of a run of one update."""
    capsys.readouterr()
    return shutil.copytree(ended_once, tmp_path / "run")


def test_a_checkpoint_of_another_world_is_refused(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = ended / CHECKPOINT_NAME
    saved = read_checkpoint(path)
    world = saved.meta["world"] | {"rules_fingerprint": "another"}
    write_checkpoint(path, Checkpoint(saved.meta | {"world": world}, saved.model, saved.arrays))
    assert train.main(["--resume", str(ended)]) == 2
    message = capsys.readouterr().err
    assert "rules_fingerprint: 'another' in the checkpoint" in message
    assert message.count("\n") == 1


def test_what_a_run_has_settled_cannot_be_changed(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = (ended / "config.toml").read_text()
    for assignment in ("run.seed=2", "selfplay.proposals=program", "fitting.uses=2"):
        assert train.main(["--resume", str(ended), "--set", assignment]) == 2
        message = capsys.readouterr().err
        assert f"{assignment.partition('=')[0]} is settled when a run starts" in message
        assert message.count("\n") == 1
        lock_folder(ended).close()  # a run that is refused leaves its folder to others
    assert (ended / "config.toml").read_text() == config
    assert train.main(["--resume", str(ended), "--set", 'environment.rules="one_deck()"']) == 0


def test_a_config_that_was_edited_is_refused_with_what_says_the_same(
    ended: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, more = (ended / "config.toml").read_text(), f"selfplay.rounds={2 * AT_ONCE}"
    edited = config.replace(f"\nrounds = {AT_ONCE}\n", f"\nrounds = {2 * AT_ONCE}\n", 1)
    (ended / "config.toml").write_text(edited)
    for given in ([], ["--set", f"selfplay.rounds={3 * AT_ONCE}"]):
        assert train.main(["--resume", str(ended), *given]) == 2
        message = capsys.readouterr().err
        assert f"selfplay.rounds = {2 * AT_ONCE}, in the checkpoint {AT_ONCE}; add --set {more}," in message
        assert message.count("\n") == 1
    assert (ended / "config.toml").read_text() == edited != config
    assert train.main(["--resume", str(ended), "--set", more]) == 0
    (ended / "config.toml").unlink()
    assert train.main(["--resume", str(ended)]) == 0
    assert (ended / "config.toml").read_text() == edited


def test_a_config_of_something_else_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.toml").write_text("mine")
    assert train.main(["--out", str(tmp_path), *arguments()]) == 2
    assert f"{tmp_path / 'config.toml'} is there already" in capsys.readouterr().err
    assert (tmp_path / "config.toml").read_text() == "mine"


def test_labels_by_which_a_run_diverges_stop_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert train.main(["--out", str(folder), *arguments(rounds(2), "fitting.uses=2")]) == 0
    capsys.readouterr()
    path, exported = folder / CHECKPOINT_NAME, (folder / "selfplay.npz").read_bytes()
    saved = read_checkpoint(path)
    targets = {"kept/0/targets": saved.arrays["kept/0/targets"] + np.float32(1e38)}
    write_checkpoint(path, Checkpoint(saved.meta, saved.model, saved.arrays | targets))
    assert train.main(["--resume", str(folder), "--set", rounds(3)]) == 2
    message = capsys.readouterr().err
    assert "what is learned is no longer finite" in message
    assert message.count("\n") == 1
    assert (folder / "selfplay.npz").read_bytes() == exported
    np.testing.assert_array_equal(read_checkpoint(path).arrays["rows"], saved.arrays["rows"])


@pytest.mark.parametrize(
    ("missing", "config"),
    [("torch", SELFPLAY), ("matplotlib", SELFPLAY), ("stable_baselines3", PPO), ("sb3_contrib", PPO), ("torch", PPO)],
)
def test_a_missing_extra_is_one_line(
    missing: str, config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert train.main([config, "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert missing in error
    assert "[train] extra" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_library_that_the_learner_does_not_need_may_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("stable_baselines3", "sb3_contrib"):
        monkeypatch.setitem(sys.modules, module, None)
    assert train.main(["--out", str(tmp_path / "run"), *arguments()]) == 0


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for blocked in ("config.toml", "selfplay.npz", "tensorboard"):
        folder = tmp_path / blocked.partition(".")[0]
        taken = folder / blocked
        taken.parent.mkdir()
        if blocked == "tensorboard":
            taken.touch()
        else:
            taken.mkdir()
        assert train.main(["--out", str(folder), *arguments()]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"train.py: error: {taken}: ")
        assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([SELFPLAY, "--set", "selfplay.ruonds=1"], "did you mean rounds?"),
        ([SELFPLAY, "--set", "fitting.uses=0"], "must lie in 1 to 100"),
        (["configs/none.toml"], "cannot read configs/none.toml: No such file"),
        (["/"], "cannot read /: "),
        (["--resume", "runs/none"], "no checkpoint at"),
        (["configs/ppo.toml", "--resume", "runs/none"], "give neither"),
    ],
)
def test_mistakes_are_one_line(given: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(given) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
