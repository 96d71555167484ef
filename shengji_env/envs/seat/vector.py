"""Many tables of ``shengji/Seat-v0`` stepped by the compiled engine: a true `gymnasium.vector.VectorEnv`.

| what | how |
|---|---|
| observation, reward, episode | of each table as `SeatEnv` gives them, stacked |
| table i of ``reset(seed=s)`` | plays what `SeatEnv` plays after ``reset(seed=s + i)`` |
| infos | ``"action_mask"``: int8 (N, 82); others of `SeatEnv` where there are any, stacked in Gymnasium's way |
| autoreset | any of Gymnasium's modes (`agent_vector.py`) |

Source: docs/environment.md.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import DTypeLike, NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules
from shengji_env.envs.seat.agent_vector import AgentVectorEnv, Batch, check_no_person, read_vector_render_mode
from shengji_env.envs.seat.opponents import IllegalActions, Opponents, as_opponents, settings_among
from shengji_env.envs.seat.seats import Rows, SeatTables, call_kernels
from shengji_env.errors import IllegalActionError
from shengji_env.support.announcing import announce_compiling
from shengji_env.support.arguments import MAX_TABLES, check_dtype, check_flag, check_index, check_seat
from shengji_env.tables.history import seen_from
from shengji_env.tables.illegal import illegal_action
from shengji_env.tables.rewards import RewardScheme, Shaping
from shengji_env.tables.settings import Episode, Start
from shengji_env.tables.spaces import observation_space, vector_space


class SeatVectorEnv(AgentVectorEnv):
    """One seat's decisions at N tables, with players in the other seats; `reset` must be called before other methods.

    Args:
        num_envs: number of tables.
        opponents: as in `SeatEnv`; a player is asked at all tables at once.
        seat: the agents' seat; None draws one for each episode.
        autoreset_mode: one of `gymnasium.vector.AutoresetMode`, or its text (`agent_vector.py`).
        rules, episode, start, reward, shaping, skip_forced: as in `SeatEnv`.
        illegal_actions, dict_observation, history, dtype: as in `SeatEnv`.
        render_mode: ``"ansi"``, ``"svg"`` or ``"rgb_array"``: `render` returns one frame for each table.
    """

    def __init__(
        self,
        num_envs: int,
        opponents: Opponents = "greedy",
        *,
        seat: int | None = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        rules: RuleSet | str = DEFAULT_RULES,
        episode: Episode = "round",
        start: Start | None = None,
        reward: RewardScheme = "levels",
        shaping: Shaping = "none",
        skip_forced: bool = False,
        illegal_actions: IllegalActions = "replace",
        dict_observation: bool = False,
        history: int = 0,
        dtype: DTypeLike = "int8",
        render_mode: str | None = None,
    ) -> None:
        size = check_index("num_envs", num_envs, 1, MAX_TABLES)
        players = as_opponents(opponents)
        check_no_person(players, size)
        own = None if seat is None else check_seat("seat", seat, ", or None for any")
        mode = read_vector_render_mode(render_mode)
        self._dtype = check_dtype(dtype)
        settings = settings_among(
            players, as_rules(rules), episode=episode, start=start, reward=reward, shaping=shaping,
            skip_forced=skip_forced, history=history, render_mode=mode,
        )  # fmt: skip
        self._history = int(history)
        self._is_dict = check_flag("dict_observation", dict_observation) or self._history > 0
        announce_compiling("seats", call_kernels)
        super().__init__(
            SeatTables(settings, size, players, own),
            observation_space(self._history, self._dtype) if self._is_dict else vector_space(self._dtype),
            spaces.Discrete(NUM_ACTIONS),
            illegal_actions=illegal_actions, autoreset_mode=autoreset_mode, render_mode=mode,
        )  # fmt: skip

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

    def _observe(self) -> Batch:
        tables, seen = self._seats.tables, self._seats.observe_all(self._dtype)
        if not self._is_dict:
            return seen
        return self._as_dict(seen, tables.masks, seen_from(tables.plays, self._seats.seat))

    def _observe_one(self, row: int) -> Any:
        seen = self._seats.observe(row).astype(self._dtype, copy=False)
        if not self._is_dict:
            return seen
        tables = self._seats.tables
        return self._as_dict(seen, tables.masks[row], seen_from(tables.plays[row], self._seats.seat[row]))

    def _as_dict(self, seen: NDArray[Any], mask: NDArray[np.int8], plays: NDArray[np.int8]) -> dict[str, NDArray[Any]]:
        """Return observations of one table or all as a dictionary, whose arrays are its own."""
        parts = {"observation": seen, "action_mask": mask.copy()}
        if self._history:
            parts["history"] = plays[..., -self._history :, :].astype(self._dtype)
        return parts
