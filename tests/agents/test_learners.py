"""The seam: a learner of another kind goes through whole runs, and the protocol is all that a run asks of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import train
from agents.checkpoint import CHECKPOINT_NAME, part_of, read_checkpoint
from agents.config_files import config_from, describe_keys, load_config, override, to_toml
from agents.display import Display
from agents.interrupt import Interrupted, InterruptFlag
from agents.kinds import KINDS, LearnerKind
from agents.learner_protocol import Collected, LearnerState, Stage, main_stage
from agents.run import TrainingRun
from agents.run_config import Config, LearnerConfig
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.errors import CheckpointError, ConfigError, ShengjiError
from shengji_env.players.networks.policy import POLICY_FILE, LayerStack, PolicyPlayer, write_policy
from shengji_env.support.settings import between, settled
from shengji_env.tables.observation import OBSERVATION_SIZE

BATCH = 10


@dataclass(frozen=True)
class GuessingTable:
    """[guessing]: keys of a learner that only counts."""

    samples: int = between(40, 1)
    """Samples of the main stage; 1 or more."""
    step: float = settled(between(0.5, 0, 1))
    """How far one update moves; 0 to 1."""


@dataclass(frozen=True)
class GuessingConfig(Config):
    learner: LearnerConfig = field(default=LearnerConfig("guessing"))
    guessing: GuessingTable = GuessingTable()

    def compatibility(self) -> dict[str, Any]:
        return {"guesses": 1}


class GuessingStage(Stage):
    """Draws samples for the learner that has it."""

    learner: "GuessingLearner"

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        assert 0 <= done < 1
        check()
        self.learner.samples = self.learner.generator.normal(size=BATCH)
        return Collected(BATCH, {"drawing": 1e-3})

    def update(self, done: float) -> dict[str, float]:
        self.learner.weight += self.learner.config.guessing.step * float(self.learner.samples.mean())
        return {"weight": self.learner.weight} if self.name == "guesses" else {"warmth": done}


@dataclass
class GuessingLearner:
    """Moves one weight by random samples: no environment, no torch, no losses."""

    config: GuessingConfig
    weight: float = 0.0
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))
    samples: Any = None
    closed: bool = False

    drawn = {"weight": "the only weight", "missing": "a figure of no stage"}  # noqa: RUF012
    about = {"machine": "any"}  # noqa: RUF012
    findings = ("nothing was found",)

    @property
    def stages(self) -> tuple[Stage, ...]:
        main = GuessingStage("guesses", unit="samples", amount=self.config.guessing.samples, shown=("weight",))
        stages = GuessingStage("warming up", unit="guesses", amount=BATCH, has_matchups=False), main
        for stage in stages:
            stage.learner = self
        return stages

    @staticmethod
    def check(config: GuessingConfig) -> None:
        if config.guessing.samples == 13:
            raise ConfigError("there are no 13 samples")

    @classmethod
    def fresh(cls, config: GuessingConfig) -> "GuessingLearner":
        return cls(config)

    @classmethod
    def restored(cls, config: GuessingConfig, saved: LearnerState) -> "GuessingLearner":
        if "weight" not in saved.arrays:
            raise CheckpointError("it has no weight")
        learner = cls(config, float(saved.arrays["weight"][0]))
        learner.generator.bit_generator.state = part_of(saved.meta, "generator", dict)
        return learner

    def save(self) -> LearnerState:
        return LearnerState({"generator": self.generator.bit_generator.state}, b"", {"weight": np.array([self.weight])})

    def export(self, folder: Path) -> str:
        generator = np.random.default_rng(0)
        weights = generator.normal(size=(OBSERVATION_SIZE, NUM_ACTIONS)) * self.weight
        layers = ((weights.astype(np.float32), np.zeros(NUM_ACTIONS, np.float32)),)
        write_policy(LayerStack(layers), folder / POLICY_FILE, rules=self.config.environment.rules)
        return f"policy:{folder}"

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def guessing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "guessing", LearnerKind("guesses", GuessingConfig, ("rich",), lambda: GuessingLearner))


def config_file(folder: Path, samples: int, seed: int = 1) -> Path:
    path = folder / "guessing.toml"
    path.write_text(
        f"""
        [run]
        seed = {seed}
        [learner]
        kind = "guessing"
        [guessing]
        samples = {samples}
        [evaluation]
        every_seconds = 1e-6
        deals = 2
        final_deals = 2
        ablation_deals = 2
        [checkpoint]
        every_seconds = 0
        """
    )
    return path


def weight(folder: Path) -> float:
    return float(read_checkpoint(folder / CHECKPOINT_NAME).arrays["weight"][0])


def test_a_run_of_another_learner_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert train.main([str(config_file(tmp_path, 40)), "--out", str(folder)]) == 0
    result = json.loads((folder / "result.json").read_text())
    assert result["learner"] == {"kind": "guessing", "machine": "any"}
    assert result["libraries"]["rich"]
    assert "stable-baselines3" not in result["libraries"]
    warming, main = result["stages"]
    assert (warming["name"], warming["amount"], main["name"], main["amount"]) == ("warming up", BATCH, "guesses", 40)
    assert set(main["shares"]) == {"drawing", "update"}
    assert json.loads((folder / "run.json").read_text())["world"]["guesses"] == 1
    assert (folder / "learning_curve.png").stat().st_size > 0
    assert list((folder / "tensorboard").iterdir())
    assert PolicyPlayer.load(folder)
    printed = capsys.readouterr().out
    assert "40 samples of guesses" in printed
    assert "samples/s: drawing" in printed
    assert "0 samples: vs random" in printed
    assert "nothing was found" in printed
    rows = read_checkpoint(folder / CHECKPOINT_NAME).meta["progress"]["history"]
    assert [row["stage"] for row in rows] == ["warming up"] + ["guesses"] * 4
    matchups = read_checkpoint(folder / CHECKPOINT_NAME).meta["progress"]["matchups"]
    assert {row["stage"] for row in matchups} == {"guesses"}


@pytest.mark.thorough
def test_a_resumed_run_of_another_learner_is_the_uninterrupted_one(tmp_path: Path) -> None:
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    assert train.main([str(config_file(tmp_path, 40)), "--out", str(whole)]) == 0
    assert train.main([str(config_file(tmp_path, 20)), "--out", str(halves)]) == 0
    halfway = weight(halves)
    assert train.main(["--resume", str(halves), "--set", "guessing.samples=40"]) == 0
    assert weight(halves) == weight(whole) != halfway


@pytest.mark.parametrize("diverged", [np.inf, np.nan])
def test_a_run_that_diverges_is_stopped_and_nothing_of_it_is_saved(diverged: float, tmp_path: Path) -> None:
    config, folder = load_config(config_file(tmp_path, 40)), tmp_path / "run"
    with Display() as display, TrainingRun.start(config, folder, display, InterruptFlag()) as run:
        assert isinstance(run.learner, GuessingLearner)
        run.learner.weight = diverged
        with pytest.raises(ShengjiError, match=r"what is learned is no longer finite \(weight\)"):
            run.learn()
        if np.isinf(diverged):  # what was not measured is NaN
            with pytest.raises(ShengjiError, match="no longer finite"):
                run._collect_and_update(run.learner.stages[-1])
    assert weight(folder) == 0
    assert not (folder / POLICY_FILE).exists()


def test_an_interrupted_collection_is_lost_and_the_rest_is_saved(tmp_path: Path) -> None:
    config, flag = load_config(config_file(tmp_path, 40)), InterruptFlag()
    with Display() as display, TrainingRun.start(config, tmp_path / "run", display, flag) as run:
        flag.is_set = True
        assert not run.learn()
        flag.is_set = False
        with pytest.raises(Interrupted):
            run.learner.stages[0].collect(0.0, raise_interrupted)
        assert run.learn()
        assert run.progress.of(run.learner.stages[-1]).amount == 40
    assert isinstance(run.learner, GuessingLearner)
    assert run.learner.closed


def raise_interrupted() -> None:
    raise Interrupted


def test_what_a_new_run_needs_is_checked_before_its_folder_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train.main([str(config_file(tmp_path, 13)), "--out", str(tmp_path / "run")]) == 2
    assert "there are no 13 samples" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_main_stage_is_the_last_with_match_ups() -> None:
    without = [GuessingStage(name, "steps", 1, has_matchups=False) for name in "ab"]
    assert main_stage((without[0], GuessingStage("c", "steps", 1), without[1])).name == "c"
    assert main_stage(without).name == "a"


def test_each_kind_has_its_own_keys(tmp_path: Path) -> None:
    config = load_config(config_file(tmp_path, 40))
    assert isinstance(config, GuessingConfig)
    (tmp_path / "again.toml").write_text(to_toml(config))
    assert load_config(tmp_path / "again.toml") == config
    with pytest.raises(ConfigError, match=r"unknown table \[training\].*known: run, learner,"):
        config_from({"learner": {"kind": "guessing"}, "training": {}})
    with pytest.raises(ConfigError, match=r"learner\.kind = 3: must be one of ppo, selfplay, guessing"):
        config_from({"learner": {"kind": 3}})
    with pytest.raises(ConfigError, match="the value learner is gone"):
        config_from({"learner": {"kind": "values"}})
    with pytest.raises(ConfigError, match=r"learner\.kind=ppo: the kind of learner is chosen in the config's file"):
        override(config, ["learner.kind=ppo"])
    assert "[guessing]  keys of a learner that only counts." in describe_keys()
    assert describe_keys().count("[evaluation]") == 1


def test_what_the_learner_settles_cannot_be_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert train.main([str(config_file(tmp_path, 10)), "--out", str(folder)]) == 0
    capsys.readouterr()
    assert train.main(["--resume", str(folder), "--set", "guessing.step=0.1"]) == 2
    assert "guessing.step is settled when a run starts: it is 0.5 here" in capsys.readouterr().err
