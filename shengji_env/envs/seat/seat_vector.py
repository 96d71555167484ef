"""Many tables of ``shengji/Seat-v0`` stepped by the compiled engine: a true `gymnasium.vector.VectorEnv`.

| what | how |
|---|---|
| observation, reward, episode | of each table as `SeatEnv` gives them, stacked |
| table i of ``reset(seed=s)`` | plays what `SeatEnv` plays after ``reset(seed=s + i)`` |
| infos | ``"action_mask"``: int8 (N, 83); others of `SeatEnv` where there are any, stacked in Gymnasium's way |
| autoreset | any of Gymnasium's modes (`agent_vector.py`) |

Source: docs/environments/seat.md.
"""

from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.envs.seat.agent_vector import AgentVectorEnv, Observed
from shengji_env.envs.seat.other_seats import Opponents
from shengji_env.envs.seat.seat_settings import SeatArguments, read_seat_settings
from shengji_env.envs.seat.seat_tables import Rows
from shengji_env.errors import IllegalActionError
from shengji_env.support.arguments import check_flag
from shengji_env.tables.illegal import illegal_action
from shengji_env.tables.settings import takes_settings
from shengji_env.tables.spaces import add_history, observation_space, vector_space


class SeatVectorEnv(AgentVectorEnv):
    """One seat's decisions at N tables, with players in the other seats; `reset` must be called before other methods.

    Args:
        num_envs: number of tables.
        opponents: as in `SeatEnv`; a player is asked at all tables at once.
        autoreset_mode: one of `gymnasium.vector.AutoresetMode`, or its text (`agent_vector.py`).
        seat: the agents' seat; None draws one for each episode.
        rules, episode, start, reward, shaping, skip_forced: as in `SeatEnv`.
        illegal_actions, dict_observation, history, dtype: as in `SeatEnv`.
        render_mode: ``"ansi"``, ``"svg"`` or ``"rgb_array"``: `render` returns one frame for each table.
    """

    @takes_settings(read_seat_settings)
    def __init__(
        self,
        num_envs: int,
        opponents: Opponents = "greedy",
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        dict_observation: bool = False,
        **settings: Unpack[SeatArguments],
    ) -> None:
        given = read_seat_settings(opponents, **settings)
        self._is_dict = check_flag("dict_observation", dict_observation) or given.history > 0
        space = observation_space(given.history, given.dtype) if self._is_dict else vector_space(given.dtype)
        super().__init__(num_envs, given, space, spaces.Discrete(NUM_ACTIONS), autoreset_mode)

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a uniformly random legal action for each table, shape (N,): a function of (seed, round, ply).

        Where an episode is over, it is -1, which next-step autoreset ignores.
        """
        self._seats.check_begun()
        return self._seats.choose_random()

    @property
    def _mask(self) -> NDArray[np.int8]:
        return self._seats.tables.masks

    def _illegal(self, row: int, action: int) -> IllegalActionError:
        return illegal_action(self._seats.tables.states[row], self._mask[row], action, f" (table {row})")

    def _random_actions(self, rows: Rows) -> NDArray[np.int64]:
        return self._seats.choose_random()[rows]

    def _make(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        self._seats.make(rows, actions[rows])

    def _go_on(self, rows: Rows) -> None:
        self._seats.play_on(self._end)

    def _observe(self) -> Observed:
        seats = self._seats
        return self._with_parts(seats.observe_all(self._dtype), self._mask, seats.tables.plays, seats.seat)

    def _observe_last(self, rows: Rows) -> list[Any]:
        seats, plays = self._seats, self._seats.tables.plays
        return [
            self._with_parts(seen, self._mask[row], plays[row], seats.seat[row])
            for row, seen in zip(rows.tolist(), seats.observe_some(rows, self._dtype), strict=True)
        ]

    def _with_parts(self, seen: NDArray[Any], mask: NDArray[Any], plays: NDArray[Any], seats: ArrayLike) -> Observed:
        """Return observations of one table or all in the form that is wanted; a dictionary's arrays are its own."""
        if not self._is_dict:
            return seen
        return add_history({"observation": seen, "action_mask": mask.copy()}, plays, seats, self._history, self._dtype)
