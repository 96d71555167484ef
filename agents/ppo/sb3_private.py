"""What Stable-Baselines3 does not offer in public: one rollout and one update at a time, instead of ``learn``.

``learn`` owns the loop: it counts steps, not seconds, and cannot be left between two updates to save, to play match-ups
or to imitate. Its parts are used here in its place. Names with an underscore are SB3's own; they were checked against
the versions of ``constraints.txt``, and a version without them fails the tests. (`agents.ppo.buffer` and
`agents.ppo.card_policy` override methods that begin with an underscore too, but are meant for subclasses.)

| what is needed                                      | in SB3                                           |
|-----------------------------------------------------|--------------------------------------------------|
| the observation that a rollout begins with          | ``_last_obs``, ``_last_episode_starts``          |
| the part of the budget that is left, for schedules  | ``_update_current_progress_remaining``           |
| what a rollout needs to be set up                   | ``_setup_learn``                                 |
| attributes that are made again, so not saved        | `NOT_SAVED`                                      |
"""

from collections.abc import Callable

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.ppo.table_vec_env import TableVecEnv

NOT_SAVED = ("_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer", "policy_kwargs")
"""Attributes that each rollout makes again, or the config gives."""
LOGGED = {
    "train/loss": "loss",
    "train/entropy_loss": "entropy",
    "train/value_loss": "value_loss",
    "train/approx_kl": "approx_kl",
    "train/clip_fraction": "clip_fraction",
    "train/explained_variance": "explained_variance",
    "train/learning_rate": "learning_rate",
}
"""SB3's names of the metrics that are kept for each update, and ours."""
_PARTS = 10**6
"""Steps of the budget in SB3's sense, which counts in whole steps."""


class CallEveryStep(BaseCallback):
    """Calls a function at every step of a rollout, which may raise."""

    def __init__(self, check: Callable[[], None]) -> None:
        """Call ``check``."""
        super().__init__()
        self.check = check

    def _on_step(self) -> bool:
        self.check()
        return True


def roll_out(ppo: MaskablePPO, env: TableVecEnv, *, done: float, check: Callable[[], None]) -> None:
    """Fill the rollout buffer from the tables as they are.

    Args:
        ppo: The algorithm; its logger is set.
        env: Its tables.
        done: The part of the budget that is used up, 0 to 1, for the schedules of rollout and update.
        check: Called at every step; what it raises ends the rollout.
    """
    ppo._last_obs = env.observe()
    ppo._last_episode_starts = np.ones(env.num_envs, np.bool_)  # the buffer reads only those of later steps
    ppo._update_current_progress_remaining(round(_PARTS * done), _PARTS)
    _, callback = ppo._setup_learn(1, CallEveryStep(check), reset_num_timesteps=False)
    ppo.collect_rollouts(env, callback, ppo.rollout_buffer, ppo.n_steps)


def update(ppo: MaskablePPO) -> dict[str, float]:
    """Learn from the rollout; return the metrics of `LOGGED`, as far as there are any."""
    ppo.train()
    values = ppo.logger.name_to_value
    metrics = {ours: float(values[theirs]) for theirs, ours in LOGGED.items() if theirs in values}
    metrics["entropy"] = -metrics["entropy"]
    ppo.logger.dump()
    return metrics
