"""The AEC loop for our environment and for PettingZoo's own: last, a random legal action, step."""

from collections.abc import Callable
from typing import Any


def play_aec_round(env: Any, draw: Callable[[], float]) -> list[int]:
    """Play a round with random legal actions, reading observation and mask at each; return the actions.

    Args:
        env: an AEC environment whose observations are ``{"observation": …, "action_mask": …}``.
        draw: returns a random number in [0, 1).
    """
    env.reset()
    actions: list[int] = []
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return actions
        legal = observation["action_mask"].nonzero()[0]
        action = int(legal[int(draw() * len(legal))])
        env.step(action)
        actions.append(action)
