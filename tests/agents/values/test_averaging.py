"""The mean of weights over many steps: what it is, and that an interrupted run makes the same."""

import numpy as np
import pytest
import torch

from agents.values.averaging import WeightMean
from agents.values.value_network import ValueNetwork
from shengji_env.errors import CheckpointError
from tests.agents.values.test_learner import go_on, saved, start, stop_in_fitting, weights
from tests.agents.values.test_learner import shards as shards  # a fixture
from tests.helpers.value_networks import WIDTHS, random_weights

SHARE = ["fitting.average_share=0.9"]


def networks(number):
    made = [ValueNetwork(WIDTHS) for _ in range(number)]
    for seed, network in enumerate(made):
        network.load(random_weights(seed))
    return made


def test_it_is_the_mean_of_all_steps():
    made = networks(3)
    mean = WeightMean(made[0])
    for network in made:
        mean.add(network)
    assert mean.steps == 3
    for name, array in mean.export().items():
        np.testing.assert_allclose(array, sum(network.export()[name] for network in made) / 3, 1e-5, 1e-6)


def test_it_goes_on_from_what_was_saved():
    first, second, third = networks(3)
    mean, other = WeightMean(first), WeightMean(first)
    assert not mean.save()
    mean.add(first)
    mean.add(second)
    other.load(mean.save(), 2)
    mean.add(third)
    other.add(third)
    assert all((array == other.export()[name]).all() for name, array in mean.export().items())


@pytest.mark.parametrize(
    ("change", "steps", "message"),
    [
        (lambda arrays: arrays.pop("mean/weights.value"), 1, "others than its network's: mean/weights.value"),
        (lambda arrays: None, 0, "others than its network's: mean/auxiliary"),
        (
            lambda arrays: arrays["mean/weights.value"].fill(np.nan),
            1,
            r"its mean/weights.value is .* not finite float32",
        ),
    ],
)
def test_what_is_no_mean_is_refused(change, steps, message):
    (network,) = networks(1)
    mean = WeightMean(network)
    mean.add(network)
    arrays = mean.save()
    change(arrays)
    with pytest.raises(CheckpointError, match=message):
        WeightMean(network).load(arrays, steps)


def test_a_run_exports_it_also_if_it_was_interrupted(tmp_path, shards):
    folders = [tmp_path / name for name in ("last", "once", "twice")]
    for folder in folders:
        folder.mkdir()
    last, once, twice = folders
    assert start(last, shards)
    assert start(once, shards, overrides=SHARE)
    assert weights(once) != weights(last)
    stop_in_fitting(twice, shards, SHARE)
    assert saved(twice).meta["learner"]["averaged"] > 0
    assert go_on(twice)
    assert weights(twice) == weights(once)


def test_it_does_not_change_what_is_learned(tmp_path, shards):
    """Only what is exported: the weights of the checkpoint are those of a run without it."""
    arrays = []
    for name, overrides in (("plain", []), ("averaged", SHARE)):
        folder = tmp_path / name
        folder.mkdir()
        torch.manual_seed(0)
        assert start(folder, shards, overrides=overrides)
        arrays.append(saved(folder).arrays)
    plain, averaged = arrays
    assert all((array == averaged[name]).all() for name, array in plain.items())
