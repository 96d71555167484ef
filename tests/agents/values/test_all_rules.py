"""Runs whose rules are drawn: they export a network that plays all rules; inputs that were never set stay silent."""

import numpy as np
import pytest

from agents.config_files import load_config
from agents.display import Display
from agents.interrupt import InterruptFlag
from agents.run import TrainingRun
from agents.values.held_out import values_on
from agents.values.minibatches import minibatch_of, read_decisions
from agents.values.value_network import ValueNetwork
from shengji_env.arena import make_player
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate, read_folder, write_rollouts
from shengji_env.engine.frozen_rules import unseen_rules
from shengji_env.engine.rule_record import RULE_FEATURES
from shengji_env.errors import ConfigError
from shengji_env.players.networks.champion.conditioning import features_of, for_rules, reads_rules
from shengji_env.players.networks.champion.inputs import RULE_INPUTS
from shengji_env.players.networks.champion.value_file import VALUES_FILE, read_values
from tests.agents.values.test_learner import TINY, config_file
from tests.helpers.value_networks import WIDTHS, write_network
from tests.players.test_conditioning import conditioned

DRAWN = TINY.replace("rounds = 80", 'rules = "drawn"\nopponents = {random = 0.2}\nrounds = 200').replace(
    "held_out_rounds = 20\nshard_rounds = 10", "held_out_rounds = 100\nshard_rounds = 100"
)
OVERRIDES = ["network.rules=6"]


def start(folder, shards, text=DRAWN, overrides=()):
    config = load_config(config_file(folder, shards, text), [*OVERRIDES, *overrides])
    with Display() as display, TrainingRun.start(config, folder / "run", display, InterruptFlag()) as run:
        return run.learn()


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """The folder of a run, and that of its shards."""
    folder, shards = tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("rollouts")
    assert start(folder, shards)
    return folder, shards


def test_a_run_exports_a_network_of_all_rules(learned):
    folder, _ = learned
    found = read_values(folder / "run" / VALUES_FILE)
    assert found.rules is None
    assert reads_rules(found.weights)
    assert make_player(f"values:{folder / 'run'}").learned == "all rules"
    assert any(found.weights[f"rules_{layer}"].any() for layer in ("suit", "trump"))


def test_features_that_no_option_uses_change_nothing(learned):
    """So an option that is added one day adds no noise."""
    weights = read_values(learned[0] / "run" / VALUES_FILE).weights
    spare = slice(len(RULE_FEATURES), None)
    assert len(RULE_FEATURES) < len(weights["rules"])
    assert not weights["rules"][spare].any()
    assert not weights["from_table"][RULE_INPUTS][spare].any()
    for rules in unseen_rules()[:5]:
        features = features_of(rules)
        more = features.copy()
        more[spare] = 7
        assert (features != more).any()
        plain, told = for_rules(weights, features), for_rules(weights, more)
        assert all((plain[name] == told[name]).all() for name in plain)


def test_what_is_played_is_what_was_learned(learned):
    """The network in torch, which knows many rules at once, and the compiled one, which is told those of a round."""
    folder, shards = learned
    held_out = next(path for path in shards.iterdir() if path.name.endswith("held-out"))
    decisions = read_decisions(read_folder(held_out).shards)
    assert RolloutSettings(draws_rules=True, seed=3).to_json()["draws_rules"]
    weights = read_values(folder / "run" / VALUES_FILE).weights
    network = ValueNetwork((16, 16, 32, 16), code=6)
    network.load(weights)
    values = network(minibatch_of(decisions).inputs).detach().numpy()
    np.testing.assert_allclose(values_on(weights, decisions), values, 1e-3, 1e-4)


def test_folders_say_that_rules_are_drawn_and_those_of_one_rule_set_are_refused(learned, tmp_path):
    _, shards = learned
    assert all(path.name.startswith("all-1-random-0.2-seed-3") for path in shards.iterdir())
    write_rollouts(shards / "one_deck-x", RolloutSettings(rules="one_deck", seed=1), 100, shard_rounds=100)
    with pytest.raises(ConfigError, match="is of other rules than those drawn"):
        start(tmp_path, shards, overrides=["rollouts.earlier=['one_deck-x']"])
    with pytest.raises(ConfigError, match="is of other rules than one_deck"):
        start(tmp_path, shards, TINY.replace("SHARD", "x"), ["rollouts.earlier=['all-1-*-by-100']"])


def test_a_network_of_all_rules_goes_on_with_all_rules(learned, tmp_path):
    folder, shards = learned
    overrides = [f"network.start='values:{folder / 'run'}'"]
    assert start(tmp_path, shards, overrides=overrides)
    before, after = (read_values(path / "run" / VALUES_FILE).weights for path in (folder, tmp_path))
    assert not all((before[name] == after[name]).all() for name in before)


def test_a_network_of_all_rules_may_be_where_one_rule_set_begins(learned, tmp_path):
    """It begins with the values that it has under these rules, and no longer reads them."""
    folder, _ = learned
    overrides = [f"network.start='values:{folder / 'run'}'", "fitting.learning_rate=1e-7"]
    assert start(tmp_path, tmp_path / "rollouts", TINY, overrides)
    found, first = (read_values(path / "run" / VALUES_FILE) for path in (tmp_path, folder))
    assert str(found.rules) == "one_deck"
    decisions = expand(generate(RolloutSettings(rules="one_deck", seed=8), 0, 10))
    values, before = values_on(found.weights, decisions), values_on(first.weights, decisions)
    assert np.isclose(values, before, 2e-2, 2e-2).mean() > 0.95


def test_a_network_of_one_rule_set_may_be_where_all_begin(learned, tmp_path):
    """Under its rules its values are those that the run starts with; inputs that these never set are silent."""
    network = write_network(tmp_path / "one.npz", "one_deck")
    _, shards = learned
    sizes = [f"network.{name}={width}" for name, width in zip(("suit", "trump", "hidden", "last"), WIDTHS, strict=True)]
    overrides = [f"network.start='values:{network}'", "fitting.learning_rate=1e-7", *sizes]
    assert start(tmp_path, shards, overrides=overrides)
    found, first = (read_values(path).weights for path in (tmp_path / "run" / VALUES_FILE, network))
    decisions = expand(generate(RolloutSettings(rules="one_deck", seed=8), 0, 10))
    values, before = values_on(found, decisions), values_on(first, decisions)
    assert np.isclose(values, before, 2e-2, 2e-2).mean() > 0.95
    unset = ~minibatch_of(decisions).inputs.suits.any(axis=0)
    assert first["suit"][unset].any(axis=1).sum() > 10
    assert (unset & ~found["suit"].any(axis=1)).sum() > 10


def test_a_run_of_one_rule_set_exports_a_network_that_reads_no_rules(tmp_path):
    assert start(tmp_path, tmp_path / "rollouts", TINY)
    found = read_values(tmp_path / "run" / VALUES_FILE)
    assert str(found.rules) == "one_deck"
    assert not reads_rules(found.weights)
    assert not found.weights["from_table"][RULE_INPUTS].any()
    assert found.weights["hidden_bias"].any()


def test_a_second_generation_is_of_all_rules_too(tmp_path):
    shards = tmp_path / "rollouts"
    overrides = ["second_generation.rounds=100", "second_generation.deals=4"]
    assert start(tmp_path, shards, overrides=overrides)
    (own,) = (path for path in shards.iterdir() if path.name.startswith("all-1-network-"))
    settings = read_folder(own).settings
    assert settings.draws_rules
    assert settings.has_network
    assert read_values(tmp_path / "run" / VALUES_FILE).rules is None


def test_a_narrower_network_of_all_rules_begins_a_wider_one(learned, tmp_path):
    """Values stay as they were, whatever its rules change."""
    folder, shards = learned
    decisions = minibatch_of(read_decisions(read_folder(next(shards.glob("*held-out"))).shards))
    weights = conditioned(3)
    narrow, wide = ValueNetwork(WIDTHS, code=6), ValueNetwork(tuple(width + 4 for width in WIDTHS), code=9)
    narrow.load(weights)
    wide.load(weights)
    values = [network(decisions.inputs).detach().numpy() for network in (narrow, wide)]
    np.testing.assert_allclose(values[1], values[0], 1e-3, 1e-4)
    with pytest.raises(ConfigError, match="wider than the config's"):
        start(tmp_path, shards, overrides=[f"network.start='values:{folder / 'run'}'", "network.rules=5"])
