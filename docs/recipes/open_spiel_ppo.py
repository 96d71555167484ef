"""OpenSpiel: its PPO learns one seat of the game ``python_shengji``, with random play in the other three.

OpenSpiel's algorithms read legal actions from every time step, so nothing has to be masked here.
"""

import json
import random
import time
from typing import Any

import numpy as np
import pyspiel
import torch
from numpy.typing import NDArray
from open_spiel.python.pytorch.ppo import PPO, PPOAgent
from open_spiel.python.rl_environment import ChanceEventSampler, Environment, ObservationType, TimeStep

import shengji_open_spiel  # noqa: F401  # registers the game
from shengji_env.arena import play_matchup

BATCH, UPDATES, SEED, DEALS = 1024, 10, 1, 200
SEAT = 0


class Learned:
    """The trained policy, as the arena asks its players."""

    def __init__(self, network: PPOAgent) -> None:
        self.network = network

    def act(self, observation: NDArray[Any], action_mask: NDArray[Any], key: NDArray[Any]) -> NDArray[np.int64]:
        """Choose the likeliest legal actions, (B,)."""
        with torch.no_grad():
            logits = self.network.actor(torch.tensor(observation).float())
        return logits.masked_fill(torch.tensor(action_mask) == 0, -torch.inf).argmax(1).numpy()


def after_the_others(env: Environment, now: TimeStep) -> TimeStep:
    """Let the other seats play at random until SEAT is to move, or the round is over."""
    while not now.last() and (player := now.current_player()) != SEAT:
        now = env.step([random.choice(now.observations["legal_actions"][player])])
    return now


def main() -> None:
    """Train; before and after, play duplicate deals against `random`."""
    random.seed(SEED)
    torch.manual_seed(SEED)
    game = pyspiel.load_game("python_shengji", {"reward": "points"})
    env = Environment(game, observation_type=ObservationType.OBSERVATION, chance_event_sampler=ChanceEventSampler(SEED))
    agent = PPO(
        tuple(game.observation_tensor_shape()), game.num_distinct_actions(), game.num_players(), SEAT,
        steps_per_batch=BATCH, learning_rate=5e-4, gamma=1.0, agent_fn=PPOAgent,
    )  # fmt: skip
    player = Learned(agent.network)
    before = play_matchup(player, "random", num_deals=DEALS)
    started = time.process_time()
    now = after_the_others(env, env.reset())
    for _ in range(UPDATES):
        for _ in range(BATCH):
            (answer,) = agent.step([now])
            now = after_the_others(env, env.step([answer.action]))
            agent.post_step([now.rewards[SEAT]], [now.last()])
            if now.last():
                now = after_the_others(env, env.reset())
        agent.learn([now])
    seconds = time.process_time() - started
    after = play_matchup(player, "random", num_deals=DEALS)
    results = {"before": before.to_json(), "after": after.to_json()}
    print(json.dumps({"steps": BATCH * UPDATES, "seconds": seconds} | results))


if __name__ == "__main__":
    main()
