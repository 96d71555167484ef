"""PPO on the GPU, here on the processor: the same program."""

import dataclasses

import numpy as np
import pytest
import torch

from agents import gpu_single_file
from agents.gpu_single_file import Agent, Args, export, learn, make_env, play
from shengji_env.players import make_player
from shengji_env.vector import BatchEnv

SMALL = Args(device="cpu", tables=16, rollout_steps=4, width=16, minibatch=32, seconds=0.5)


def test_it_learns_and_what_it_exports_plays(tmp_path):
    *_, (seconds, decisions, agent) = learn(SMALL)
    assert seconds >= SMALL.seconds
    assert decisions >= SMALL.tables * SMALL.rollout_steps
    export(agent, tmp_path / "policy.npz", SMALL.rules)
    env = BatchEnv(32, start="any", seed=5)
    seen, mask = torch.tensor(env.observation), torch.tensor(env.action_mask)
    best = agent(seen, mask)[0].logits.argmax(1).numpy()
    player = make_player(f"policy:{tmp_path / 'policy.npz'}")
    assert (player.act(env.observation, env.action_mask, np.zeros(32, np.uint64)) == best).mean() > 0.9


def test_values_and_rewards_change_sign_with_the_team():
    """Without a value, and at the end of a round, a decision gains what its own team is paid."""
    torch.manual_seed(3)
    args = dataclasses.replace(SMALL, tables=64, rollout_steps=300, gae_lambda=1.0)
    agent = Agent(8)
    torch.nn.init.zeros_(agent.critic.weight)
    torch.nn.init.zeros_(agent.critic.bias)
    env, other = make_env(args), make_env(args)
    _, _, actions, _, _, returns = play(env, agent, args)
    actions, returns = actions.reshape(300, 64).numpy(), returns.reshape(300, 64)
    paid, seats = [], []
    for step in range(300):
        seats.append(torch.tensor(other.seat).long())
        other.step(actions[step])
        paid.append(torch.tensor(other.reward))
    for table in range(64):
        ends = [step for step in range(300) if paid[step][table].any()]
        if ends:
            assert returns[ends[0], table] == paid[ends[0]][table, seats[ends[0]][table]]
            assert returns[0, table] == pytest.approx(float(paid[ends[0]][table, seats[0][table]]))


def test_the_command_prints_progress_and_writes_a_player(monkeypatch, tmp_path, capsys):
    words = [
        "--device", "cpu", "--tables", "8", "--rollout-steps", "2", "--width", "8", "--minibatch", "16",
        "--seconds", "0.2",
    ]  # fmt: skip
    monkeypatch.setattr("sys.argv", ["gpu_single_file", *words, "--out", str(tmp_path)])
    gpu_single_file.main()
    printed, noted = capsys.readouterr()
    assert ("on the processor" in noted) == (not torch.cuda.is_available())
    assert "decisions" in printed
    assert f"policy:{tmp_path / 'policy.npz'}" in printed
    assert (tmp_path / "policy.npz").exists()
