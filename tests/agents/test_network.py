"""The network: what each part may see, and that the exported file computes the same function."""

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from agents.config_files import override
from agents.export import write_policy
from agents.ppo.card_policy import CardPolicy
from agents.ppo.maskable_ppo import LinearRate, make_ppo, make_tables, policy_of
from agents.ppo.ppo_config import PPOConfig
from agents.ppo.table_vec_env import TableVecEnv
from shengji_env.arena import make_player
from shengji_env.tables.observation import OBSERVATION_SIZE

SMALL = [
    "environment.tables=8",
    "training.rollout_steps=16",
    "training.minibatch=32",
    "network.policy=[32, 16]",
    "network.suits=[8, 12, 16, 12, 8]",
]
KINDS = ("layers", "suits")


def network(*assignments: str, precision: str = "float32") -> tuple[CardPolicy, TableVecEnv]:
    config = override(PPOConfig(), [*SMALL, *assignments])
    env = make_tables(config)
    policy = policy_of(make_ppo(config, env, precision))
    for weight in policy.parameters():
        if weight.ndim == 2:
            torch.nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
        else:
            torch.nn.init.normal_(weight)
    return policy, env


def logits_of(policy: CardPolicy, observations: torch.Tensor) -> torch.Tensor:
    """Unmasked logits, (B, 83)."""
    logits: torch.Tensor = policy.action_net(policy.mlp_extractor.forward_actor(observations))
    return logits


def played_observations(env: TableVecEnv, count: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    env.reset()
    observations, masks = [], []
    for _ in range(count):
        env.step(env.tables.sample_actions())
        observations.append(env.observe().copy())
        masks.append(env.action_masks().copy())
    return np.concatenate(observations), np.concatenate(masks)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_exported_network_decides_like_the_one_in_torch(tmp_path: Path, precision: str, kind: str) -> None:
    policy, env = network(f"network.kind={kind}", precision=precision)
    path = tmp_path / "policy.npz"
    write_policy(policy.export(), path, rules="two_deck")
    player = make_player(f"policy:{path}")
    observations, masks = played_observations(env, 60)
    with torch.no_grad():
        logits = logits_of(policy, torch.from_numpy(observations)).numpy()
    logits = np.where(masks > 0, logits, -np.inf)
    keys = np.zeros(len(observations), np.uint64)
    chosen = player.act(observations[:, :OBSERVATION_SIZE], masks, keys)
    regret = logits.max(1) - logits[np.arange(len(chosen)), chosen]
    spread = np.abs(logits[np.isfinite(logits)]).mean()
    assert regret.max() <= (1e-4 if precision == "float32" else 0.1) * spread
    assert (chosen == logits.argmax(1)).mean() > (0.99 if precision == "float32" else 0.9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_sees_no_hidden_cards_and_the_critic_does(kind: str) -> None:
    policy, env = network(f"network.kind={kind}")
    observations, _ = played_observations(env, 20)
    changed = observations.copy()
    changed[:, OBSERVATION_SIZE:] = np.random.default_rng(0).integers(0, 3, changed[:, OBSERVATION_SIZE:].shape)
    with torch.no_grad():
        before, after = (torch.from_numpy(rows) for rows in (observations, changed))
        assert torch.equal(logits_of(policy, before), logits_of(policy, after))
        assert not torch.allclose(policy.predict_values(before), policy.predict_values(after))


def test_a_critic_that_sees_its_own_hand_only_gets_no_more_columns() -> None:
    policy, env = network('network.critic_sees="own"')
    assert env.observation_space.shape == (OBSERVATION_SIZE,)
    assert policy.mlp_extractor.critic_layers[0].in_features == OBSERVATION_SIZE


@pytest.mark.parametrize("kind", KINDS)
def test_forward_and_evaluate_actions_agree(kind: str) -> None:
    policy, env = network(f"network.kind={kind}")
    observations, masks = played_observations(env, 10)
    with torch.no_grad():
        tensor = torch.from_numpy(observations)
        actions, values, log_probs = policy(tensor, action_masks=masks)
        again = policy.evaluate_actions(tensor, actions, torch.from_numpy(masks))
    assert (masks[np.arange(len(masks)), actions.numpy()] == 1).all()
    torch.testing.assert_close(again[0], values)
    torch.testing.assert_close(again[1], log_probs)
    torch.testing.assert_close(policy.predict_values(tensor), values)


def test_the_step_size_falls_linearly() -> None:
    rate = LinearRate(1.0, 0.5)
    assert [rate(1), rate(0.5), rate(0), rate(-1)] == [1.0, 0.75, 0.5, 0.5]
