"""How networks are measured, by hand-made labels, and that noise alone teaches nothing."""

import dataclasses

import numpy as np
import pytest
import torch

from agents.values.fitting import Fitting, make_optimizer, step_size
from agents.values.held_out import measure, values_on
from agents.values.minibatches import minibatch_of, minibatches
from agents.values.value_config import FittingConfig
from agents.values.value_network import ValueNetwork
from agents.values.weighting import precision_weighting
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate
from shengji_env.engine.state import Phase
from tests.helpers.value_networks import random_weights


@pytest.fixture(scope="module")
def decisions():
    return expand(generate(RolloutSettings(rules="one_deck", seed=3), 0, 300))


def with_labels(decisions, smooth):
    return dataclasses.replace(decisions, smooth=np.asarray(smooth, np.float32))


def by_decision(decisions, array):
    return np.split(array, decisions.offsets[1:-1])


def test_values_that_are_the_labels_explain_everything(decisions):
    weights, words = random_weights(), np.random.default_rng(1)
    values = values_on(weights, decisions)[:, 0]
    shifts = np.repeat(words.normal(size=len(decisions)), np.diff(decisions.offsets))
    assert measure(weights, with_labels(decisions, values + shifts))["all"].r2 == pytest.approx(1, abs=1e-6)
    assert measure(weights, with_labels(decisions, shifts - values))["all"].r2 == pytest.approx(-3, abs=1e-5)
    assert measure(weights, with_labels(decisions, 2 * values))["all"].r2 == pytest.approx(0.75, abs=1e-6)


def test_a_network_that_values_nothing_explains_and_changes_nothing(decisions):
    weights = random_weights()
    weights["value"][:] = 0
    for measured in measure(weights, decisions).values():
        assert (measured.r2, measured.gain, measured.error, measured.changed) == (0, 0, 0, 0)


def test_the_gain_is_what_the_chosen_candidates_bring_over_the_first(decisions):
    weights = random_weights()
    values = by_decision(decisions, values_on(weights, decisions).mean(axis=1))
    labels = by_decision(decisions, decisions.smooth)
    gains = np.array([mine[value.argmax()] - mine[0] for value, mine in zip(values, labels, strict=True)])
    measured = measure(weights, decisions)
    assert measured["all"].gain == pytest.approx(gains.mean(), abs=1e-7)
    assert measured["all"].changed == np.mean([value.argmax() > 0 for value in values])
    assert sum(part.decisions for name, part in measured.items() if name != "all") == len(decisions)
    leads = decisions.phases == Phase.LEAD
    assert measured["lead"].gain == pytest.approx(gains[leads].mean(), abs=1e-7)
    assert measured["lead"].decisions == leads.sum()


def test_the_error_is_that_of_drawing_rounds_again(decisions):
    """In each round all other candidates are better or worse than the first ones, by much the same."""
    weights, words = random_weights(), np.random.default_rng(2)
    labels = np.repeat(words.normal(size=300)[decisions.rounds], np.diff(decisions.offsets))
    labels[decisions.offsets[:-1]] = 0
    labels += 0.3 * words.normal(size=len(labels))
    shown = with_labels(decisions, labels)
    measured = measure(weights, shown)["all"]
    values = by_decision(shown, values_on(weights, shown).mean(axis=1))
    pairs = zip(values, by_decision(shown, shown.smooth), strict=True)
    gains = np.array([mine[value.argmax()] - mine[0] for value, mine in pairs])
    counts = np.bincount(shown.rounds, minlength=300)
    sums = np.bincount(shown.rounds, gains, minlength=300)
    drawn = np.random.default_rng(3).integers(300, size=(4000, 300))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    assert measured.error == pytest.approx(means.std(), rel=0.1)
    assert measured.error > 1.5 * gains.std() / len(gains) ** 0.5


def trained(decisions, epochs=6):
    """A small network, trained on some decisions with the defaults of a run."""
    torch.manual_seed(1)
    config = FittingConfig(learning_rate=3e-3, minibatch=64, device="cpu")
    network = ValueNetwork((16, 16, 32, 16))
    network.calibrate(minibatch_of(decisions).inputs)
    optimizer, weighting = make_optimizer(network, config), precision_weighting(decisions)
    fitting, step = Fitting(network, optimizer, weighting, config.auxiliary), 0
    for epoch in range(epochs):
        for batch in minibatches(decisions, config.minibatch, (1, epoch)):
            fitting.step(batch, step_size(config, step, epoch / epochs))
            step += 1
    return network.export()


def shuffled(decisions):
    """The same decisions, each with its labels given to its candidates in random order."""
    words = np.random.default_rng(4)
    owners = np.repeat(np.arange(len(decisions)), np.diff(decisions.offsets))
    order = np.lexsort((words.random(len(owners)), owners))
    return dataclasses.replace(decisions, smooth=decisions.smooth[order], levels=decisions.levels[order])


def test_shuffled_labels_gain_nothing(decisions):
    """Where labels say nothing, the gain is noise; where they are true, choosing at random loses to the first ones."""
    others = expand(generate(RolloutSettings(rules="one_deck", seed=4), 0, 600))
    weights = trained(shuffled(decisions))
    blind, true = measure(weights, shuffled(others))["all"], measure(weights, others)["all"]
    assert blind.changed > 0.2
    assert abs(blind.gain) < 3 * blind.error
    assert true.gain < 2 * true.error
    assert max(blind.r2, true.r2) < 0


def test_true_labels_are_learned(decisions):
    weights = trained(decisions)
    measured = measure(weights, decisions)["all"]
    assert measured.r2 > 0.02
    assert measured.gain > 3 * measured.error
    assert measure(weights, shuffled(decisions))["all"].r2 < measured.r2 - 0.02
