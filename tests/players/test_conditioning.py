"""Networks for many rule sets: what the rules change, once for a round, and files of such networks."""

import numpy as np
import pytest

from shengji_env.engine.frozen_rules import unseen_rules
from shengji_env.engine.rule_record import NUM_RULE_FEATURES, RULE_FEATURES
from shengji_env.engine.rule_sets import PRESETS, as_rules, rule_set
from shengji_env.errors import PlayerError
from shengji_env.players import make_player
from shengji_env.players.networks.champion.compiled_network import check_weights, values_of, weight_shapes
from shengji_env.players.networks.champion.conditioning import (
    LAYERS,
    features_of,
    for_rules,
    reads_rules,
    without_rules,
)
from shengji_env.players.networks.champion.inputs import RULE_INPUTS, make_inputs
from shengji_env.players.networks.champion.value_file import VALUES_FILE, ValueFile, read_values, write_values
from tests.helpers.value_networks import WIDTHS, at, decision_states, random_weights, read

CODE = 6


def conditioned(seed=0):
    """Weights of a network for many rule sets; half precision holds them exactly."""
    words = np.random.default_rng([seed, 1])
    return random_weights(seed) | {
        name: (words.normal(size=shape) / 8).astype(np.float16).astype(np.float32)
        for name, shape in weight_shapes(*WIDTHS, CODE).items()
        if name.startswith("rules")
    }


def test_a_code_of_zeros_changes_nothing():
    weights = conditioned() | {"rules_bias": np.full(CODE, -100, np.float32)}
    weights["rules"] = np.zeros_like(weights["rules"])
    found = for_rules(weights, features_of(rule_set()))
    plain = for_rules(random_weights(), features_of(rule_set()))
    assert all((found[name] == array).all() for name, array in plain.items())
    assert set(found) == set(random_weights())


def test_factors_and_terms_change_the_sums_before_relu():
    """The layer `suit` of one plain suit, computed by hand."""
    weights, features = conditioned(), features_of(rule_set("house"))
    found = for_rules(weights, features)
    code = np.maximum(features @ weights["rules"] + weights["rules_bias"], 0)
    gains, terms = np.split(code @ weights["rules_suit"], 2)
    row, change = np.random.default_rng(3).integers(0, 3, (2, len(weights["suit"]))), weights["suit_touch"][1]
    before = row[0] @ weights["suit"] + weights["suit_bias"]
    np.testing.assert_allclose(row[0] @ found["suit"] + found["suit_bias"], before * (1 + gains) + terms, 1e-3, 1e-4)
    np.testing.assert_allclose(found["suit_touch"][1], change * (1 + gains), 1e-5, 1e-6)


@pytest.mark.parametrize("layer", LAYERS)
def test_rules_change_values_through_every_layer(layer):
    only = {name: array for name, array in conditioned().items() if name.startswith(("rules_bias", f"rules_{layer}"))}
    blank = {name: np.zeros_like(array) for name, array in conditioned().items() if name.startswith("rules_")}
    weights = random_weights() | blank | only | {"rules": conditioned()["rules"]}
    rows, offsets, cards, features, _ = read(decision_states("two_deck", steps=60, tables=8), "two_deck")
    inputs = make_inputs(rows, offsets, cards, features)
    one, other = (values_of(for_rules(weights, features_of(rule_set(name))), inputs) for name in ("two_deck", "house"))
    assert not np.allclose(one, other)


def test_what_rules_bring_to_a_decision_is_in_the_bias_of_what_is_played():
    weights, features = random_weights(), features_of(rule_set("house"))
    assert not reads_rules(weights)
    found = for_rules(weights, features)
    assert len(found["from_table"]) == RULE_INPUTS.start
    assert (found["from_table"] == weights["from_table"][: RULE_INPUTS.start]).all()
    rows, offsets, cards, candidates, _ = read(decision_states("house", steps=60, tables=8), "house")
    inputs = make_inputs(rows, offsets, cards, candidates)
    np.testing.assert_allclose(values_of(found, inputs), values_of(weights, inputs), 1e-3, 1e-3)


def test_a_file_of_all_rules_plays_every_preset_and_rules_never_seen(tmp_path):
    write_values(tmp_path / VALUES_FILE, ValueFile(conditioned(), None, {}))
    found = read_values(tmp_path / VALUES_FILE)
    assert found.rules is None
    assert all((found.weights[name] == array).all() for name, array in conditioned().items())
    player = make_player(f"values:{tmp_path}")
    assert player.learned == "all rules"
    for rules in (*PRESETS, *map(str, unseen_rules()[:6])):
        states = decision_states(rules, steps=40, tables=8)
        if len(states):
            decisions = at(states, as_rules(rules))
            chosen = player.decide(decisions)
            assert decisions.action_mask[np.arange(len(chosen)), chosen].all()


def test_a_file_that_does_not_hold_what_it_says_is_refused(tmp_path):
    for name, weights, rules in (("one", conditioned(), rule_set()), ("all", random_weights(), None)):
        (tmp_path / name).mkdir()
        write_values(tmp_path / name / VALUES_FILE, ValueFile(weights, rules, {}))
        with pytest.raises(PlayerError, match=r"it is for (two_deck|all rules), and has"):
            read_values(tmp_path / name / VALUES_FILE)
    lacking = {name: array for name, array in conditioned().items() if name != "rules_trump"}
    with pytest.raises(PlayerError, match="there must be rules, rules_bias"):
        check_weights(lacking)


def test_features_of_one_rule_set_are_worked_into_the_bias():
    """Values are those of before under its rules, and no other feature adds anything."""
    rules = rule_set("one_deck")
    weights = random_weights()
    settled = without_rules(weights, features_of(rules))
    rows, offsets, cards, features, _ = read(decision_states("one_deck", steps=60, tables=8), "one_deck")
    inputs = make_inputs(rows, offsets, cards, features)
    np.testing.assert_allclose(values_of(settled, inputs), values_of(weights, inputs), 1e-3, 1e-3)
    before = values_of(settled, inputs)
    inputs.table[:, RULE_INPUTS.start + len(RULE_FEATURES) : RULE_INPUTS.start + NUM_RULE_FEATURES] = 9
    assert (values_of(settled, inputs) == before).all()
