"""Distilling: steps hold what the network reads, the network in torch is the one of integers, and it learns."""

import numpy as np
import pytest
import torch

from agents.distilling.__main__ import main
from agents.distilling.distilled_model import ILLEGAL, SCALE, DistilledModel, StepBatches
from agents.distilling.distilling import DistillingConfig, loss_of, quality_of, train
from agents.distilling.factors import make_factors
from agents.distilling.steps import UNKNOWN, collect_steps, joined
from shengji_env.datasets.rollouts import RolloutSettings
from shengji_env.players.networks.distilled import distilled_rows as blocks
from shengji_env.players.networks.distilled.distilled_file import DISTILLED_FILE, read_distilled, shipped_network
from shengji_env.players.networks.distilled.distilled_inputs import CLASSES, COPIES, SCENES
from shengji_env.players.networks.distilled.integer_rows import WIDTH


@pytest.fixture(scope="module")
def steps():
    return collect_steps(RolloutSettings(rules="two_deck", seed=3, policy="champion"), 0.1, 24)


def rows_of(steps):
    """The rows of each suit."""
    return np.split(steps.rows, np.cumsum(steps.num_rows)[:-1])


def test_steps_are_choices_of_which_the_champion_takes_one(steps):
    assert len(steps.num_choices) > 1000
    assert steps.num_choices.min() == 2
    batch = StepBatches(steps).take(np.arange(len(steps.num_choices)))
    assert batch.is_best.sum(1).unique().tolist() == [1]
    values = batch.values.masked_fill(~batch.is_legal, UNKNOWN)
    assert (values[batch.is_best] == values.max(1).values).all()
    assert (steps.values == UNKNOWN).mean() < 0.6
    assert steps.values.max() < 10
    assert (np.diff(steps.suits, prepend=0) <= 1).all()


def test_every_suit_has_one_row_of_each_kind(steps):
    """Two rows of the same block would stand for two answers to one question."""
    starts = np.cumsum((0, *SCENES))
    for rows in rows_of(steps)[:2000]:
        is_trump = int(blocks.BIASES + 1 in rows)
        own = rows - is_trump * blocks.NUM_OWN
        scene = own[(own >= blocks.SCENE) & (own < blocks.BEGUN)] - blocks.SCENE
        assert np.searchsorted(starts, scene, "right").tolist() == list(range(1, len(SCENES) + 1))
        for first, end in ((blocks.BEGUN, blocks.LED), (blocks.LED, blocks.NUM_OWN)):
            assert ((own >= first) & (own < end)).sum() == 1
        held = own[(own >= blocks.HELD) & (own < blocks.OUT)] // (2 * CLASSES)
        assert len(held) == len(set(held.tolist())) > 0
        assert ((own >= blocks.SUIT) & (own < blocks.SCENE)).sum() == 3


@pytest.mark.parametrize(("rules", "most"), [("one_deck", 1), ("two_deck", 2), ("three_deck", 3), ("four_deck", 3)])
def test_copies_of_a_card_are_told_apart_up_to_three(rules, most):
    found = collect_steps(RolloutSettings(rules=rules, seed=5, policy="champion"), 0.1, 8)
    rows = found.rows[found.rows < blocks.BIASES] % blocks.NUM_OWN
    held = (rows[rows < blocks.OUT] // 2 % CLASSES) // 6 % COPIES
    out = (rows[(rows >= blocks.OUT) & (rows < blocks.TAKEN)] - blocks.OUT) // 2 % COPIES
    taken = (rows[(rows >= blocks.TAKEN) & (rows < blocks.TOP)] - blocks.TAKEN) % COPIES
    for copies in (held, out, taken):
        assert set(copies.tolist()) == set(range(most))


def test_steps_depend_on_the_settings_alone(steps):
    settings = RolloutSettings(rules="two_deck", seed=3, policy="champion")
    again = joined([collect_steps(settings, 0.1, 24)])
    for one, other in zip(again, steps, strict=True):
        assert one.tobytes() == other.tobytes()


def test_factors_are_shared_by_rows_of_one_block_only():
    factors = make_factors()
    assert len(factors) == blocks.NUM_ROWS
    edges = sorted(
        offset + first
        for offset in (0, blocks.NUM_OWN)
        for first in (blocks.HELD, blocks.OUT, blocks.TAKEN, blocks.TOP, blocks.SUIT, blocks.SCENE, blocks.BEGUN)
    )
    edges += [blocks.BIASES, blocks.OTHERS, blocks.OTHERS + blocks.NUM_SUIT, blocks.OTHERS + 2 * blocks.NUM_SUIT]
    block = np.searchsorted(edges, np.arange(blocks.NUM_ROWS), "right")
    for factor in range(1, factors.max() + 1):
        rows = np.flatnonzero((factors == factor).any(axis=1))
        assert len(rows) > 0
        assert len(set(block[rows].tolist())) == 1


def test_the_network_of_integers_values_choices_as_the_one_in_torch(steps):
    torch.manual_seed(1)
    model = DistilledModel()
    with torch.no_grad():
        for weights in (model.rows, model.biases):
            weights += torch.randn_like(weights) * 0.1
    network = model.as_integers()
    batch = StepBatches(steps).take(np.arange(len(steps.num_choices)))
    with torch.no_grad():
        values = model(batch)[batch.is_legal].numpy()
    assert (model(batch)[~batch.is_legal] == ILLEGAL).all()
    rows, outputs = network.rows.reshape(-1, WIDTH), network.outputs.reshape(-1, WIDTH)
    hidden = np.array([rows[of].sum(axis=0, dtype=np.int64) for of in rows_of(steps)])[batch.suits].clip(0)
    products = (hidden * outputs[steps.outputs].sum(axis=1, dtype=np.int64)).sum(axis=1)
    products += network.biases[steps.outputs].sum(axis=1)
    assert np.abs(values - products / SCALE**2).max() < 0.1
    assert not outputs[-1].any()


def test_weights_that_do_not_fit_are_refused():
    model = DistilledModel()
    with torch.no_grad():
        model.rows[3, 4] = 200
    with pytest.raises(OverflowError, match="at most 127 fits in"):
        model.as_integers()


def test_it_learns(steps):
    batches, config = StepBatches(steps), DistillingConfig(epochs=20, batch_size=256)
    batch = batches.take(np.arange(len(batches)))
    seen = []
    model = train(batches, config, lambda done, metrics: seen.append((done, metrics)))
    before = quality_of(DistilledModel(), batches, config)
    after = quality_of(model, batches, config)
    assert after.agreement > 0.6 > before.agreement
    assert after.regret < before.regret / 2
    assert loss_of(model(batch), batch, config) < loss_of(DistilledModel()(batch), batch, config)
    assert seen[-1][0] == 1
    assert set(seen[-1][1]) == {"loss", "cards/s"}


def test_the_command_writes_a_file_that_players_read(tmp_path, capsys):
    file = tmp_path / DISTILLED_FILE
    assert main(["--rounds", "8", "--epochs", "1", "--share", "1", "--out", str(file)]) == 0
    said = capsys.readouterr().out
    assert "8 rounds" in said
    assert "two_deck: the champion's card" in said
    network = read_distilled(file)
    assert [array.shape for array in network] == [array.shape for array in shipped_network()]


@pytest.mark.parametrize("wrong", [["--rounds", "0"], ["--share", "2"], ["--seed", "-1"], ["--rules", "bridge"]])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(SystemExit):
        main(wrong)
