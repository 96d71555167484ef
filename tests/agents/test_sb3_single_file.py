"""MaskablePPO in one file: it learns, goes on, refuses what it cannot use, and plays against its frozen copies."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import train
from agents import sb3_single_file
from agents.checkpoint import CHECKPOINT_NAME, Checkpoint, read_checkpoint, write_checkpoint
from agents.interrupt import InterruptFlag
from agents.sb3_single_file import Args, begin, freeze, learn, make_model, make_tables, restore, save
from shengji_env.cli.exit_codes import EXIT_INTERRUPTED
from shengji_env.errors import CheckpointError, ShengjiError
from shengji_env.players import make_player
from shengji_env.players.networks.policy import POLICY_FILE
from tests.helpers.paths import ROOT

SMALL = Args(
    rules="one_deck", steps=256, tables=16, rollout_steps=8, updates=1, width=8, minibatch=64, watched_deals=2, deals=2
)
ROLLOUT = SMALL.rollout


def small(folder: Path, **changed: Any) -> Args:
    return dataclasses.replace(SMALL, out=str(folder), **changed)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return dict(restore(small(folder)).parameters["policy"])


def test_it_learns_and_writes_what_came_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = small(tmp_path)
    first = begin(args).parameters["policy"]
    assert sb3_single_file.train(args)
    assert any((weights(tmp_path)[name] != tensor).any() for name, tensor in first.items())
    result = json.loads((tmp_path / "result.json").read_text())
    assert [row["steps"] for row in result["curve"]] == [0, ROLLOUT, 2 * ROLLOUT]
    assert set(result["opponents"]) == {"random", "greedy", "heuristic"}
    printed = capsys.readouterr().out
    assert "256 of 256 steps" in printed
    assert f"policy:{tmp_path} heuristic" in printed


def test_a_run_that_was_stopped_learns_what_it_would_have_learned(tmp_path: Path) -> None:
    whole, halves = small(tmp_path / "whole"), small(tmp_path / "halves")
    assert sb3_single_file.train(whole)
    (tmp_path / "halves").mkdir()
    progress = begin(halves)
    learn(progress, freeze(progress, halves), halves, InterruptFlag())
    save(progress, halves)
    assert sb3_single_file.train(halves)
    for name, tensor in weights(tmp_path / "whole").items():
        assert torch.equal(weights(tmp_path / "halves")[name], tensor)


def test_a_run_that_has_ended_goes_on_with_more_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sb3_single_file.train(small(tmp_path))
    assert sb3_single_file.train(small(tmp_path, steps=2 * ROLLOUT + 1))
    assert restore(small(tmp_path)).steps == 3 * ROLLOUT
    assert f"{3 * ROLLOUT} of {3 * ROLLOUT} steps" in capsys.readouterr().out


def test_the_opponents_are_a_copy_that_does_not_learn(tmp_path: Path) -> None:
    """At tables where the copy sits, it makes the likeliest action of the weights at the time of the copy."""
    args = small(tmp_path)
    progress = begin(args)
    player = freeze(progress, args)
    env = make_tables(args, player)
    (copy, *others) = env.envs.unwrapped._seats._others._players[1:]
    assert all(other is copy for other in others)
    before = copy.network.layers[0][0].copy()
    learn(progress, player, args, InterruptFlag())
    np.testing.assert_array_equal(copy.network.layers[0][0], before)
    assert (make_player(freeze(progress, args)).network.layers[0][0] != before).any()


def test_weights_that_have_diverged_are_not_written(tmp_path: Path) -> None:
    progress = begin(small(tmp_path))
    progress.parameters["policy"]["action_net.bias"][0] = torch.nan
    with pytest.raises(ShengjiError, match=r"no longer finite \(action_net.bias\)"):
        freeze(progress, small(tmp_path))
    assert not (tmp_path / POLICY_FILE).exists()


def test_the_player_decides_like_the_network(tmp_path: Path) -> None:
    args = small(tmp_path)
    progress = begin(args)
    learn(progress, freeze(progress, args), args, InterruptFlag())
    player, model = make_player(freeze(progress, args)), make_model(args, "random")
    model.set_parameters(dict(progress.parameters))
    env = make_tables(args, "random")
    observation = env.reset()
    for _ in range(40):
        masks = np.stack(env.env_method("action_masks"))
        expected, _ = model.predict(observation, action_masks=masks, deterministic=True)
        chosen = player.act(observation, masks.astype(np.int8), np.zeros(len(masks), np.uint64))
        assert (chosen == expected).mean() > 0.9
        observation = env.step(chosen)[0]  # an illegal action would raise


def changed(path: Path, how: str) -> None:
    saved = read_checkpoint(path)
    if how == "cut":
        path.write_bytes(path.read_bytes()[:1000])
    elif how == "other":
        write_checkpoint(path, Checkpoint({"steps": 3}, b"", {}))
    elif how == "model":
        write_checkpoint(path, Checkpoint(saved.meta, b"none", {}))
    else:
        write_checkpoint(path, Checkpoint(saved.meta | {"steps": -1}, saved.model, {}))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("cut", "damaged or not a checkpoint"),
        ("other", "is not compatible"),
        ("model", "holds no weights of such a network"),
        ("steps", "steps in its meta.json is -1"),
    ],
)
def test_a_damaged_folder_is_refused(tmp_path: Path, how: str, message: str) -> None:
    args = small(tmp_path)
    save(begin(args), args)
    before = (tmp_path / CHECKPOINT_NAME).read_bytes()
    changed(tmp_path / CHECKPOINT_NAME, how)
    altered = (tmp_path / CHECKPOINT_NAME).read_bytes()
    with pytest.raises(CheckpointError, match=message) as caught:
        sb3_single_file.train(args)
    assert "\n" not in str(caught.value)
    assert (tmp_path / CHECKPOINT_NAME).read_bytes() == altered != before


def test_other_settings_are_refused_with_what_differs(tmp_path: Path) -> None:
    save(begin(small(tmp_path)), small(tmp_path))
    with pytest.raises(CheckpointError, match="seed: 1 in the checkpoint, 2 here; width: 8 in the "):
        sb3_single_file.train(small(tmp_path, seed=2, width=16))


@pytest.mark.thorough
def test_ctrl_c_saves_what_the_last_update_learned(tmp_path: Path) -> None:
    options = vars(small(tmp_path, steps=10**9, updates=1)).items()
    words = [word for name, value in options for word in (f"--{name.replace('_', '-')}", str(value))]
    command = [sys.executable, "-m", "agents.sb3_single_file", *words]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while not process.stdout.readline().startswith("256 of 1,000,000,000 steps"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == EXIT_INTERRUPTED
    process.stdout.close()
    steps = restore(small(tmp_path)).steps
    assert steps > 0
    assert steps % ROLLOUT == 0


class Intruder:
    """Makes a folder where it is unpickled."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("intruder",)


def test_a_checkpoint_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    args = small(tmp_path / "run")
    progress = begin(args)
    save(dataclasses.replace(progress, parameters={"policy": Intruder()}), args)
    with pytest.raises(CheckpointError, match="UnpicklingError"):
        sb3_single_file.train(args)
    assert not Path("intruder").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--minibatch", "200"], "minibatch=200 must be a whole number from 2 to 128"),
        (["--tables", "0"], "tables=0 must be a whole number"),
        (["--deals", "1"], "deals=1 must be a whole number from 2"),
        (["--learning-rate", "0"], "learning_rate=0.0 must lie in 0 to 1"),
        (["--rules", "poker"], "no rule set is called 'poker'"),
    ],
)
def test_impossible_settings_are_refused_at_once(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {f"--{name.replace('_', '-')}": str(value) for name, value in vars(small(tmp_path / "run")).items()}
    options |= {words[0]: words[1]}
    monkeypatch.setattr("sys.argv", ["sb3_single_file", *[word for pair in options.items() for word in pair]])
    assert sb3_single_file.main() == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run" / CHECKPOINT_NAME).exists()


# ---- handed over by train.py


def test_train_hands_over_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = {name: getattr(SMALL, name) for name in ("tables", "rollout_steps", "updates", "width", "minibatch")}
    monkeypatch.setattr(sb3_single_file, "Args", partial(Args, **sizes))
    folder, config = tmp_path / "run", str(ROOT / "configs" / "ppo.toml")
    settings = ("environment.rules=one_deck", "training.steps=128", "evaluation.deals=2", "evaluation.final_deals=2")
    command = [config, "--out", str(folder), *[word for each in settings for word in ("--set", each)]]
    assert train.main(command) == 0
    assert restore(small(folder)).steps == ROLLOUT
    assert train.main(["--resume", str(folder), "--set", "training.steps=256"]) == 0
    assert restore(small(folder)).steps == 2 * ROLLOUT
    assert train.main(["--resume", str(folder)]) == 0
    assert json.loads((folder / "result.json").read_text())["settings"]["steps"] == 256
    capsys.readouterr()
    assert train.main(command) == 2
    assert "already holds a run; continue it with --resume" in capsys.readouterr().err
    assert train.main(["--resume", str(folder), "--set", "run.seed=2"]) == 2
    assert "seed: 1 in the checkpoint, 2 here" in capsys.readouterr().err
