"""The second generation: whose rounds its labels are of, the duel, resuming in each of its stages, what is refused."""

import contextlib
import dataclasses
import itertools
import json

import numpy as np
import pytest

import train
from agents.config_files import load_config
from agents.display import Display
from agents.interrupt import Interrupted, InterruptFlag
from agents.run import TrainingRun
from agents.values.duel import Duel
from agents.values.second_generation import SEED
from shengji_env.arena import make_player
from shengji_env.datasets.rollouts import RolloutSettings, generate, read_folder, read_shard
from shengji_env.errors import CheckpointError
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.value_file import VALUES_FILE, ValueFile, read_values, weights_digest
from tests.agents.values.test_learner import SHARD, TINY, Stop, config_file, go_on, resumed, saved, weights

SECOND = """
[second_generation]
rounds = 40
opponents = {heuristic = 0.5}
learning_rate = 1e-2
start_share = 0.25
deals = 4
"""
STAGES = ["second fitting", "duel"]


def start(folder, shards, flag=None, overrides=()):
    """Learn, and return whether it was finished."""
    config = load_config(config_file(folder, shards, TINY + SECOND), list(overrides))
    with Display() as display, TrainingRun.start(config, folder / "run", display, flag or InterruptFlag()) as run:
        return run.learn()


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    return tmp_path_factory.mktemp("rollouts")


@pytest.fixture(scope="module")
def whole(tmp_path_factory, shards):
    """The folder of a run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    assert start(folder, shards)
    return folder


def arrays_of(folder, prefix):
    arrays = saved(folder).arrays
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def played_by_both(folder):
    """Weights of the network of each generation, as a run exports them."""
    with Display() as display, TrainingRun.resume(folder / "run", [], display, InterruptFlag()) as run:
        return run.learner.fitting.weights(), run.learner.second.fitting.weights()


def halved(weights):
    """Weights as a file holds them."""
    return {name: array.astype(np.float16).astype(np.float32) for name, array in weights.items()}


def are_equal(weights, others):
    return all((others[name] == array).all() for name, array in weights.items())


# ---- whole runs


def test_a_run_says_what_the_second_generation_brought(tmp_path, capsys):
    folder = tmp_path / "run"
    assert train.main([str(config_file(tmp_path, tmp_path / "rollouts", TINY + SECOND)), "--out", str(folder)]) == 0
    printed = capsys.readouterr().out
    result = json.loads((folder / "result.json").read_text())
    stages = {stage["name"]: (stage["unit"], stage["amount"]) for stage in result["stages"]}
    assert list(stages) == ["held out", "fitting", *STAGES]
    assert [stages[name] for name in STAGES] == [("rounds", 80), ("deals", 4)]
    duel = Duel.from_json(result["learner"]["duel"])
    assert str(duel) in printed
    made = read_values(folder / VALUES_FILE).made
    assert made["rounds"] == 80
    assert made.get("second_rounds") == (40 if duel.is_taken else None)
    assert make_player(f"values:{folder}")
    history = saved(tmp_path).meta["progress"]["history"]
    assert np.isfinite([row["held_out_r2"] for row in history if row["stage"] == "second fitting"][-1])


def test_its_rounds_are_of_the_first_network_in_other_deals(shards, whole):
    first, _ = played_by_both(whole)
    policy = f"network:{weights_digest(halved(first))}"
    (folder,) = (path for path in shards.iterdir() if policy.replace(":", "-") in path.name)
    made = read_folder(folder)
    assert (made.settings.policy, made.settings.seed, len(made.shards)) == (policy, 3 + SEED, 40 // SHARD)
    assert made.settings.opponents == {"heuristic": 0.5}
    player = ValuePlayer(ValueFile(halved(first), None, {}), name=policy)
    again = dataclasses.replace(made.settings, players={policy: player})
    assert read_shard(made.shards[1]).candidates.tobytes() == generate(again, SHARD, SHARD).candidates.tobytes()
    other = RolloutSettings(rules="one_deck", seed=3 + SEED, opponents={"heuristic": 0.5})
    assert read_shard(made.shards[1]).decisions.tobytes() != generate(other, SHARD, SHARD).decisions.tobytes()


def test_the_first_generation_is_that_of_a_run_without_a_second(tmp_path, shards, whole):
    assert start(tmp_path, shards, overrides=["second_generation.rounds=0"])
    first = weights(tmp_path)
    assert {name: array for name, array in weights(whole).items() if not name.startswith("second/")} == first
    assert are_equal(read_values(tmp_path / "run" / VALUES_FILE).weights, halved(played_by_both(whole)[0]))


def test_the_second_network_is_the_mean_of_what_it_started_from_and_what_it_learned(whole):
    first, second = played_by_both(whole)
    own = arrays_of(whole, "second/")
    learned = own["weights.last"]
    np.testing.assert_allclose(second["last"], 0.25 * first["last"] + 0.75 * learned, atol=1e-6)
    assert np.abs(learned - first["last"]).max() > 1e-3
    np.testing.assert_array_equal(own["scales.suit"], saved(whole).arrays["scales.suit"])


def test_the_same_seed_makes_the_same_and_shards_that_are_there_are_used(tmp_path, shards, whole):
    before = {path: path.stat().st_mtime_ns for path in shards.glob("*/*.rollouts")}
    assert start(tmp_path, shards)
    assert weights(tmp_path) == weights(whole)
    assert saved(tmp_path).meta["learner"]["second"] == saved(whole).meta["learner"]["second"]
    assert {path: path.stat().st_mtime_ns for path in shards.glob("*/*.rollouts")} == before


def test_network_tricks_are_those_of_the_second_network_if_the_first_is_none(tmp_path):
    assert start(tmp_path, tmp_path / "rollouts", overrides=["rollouts.network_tricks=2", "rollouts.rounds=20"])
    tricks = {read_folder(path).settings.network_tricks for path in (tmp_path / "rollouts").iterdir()}
    assert tricks == {1, 2}


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(tmp_path, whole):
    """The workers of the first generation make the second's shards, too."""
    assert start(tmp_path, tmp_path / "rollouts", overrides=["rollouts.workers=2"])
    assert weights(tmp_path) == weights(whole)


# ---- the duel


@pytest.mark.parametrize("levels", [-0.1, -0.03, 0.0, 0.1])
def test_the_second_network_is_exported_unless_it_is_worse_beyond_chance(tmp_path, whole, levels):
    second = saved(whole).meta["learner"]["second"]
    duel = {"levels": levels, "low": levels - 0.05, "high": levels + 0.05, "deals": 4}
    assert resumed(tmp_path, saved(whole), {}, {"second": {**second, "duel": duel}})
    exported = read_values(tmp_path / "run" / VALUES_FILE).weights
    assert are_equal(exported, halved(played_by_both(whole)[levels > -0.05]))
    assert ("it is worse; the first network is exported" in str(Duel(**duel))) == (levels < -0.05)


def test_until_the_duel_is_over_the_first_network_is_exported(tmp_path, whole):
    with Display() as display, TrainingRun.resume(whole / "run", [], display, InterruptFlag()) as run:
        run.learner.second.duel.result = None
        run.learner.export(tmp_path)
    assert are_equal(read_values(tmp_path / VALUES_FILE).weights, halved(played_by_both(whole)[0]))


# ---- interruptions


class StopIn(InterruptFlag):
    """Stops the run, or kills it, at the n-th look after a stage has begun."""

    def __init__(self, stage, looks, error):
        super().__init__()
        self.stage, self.looks, self.error, self.run = stage, looks, error, None

    def check(self):
        if self.run is not None and self.stage in self.run.progress.stages:
            self.looks -= 1
            if self.looks == 0:
                raise self.error


@pytest.mark.thorough
@pytest.mark.parametrize("error", [Interrupted, Stop])
@pytest.mark.parametrize(("stage", "looks"), list(itertools.product(STAGES, (1, 2))))
def test_a_run_that_is_stopped_in_a_stage_goes_on_to_the_same_weights(tmp_path, whole, stage, looks, error):
    flag = StopIn(stage, looks, error)
    config = load_config(config_file(tmp_path, tmp_path / "rollouts", TINY + SECOND), [])
    with Display() as display, TrainingRun.start(config, tmp_path / "run", display, flag) as run:
        flag.run = run
        with contextlib.suppress(Stop):
            assert not run.learn()
    assert flag.looks == 0
    assert "duel" not in saved(tmp_path).meta["learner"]["second"] or stage == "duel"
    assert go_on(tmp_path)
    assert weights(tmp_path) == weights(whole)
    assert saved(tmp_path).meta["learner"]["second"] == saved(whole).meta["learner"]["second"]


# ---- what is refused


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"second/weights.value": None}, "its arrays are others than its network's"),
        ({"second/other": np.zeros(1, np.float32)}, "its arrays are others than its network's: other"),
        ({"second/start/value": None}, r"its arrays start/\* have other names or shapes"),
        ({"second/scales.suit": np.full(3, np.nan, np.float32)}, r"its scales\.suit is"),
    ],
)
def test_arrays_that_no_run_could_have_saved_are_refused(tmp_path, whole, arrays, message):
    with pytest.raises(CheckpointError, match=message) as refused:
        resumed(tmp_path, saved(whole), arrays)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"duel": {"levels": 1.0}}, "duel"),
        ({"duel": 3}, "duel"),
        ({"groups": -1}, "groups"),
        ({"made": None}, "made"),
        ({"rounds": 30}, "it learned from 30 rounds, and now there are 40"),
    ],
)
def test_values_that_no_run_could_have_saved_are_refused(tmp_path, whole, values, message):
    second = {**saved(whole).meta["learner"]["second"], **values}
    with pytest.raises(CheckpointError, match=message) as refused:
        resumed(tmp_path, saved(whole), {}, {"second": second})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("assignment", ["second_generation.rounds=80", "second_generation.start_share=0.5"])
def test_what_decides_the_labels_and_the_network_is_settled(tmp_path, whole, capsys, assignment):
    assert train.main(["--resume", str(whole / "run"), "--set", assignment]) == 2
    assert f"{assignment.partition('=')[0]} is settled when a run starts" in capsys.readouterr().err
