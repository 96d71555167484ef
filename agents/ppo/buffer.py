"""Rollout buffer for four seats in one stream: advantages follow each seat's own decisions.

A column of the buffer is one table; its steps are the decisions of the seats to move. The reward of a decision is what
its seat's team received until the same seat moved again, and its advantage depends only on that seat's next decision.
At the end of a rollout, where the seats wait for their next turn, each bootstraps from the value of the seat to move,
with the sign of its team, since the round is zero-sum.

The advantages are computed backwards. For each table and seat, the value and the advantage of the seat's next decision
and the reward since then are kept; the end of a round clears them.
"""

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from agents.ppo.table_vec_env import TableVecEnv
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NUM_TEAMS

TEAM_SIGN = np.where(np.arange(NUM_SEATS) % NUM_TEAMS == 0, 1, -1).astype(np.float32)
"""For each seat, the sign of team 0's reward."""


def seat_advantages(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    seats: NDArray[np.int8],
    ends: NDArray[np.bool_],
    *,
    last_values: NDArray[np.float32],
    last_seats: NDArray[np.int8],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """Compute generalised advantage estimates along each seat's own decisions.

    Args:
        rewards: (T, N) team 0's reward of each step.
        values: (T, N) value of each decision for the team of the seat that moved.
        seats: (T, N) the seat that moved, 0..3.
        ends: (T, N) whether the step ended a round.
        last_values: (N,) value of the decision after the last step, for the team of the seat to move.
        last_seats: (N,) the seat to move in that decision.
        gamma: Discount between two decisions of a seat.
        gae_lambda: Weight of longer estimates.

    Returns:
        (T, N) float32.
    """
    num_steps, num_tables = rewards.shape
    tables = np.arange(num_tables)
    next_value = (last_values * TEAM_SIGN[last_seats])[:, None] * TEAM_SIGN
    next_advantage = np.zeros((num_tables, NUM_SEATS), np.float32)
    reward_since = np.zeros((num_tables, NUM_SEATS), np.float32)
    advantages = np.empty((num_steps, num_tables), np.float32)
    for step in reversed(range(num_steps)):
        ended = ends[step]
        for kept in (next_value, next_advantage, reward_since):
            kept[ended] = 0
        reward_since += rewards[step][:, None] * TEAM_SIGN
        mover = (tables, seats[step])
        error = reward_since[mover] + gamma * next_value[mover] - values[step]
        advantages[step] = error + gamma * gae_lambda * next_advantage[mover]
        next_value[mover] = values[step]
        next_advantage[mover] = advantages[step]
        reward_since[mover] = 0
    return advantages


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """MaskablePPO's buffer with int8 observations, boolean masks and advantages per seat.

    The arrays are allocated once. `attach` must be called before the first `add`; the environment is not a constructor
    argument because SB3 pickles those.
    """

    def attach(self, env: TableVecEnv, generator: np.random.Generator) -> None:
        """Use ``env`` to learn which seat moved, and ``generator`` to shuffle minibatches."""
        self.env = env
        self.generator = generator

    def reset(self) -> None:
        """Clear the rollout, but keep the allocated memory."""
        if not hasattr(self, "seats"):
            super().reset()
            self.action_masks = np.ones((self.buffer_size, self.n_envs, self.mask_dims), np.bool_)
            self.seats = np.zeros((self.buffer_size, self.n_envs), np.int8)
        self.pos = 0
        self.full = False

    def add(self, *args: Any, action_masks: NDArray[Any] | None = None, **kwargs: Any) -> None:
        """Store one step of every table, with the seat that moved."""
        self.seats[self.pos] = self.env.mover
        super().add(*args, action_masks=action_masks, **kwargs)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: NDArray[Any]) -> None:
        """Fill `advantages` and `returns`, seat by seat; SB3 passes the arguments."""
        ends = np.concatenate([self.episode_starts[1:] > 0, np.asarray(dones, np.bool_)[None]])
        self.advantages[:] = seat_advantages(
            self.rewards,
            self.values,
            self.seats,
            ends,
            last_values=last_values.cpu().numpy().reshape(-1).astype(np.float32),
            last_seats=self.env.seat,
            gamma=self.gamma,
            gae_lambda=self.gae_lambda,
        )
        self.returns[:] = self.advantages + self.values

    def get(  # type: ignore[override]  # sb3-contrib's own signature
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield minibatches in random order; an incomplete last one is left out."""
        total = self.buffer_size * self.n_envs
        size = batch_size or total
        order = self.generator.permutation(total)
        for start in range(0, total - size + 1, size):
            yield self._get_samples(order[start : start + size])

    def _get_samples(  # type: ignore[override]  # sb3-contrib's own signature
        self, batch_inds: NDArray[np.int64], env: Any = None
    ) -> MaskableRolloutBufferSamples:
        played = self.observations, self.actions, self.values, self.log_probs
        columns = (*played, self.advantages, self.returns, self.action_masks)
        return MaskableRolloutBufferSamples(*(_rows(column, batch_inds, self.device) for column in columns))


def _rows(column: NDArray[Any], indices: NDArray[np.int64], device: torch.device) -> torch.Tensor:
    """Return the chosen rows of a (T, N, …) array as a tensor of the same type."""
    flat = column.reshape(column.shape[0] * column.shape[1], *column.shape[2:])
    return torch.from_numpy(flat[indices]).to(device)
