"""Values of the network: those of the layers as they are described, and the same bits in any batch."""

import numpy as np
import pytest

from shengji_env.datasets.rollouts import RolloutSettings, expand, generate
from shengji_env.engine.cards import NUM_SUITS
from shengji_env.players.networks.champion.compiled_network import values_of
from shengji_env.players.networks.champion.inputs import make_inputs
from tests.helpers.value_networks import random_weights


@pytest.fixture(scope="module")
def decisions():
    return expand(generate(RolloutSettings(seed=3, noise=(0.5,)), 0, 12))


def inputs_of(decisions):
    return make_inputs(decisions.observations, decisions.offsets, decisions.cards, decisions.features)


def described(w, i, candidate):
    """The value of one candidate, layer by layer, as the module's table says it."""
    owner = i.owners[candidate]
    hidden = i.table[owner] @ w["from_table"] + w["hidden_bias"] + i.features[candidate] @ w["from_features"]
    suit_changes = {i.changed_suits[row]: row for row in np.flatnonzero(i.suit_change_owners == candidate)}
    for suit in np.flatnonzero(i.suit_owners == owner):
        code = i.suits[suit] @ w["suit"] + w["suit_bias"]
        if suit in suit_changes:
            code = code + i.suit_changes[suit_changes[suit]] @ w["suit_touch"]
        hidden = hidden + np.maximum(code, 0) @ w["from_touched_suit" if suit in suit_changes else "from_suit"]
    code, touch = i.trumps[owner] @ w["trump"] + w["trump_bias"], np.flatnonzero(i.trump_change_owners == candidate)
    if len(touch):
        code = code + i.trump_changes[touch[0]] @ w["trump_touch"]
    hidden = hidden + np.maximum(code, 0) @ w["from_touched_trump" if len(touch) else "from_trump"]
    return np.maximum(np.maximum(hidden, 0) @ w["last"] + w["last_bias"], 0) @ w["value"]


def test_values_are_those_of_the_layers(decisions):
    inputs, weights = inputs_of(decisions), random_weights()
    values = values_of(weights, inputs)
    exact = {name: weight.astype(np.float64) for name, weight in weights.items()}
    wanted = np.array([described(exact, inputs, candidate) for candidate in range(len(values))])
    assert np.allclose(values, wanted, rtol=1e-4, atol=1e-4)
    assert np.ptp(values) > 1
    assert len(inputs.suits) < NUM_SUITS * len(decisions)


def test_values_are_the_same_bits_in_any_batch(decisions):
    """A library's product may sum in another order for another number of rows; then batches would decide ties."""
    weights = random_weights(1)
    together = values_of(weights, inputs_of(decisions))
    for size in (1, 7):
        rows = np.split(np.arange(len(decisions)), range(size, len(decisions), size))
        apart = [values_of(weights, inputs_of(decisions.take(part))) for part in rows]
        assert np.concatenate(apart).tobytes() == together.tobytes()
    order = np.random.default_rng(1).permutation(len(decisions))
    shuffled = values_of(weights, inputs_of(decisions.take(order)))
    places = np.concatenate([np.arange(*decisions.offsets[row : row + 2]) for row in order])
    assert shuffled.tobytes() == together[places].tobytes()
