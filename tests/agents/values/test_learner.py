"""Whole runs of the learner of values: the same samples and weights however they are interrupted; mistakes."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import agents.folder
import train
from agents.checkpoint import CHECKPOINT_NAME, Checkpoint, read_checkpoint, write_checkpoint
from agents.config_files import config_from, load_config
from agents.display import Display
from agents.interrupt import Interrupted, InterruptFlag
from agents.run import TrainingRun
from agents.toml_text import toml_value
from agents.values.labels import Labels
from agents.values.minibatches import minibatch_of
from agents.values.value_learner import ValueLearner
from shengji_env.arena import make_player
from shengji_env.datasets.rollouts import RolloutSettings, generate, read_folder, read_shard, write_rollouts
from shengji_env.engine.rule_sets import parse_rules, rule_set
from shengji_env.errors import CheckpointError, ConfigError, PlayerError
from shengji_env.players.networks.champion.compiled_network import values_of
from shengji_env.players.networks.champion.conditioning import features_of, without_rules
from shengji_env.players.networks.champion.value_file import VALUES_FILE, read_values, weights_digest
from shengji_env.players.networks.distilled.distilled_file import distilled_digest, shipped_network
from shengji_env.support.workers.pools import InProcess
from tests.helpers.value_networks import WIDTHS, write_network

ROUNDS, HELD_OUT, SHARD = 80, 20, 10
LAYERS = ("suit", "trump", "hidden", "last")
TINY = f"""
[run]
seed = 3
[environment]
rules = "one_deck"
[learner]
kind = "values"
[rollouts]
folder = "FOLDER"
rounds = {ROUNDS}
held_out_rounds = {HELD_OUT}
shard_rounds = {SHARD}
workers = 1
[network]
suit = 16
trump = 16
hidden = 32
last = 16
[fitting]
minibatch = 64
precision = "float32"
torch_threads = 1
device = "cpu"
[evaluation]
every_seconds = 0
deals = 4
final_deals = 6
ablation_deals = 4
[checkpoint]
every_seconds = 0
"""


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    return tmp_path_factory.mktemp("rollouts")


def config_file(folder, shards, text=TINY):
    path = folder / "values.toml"
    path.write_text(text.replace("FOLDER", str(shards)))
    return path


def start(folder, shards, flag=None, overrides=()):
    """Learn, and return whether it was finished."""
    config = load_config(config_file(folder, shards), list(overrides))
    with Display() as display, TrainingRun.start(config, folder / "run", display, flag or InterruptFlag()) as run:
        return run.learn()


def go_on(folder, flag=None):
    with Display() as display, TrainingRun.resume(folder / "run", [], display, flag or InterruptFlag()) as run:
        return run.learn()


def saved(folder):
    return read_checkpoint(folder / "run" / CHECKPOINT_NAME)


def settled(weights):
    """Weights as a run exports them: what the rules bring to `hidden` is in its bias."""
    return without_rules(weights, features_of(rule_set("one_deck")))


def weights(folder):
    arrays = saved(folder).arrays
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory, shards):
    """The weights of a run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    assert start(folder, shards)
    return weights(folder)


class Stop(Exception):
    """Stands for a kill: nothing is saved."""


class After(InterruptFlag):
    """Asks the run to stop, or kills it, at the n-th look."""

    def __init__(self, looks, error):
        super().__init__()
        self.looks, self.error = looks, error

    def check(self):
        self.looks -= 1
        if self.looks == 0:
            raise self.error


def stop_in_fitting(folder, shards, overrides=()):
    """Stop a run after two groups of shards."""

    class Later(InterruptFlag):
        def check(self):
            if run.learner.fitting.groups == 2:
                raise Interrupted

    config = load_config(config_file(folder, shards), list(overrides))
    with Display() as display, TrainingRun.start(config, folder / "run", display, Later()) as run:
        assert not run.learn()


# ---- whole runs


def test_a_run_trains_and_exports_a_player(tmp_path, capsys):
    folder = tmp_path / "run"
    assert train.main([str(config_file(tmp_path, tmp_path / "rollouts")), "--out", str(folder)]) == 0
    assert f"values:{folder}" in capsys.readouterr().out
    player = make_player(f"values:{folder}")
    assert player.name == f"values:{folder}"
    made = read_values(folder / VALUES_FILE).made
    assert (made["seed"], made["rounds"]) == (3, ROUNDS)
    history = saved(tmp_path).meta["progress"]["history"]
    assert {row["stage"] for row in history} == {"held out", "fitting"}
    assert np.isfinite(history[-1]["held_out_r2"])


@pytest.mark.parametrize(
    ("rounds", "stages"),
    [
        (ROUNDS - SHARD, {"fitting": ROUNDS - SHARD}),
        (ROUNDS, {"fitting": ROUNDS}),
        (ROUNDS + 5 * SHARD, {"fitting": ROUNDS + 5 * SHARD}),
    ],
)
def test_a_run_makes_only_the_rollouts_that_are_missing(tmp_path, shards, whole, capsys, rounds, stages):
    """Also if it is stopped while it makes them. If none are missing that are held out, it has no such stage."""
    copy = shutil.copytree(shards, tmp_path / "rollouts")
    assert not start(tmp_path, copy, After(2, Interrupted), [f"rollouts.rounds={rounds}", "fitting.epochs=1"])
    assert train.main(["--resume", str(tmp_path / "run")]) == 0
    assert f"{min(rounds, ROUNDS) + HELD_OUT} of {rounds + HELD_OUT} rounds of rollouts were there already" in (
        capsys.readouterr().out
    )
    progress = saved(tmp_path).meta["progress"]["stages"]
    assert {name: stage["amount"] for name, stage in progress.items()} == stages


@pytest.mark.usefixtures("cache_home")
@pytest.mark.parametrize("are_there", [False, True])
def test_all_is_compiled_before_the_clock_of_the_first_stage_with_one_note(tmp_path, shards, whole, capsys, are_there):
    config = load_config(config_file(tmp_path, shards if are_there else tmp_path / "shards"), [])
    capsys.readouterr()
    with Display() as display, TrainingRun.start(config, tmp_path / "run", display, InterruptFlag()) as run:
        said = capsys.readouterr().err
        assert [line.split(",")[0] for line in said.splitlines() if "compiling" in line] == [
            "shengji_env: compiling what the run needs"
        ]
        first = run.learner.stages[0]
        assert first.name == ("fitting" if are_there else "held out")
        first.get_ready()
        first.collect(0.0, lambda: None)
        assert "compiling" not in capsys.readouterr().err


def test_what_is_exported_is_the_network(tmp_path, shards):
    config = load_config(config_file(tmp_path, shards))
    with Display() as display, TrainingRun.start(config, tmp_path / "run", display, InterruptFlag()) as run:
        assert run.learn()
        inputs = minibatch_of(run.learner.labels.read_held_out()).inputs
        learned = run.learner.network(inputs).detach().numpy()
    exported = read_values(tmp_path / "run" / VALUES_FILE).weights
    assert VALUES_FILE in str(agents.folder.__doc__)
    assert VALUES_FILE in str(train.__doc__)
    assert np.abs(learned).max() > 1e-4
    np.testing.assert_allclose(values_of(exported, inputs), learned, rtol=1e-3, atol=1e-6)


def test_runs_share_their_shards_which_are_those_of_the_generator(tmp_path, shards, whole):
    folders = sorted(shards.iterdir())
    assert [folder.name.endswith("held-out") for folder in folders] == [False, True]
    before = {path: path.stat().st_mtime_ns for folder in folders for path in read_folder(folder).shards}
    assert len(before) == (ROUNDS + HELD_OUT) // SHARD
    assert start(tmp_path, shards)
    assert weights(tmp_path) == whole
    assert {path: path.stat().st_mtime_ns for folder in folders for path in read_folder(folder).shards} == before
    first = read_shard(read_folder(folders[0]).shards[0])
    again = generate(RolloutSettings(rules="one_deck", seed=3), 0, SHARD)
    assert first.candidates.tobytes() == again.candidates.tobytes()
    assert read_folder(folders[1]).settings.seed == 3 + 2**40


def test_other_shards_do_not_get_in_the_way(tmp_path, shards, whole):
    assert start(tmp_path, shards, overrides=["rollouts.shard_rounds=20", "fitting.epochs=1"])
    assert weights(tmp_path) != whole


def test_a_network_can_make_the_rollouts_and_learn_on(tmp_path):
    network, shards = write_network(tmp_path / "first.npz", "one_deck"), tmp_path / "rollouts"
    overrides = [f"rollouts.policy=values:{network}", "rollouts.network_tricks=2", "rollouts.rounds=20"]
    overrides += [f"network.{name}={width}" for name, width in zip(LAYERS, WIDTHS, strict=True)]
    overrides += [f"network.start=values:{network}", "fitting.learning_rate=1e-5"]
    assert start(tmp_path, shards, overrides=overrides)
    before, after = read_values(network).weights, read_values(tmp_path / "run" / VALUES_FILE).weights
    begun = settled(before)
    for name, array in begun.items():
        np.testing.assert_allclose(after[name], array, atol=1e-2)
    assert any((after[name] != array).any() for name, array in begun.items())
    policy = f"network:{weights_digest(before)}"
    for folder in sorted(shards.iterdir()):
        settings = read_folder(folder).settings
        assert (settings.policy, settings.network_tricks) == (policy, 2)
        assert f"{policy.replace(':', '-')}-tricks-2-" in folder.name


def test_the_small_network_can_play_the_playouts(tmp_path, whole):
    shards = tmp_path / "rollouts"
    assert start(tmp_path, shards, overrides=["rollouts.playouts=distilled", "rollouts.rounds=20"])
    assert weights(tmp_path) != whole
    folders = sorted(shards.iterdir())
    assert ["-playouts-distilled-" in folder.name for folder in folders] == [True, True]
    named = {read_folder(folder).settings.playouts for folder in folders}
    assert named == {f"distilled:{distilled_digest(shipped_network())}"}


def test_folders_of_shards_are_named_as_before_after_who_plays(tmp_path):
    """So shards that are there are used again; long names end in a digest."""
    path = tmp_path / "mine.npz"
    network = f"values:{write_network(path, 'one_deck')}"
    digest = weights_digest(read_values(path).weights)
    shares = {"greedy": 0.3, "heuristic": 0.25, "random": 0.03}
    both = f"opponents-0.3-heuristic-0.25-random-0.03-network-{digest}-0.1"
    for policy, opponents, name in (
        ("heuristic", {}, ""),
        ("heuristic", shares, "opponents-0.3-heuristic-0.25-random-0.03-"),
        (network, {**shares, network: 0.1}, f"network-{digest}-tricks-1-{both}-"),
    ):
        text = toml_value(opponents)
        chosen = [f"rollouts.opponents={text}", f"rollouts.policy={policy}"]
        labels = Labels(load_config(config_file(tmp_path, tmp_path), chosen), InProcess())
        folder = labels._folder(is_held_out=False)
        assert folder.name == f"one_deck-{parse_rules('one_deck').fingerprint}-{name}seed-3-by-{SHARD}"
    many = {f"champion?phases={phase}": 0.1 for phase in ("bid", "bury", "lead", "follow")}
    labels = Labels(
        load_config(config_file(tmp_path, tmp_path), [f"rollouts.opponents={toml_value(many)}"]), InProcess()
    )
    assert len(labels._folder(is_held_out=True).name) < 200


def test_a_config_seats_any_players_but_code_only_if_the_file_is_trusted(tmp_path, shards, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "docs" / "tutorials"))
    own = "fast_policy:HighLow"
    for table in ('playouts = "OWN"\n[network]', '[rollouts.opponents]\n"OWN" = 0.5\n[network]'):
        path = config_file(tmp_path, shards, TINY.replace("[network]", table.replace("OWN", own)))
        for overrides in ([], ["run.seed=4"]):
            with pytest.raises(PlayerError, match=r"stands in a file, and names code .*--trust-file"):
                ValueLearner.check(load_config(path, overrides))
        ValueLearner.check(load_config(path, trusts_file=True))


@pytest.mark.parametrize(
    ("opponents", "said"),
    [
        ({"greedy": 0.6, "heuristic": 0.6}, "add up to 1.2, more than 1"),
        ({"greedy": 0}, "shares must be above 0; leave out who has none"),
        ({"greedy": "half"}, "share of opponents greedy='half' must be a number from 0 to 1"),
        (0.5, "opponents=0.5 must map players to shares"),
    ],
)
def test_impossible_shares_are_refused(opponents, said):
    for table in ("rollouts", "second_generation"):
        with pytest.raises(ConfigError, match=rf"{table}\.opponents = .*{re.escape(said)}"):
            config_from({"learner": {"kind": "values"}, table: {"opponents": opponents}})


@pytest.mark.parametrize("auxiliary", [0.0, 1.0])
def test_auxiliary_values_are_fitted_to_the_network_that_a_run_starts_from(tmp_path, shards, auxiliary):
    """Steps as small as these leave them where they began."""
    network = write_network(tmp_path / "first.npz", "one_deck")
    overrides = [f"network.{name}={width}" for name, width in zip(LAYERS, WIDTHS, strict=True)]
    overrides += [f"network.start=values:{network}", "fitting.learning_rate=1e-7", f"fitting.auxiliary={auxiliary}"]
    config = load_config(config_file(tmp_path, shards), overrides)
    with Display() as display, TrainingRun.start(config, tmp_path / "run", display, InterruptFlag()) as run:
        assert run.learn()
        sizes = run.learner.network.auxiliary.detach().norm(dim=0).numpy()
    assert (sizes > 0.01).all() if auxiliary else (sizes == 0).all()


def test_the_mean_of_start_and_learned_weights_can_be_exported(tmp_path, shards):
    """Also by a run that goes on when the network that it started from is gone."""
    network = write_network(tmp_path / "first.npz", "one_deck")
    overrides = [f"network.{name}={width}" for name, width in zip(LAYERS, WIDTHS, strict=True)]
    overrides += [f"network.start=values:{network}", "fitting.learning_rate=1e-2"]
    exported, started = {}, settled(read_values(network).weights)
    for share in (0, 0.25):
        folder = tmp_path / str(share)
        folder.mkdir()
        assert start(folder, shards, overrides=[*overrides, f"fitting.start_share={share}"])
        exported[share] = read_values(folder / "run" / VALUES_FILE).weights
    for name, array in exported[0].items():
        np.testing.assert_allclose(exported[0.25][name], 0.25 * started[name] + 0.75 * array, rtol=2e-3, atol=1e-4)
    assert max(np.abs(array - started[name]).max() for name, array in exported[0].items()) > 0.02
    again = tmp_path / "again"
    again.mkdir()
    stop_in_fitting(again, shards, [*overrides, "fitting.start_share=0.25"])
    network.unlink()
    assert go_on(again)
    for name, array in read_values(again / "run" / VALUES_FILE).weights.items():
        np.testing.assert_array_equal(array, exported[0.25][name])
    damaged = saved(again)
    del damaged.arrays["start/value"]
    write_checkpoint(again / "run" / CHECKPOINT_NAME, damaged)
    with pytest.raises(CheckpointError, match=r"its arrays start/\* have other names or shapes"):
        go_on(again)


def test_a_run_keeps_its_precision(tmp_path, shards, whole):
    """What was chosen when it started is reported, saved, and used when it goes on."""
    coarse = ["fitting.precision=bfloat16"]
    once, twice = tmp_path / "once", tmp_path / "twice"
    for folder in (once, twice):
        folder.mkdir()
    assert start(once, shards, overrides=coarse)
    assert weights(once) != whole
    assert saved(once).meta["learner"]["precision"] == "bfloat16"
    stop_in_fitting(twice, shards, coarse)
    assert 0 < saved(twice).meta["learner"]["groups"] < 2 * ROUNDS // SHARD
    assert go_on(twice)
    assert weights(twice) == weights(once)


def test_a_run_learns_from_earlier_shards_too(tmp_path, shards, whole):
    """The rounds of both are one epoch; more shards there, and the run cannot be continued."""
    pattern = "one_deck-*-seed-3-by-10"
    earlier = ["run.seed=4", f'rollouts.earlier=["{pattern}"]', "fitting.epochs=1"]
    copy = shutil.copytree(shards, tmp_path / "rollouts")
    assert start(tmp_path, copy, overrides=earlier)
    assert saved(tmp_path).meta["learner"]["rounds"] == 2 * ROUNDS
    assert weights(tmp_path) != whole
    (folder,) = copy.glob(pattern)
    settings = read_folder(folder).settings
    write_rollouts(folder, settings, ROUNDS + SHARD, shard_rounds=SHARD)
    with pytest.raises(CheckpointError, match="it learned from 160 rounds, and now there are 170"):
        go_on(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "others", "message"),
    [
        ("none-*", (), "0 folders of shards in .* match; one must"),
        ("*", (), r"\d+ folders of shards in .* match; one must"),
        ("one_deck-*-seed-3-by-10", ("environment.rules=two_deck",), "is of other rules than two_deck"),
        ("one_deck-*-seed-3-by-10", ("rollouts.shard_rounds=20",), "no shards, or others than of shard_rounds = 20"),
    ],
)
def test_earlier_shards_that_cannot_be_learned_from_are_refused(
    tmp_path, shards, whole, capsys, pattern, others, message
):
    path = config_file(tmp_path, shards)
    sets = [part for text in (f'rollouts.earlier=["{pattern}"]', *others) for part in ("--set", text)]
    assert train.main([str(path), "--out", str(tmp_path / "run"), *sets]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert "rollouts.earlier = " in error
    assert not (tmp_path / "run").exists()


# ---- interruptions


@pytest.mark.parametrize("error", [Interrupted, Stop])
def test_an_interrupted_run_goes_on_to_the_same_weights(tmp_path, shards, whole, error):
    """Wherever it is stopped: every number of looks at the flag is tried until the run ends by itself."""
    fresh, looks, stops = tmp_path / "rollouts", 1, 0
    while True:
        folder = tmp_path / str(looks)
        folder.mkdir()
        shutil.rmtree(fresh, ignore_errors=True)
        if error is Stop:
            try:
                finished = start(folder, fresh, After(looks, Stop))
            except Stop:
                finished = False
        else:
            finished = start(folder, fresh, After(looks, Interrupted))
        if not finished:
            stops += 1
            if (folder / "run" / CHECKPOINT_NAME).exists():
                assert go_on(folder)
                assert weights(folder) == whole
        if finished:
            break
        looks = looks * 2 if looks > 4 else looks + 1
    assert stops > 5


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(tmp_path, whole):
    assert start(tmp_path, tmp_path / "rollouts", overrides=["rollouts.workers=2"])
    assert weights(tmp_path) == whole


# ---- what is refused


@pytest.fixture(scope="module")
def halfway(tmp_path_factory, shards):
    """The checkpoint of a run that was stopped while the network was fitted."""
    folder = tmp_path_factory.mktemp("halfway")
    stop_in_fitting(folder, shards)
    return saved(folder)


def test_what_is_halfway_goes_on(tmp_path, halfway, whole):
    resumed(tmp_path, halfway, {})
    assert weights(tmp_path) == whole


def resumed(folder, checkpoint, arrays, meta=()):
    """Go on from a checkpoint some of whose arrays are changed, or dropped if they are None."""
    made = {name: array for name, array in (checkpoint.arrays | arrays).items() if array is not None}
    learner = {**checkpoint.meta["learner"], **dict(meta)}
    changed = Checkpoint({**checkpoint.meta, "learner": learner}, checkpoint.model, made)
    (folder / "run").mkdir()
    write_checkpoint(folder / "run" / CHECKPOINT_NAME, changed)
    return go_on(folder)


NAN = np.full((16, 2), np.nan, np.float32)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"weights.value": None}, r"its arrays are others than its network's: weights\.value"),
        ({"other": NAN}, "its arrays are others than its network's: other"),
        ({"exp_avg/weights.last": None}, "its arrays are others than its network's: exp_avg/weights.last"),
        ({"weights.value": NAN}, r"its weights\.value is float32 \(16, 2\), not finite float32 \(16, 2\)"),
        ({"weights.value": NAN[1:] * 0}, r"its weights\.value is float32 \(15, 2\), not"),
        ({"weights.value": np.zeros((16, 2))}, r"its weights\.value is float64 \(16, 2\), not"),
        ({"scales.suit": np.zeros(3, np.float32)}, r"its scales\.suit is float32 \(3,\), not"),
        ({"exp_avg_sq/weights.last_bias": np.full(16, -1, np.float32)}, "its exp_avg_sq/weights.last_bias is negative"),
        ({"step/weights.last_bias": np.array(-1, np.float32)}, "its step/weights.last_bias is negative"),
    ],
)
def test_arrays_that_no_run_could_have_saved_are_refused(tmp_path, halfway, arrays, message):
    with pytest.raises(CheckpointError, match=message) as refused:
        resumed(
            tmp_path, halfway, {name: array if array is None else np.asarray(array) for name, array in arrays.items()}
        )
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["found", "made", "steps", "groups", "measured", "precision"])
@pytest.mark.parametrize("value", [-1, True, "3", 1.5, None])
def test_counters_that_no_run_could_have_saved_are_refused(tmp_path, halfway, name, value):
    with pytest.raises(CheckpointError, match=name) as refused:
        resumed(tmp_path, halfway, {}, {name: value})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["found", "made", "steps", "groups", "measured"])
def test_counters_beyond_any_run_are_refused(tmp_path, halfway, name):
    with pytest.raises(CheckpointError, match=f"{name} in its meta.json is 1000000"):
        resumed(tmp_path, halfway, {}, {name: 10**30})


@pytest.mark.parametrize(("name", "message"), [("made", "more than the run's"), ("groups", "of ")])
def test_no_more_was_done_than_there_is_to_do(tmp_path, halfway, name, message):
    with pytest.raises(CheckpointError, match=f"{name} in its meta.json is 5000, {message}"):
        resumed(tmp_path, halfway, {}, {name: 5000})


def test_no_more_rounds_were_found_than_there_are(tmp_path, halfway):
    with pytest.raises(CheckpointError, match=r"found in its meta.json is 101, more than made, 100"):
        resumed(tmp_path, halfway, {}, {"found": ROUNDS + HELD_OUT + 1})


@pytest.mark.parametrize(
    ("table", "key", "value", "message"),
    [
        ("rollouts", "rounds", 1500, r"rollouts\.rounds = 1500 must be a multiple of shard_rounds = 1000"),
        ("rollouts", "held_out_rounds", 1, r"rollouts\.held_out_rounds = 1 must be a multiple of shard_rounds = 1000"),
        ("rollouts", "rounds", 0, r"rollouts\.rounds = 0"),
        ("rollouts", "folder", "", r"rollouts\.folder = \"\": must be a text"),
        ("rollouts", "folder", "a\0b", r"rollouts\.folder must be a path"),
        ("rollouts", "noise", 1, r"unknown key rollouts\.noise|noise"),
        ("network", "suit", 0, r"network\.suit = 0"),
        ("fitting", "minibatch", 1, r"fitting\.minibatch = 1"),
        ("fitting", "start_share", 0.5, r"fitting\.start_share = 0\.5 needs a network in network\.start"),
        ("fitting", "start_share", 1.5, r"fitting\.start_share = 1\.5"),
        ("fitting", "precision", "half", r"precision = .half.: must be one of auto, float32, bfloat16"),
        ("fitting", "device", "tpu", r"fitting\.device = .tpu.: must be one of auto, cpu, cuda"),
        ("rollouts", "network_tricks", 2, r"rollouts\.network_tricks = 2: neither rollouts\.policy nor an opponent"),
        ("fitting", "epochs", 0, r"fitting\.epochs = 0: must lie in 1 to 1000"),
        ("training", "steps", 1, r"unknown table \[training\]"),
        ("second_generation", "rounds", 1500, r"second_generation\.rounds = 1500 must be a multiple of shard_rounds"),
        ("second_generation", "rounds", -1000, r"second_generation\.rounds = -1000: must lie in 0 to"),
        ("second_generation", "epochs", 0, r"second_generation\.epochs = 0"),
        ("second_generation", "start_share", 1.5, r"second_generation\.start_share = 1\.5"),
        ("second_generation", "tables", 4, r"unknown key second_generation\.tables"),
    ],
)
def test_mistakes_in_the_config_are_refused_in_one_sentence(table, key, value, message):
    with pytest.raises(ConfigError, match=message) as refused:
        config_from({"learner": {"kind": "values"}, table: {key: value}})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("values:OTHER", "has not learned to play one_deck"),
        ("values:nowhere", "no value network at nowhere"),
        ("heuristic", "is not a network"),
        ("values:FILE", r"has layers of \(8, 12, 16, 8\), wider than the config's of \(16, 16, 32, 7\)"),
    ],
)
def test_a_network_that_no_run_can_start_from_is_refused(tmp_path, name, message):
    name = name.replace("FILE", str(write_network(tmp_path / VALUES_FILE, "one_deck")))
    name = name.replace("OTHER", str(write_network(tmp_path / "other.npz", "two_deck")))
    path = config_file(tmp_path, tmp_path / "none")
    with pytest.raises(ConfigError, match=message):
        ValueLearner.check(load_config(path, [f"network.start={name}", "network.last=7"]))
    sets = ["--set", f"network.start={name}", "--set", "network.last=7"]
    assert train.main([str(path), "--out", str(tmp_path / "run"), *sets]) == 2
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "assignment", ["rollouts.rounds=160", "fitting.epochs=3", "rollouts.shard_rounds=20", "fitting.precision=bfloat16"]
)
def test_what_decides_the_samples_is_settled_when_a_run_starts(tmp_path, shards, capsys, assignment):
    folder = tmp_path / "run"
    start(tmp_path, shards, After(1, Interrupted))
    capsys.readouterr()
    assert train.main(["--resume", str(folder), "--set", assignment]) == 2
    assert f"{assignment.partition('=')[0]} is settled when a run starts" in capsys.readouterr().err


def test_shards_that_are_gone_or_damaged_end_the_run_with_a_line(tmp_path, capsys):
    folder = tmp_path / "run"
    stop_in_fitting(tmp_path, tmp_path / "rollouts")
    learned_from = next(path for path in (tmp_path / "rollouts").iterdir() if "held-out" not in path.name)
    for path in read_folder(learned_from).shards:
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert train.main(["--resume", str(folder)]) == 2
    assert "is not a shard of rollouts, or a damaged one: its checksum is wrong" in capsys.readouterr().err
    shutil.rmtree(learned_from)
    assert train.main(["--resume", str(folder)]) == 2
    error = capsys.readouterr().err
    assert str(learned_from) in error
    assert "Traceback" not in error


def test_match_ups_before_learning_are_explained(tmp_path, shards, capsys):
    often = ["evaluation.every_seconds=1e-6", "evaluation.deals=2"]
    assert start(tmp_path, shards, overrides=often)
    lines = capsys.readouterr().out.splitlines()
    first, *later = [index for index, line in enumerate(lines) if "vs heuristic: " in line]
    explained = [index for index, line in enumerate(lines) if "takes the first, that of heuristic" in line]
    assert "+0.000 levels a round [+0.000, +0.000]" in lines[first]
    assert len(explained) == 1
    assert explained[0] < first
    assert later
