"""Self-play of value networks over whole plays: tables and opponents, the policy, whole runs and what they refuse."""

import itertools
import json

import numpy as np
import pytest
import torch

import train
from agents.config_files import config_from, load_config
from agents.display import Display
from agents.interrupt import Interrupted, InterruptFlag
from agents.run import Run
from agents.values.selfplay.duel import Duel
from agents.values.selfplay.opponents import Opponents, best_of
from agents.values.selfplay.policy import inputs_of
from agents.values.selfplay.stage import SelfPlay
from agents.values.selfplay.vec_env import HIDDEN, NUM_COLUMNS, PlaysVecEnv
from agents.values.table_packing import inputs_at
from agents.values.value_config import SelfPlayConfig
from agents.values.value_learner import ValueLearner
from agents.values.value_network import ValueNetwork
from shengji_env.arena import make_player
from shengji_env.datasets.rollouts.smoothing import smooth_levels
from shengji_env.engine.rule_sets import as_rules
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.errors import CheckpointError, ConfigError
from shengji_env.players import Decisions
from shengji_env.players.decisions import num_plays
from shengji_env.players.networks.champion.compiled_network import values_of
from shengji_env.players.networks.champion.value_file import VALUES_FILE, read_values
from shengji_env.players.search import SearchPlayer
from shengji_env.tables.infos import result_info
from tests.agents.values.test_learner import TINY, After, Stop, config_file, go_on, resumed, saved, weights
from tests.helpers.value_networks import player_of, random_weights, write_network

PLAY = """
[selfplay]
decisions = 960
critic_decisions = 320
tables = 10
rollout_steps = 32
minibatch = 64
critic_epochs = 2
learning_rate = 1e-3
earlier_every = 320
earlier_kept = 2
deals = 4
"""
WIDTHS = (16, 16, 32, 16)


@pytest.fixture
def config(tmp_path):
    return load_config(config_file(tmp_path, tmp_path / "none", TINY + PLAY))


def network_of(seed=0):
    """A network that prefers any candidate to any other, with scales."""
    network = ValueNetwork(WIDTHS)
    tables = PlayBatchEnv(32, "one_deck", seed=1, start="any", skip_forced=True)
    network.calibrate(inputs_at(tables, np.arange(32))[0])
    network.load(random_weights(seed, WIDTHS))
    return network


# ---- tables and opponents


def tables_of(size=8, rules="one_deck", **arguments):
    return PlayBatchEnv(size, rules, seed=3, start="any", skip_forced=True, **arguments)


def test_opponents_sit_in_one_team_of_their_tables_and_the_network_moves_everywhere():
    play = SelfPlayConfig(tables=8, earlier_share=0.25, heuristic_share=0.5)
    opponents = Opponents(play, random_weights(1, WIDTHS))
    env = PlaysVecEnv(tables_of(), opponents, is_smooth=True)
    env.reset()
    seats = [set() for _ in range(8)]
    for step in range(200):
        assert not opponents.rows_to_move(env.tables).size
        for table in range(8):
            seats[table].add(int(env.seat[table]))
        env.step(env.action_masks().sum(axis=1).astype(np.int64) - 1 if step % 2 else np.zeros(8, np.int64))
    assert seats == [{1, 3}, {0, 2}] * 3 + [{0, 1, 2, 3}] * 2


def test_earlier_networks_choose_as_the_player_does():
    tables, made = tables_of(24), random_weights(2, WIDTHS)
    player, changed = player_of(made, "one_deck"), 0
    for _ in range(20):
        rows = np.arange(24)
        best = best_of(made, tables, rows)
        changed += (best > 0).sum()
        chosen = player.decide(Decisions.at(tables.tables.tables, rows))
        for row in rows:
            action, cards = tables.actions[row, best[row]], tables.cards[row, best[row]]
            assert chosen[row] == action if action >= 0 else cards[chosen[row]] > 0 or chosen[row] == 54
        tables.step(best)
    assert changed > 50


def test_search_chooses_a_candidate_as_the_player_does():
    rules = as_rules("one_deck")
    play = SelfPlayConfig(tables=4, earlier_share=0, heuristic_share=0, search_share=1, search_worlds=4)
    opponents, tables = Opponents(play, {}), tables_of(4, history=num_plays(rules))
    assert opponents.need_plays
    search, chosen_others = SearchPlayer(4, threads=1), 0
    for _ in range(25):
        rows = opponents.rows_to_move(tables)
        chosen = opponents.choose(tables, rows)
        assert (chosen[np.setdiff1d(np.arange(4), rows)] == -1).all()
        for row in rows:
            one = Decisions.at(tables.tables.tables, np.array([row]))
            action, cards = search.find_play(one.states, one.plays[0], one.rules_record)
            assert tables.actions[row, chosen[row]] == action
            assert action >= 0 or (tables.cards[row, chosen[row]] == cards).all()
            chosen_others += chosen[row] > 0
        tables.step(np.where(chosen < 0, 0, chosen))
    assert chosen_others > 0


def test_too_many_earlier_networks_are_forgotten_but_not_the_first():
    opponents = Opponents(SelfPlayConfig(tables=4, earlier_kept=3), {"name": 0})
    for number in range(1, 6):
        opponents.keep({"name": number})
    assert [each["name"] for each in opponents.earlier] == [0, 4, 5]
    alone = Opponents(SelfPlayConfig(tables=4, earlier_kept=1), {"name": 0})
    alone.keep({"name": 1})
    assert [each["name"] for each in alone.earlier] == [0]


@pytest.mark.parametrize("is_smooth", [False, True])
def test_rewards_are_those_of_the_rounds_whoever_ends_them(is_smooth):
    play = SelfPlayConfig(tables=8, earlier_share=0, heuristic_share=0.5)
    env = PlaysVecEnv(tables_of(), Opponents(play, {}), is_smooth=is_smooth)
    env.reset()
    ends = 0
    for _ in range(120):
        _, rewards, ended, _ = env.step(np.zeros(8, np.int64))
        assert not rewards[~ended].any()
        for table in np.flatnonzero(ended):
            result = result_info(env.tables.result[table])
            attacks = result["declarer"] % 2 == 1
            won = {"attackers": 1, "declarers": -1, "draw": 0}[result["winner"]] * (1 if attacks else -1)
            expected = won * result["levels_nominal"]
            if is_smooth:
                side = 1 if attacks else -1
                arrays = (np.array([value]) for value in (expected, side * result["attackers_points"], attacks))
                expected = smooth_levels(*arrays, as_rules("one_deck"))[0]
            assert rewards[table] == pytest.approx(expected)
            ends += 1
    assert ends > 16


# ---- the policy


def test_the_policy_is_the_softmax_of_the_values_that_are_exported(config):
    network = network_of()
    play = SelfPlay(config, network)
    policy, env = play.policy, play.env
    rows = env.observe().copy()
    assert rows.shape == (10, NUM_COLUMNS)
    masks = env.action_masks().copy()
    with torch.no_grad():
        found = policy.get_distribution(torch.from_numpy(rows), masks).distribution.probs.numpy()
    inputs, is_there = inputs_of(rows)
    assert (is_there == (masks == 1)).all()
    for name, array in play.weights().items():
        np.testing.assert_allclose(array, network.export()[name], rtol=1e-5)
    values = values_of(play.weights(), inputs).mean(axis=1) / config.selfplay.temperature
    expected = np.full(masks.shape, -np.inf)
    expected[is_there] = values
    expected = np.exp(expected - expected.max(axis=1, keepdims=True))
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), atol=2e-3)
    assert (found[~is_there] < 1e-9).all()
    assert (found.argmax(axis=1) == best_of(play.weights(), env.tables, np.arange(10))).all()


def test_only_the_critic_reads_what_the_seat_does_not_see(config):
    play = SelfPlay(config, network_of())
    rows = play.env.observe().copy()
    altered = rows.copy()
    altered[:, HIDDEN] = altered[::-1, HIDDEN]
    both = [play.policy.mlp_extractor(torch.from_numpy(each)) for each in (rows, altered)]
    assert (both[0][0] == both[1][0]).all()
    assert (both[0][1] != both[1][1]).any()


def test_the_critic_learns_first_and_the_policy_after_it(config):
    network = network_of()
    play, moved = SelfPlay(config, network), []
    for _ in range(3):
        before = play.weights()
        assert play.collect(0.0, lambda: None).amount == 320
        metrics = play.update()
        moved.append(any((before[name] != array).any() for name, array in play.weights().items()))
        assert np.isnan(metrics["entropy"]) == (len(moved) == 1)
        assert np.isfinite(metrics["explained_variance"])
    assert moved == [False, True, True]
    assert all((network.export()[name] == array).all() for name, array in network_of().export().items())


# ---- whole runs


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    return tmp_path_factory.mktemp("rollouts")


def start(folder, shards, flag=None):
    path = config_file(folder, shards, TINY + PLAY)
    with Display() as display, Run.start(load_config(path), folder / "run", display, flag or InterruptFlag()) as run:
        return run.learn()


@pytest.fixture(scope="module")
def whole(tmp_path_factory, shards):
    """The folder of a run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    assert start(folder, shards)
    return folder


def test_a_run_ends_with_self_play_and_says_what_it_brought(tmp_path, capsys):
    folder = tmp_path / "run"
    assert train.main([str(config_file(tmp_path, tmp_path / "rollouts", TINY + PLAY)), "--out", str(folder)]) == 0
    printed = capsys.readouterr().out
    result = json.loads((folder / "result.json").read_text())
    stages = {stage["name"]: (stage["unit"], stage["amount"]) for stage in result["stages"]}
    assert list(stages) == ["rollouts", "fitting", "self-play", "duel"]
    assert (stages["self-play"], stages["duel"]) == (("decisions", 960), ("deals", 4))
    duel = Duel.from_json(result["learner"]["duel"])
    assert str(duel) in printed
    assert "160 rounds of fitting" in printed
    assert ("self_play_decisions" in read_values(folder / VALUES_FILE).made) == duel.is_better


def test_a_run_may_start_from_a_network_without_rollouts(tmp_path, capsys):
    file = write_network(tmp_path / VALUES_FILE, "one_deck")
    widths = (8, 12, 16, 8)
    names = ("suit", "trump", "hidden", "last")
    sets = [part for name, width in zip(names, widths, strict=True) for part in ("--set", f"network.{name}={width}")]
    path = config_file(tmp_path, tmp_path / "none", TINY + PLAY)
    folder = tmp_path / "run"
    sets += ["--set", "fitting.epochs=0", "--set", f"network.start=values:{file}"]
    assert train.main([str(path), "--out", str(folder), *sets]) == 0
    assert not (tmp_path / "none").exists()
    assert "960 decisions of self-play" in capsys.readouterr().out
    stages = [stage["name"] for stage in json.loads((folder / "result.json").read_text())["stages"]]
    assert stages == ["self-play", "duel"]
    before = read_values(file).weights
    learner = saved(tmp_path).arrays
    kept = learner["weights.suit"] * learner["scales.suit"][:, None]
    np.testing.assert_allclose(kept, before["suit"], rtol=1e-5)
    assert make_player(f"values:{folder}")
    file.unlink()
    assert train.main(["--resume", str(folder)]) == 0


@pytest.mark.parametrize("error", [Interrupted, Stop])
def test_an_interrupted_run_goes_on_to_the_same_weights(tmp_path, shards, whole, error):
    """It is stopped at looks spread over self-play and the duel."""
    stops = set()
    for looks in itertools.chain(range(30, 160, 26), range(160, 1000, 140)):
        folder = tmp_path / str(looks)
        folder.mkdir()
        try:
            finished = start(folder, shards, After(looks, error))
        except Stop:
            finished = False
        if finished:
            break
        if "selfplay" in saved(folder).meta["learner"]:
            stops.add(saved(folder).meta["progress"]["stages"]["self-play"]["amount"])
        assert go_on(folder)
        assert weights(folder) == weights(whole)
        assert saved(folder).meta["learner"]["duel"] == saved(whole).meta["learner"]["duel"]
    assert finished
    assert len(stops) > 1


def halved(weights):
    """Weights as a file holds them."""
    return weights.astype(np.float16).astype(np.float32)


@pytest.mark.parametrize("levels", [-0.1, 0.0, 0.03, 0.1])
def test_the_later_network_is_exported_only_if_it_is_better_beyond_chance(tmp_path, shards, whole, levels):
    checkpoint = saved(whole)
    duel = {"levels": levels, "low": levels - 0.05, "high": levels + 0.05, "deals": 4}
    assert resumed(tmp_path, checkpoint, {}, {"duel": duel})
    exported = read_values(tmp_path / "run" / VALUES_FILE).weights
    before = halved(checkpoint.arrays["weights.last"])
    assert (exported["last"] == before).all() == (levels < 0.05)
    assert ("made the network worse" in str(Duel(**duel))) == (levels < 0)


def test_until_the_duel_is_over_the_network_before_is_exported(tmp_path, shards, whole):
    with Display() as display, Run.resume(whole / "run", [], display, InterruptFlag()) as run:
        learner = run.learner
        assert isinstance(learner, ValueLearner)
        learner.duel.result = None
        learner.export(tmp_path)
        before = halved(learner.network.export()["last"])
        assert (read_values(tmp_path / VALUES_FILE).weights["last"] == before).all()
        assert (halved(learner.self_play.play.weights()["last"]) != before).any()


# ---- what is refused


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"selfplay/input_scale": None}, "input_scale is missing"),
        ({"selfplay/earlier/0/last": None}, "its earlier networks are damaged"),
        ({"selfplay/earlier/7/last": np.zeros(1, np.float32)}, "its earlier networks are damaged"),
        ({"selfplay/value_net.bias": np.full(1, np.nan, np.float32)}, r"value_net\.bias"),
        ({"selfplay/torch_generator": np.zeros(3, np.uint8)}, "torch_generator"),
        ({"selfplay/tables_masks": None}, "the snapshot lacks masks"),
        ({"selfplay/other": np.zeros(1, np.float32)}, "other"),
    ],
)
def test_arrays_that_no_run_could_have_saved_are_refused(tmp_path, whole, arrays, message):
    with pytest.raises(CheckpointError, match=message) as refused:
        resumed(tmp_path, saved(whole), arrays)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"duel": {"levels": 1.0}}, "duel"),
        ({"duel": 3}, "duel"),
        ({"selfplay": {"decisions": -1}}, "decisions"),
        ({"selfplay": {"decisions": 3, "shuffler": {"state": 1}}}, "shuffler"),
        ({"selfplay": []}, "selfplay"),
    ],
)
def test_values_that_no_run_could_have_saved_are_refused(tmp_path, whole, meta, message):
    with pytest.raises(CheckpointError, match=message) as refused:
        resumed(tmp_path, saved(whole), {}, meta)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"fitting": {"epochs": 0}, "selfplay": {"decisions": 100_000}}, r"network\.start must name a network"),
        ({"selfplay": {"earlier_share": 0.6, "heuristic_share": 0.6}}, r"add up to 1\.2, more than 1"),
        ({"selfplay": {"tables": 4, "rollout_steps": 4}}, r"selfplay\.minibatch = 2048 is more than 4 tables"),
        ({"selfplay": {"temperature": 0}}, r"selfplay\.temperature = 0"),
        ({"selfplay": {"reward": "win"}}, r"must be one of smooth, levels"),
    ],
)
def test_mistakes_in_the_config_are_refused_in_one_sentence(tables, message):
    with pytest.raises(ConfigError, match=message) as refused:
        config_from({"learner": {"kind": "values"}, **tables})
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
def test_a_network_that_no_run_can_start_from_is_refused(tmp_path, capsys, name, message):
    name = name.replace("FILE", str(write_network(tmp_path / VALUES_FILE, "one_deck")))
    name = name.replace("OTHER", str(write_network(tmp_path / "other.npz", "two_deck")))
    path = config_file(tmp_path, tmp_path / "none", TINY + PLAY)
    with pytest.raises(ConfigError, match=message):
        ValueLearner.check(load_config(path, [f"network.start={name}", "network.last=7"]))
    sets = ["--set", f"network.start={name}", "--set", "network.last=7"]
    assert train.main([str(path), "--out", str(tmp_path / "run"), *sets]) == 2
    assert not (tmp_path / "run").exists()


def test_what_self_play_is_measured_by_is_settled(tmp_path, whole, capsys):
    assert train.main(["--resume", str(whole / "run"), "--set", "selfplay.decisions=2000"]) == 2
    assert "selfplay.decisions is settled when a run starts" in capsys.readouterr().err
