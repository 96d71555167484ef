"""The screening of playouts: shares for any number of sampled deals follow from those that were played."""

import numpy as np
import pytest

from tools.screen_playouts import Moments, Screened, Seconds, report


def made_up(decisions, deals, seed=1, candidates=5):
    """Decisions whose labels are known parts of what a network and three predictors say of them."""
    rng = np.random.default_rng(seed)
    for index in range(decisions):
        good, network = rng.normal(size=(2, candidates))
        labels = good + 0.5 * network + rng.normal(size=candidates)
        sampled = good[None, :, None] + rng.normal(scale=2, size=(3, candidates, deals))
        yield Screened(index // 4, labels, network, sampled[:, :, 0], sampled)


def test_shares_for_more_deals_are_those_of_as_many_deals():
    """Labels have variance 1 + 1/4 + 1; of them the policies' common part explains 1, the network 1/4."""
    few, many = (Moments(list(made_up(20_000, deals)), 0) for deals in (4, 40))
    for found, deals in ((few, 40), (few, 400), (many, 4), (many, 40)):
        assert found.shares(numbers=[deals])[str(deals)].item() == pytest.approx(100 / 2.25 / (1 + 4 / deals), abs=1.5)
    shares = {name: share.item() for name, share in few.shares().items()}
    assert shares["network"] == pytest.approx(100 * 0.25 / 2.25, abs=1.5)
    assert shares["true"] == pytest.approx(100 / 2.25 / 5, abs=1.5)
    assert shares["inf"] == pytest.approx(shares["+inf"], abs=1.5)


def test_the_network_counts_as_many_deals_as_regression_says():
    """The weights are 1/2 of the network, and 1 / (1 + 4 / W) of the mean over W deals."""
    found = Moments(list(made_up(20_000, 8)), 0)
    for deals in (20, 100):
        assert found.weight_of_network(deals) == pytest.approx(deals * 0.5 * (1 + 4 / deals), rel=0.05)


def test_bootstrap_samples_that_have_every_round_once_change_nothing():
    moments = Moments(list(made_up(400, 4)), 1)
    once, point = moments.shares(np.ones((3, moments.rounds), np.int64)), moments.shares()
    assert all(np.allclose(once[name], point[name]) for name in point)


def test_the_tables_name_policies_times_and_deals():
    text = report(list(made_up(400, 4)), Seconds((10e-6, 10e-6, 90e-6), (40e-6, 50e-6, 50e-6)), 0)
    assert "400 decisions of 100 rounds, 5.00 candidates" in text
    assert "| distilled, replayed: 90 µs a deal, 50 µs a playout |" in text
    assert f"({0.001 / 210e-6:.3g} deals)" in text
    assert f"({0.001 / 340e-6:.3g} deals)" in text
    assert text.count("| distilled, replayed − distilled |") == 2
