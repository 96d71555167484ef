"""What decisions count in the loss, and the auxiliary values."""

import numpy as np
import pytest
import torch

from agents.values.fitting import Fitting, fit_auxiliary, make_optimizer
from agents.values.minibatches import POINTS_UNIT, minibatch_of, minibatches
from agents.values.value_config import FittingConfig
from agents.values.value_network import NUM_AUXILIARY, ValueNetwork
from agents.values.weighting import decision_weights, equal_weighting, precision_weighting
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate
from shengji_env.engine.state import Phase
from shengji_env.players.networks.champion.compiled_network import NUM_VALUES
from shengji_env.tables.observation import OBSERVATION_DTYPE
from tests.helpers.value_networks import WIDTHS


@pytest.fixture(scope="module")
def decisions():
    return expand(generate(RolloutSettings(rules="one_deck", seed=11), 0, 400))


def hands(decisions):
    return decisions.observations.view(OBSERVATION_DTYPE)[:, 0]["cards_left"][:, 0]


def test_precise_labels_count_more(decisions):
    """The weight of a place is one over its variance and a tenth of the mean one, up to a factor of its phase."""
    weighting = precision_weighting(decisions)
    spreads = []
    for first, end in zip(decisions.offsets[:-1], decisions.offsets[1:], strict=True):
        labels = np.stack([decisions.smooth[first:end], decisions.levels[first:end]])
        spreads.append(labels.var(axis=1).sum())
    spreads = np.array(spreads)
    for phase in (Phase.BID, Phase.LEAD, Phase.FOLLOW):
        seen = {}
        for hand in np.unique(hands(decisions)[decisions.phases == phase]):
            mine = (decisions.phases == phase) & (hands(decisions) == hand)
            seen[hand] = weighting[phase, hand] * (spreads[mine].mean() + 0.1 * spreads.mean())
        assert len(seen) > 5
        assert np.ptp(list(seen.values())) < 1e-4 * max(seen.values())
    leads = weighting[Phase.LEAD, hands(decisions)[decisions.phases == Phase.LEAD]]
    assert leads.max() > 2 * leads.min()


def test_weights_are_one_in_the_mean_of_every_phase(decisions):
    weights = decision_weights(precision_weighting(decisions), minibatch_of(decisions))
    assert (weights > 0).all()
    for phase in np.unique(decisions.phases):
        assert weights[decisions.phases == phase].mean() == pytest.approx(1, abs=1e-4)
    assert (precision_weighting(decisions)[Phase.NAME] == 1).all()
    assert (decision_weights(equal_weighting(), minibatch_of(decisions)) == 1).all()


def step(decisions, rows, *, weighting, auxiliary):
    """A network after one step on some of the decisions, from the same weights, its optimiser new."""
    torch.manual_seed(1)
    network = ValueNetwork(WIDTHS)
    network.calibrate(minibatch_of(decisions).inputs)
    batch = minibatch_of(decisions.take(rows))
    torch.nn.init.normal_(network.weights["value"])
    torch.nn.init.normal_(network.auxiliary)
    optimizer = make_optimizer(network, FittingConfig(device="cpu"))
    sums = Fitting(network, optimizer, weighting, auxiliary).step(batch, 1e-3)
    return network, [each.numpy() for each in sums]


def test_what_decides_nothing_teaches_nothing(decisions):
    """Decisions without weight might as well not be there."""
    weighting = equal_weighting()
    weighting[Phase.FOLLOW] = 0
    others = np.flatnonzero(decisions.phases != Phase.FOLLOW)
    whole, _ = step(decisions, np.arange(len(decisions)), weighting=weighting, auxiliary=0.0)
    part, _ = step(decisions, others, weighting=equal_weighting(), auxiliary=0.0)
    directions = [torch.cat([weight.grad.flatten() for weight in net.weights.values()]) for net in (whole, part)]
    assert torch.cosine_similarity(*directions, dim=0) > 1 - 1e-5
    more, _ = step(decisions, np.arange(len(decisions)), weighting=equal_weighting(), auxiliary=0.0)
    other = torch.cat([weight.grad.flatten() for weight in more.weights.values()])
    assert torch.cosine_similarity(other, directions[1], dim=0) < 1 - 1e-3


def test_auxiliary_values_shape_the_layers_and_change_no_figure(decisions):
    rows = np.arange(len(decisions))
    without, figures = step(decisions, rows, weighting=equal_weighting(), auxiliary=0.0)
    with_them, same = step(decisions, rows, weighting=equal_weighting(), auxiliary=1.0)
    for one, other in zip(figures, same, strict=True):
        assert one.shape == (NUM_VALUES,)
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert not torch.equal(without.weights["last"], with_them.weights["last"])
    assert set(without.export()) == set(with_them.export()) == set(with_them.weights)


def test_the_auxiliary_values_are_points_and_levels_that_are_not_centred(decisions):
    """A network whose other values cannot learn explains a good part of both."""
    torch.manual_seed(2)
    network, batch = ValueNetwork((16, 16, 32, 16)), minibatch_of(decisions)
    network.calibrate(batch.inputs)
    optimizer = make_optimizer(network, FittingConfig(device="cpu"))
    fitting = Fitting(network, optimizer, equal_weighting(), 1.0)
    for _ in range(150):
        fitting.step(batch, 5e-3)
    with torch.no_grad():
        values = network.all_values(batch.inputs).numpy()
    assert values.shape == (len(decisions.smooth), NUM_VALUES + NUM_AUXILIARY)
    assert np.corrcoef(values[:, -1], decisions.smooth)[0, 1] > 0.5
    sizes = np.diff(decisions.offsets)
    means = np.add.reduceat(decisions.points / POINTS_UNIT, decisions.offsets[:-1]) / sizes
    centred = decisions.points / POINTS_UNIT - np.repeat(means, sizes)
    mine = values[:, NUM_VALUES] - np.repeat(
        np.add.reduceat(values[:, NUM_VALUES], decisions.offsets[:-1]) / sizes, sizes
    )
    assert np.corrcoef(mine, centred)[0, 1] > 0.2


def pulls(network, decisions, weighting):
    """How strongly the loss pulls at the weights of each auxiliary value, relative to those of the played ones."""
    optimizer = make_optimizer(network, FittingConfig(device="cpu"))
    Fitting(network, optimizer, weighting, 1.0).step(minibatch_of(decisions), 0.0)
    return (network.auxiliary.grad.norm(dim=0) / network.weights["value"].grad.norm()).numpy()


def test_fitted_auxiliary_values_are_where_the_loss_leaves_them_alone(decisions):
    """Each is the best that the last layer can do, in the very loss of a step; nothing else is changed."""
    torch.manual_seed(3)
    network, weighting = ValueNetwork(WIDTHS), precision_weighting(decisions)
    network.calibrate(minibatch_of(decisions).inputs)
    torch.nn.init.normal_(network.weights["value"])
    at_zero, before = pulls(network, decisions, weighting), network.export()
    fit_auxiliary(network, minibatches(decisions, 500, (1,)), weighting)
    assert (pulls(network, decisions, weighting) < 0.02 * at_zero).all()
    for name, array in network.export().items():
        np.testing.assert_array_equal(array, before[name])
