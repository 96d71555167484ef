"""Networks of torch as files: the player decides like the network, and what no file can hold is refused."""

import numpy as np
import pytest
import torch
from torch import nn

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import rule_set
from shengji_env.errors import PlayerError
from shengji_env.players import make_player
from shengji_env.players.networks.policy import layer_stack, write_policy
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv


@pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh])
def test_the_player_has_the_logits_of_the_network(tmp_path, activation):
    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Linear(OBSERVATION_SIZE, 8, bias=False),
        activation(),
        nn.Linear(8, 5),
        activation(),
        nn.Linear(5, NUM_ACTIONS),
    )
    write_policy(layer_stack(model, scale=0.1), tmp_path / "mine.npz", rules="one_deck")
    env = BatchEnv(16, seed=0, start="any")
    with torch.no_grad():
        logits = model(torch.from_numpy(env.observation).float() * 0.1).numpy()
    player = make_player(f"policy:{tmp_path / 'mine.npz'}")
    np.testing.assert_allclose(player.logits(env.observation), logits, rtol=1e-4, atol=1e-4)
    assert player.rules_fingerprint == rule_set("one_deck").fingerprint


@pytest.mark.parametrize(
    "layers",
    [
        [],
        [nn.ReLU()],
        [nn.Linear(2, 2), nn.GELU(), nn.Linear(2, 2)],
        [nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2)],
        [nn.Linear(2, 2), nn.LayerNorm(2), nn.ReLU(), nn.Linear(2, 2)],
        [nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)],
        [nn.Linear(2, 2), nn.ReLU()],
        [nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU(), nn.ReLU(), nn.Linear(2, 2)],
        [nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)],
    ],
)
def test_layers_that_the_file_cannot_hold_are_refused(layers):
    with pytest.raises(PlayerError, match="must be Linear, with ReLU, or Tanh, between each two"):
        layer_stack(layers)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (nn.Linear(3, NUM_ACTIONS), rf"it must be \({OBSERVATION_SIZE}, outputs\)"),
        (nn.Linear(OBSERVATION_SIZE, 3), f"there are {NUM_ACTIONS} actions"),
    ],
)
def test_a_network_of_another_size_is_refused_before_it_is_written(tmp_path, layer, message):
    with pytest.raises(PlayerError, match=message):
        write_policy(layer_stack([layer]), tmp_path / "mine.npz", rules="two_deck")
    assert not (tmp_path / "mine.npz").exists()
