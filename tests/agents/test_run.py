"""Small but whole runs: resuming is exact, interruptions lose little, mistakes give one line."""

import itertools
import json
import operator
import os
import re
import shlex
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
from agents.ppo.ppo_config import PPOConfig
from agents.run import TrainingRun
from shengji_env.cli.exit_codes import EXIT_INTERRUPTED
from shengji_env.errors import CheckpointError
from shengji_env.support.whole_files import lock_folder
from tests.helpers.paths import ROOT

ROLLOUT = 16 * 32
TINY = [
    "environment.tables=16",
    "training.rollout_steps=32",
    "training.minibatch=128",
    "training.epochs=1",
    "training.seconds=0",
    "training.learning_rate=1e-3",
    "training.final_learning_rate=1e-3",
    "network.policy=[16]",
    "network.suits=[8, 8, 16, 8, 8]",
    "network.critic=[16]",
    "network.precision=float32",
    "imitation.seconds=0",
    "evaluation.every_seconds=0",
    "evaluation.deals=4",
    "evaluation.final_deals=4",
    "evaluation.ablation_deals=4",
    "checkpoint.every_seconds=0",
]


PPO = str(ROOT / "configs" / "ppo.toml")
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}


def arguments(*assignments: str) -> list[str]:
    """The command line of a tiny run of MaskablePPO."""
    return [PPO, *_settings(*assignments)]


def _settings(*assignments: str) -> list[str]:
    return [part for assignment in [*TINY, *assignments] for part in ("--set", assignment)]


def test_a_run_that_has_ended_leaves_no_thread(tmp_path: Path) -> None:
    config, before = override(PPOConfig(), [*TINY, "training.steps=1"]), threading.active_count()
    with Display() as display:
        beside = threading.active_count() - before
        with TrainingRun.start(config, tmp_path / "run", display, InterruptFlag()):
            assert threading.active_count() > before + beside
        assert threading.active_count() == before + beside


def weights(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "policy.npz") as arrays:
        return {name: arrays[name] for name in arrays.files if name != "header"}


def progress(folder: Path) -> dict[str, Any]:
    """What a run's checkpoint says of its progress, with the steps and updates of self-play."""
    saved: dict[str, Any] = read_checkpoint(folder / CHECKPOINT_NAME).meta["progress"]
    play = saved["stages"].get("self-play", {"amount": 0, "updates": 0})
    return saved | {"steps": play["amount"], "updates": play["updates"]}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A long tiny run that has made some updates, and its folder."""
    folder = tmp_path / "run"
    process = start_in_subprocess(folder)
    yield process, folder
    process.kill()
    process.wait()


def command_of(folder: Path, *assignments: str) -> list[str]:
    return [sys.executable, "train.py", "--out", str(folder), *arguments(*assignments)]


def start_in_subprocess(
    folder: Path, *assignments: str, counted: str = "updates", count: int = 3
) -> subprocess.Popen[bytes]:
    """A run of up to 300 s, once its checkpoint holds ``count`` of what is counted or listed."""
    command = command_of(folder, "training.seconds=300", *assignments)
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


@pytest.mark.parametrize("kind", ["layers", "suits"])
def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(tmp_path: Path, kind: str) -> None:
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    for folder, rollouts in ((whole, 4), (halves, 2)):
        settings = arguments(f"network.kind={kind}", f"training.steps={rollouts * ROLLOUT}")
        assert train.main(["--out", str(folder), *settings]) == 0
    halfway = weights(halves)
    assert train.main(["--resume", str(halves), "--set", f"training.steps={4 * ROLLOUT}"]) == 0
    for name, expected in weights(whole).items():
        np.testing.assert_array_equal(weights(halves)[name], expected)
    assert any((halfway[name] != expected).any() for name, expected in weights(whole).items())


def test_a_run_leaves_its_metrics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.display.PLAIN_INTERVAL", 0.0)
    folder = tmp_path / "run"
    extra = ["imitation.seconds=0.01", f"training.steps={2 * ROLLOUT}", "evaluation.every_seconds=1e-6"]
    assert train.main(["--out", str(folder), *arguments(*extra)]) == 0
    result = json.loads((folder / "result.json").read_text())
    imitation, play = result["stages"]
    assert (imitation["name"], play["name"], play["unit"]) == ("imitation", "self-play", "steps")
    assert play["amount"] == 2 * ROLLOUT
    assert imitation["amount"] >= ROLLOUT
    assert tuple(result["opponents"]) == OPPONENTS
    for metrics in result["opponents"].values():
        assert {"deals", "levels_per_round", "interval", "level_rate"} <= set(metrics)
        assert metrics["deals"] == 4
    assert set(result["ablation"]) == {"BID", "BURY"}
    assert sum(play["shares"].values()) == pytest.approx(1, abs=1e-3)
    assert set(play["shares"]) == {"environment", "inference", "update"}
    assert all(path.name in str(agents.folder.__doc__) for path in folder.iterdir())
    for name in ("learning_curve.png", "policy.npz", "config.toml", "run.json"):
        assert (folder / name).stat().st_size > 0
    assert list((folder / "tensorboard").iterdir())
    printed = capsys.readouterr().out
    assert f"policy:{folder} heuristic" in printed
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
    assert train.main(["--out", str(folder), *arguments("training.steps=1")]) == 2
    assert "already holds a run" in capsys.readouterr().err


def test_kill_9_loses_at_most_one_interval(running: tuple[subprocess.Popen[bytes], Path]) -> None:
    process, folder = running
    before = progress(folder)
    process.kill()
    process.wait()
    after = progress(folder)
    assert after["updates"] >= before["updates"]
    goal = int(after["steps"]) + 2 * ROLLOUT
    budget = [f"training.steps={goal}", "training.seconds=0"]
    assert train.main(["--resume", str(folder), "--set", budget[0], "--set", budget[1]]) == 0
    assert progress(folder)["steps"] == goal
    assert json.loads((folder / "result.json").read_text())["stages"][-1]["amount"] == goal


def test_kill_9_loses_nothing_that_came_before_a_match_up(tmp_path: Path) -> None:
    """Checkpoints on the clock are out of reach here: only those around match-ups are left."""
    folder = tmp_path / "run"
    extra = ("training.seconds=300", "checkpoint.every_seconds=1e6", "evaluation.every_seconds=1e-6")
    process = subprocess.Popen(command_of(folder, *extra), cwd=ROOT, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert process.stdout is not None
    steps = []
    for line in process.stdout:
        if found := re.search(r"([\d,]+) steps: vs random", line):
            steps.append(int(found[1].replace(",", "")))
            if len(steps) == 3:
                process.kill()
                break
    process.wait()
    process.stdout.close()
    assert steps == [0, ROLLOUT, 2 * ROLLOUT]
    saved = progress(folder)
    assert saved["steps"] >= steps[-1]
    assert len(saved["matchups"]) >= 4
    (folder / f".{CHECKPOINT_NAME}.part").write_bytes(b"torn")
    goal = int(saved["steps"]) + ROLLOUT
    budget = [f"training.steps={goal}", "training.seconds=0"]
    assert train.main(["--resume", str(folder), "--set", budget[0], "--set", budget[1]]) == 0
    assert progress(folder)["steps"] == goal
    assert not list(folder.glob(f".{CHECKPOINT_NAME}.*"))


def test_match_ups_are_saved_as_soon_as_they_are_played(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    extra = ("checkpoint.every_seconds=1e6", "evaluation.every_seconds=1e6")
    process = start_in_subprocess(folder, *extra, counted="matchups", count=len(OPPONENTS))
    process.kill()
    process.wait()
    assert [row["opponent"] for row in progress(folder)["matchups"]] == list(OPPONENTS)


def test_ctrl_c_saves_first(running: tuple[subprocess.Popen[bytes], Path]) -> None:
    process, folder = running
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == EXIT_INTERRUPTED
    saved = progress(folder)
    assert saved["updates"] == len(saved["history"])
    assert (folder / "policy.npz").exists()
    assert not (folder / "result.json").exists()


def test_one_process_at_a_time_has_a_run(
    running: tuple[subprocess.Popen[bytes], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    process, folder = running
    for command in (["--resume", str(folder)], ["--out", str(folder), *arguments("training.steps=1")]):
        assert train.main(command) == 2
        message = capsys.readouterr().err
        assert f"another run has {folder}: let it end, or choose another folder" in message
        assert message.count("\n") == 1
    process.kill()
    process.wait()
    goal = f"training.steps={int(progress(folder)['steps']) + ROLLOUT}"
    assert train.main(["--resume", str(folder), "--set", goal, "--set", "training.seconds=0"]) == 0


def test_a_run_that_is_refused_leaves_its_folder_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert train.main(["--out", str(folder), *arguments(f"training.steps={ROLLOUT}")]) == 0
    assert train.main(["--resume", str(folder), "--set", "network.policy=[8]"]) == 2
    lock_folder(folder).close()


def test_a_checkpoint_of_another_world_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert train.main(["--out", str(folder), *arguments(f"training.steps={ROLLOUT}")]) == 0
    path = folder / CHECKPOINT_NAME
    saved = read_checkpoint(path)
    world = saved.meta["world"] | {"rules_fingerprint": "another"}
    write_checkpoint(path, Checkpoint(saved.meta | {"world": world}, saved.model, saved.arrays))
    capsys.readouterr()
    assert train.main(["--resume", str(folder)]) == 2
    message = capsys.readouterr().err
    assert "rules_fingerprint: 'another' in the checkpoint" in message
    assert message.count("\n") == 1
    with pytest.raises(CheckpointError):
        read_checkpoint(tmp_path / "nowhere" / CHECKPOINT_NAME)


def test_what_a_run_has_settled_cannot_be_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert train.main(["--out", str(folder), *arguments(f"training.steps={ROLLOUT}")]) == 0
    config = (folder / "config.toml").read_text()
    capsys.readouterr()
    for assignment in (
        "network.precision=bfloat16",
        "network.precision=auto",
        "run.seed=2",
        "environment.reward=win",
        "environment.shaping=trick_points",
    ):
        assert train.main(["--resume", str(folder), "--set", assignment]) == 2
        message = capsys.readouterr().err
        assert f"{assignment.partition('=')[0]} is settled when a run starts" in message
        assert message.count("\n") == 1
    assert (folder / "config.toml").read_text() == config
    same = ["network.precision=float32", 'environment.rules="two_deck()"']
    assert train.main(["--resume", str(folder), "--set", same[0], "--set", same[1]]) == 0


@pytest.mark.parametrize("missing", ["torch", "stable_baselines3", "sb3_contrib", "matplotlib"])
def test_a_missing_extra_is_one_line(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert train.main(["--out", str(tmp_path / "run"), *arguments("training.steps=1")]) == 2
    error = capsys.readouterr().err
    assert missing in error
    assert "[train] extra" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for blocked in ("config.toml", "policy.npz", "tensorboard"):
        folder = tmp_path / blocked.partition(".")[0]
        taken = folder / blocked
        taken.parent.mkdir()
        if blocked == "tensorboard":
            taken.touch()
        else:
            taken.mkdir()
        assert train.main(["--out", str(folder), *arguments(f"training.steps={ROLLOUT}")]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"train.py: error: {taken}: ")
        assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([PPO, "--set", "training.sceonds=1"], "did you mean seconds?"),
        ([PPO, "--set", "training.epochs=0"], "must lie in 1 to 100"),
        (["configs/none.toml"], "cannot read configs/none.toml: No such file"),
        (["--resume", "runs/none"], "no checkpoint at"),
        (["configs/quickstart.toml", "--resume", "runs/none"], "give neither"),
    ],
)
def test_mistakes_are_one_line(given: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(given) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_keys_are_listed_with_their_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["--keys"]) == 0
    assert "Seconds spent imitating; 0 turns it off." in capsys.readouterr().out
