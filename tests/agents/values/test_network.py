"""The value network in NumPy and in torch, and what it makes of suits: they have no names."""

import numpy as np
import pytest
import torch

from agents.sparse_inputs import by_row, distinct_rows, parts_of, product, sums
from agents.values import value_network
from agents.values.minibatches import minibatch_of
from agents.values.padding import distinct, padded
from agents.values.value_network import ValueNetwork
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.players.candidates.features import FEATURES, FEATURES_DTYPE
from shengji_env.players.networks.champion.compiled_network import best_candidates, values_of, weight_shapes
from shengji_env.players.networks.champion.inputs import make_inputs
from shengji_env.tables.observation import LAYOUT, OBSERVATION_DTYPE
from tests.helpers.value_networks import WIDTHS, decision_states, random_weights, read
from tests.players.test_candidates import slots_permuted

FORCED_RULES = "two_deck(failed_throw=next_seat_chooses)"
NO_TRUMP_RULES = "duplicate(no_trump_bids=True)"
REBEL_RULES = "contest(rebellion_points=100)"


def labelled(rules, rounds=40, seed=1):
    return expand(generate(RolloutSettings(rules=rules, seed=seed), 0, rounds))


def seen(decisions):
    return decisions.observations.view(OBSERVATION_DTYPE)[:, 0]


def network(seed=0, widths=WIDTHS):
    torch.manual_seed(seed)
    made = ValueNetwork(widths)
    for name, weight in made.weights.items():
        if name == "value" or name.endswith("bias"):
            torch.nn.init.normal_(weight)
    return made


# ---- NumPy and torch


@pytest.mark.parametrize(
    "rules", ["two_deck", "one_deck_45", "competition", "four_deck", FORCED_RULES, NO_TRUMP_RULES, REBEL_RULES]
)
def test_numpy_and_torch_value_and_choose_alike(rules):
    learned = network()
    observations, offsets, cards, features, _ = read(decision_states(rules), rules)
    inputs = make_inputs(observations, offsets, cards, features)
    learned.calibrate(inputs)
    with torch.no_grad():
        wanted = learned(inputs).numpy()
    values = values_of(learned.export(), inputs)
    np.testing.assert_allclose(values, wanted, rtol=1e-4, atol=1e-4)
    assert np.abs(values).max() > 0.1
    best = best_candidates(values.mean(axis=1), offsets)
    assert (best == best_candidates(wanted.mean(axis=1), offsets)).mean() > 0.995
    assert len(set(best.tolist())) > 3


def test_decisions_of_all_phases_and_of_no_trump_are_compared():
    phases = set().union(
        *(decision_states(rules)["phase"].tolist() for rules in ("two_deck", "competition", FORCED_RULES, REBEL_RULES))
    )
    assert phases == {phase for phase in Phase if phase != Phase.OVER}
    assert (decision_states(NO_TRUMP_RULES)["trump"] == NO_TRUMP).any()


def test_export_has_the_shapes_of_the_numpy_network():
    widths = (3, 5, 7, 2)
    exported = network(widths=widths).export()
    assert {name: array.shape for name, array in exported.items()} == weight_shapes(*widths)
    assert {array.dtype for array in exported.values()} == {np.dtype(np.float32)}


def test_a_fresh_network_values_all_candidates_alike():
    decisions = labelled("one_deck", 5)
    assert not values_of(ValueNetwork(WIDTHS).export(), minibatch_of(decisions).inputs).any()


def test_a_wider_network_begins_with_the_values_of_the_narrower_one():
    inputs = minibatch_of(labelled("one_deck", 5)).inputs
    weights = network().export()
    wider = ValueNetwork(tuple(width + more for width, more in zip(WIDTHS, (5, 0, 9, 3), strict=True)))
    wider.calibrate(inputs)
    wider.load(weights)
    np.testing.assert_allclose(values_of(wider.export(), inputs), values_of(weights, inputs), rtol=1e-3, atol=1e-4)
    with torch.no_grad():
        assert (wider.weights["from_suit"][:, WIDTHS[2] :][: WIDTHS[0]] != 0).any()


# ---- precision and padding


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "four_deck"])
def test_bfloat16_values_and_gradients_are_nearly_those_of_float32(rules):
    decisions = labelled(rules, 20)
    batch, exact, coarse = minibatch_of(decisions), network(), ValueNetwork(WIDTHS, "bfloat16")
    exact.calibrate(batch.inputs)
    coarse.load_state_dict(exact.state_dict())
    values = [learned(batch.inputs) for learned in (exact, coarse)]
    assert [part.dtype for part in values] == [torch.float32] * 2
    wanted, found = (part.detach().numpy() for part in values)
    assert 0 < np.abs(found - wanted).max() < 0.05 * np.abs(wanted).max()
    for part in values:
        part.square().sum().backward()
    for name, weight in exact.weights.items():
        wanted, found = weight.grad.flatten(), coarse.weights[name].grad.flatten()
        assert found.dtype == torch.float32
        assert torch.cosine_similarity(wanted, found, dim=0) > 0.99, name


def test_padded_inputs_begin_with_the_inputs_and_go_on_with_blank_rows():
    inputs = minibatch_of(labelled("two_deck", 20)).inputs
    more = padded(inputs)
    for rows, longer in zip(inputs, more, strict=True):
        assert len(longer) % 128 == 0
        assert len(longer) > len(rows)
        assert longer.dtype == rows.dtype
        np.testing.assert_array_equal(longer[: len(rows)], rows)
        assert longer.dtype != np.int8 or not longer[len(rows) :].any()
    for owners, owned in (
        ("suit_owners", "trumps"), ("owners", "trumps"), ("changed_suits", "suits"), ("suit_change_owners", "features"),
        ("trump_change_owners", "features"),
    ):  # fmt: skip
        blank = getattr(more, owners)[len(getattr(inputs, owners)) :]
        assert (blank >= len(getattr(inputs, owned))).all()
        assert (blank < len(getattr(more, owned))).all()


@pytest.mark.parametrize("shape", [(50, 7), (1, 300), (130, 1)])
def test_products_with_sparse_inputs_and_their_gradients_are_those_of_dense_ones(shape):
    rng = np.random.default_rng(0)
    rows = (rng.integers(-128, 128, shape) * (rng.random(shape) < 0.2)).astype(np.int8)
    rows[0] = 0
    weight = torch.randn(shape[1], 5, requires_grad=True)
    values = product(rows, weight)
    dense = torch.from_numpy(rows).float()
    torch.testing.assert_close(values, dense @ weight, rtol=1e-4, atol=1e-4)
    (gradient,) = torch.autograd.grad(values, weight, (wanted := torch.randn_like(values)))
    torch.testing.assert_close(gradient, dense.T @ wanted, rtol=1e-4, atol=1e-3)


def test_sums_of_listed_rows_and_their_gradients_are_those_of_rows_one_by_one():
    numbers, places = np.array([3, 0, 2, 1]), np.array([4, 1, 4, 0, 4, 2])
    weight = torch.randn(6, 5, requires_grad=True)
    values = sums(parts_of(numbers, places), weight)
    wanted = torch.stack([weight[places[start:end]].sum(0) for start, end in ((0, 3), (3, 3), (3, 5), (5, 6))])
    torch.testing.assert_close(values, wanted, rtol=1e-5, atol=1e-5)
    slopes = torch.randn_like(values)
    found, right = (torch.autograd.grad(each, weight, slopes)[0] for each in (values, wanted))
    torch.testing.assert_close(found, right, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(2000, 2), (2000, 8), (500, 12), (1, 3), (0, 8)])
def test_distinct_rows_stand_where_they_are_first(shape):
    rows = np.random.default_rng(2).integers(-3, 3, shape).astype(np.int8)
    first, of = distinct_rows(rows)
    np.testing.assert_array_equal(rows[first][of], rows)
    assert len(first) == len(np.unique(rows, axis=0))
    assert first.tolist() == sorted(first.tolist())
    assert all(of.tolist().index(number) == row for number, row in enumerate(first.tolist()))


@pytest.mark.parametrize("shape", [(3, 7), (1, 8), (5, 13), (0, 4), (4, 1)])
def test_lists_of_inputs_name_what_is_not_zero_row_by_row(shape):
    rng = np.random.default_rng(1)
    for share in (0.0, 0.1, 1.0):
        rows = np.where(rng.random(shape) < share, rng.integers(-128, 128, shape), 0).astype(np.int8)
        starts, places, values = by_row(rows)
        wanted_rows, wanted_places = np.nonzero(rows)
        assert np.repeat(np.arange(len(rows)), np.diff(starts)).tolist() == wanted_rows.tolist()
        assert places.tolist() == wanted_places.tolist()
        assert values.tolist() == rows[rows != 0].tolist()


def test_sparse_and_dense_inputs_learn_alike(monkeypatch):
    """Where torch computes on something else than a processor, the products are dense."""
    inputs, networks = minibatch_of(labelled("two_deck", 20)).inputs, [network(), network()]
    values = [networks[0](inputs)]
    monkeypatch.setattr(value_network, "product", lambda rows, weight: torch.from_numpy(rows).float() @ weight)
    values.append(networks[1](inputs))
    torch.testing.assert_close(*values, rtol=1e-4, atol=1e-4)
    for part in values:
        part.square().mean().backward()
    for name, weight in networks[0].weights.items():
        found = networks[1].weights[name].grad
        assert (found - weight.grad).norm() < 1e-4 * weight.grad.norm(), name


@pytest.mark.parametrize("indices", [[], [5, 2, 5, 0], list(range(128))])
def test_distinct_rows_are_named_once_and_found_again(indices):
    rows, places = distinct(np.array(indices, np.int64))
    assert len(rows) % 128 == 0
    assert len(rows) > len(set(indices))
    assert rows[places].tolist() == indices
    assert rows[: len(set(indices))].tolist() == sorted(set(indices))
    assert not rows[len(set(indices)) :].any()


def test_numbers_of_rows_change_no_value():
    """Neither the other decisions of a minibatch nor the blank rows, in number a multiple of 128, make a difference."""
    decisions, learned = labelled("two_deck", 20), network()
    assert len(decisions) > 130
    learned.calibrate(minibatch_of(decisions).inputs)
    with torch.no_grad():
        wanted = learned(minibatch_of(decisions).inputs).numpy()
        for size in (1, 127, 128, 129):
            values = learned(minibatch_of(decisions.take(np.arange(size))).inputs).numpy()
            assert len(values) == decisions.offsets[size]
            np.testing.assert_allclose(values, wanted[: len(values)], rtol=1e-4, atol=1e-4)


# ---- suits


def permuted(decisions, order):
    """Observations, cards and features of the same decisions with plain suit i called order[i]."""
    slots, suits = slots_permuted(order, None), np.arange(5)
    suits[: len(order)] = order
    observations = decisions.observations.copy()
    old, new = seen(decisions), observations.view(OBSERVATION_DTYPE)[:, 0]
    for segment in LAYOUT:
        if segment.shape[-1] == NUM_SLOTS:
            new[segment.name][..., slots] = old[segment.name]
    for name in ("voids", "lead_suit"):
        new[name][..., suits] = old[name]
    if len(order) == 4:
        new["bid_kind"][..., suits[:4]] = old["bid_kind"][..., :4]
    cards, features = np.zeros_like(decisions.cards), decisions.features.copy()
    cards[:, slots] = decisions.cards
    for feature in FEATURES:
        if feature.shape == (5,):
            rows = features.view(FEATURES_DTYPE)[feature.name][:, 0]
            rows[:, suits] = decisions.features.view(FEATURES_DTYPE)[feature.name][:, 0]
    return observations, decisions.offsets, cards, features


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "competition", NO_TRUMP_RULES])
def test_permuting_the_plain_suits_leaves_every_candidates_value(rules):
    decisions = labelled(rules)
    has_four = seen(decisions)["trump"][:, NO_TRUMP:].any(axis=1)
    assert 0 < has_four.sum() < len(decisions)
    weights = random_weights()
    for chosen, orders in ((~has_four, [(1, 2, 0), (0, 2, 1), (2, 1, 0)]), (has_four, [(1, 2, 3, 0), (3, 0, 2, 1)])):
        some = decisions.take(np.flatnonzero(chosen))
        before = minibatch_of(some).inputs
        for order in orders:
            inputs = make_inputs(*permuted(some, order))
            assert inputs.suits.tobytes() != before.suits.tobytes()
            np.testing.assert_allclose(values_of(weights, inputs), values_of(weights, before), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rules", ["two_deck", NO_TRUMP_RULES])
def test_permuting_the_plain_suits_permutes_rows_of_the_inputs(rules):
    decisions = labelled(rules)
    has_four = seen(decisions)["trump"][:, NO_TRUMP:].any(axis=1)
    for chosen, order in ((~has_four, (1, 2, 0)), (has_four, (1, 3, 0, 2))):
        some = decisions.take(np.flatnonzero(chosen))
        before, after = minibatch_of(some).inputs, make_inputs(*permuted(some, order))
        for name in ("suit_owners", "trumps", "table", "features", "owners", "trump_changes", "trump_change_owners"):
            assert getattr(after, name).tobytes() == getattr(before, name).tobytes()
        suits = before.suits.reshape(len(some), len(order), -1)
        assert (after.suits.reshape(suits.shape)[:, order] == suits).all()
        assert suit_changes(after, order, len(order)) == suit_changes(before, range(len(order)), len(order))


def suit_changes(inputs, order, number):
    """What each candidate does to each suit, by the suits' names before they were permuted."""
    names = {after: before for before, after in enumerate(order)}
    rows = zip(
        inputs.suit_change_owners.tolist(), (inputs.changed_suits % number).tolist(), inputs.suit_changes, strict=True
    )
    return sorted((candidate, names[suit], row.tobytes()) for candidate, suit, row in rows)
