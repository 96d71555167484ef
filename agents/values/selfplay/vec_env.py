"""Tables of whole plays as a Stable-Baselines3 environment; at some of them one team are opponents.

A step is a decision of the network, at every table; what opponents decide lies within it. Decisions with one candidate
are skipped.

| columns of the observation                         | who reads them   |
|----------------------------------------------------|------------------|
| `OWN`: what the seat sees                          | policy, critic   |
| `CARDS`, `FEATURES`: of the candidates; `NUMBER`   | policy           |
| `HIDDEN`: `agents.hidden`                          | critic           |
"""

import itertools

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs

from agents.hidden import NUM_HIDDEN, write_hidden
from agents.ppo.table_vec_env import SeatVecEnv
from agents.values.selfplay.opponents import Opponents
from shengji_env.datasets.rollouts import smooth_levels
from shengji_env.engine.results import all_worth_to_attackers
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.players.candidates import DEFAULT_CANDIDATES, NUM_FEATURES
from shengji_env.tables.observation import OBSERVATION_SIZE

_ENDS = np.cumsum(
    [0, OBSERVATION_SIZE, DEFAULT_CANDIDATES * NUM_SLOTS, DEFAULT_CANDIDATES * NUM_FEATURES, 1, NUM_HIDDEN]
).tolist()
OWN, CARDS, FEATURES, NUMBER, HIDDEN = (slice(first, end) for first, end in itertools.pairwise(_ENDS))
NUM_COLUMNS = _ENDS[-1]


class PlaysVecEnv(SeatVecEnv):
    """N tables; rewards are team 0's."""

    tables: PlayBatchEnv

    def __init__(self, tables: PlayBatchEnv, opponents: Opponents, *, is_smooth: bool) -> None:
        """Let ``opponents`` play their seats at ``tables``; ``is_smooth`` says whether rewards are smoothed levels."""
        super().__init__(tables, NUM_COLUMNS, DEFAULT_CANDIDATES)
        self.opponents = opponents
        self._is_smooth = is_smooth

    def reset(self) -> VecEnvObs:
        """Deal at every table, and go to the network's first decisions."""
        self.tables.reset()
        self._let_opponents_play(np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, np.bool_))
        return self.observe()

    def write(self, observation: NDArray[np.int8]) -> None:
        """Write what the seats to move see, their candidates, and what they do not see."""
        tables = self.tables
        observation[:, OWN] = tables.observation
        observation[:, CARDS] = tables.cards.reshape(self.num_envs, -1)
        observation[:, FEATURES] = tables.features.reshape(self.num_envs, -1)
        observation[:, NUMBER] = tables.action_mask.sum(axis=1, keepdims=True)
        write_hidden(tables.tables.tables.states, tables.rules, observation[:, HIDDEN])

    def outcome(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Make the plays of opponents after the network's; return what all of them have brought."""
        rewards, ended = self._rewards(), self.tables.terminated.copy()
        self._let_opponents_play(rewards, ended)
        return rewards, ended

    def _let_opponents_play(self, rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Let opponents play until the network is to move at every table; add to rewards and ends."""
        while (rows := self.opponents.rows_to_move(self.tables)).size:
            self.tables.step(self.opponents.choose(self.tables, rows))
            rewards += self._rewards()
            ended |= self.tables.terminated

    def _rewards(self) -> NDArray[np.float32]:
        """Return team 0's rewards of the last step, (N,)."""
        tables = self.tables
        if not self._is_smooth:
            return tables.reward[:, 0].copy()
        rewards = np.zeros(self.num_envs, np.float32)
        rows = np.flatnonzero(tables.terminated)
        result = tables.result[rows]
        is_attacker = result["declarer"] % NUM_TEAMS != 0
        side = np.where(is_attacker, 1, -1)
        levels, points = side * all_worth_to_attackers(result), side * result["attackers_points"]
        rewards[rows] = smooth_levels(levels, points, is_attacker, tables.rules)
        return rewards
