"""Teachers: which decisions they teach, and what of the labels stays."""

import numpy as np
import pytest

from agents.values.held_out import values_on
from agents.values.minibatches import centred, labels_of, minibatches
from agents.values.teachers import Teachers
from agents.values.value_config import FittingConfig
from agents.values.weighting import decision_weights, equal_weighting
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate, join
from shengji_env.errors import ConfigError
from shengji_env.players.networks.champion.champion_player import named_file
from tests.agents.values.test_all_rules import DRAWN, start
from tests.helpers.value_networks import write_network

RULES = ("one_deck", "one_deck_45")
SHARE = 0.75


@pytest.fixture(scope="module")
def decisions():
    """Labelled decisions of both rule sets, and which of them are of the first."""
    parts = [expand(generate(RolloutSettings(rules=rules, seed=4), 0, 12)) for rules in RULES]
    assert all(len(part) > 50 for part in parts)
    return join(parts), np.repeat([True, False], list(map(len, parts)))


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return f"values:{write_network(tmp_path_factory.mktemp('teacher') / 'one.npz', 'one_deck')}"


def taught_by(decisions, *names):
    return Teachers(FittingConfig(teachers=names, teachers_share=SHARE, teachers_factor=3.0)).targets(decisions).values


def test_decisions_that_are_taught_count_more(decisions, network):
    decisions, is_taught = decisions
    teachers = Teachers(FittingConfig(teachers=(network,), teachers_factor=3.0))
    assert (teachers.targets(decisions).factors == np.where(is_taught, 3, 1)).all()
    assert (Teachers(FittingConfig()).targets(decisions).factors == 1).all()
    batches = list(minibatches(decisions, 16, (1,), teachers.targets(decisions)))
    weights = [decision_weights(equal_weighting(), batch) for batch in batches]
    assert len(batches) > 3
    assert sum(each.sum() for each in weights) == 3 * is_taught.sum() + (~is_taught).sum()


def test_a_teacher_teaches_its_own_rules_and_nothing_else(decisions, network):
    decisions, is_taught = decisions
    labels, targets = labels_of(decisions).values, taught_by(decisions, network)
    mine = np.repeat(is_taught, np.diff(decisions.offsets))
    assert (targets[~mine] == labels[~mine]).all()
    assert (targets[:, 2] == labels[:, 2]).all()
    assert not np.allclose(targets[mine, :2], labels[mine, :2])


def test_what_is_learned_is_the_mean_of_values_and_labels_about_the_labels_mean(decisions, network):
    decisions, is_taught = decisions
    weights = named_file(network).weights
    labels, targets = labels_of(decisions).values, taught_by(decisions, network)
    taught = decisions.take(np.flatnonzero(is_taught))
    first = len(taught.cards)
    values = values_on(weights, taught)
    for column in (0, 1):
        wanted = SHARE * centred(values[:, column], taught) + (1 - SHARE) * centred(labels[:first, column], taught)
        np.testing.assert_allclose(centred(targets[:first, column], taught), wanted, 1e-3, 1e-4)
        means = [np.add.reduceat(each[:first, column], taught.offsets[:-1]) for each in (targets, labels)]
        np.testing.assert_allclose(*means, 1e-3, 1e-3)


def test_of_two_that_know_the_rules_the_first_teaches(decisions, network, tmp_path):
    decisions, _ = decisions
    other = f"values:{write_network(tmp_path / 'other.npz', 'one_deck', seed=9)}"
    alone = taught_by(decisions, network)
    assert (taught_by(decisions, network, other) == alone).all()
    assert not (taught_by(decisions, other, network) == alone).all()


def test_the_champion_teaches_all_rules(decisions):
    decisions, _ = decisions
    targets, sizes = taught_by(decisions, "champion"), np.diff(decisions.offsets)
    assert (np.abs(targets - labels_of(decisions).values)[np.repeat(sizes, sizes) > 1, :2].max(axis=1) > 0).mean() > 0.9


def test_a_run_learns_from_a_teacher(network, tmp_path):
    """With a share of 1 its labels play no part, under the teacher's rules."""
    rules = DRAWN.replace('rules = "drawn"', 'rules = "own"')
    alone, taught = (
        start_in(tmp_path / name, tmp_path / "shards", rules, [f"fitting.teachers={teachers}"])
        for name, teachers in (("alone", []), ("taught", [network]))
    )
    assert not all((alone[name] == taught[name]).all() for name in alone)


def start_in(folder, shards, text, overrides):
    folder.mkdir()
    assert start(folder, shards, text, overrides)
    return named_file(f"values:{folder / 'run'}").weights


@pytest.mark.parametrize(
    ("teacher", "message"),
    [("values:/nowhere", "fitting.teachers: no value network at /nowhere"), ("greedy", "'greedy' is not a network")],
)
def test_who_is_no_network_is_refused_before_the_run(teacher, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        start(tmp_path, tmp_path / "shards", overrides=[f"fitting.teachers=['{teacher}']"])
