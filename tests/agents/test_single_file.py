"""PPO in one file: its advantages, what an update does, and that a run can be repeated and its policy played."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from agents import ppo_single_file
from agents.ppo_single_file import Agent, Args, Rollout, play, seat_advantages, train, update
from shengji_env.arena import make_player, play_matchup
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv

T, N = 60, 9
TEAM_SIGN = np.array([1, -1, 1, -1], np.float32)
"""For each seat, the sign of team 0's reward."""
ROLLOUT = 32 * 64
SMALL = Args(steps=3 * ROLLOUT, tables=32, rollout_steps=64, width=32, minibatch=512, learning_rate=1e-3, deals=20)


def brute_force(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    seats: NDArray[np.int8],
    ends: NDArray[np.bool_],
    last: tuple[NDArray[np.float32], NDArray[np.int8]],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float64]:
    """The textbook estimate on each seat's own decisions, one table, round and seat at a time."""
    advantages = np.full(rewards.shape, np.nan)
    for table in range(rewards.shape[1]):
        cuts = [0, *(np.flatnonzero(ends[:, table]) + 1), len(rewards)]
        for first, stop in itertools.pairwise(cuts):
            for seat in range(4):
                own = [step for step in range(first, stop) if seats[step, table] == seat]
                is_over = stop > first and bool(ends[stop - 1, table])
                tail = 0.0 if is_over else last[0][table] * TEAM_SIGN[last[1][table]] * TEAM_SIGN[seat]
                errors = []
                for position, step in enumerate(own):
                    following = own[position + 1] if position + 1 < len(own) else stop
                    reward = rewards[step:following, table].sum() * TEAM_SIGN[seat]
                    bootstrap = values[following, table] if position + 1 < len(own) else tail
                    errors.append(reward + gamma * bootstrap - values[step, table])
                for position, step in enumerate(own):
                    weights = (gamma * gae_lambda) ** np.arange(len(own) - position)
                    advantages[step, table] = np.dot(weights, errors[position:])
    return advantages


@pytest.fixture
def played() -> tuple[Agent, Rollout]:
    torch.manual_seed(0)
    env, agent = BatchEnv(32, start="any", skip_forced=True, seed=1), Agent(32)
    return agent, play(env, agent, 128)


@pytest.mark.parametrize("seed", range(4))
def test_advantages_follow_each_seats_own_decisions(seed: int) -> None:
    generator = np.random.default_rng(seed)
    team_rewards, values = (generator.normal(size=(T, N)).astype(np.float32) for _ in range(2))
    seats, ends = generator.integers(0, 4, (T, N), dtype=np.int8), generator.random((T, N)) < 0.08
    last = generator.normal(size=N).astype(np.float32), generator.integers(0, 4, N, dtype=np.int8)
    rewards = team_rewards[:, :, None] * TEAM_SIGN
    none = torch.empty(0)
    rollout = Rollout(none, none, none, none, values, seats, rewards, ends, *last)
    slow = brute_force(team_rewards, values, seats, ends, last, 0.9, 0.8)
    np.testing.assert_allclose(seat_advantages(rollout, 0.9, 0.8), slow, rtol=1e-4, atol=1e-4)


def test_a_rollout_has_only_legal_actions_and_ends_of_rounds(played: tuple[Agent, Rollout]) -> None:
    _, rollout = played
    assert rollout.masks.gather(2, rollout.actions[:, :, None]).all()
    assert rollout.ends.any()
    assert (rollout.rewards[~rollout.ends] == 0).all()
    assert np.isfinite(rollout.log_probs.numpy()).all()


def test_an_update_makes_better_actions_likelier_and_values_more_exact(played: tuple[Agent, Rollout]) -> None:
    agent, rollout = played
    advantages = torch.from_numpy(seat_advantages(rollout, 1.0, 0.95))
    returns = advantages + torch.from_numpy(rollout.values)
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    errors = [((agent.value(rollout.observations) - returns) ** 2).mean()]
    for _ in range(4):
        update(agent, optimizer, rollout, SMALL)
        errors.append(((agent.value(rollout.observations) - returns) ** 2).mean())
    choice = agent.actions(rollout.observations, rollout.masks)
    ratio = (choice.log_prob(rollout.actions) - rollout.log_probs).exp()
    centred = (advantages - advantages.mean()) / advantages.std()
    assert (centred * ratio).mean() > 0.01
    assert errors[-1] < 0.9 * errors[0]


def test_a_run_can_be_repeated_and_its_policy_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = {"one": 1, "again": 1, "another": 2}
    players = [train(dataclasses.replace(SMALL, seed=seed, out=str(tmp_path / name))) for name, seed in runs.items()]
    one, again, another = ((tmp_path / name / "policy.npz").read_bytes() for name in runs)
    assert one == again != another
    printed = capsys.readouterr().out
    assert f"{3 * ROLLOUT:,} steps, " in printed
    assert "steps/s" in printed
    assert "vs random: " in printed
    assert play_matchup(players[0], "greedy", num_deals=4, seed=3).num_deals == 4


def test_the_exported_policy_decides_like_the_network(tmp_path: Path, played: tuple[Agent, Rollout]) -> None:
    agent, rollout = played
    torch.nn.init.normal_(agent.policy[-1].weight)
    agent.scale.copy_(torch.linspace(0.1, 2.0, OBSERVATION_SIZE))
    player = make_player(ppo_single_file.export(agent, dataclasses.replace(SMALL, out=str(tmp_path))))
    observations, masks = rollout.observations.flatten(0, 1), rollout.masks.flatten(0, 1)
    with torch.no_grad():
        probabilities = agent.actions(observations, masks).probs
    keys = np.zeros(len(masks), np.uint64)
    chosen = player.act(observations.numpy(), masks.numpy().astype(np.int8), keys)
    assert (chosen == probabilities.argmax(1).numpy()).mean() > 0.99


def test_every_setting_is_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {field.name: getattr(SMALL, field.name) for field in dataclasses.fields(Args)}
    options |= {"steps": ROLLOUT, "deals": 4, "out": str(tmp_path), "rules": "one_deck"}
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    monkeypatch.setattr("sys.argv", ["ppo_single_file", *words])
    ppo_single_file.main()
    assert "4 deals" in capsys.readouterr().out
    assert (tmp_path / "policy.npz").exists()


@pytest.mark.slow
def test_it_learns_to_beat_random(tmp_path: Path) -> None:
    settings = {"steps": 300_000, "width": 128, "tables": 64, "rollout_steps": 128, "minibatch": 1024}
    player = train(dataclasses.replace(SMALL, **settings, out=str(tmp_path)))
    assert play_matchup(player, "random", num_deals=300, seed=7).interval[0] > 0
