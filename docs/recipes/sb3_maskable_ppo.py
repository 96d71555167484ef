"""Stable-Baselines3: MaskablePPO of sb3-contrib learns one seat, with `random` in the other three.

`SB3VecEnv` gives it the tables of `gymnasium.make_vec`; MaskablePPO asks it for the masks by itself.
"""

import json
import time
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

import shengji_env  # noqa: F401  # registers shengji/Seat-v0
from shengji_env.arena import play_matchup
from shengji_env.envs.seat.sb3 import SB3VecEnv

STEPS, SEED, DEALS = 163_840, 1, 200
SETTINGS = {
    "opponents": "random",
    "skip_forced": True,
    "reward": "points",
    "shaping": "trick_points",
    "illegal_actions": "raise",
}


class Learned:
    """The trained model, as the arena asks its players."""

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model

    def act(self, observation: NDArray[Any], action_mask: NDArray[Any], key: NDArray[Any]) -> NDArray[np.int64]:
        """Choose the likeliest legal actions, (B,)."""
        actions, _ = self.model.predict(observation, action_masks=action_mask, deterministic=True)
        return actions


def main() -> None:
    """Train; before and after, play duplicate deals against `random`."""
    env = SB3VecEnv(gymnasium.make_vec("shengji/Seat-v0", 64, **SETTINGS))
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=64, batch_size=512, learning_rate=1e-3, gamma=1.0, seed=SEED, device="cpu"
    )
    player = Learned(model)
    before = play_matchup(player, "random", num_deals=DEALS)
    started = time.process_time()
    model.learn(STEPS)
    seconds = time.process_time() - started
    after = play_matchup(player, "random", num_deals=DEALS)
    results = {"before": before.to_json(), "after": after.to_json()}
    print(json.dumps({"steps": STEPS, "seconds": seconds} | results))


if __name__ == "__main__":
    main()
