"""Many tables of ``shengji/PlaySeat-v0`` stepped by the compiled engine, as `envs/seat/vector.py` is for single cards.

Table i of ``reset(seed=s)`` plays what `PlaySeatEnv` plays after ``reset(seed=s + i)``. Source: docs/environment.md.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import DTypeLike, NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.envs.plays.batch import call_kernels as call_play_kernels
from shengji_env.envs.plays.batch import check_most, illegal_candidate, play_spaces, random_candidates
from shengji_env.envs.plays.listing import list_some, make_candidates, make_lister, next_actions
from shengji_env.envs.seat.agent_vector import AgentVectorEnv, check_no_person, read_vector_render_mode
from shengji_env.envs.seat.opponents import IllegalActions, Opponents, as_opponents, settings_among
from shengji_env.envs.seat.seats import Rows, SeatTables, call_kernels
from shengji_env.errors import IllegalActionError
from shengji_env.players.candidates import DEFAULT_MOST
from shengji_env.support.announcing import announce_compiling
from shengji_env.support.arguments import MAX_TABLES, check_dtype, check_flag, check_index, check_seat
from shengji_env.tables.history import seen_from
from shengji_env.tables.rewards import RewardScheme, Shaping
from shengji_env.tables.settings import Episode, Start


class PlaySeatVectorEnv(AgentVectorEnv):
    """One seat's whole plays at N tables, with players in the others; `reset` must be called before other methods.

    Args:
        num_envs: number of tables.
        candidates, skip_forced, illegal_actions, history, dtype: as in `PlaySeatEnv`.
        opponents, seat, autoreset_mode, rules, episode, start: as in `SeatVectorEnv`.
        reward, shaping, render_mode: as there.
    """

    def __init__(
        self,
        num_envs: int,
        opponents: Opponents = "greedy",
        *,
        candidates: int = DEFAULT_MOST,
        seat: int | None = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        rules: RuleSet | str = DEFAULT_RULES,
        episode: Episode = "round",
        start: Start | None = None,
        reward: RewardScheme = "levels",
        shaping: Shaping = "none",
        skip_forced: bool = False,
        illegal_actions: IllegalActions = "replace",
        history: int = 0,
        dtype: DTypeLike = "int8",
        render_mode: str | None = None,
    ) -> None:
        size = check_index("num_envs", num_envs, 1, MAX_TABLES)
        most = check_most(candidates)
        self._skips_forced = check_flag("skip_forced", skip_forced)
        players = as_opponents(opponents)
        check_no_person(players, size)
        own = None if seat is None else check_seat("seat", seat, ", or None for any")
        mode = read_vector_render_mode(render_mode)
        self._dtype = check_dtype(dtype)
        settings = settings_among(
            players, as_rules(rules), episode=episode, start=start, reward=reward, shaping=shaping, skip_forced=False,
            history=history, render_mode=mode,
        )  # fmt: skip
        self._history = int(history)
        announce_compiling("seats", call_kernels)
        announce_compiling("plays", call_play_kernels, floor="envs", what="whole plays")
        super().__init__(
            SeatTables(settings, size, players, own), play_spaces(most, self._dtype.type, self._history),
            spaces.Discrete(most),
            illegal_actions=illegal_actions, autoreset_mode=autoreset_mode, render_mode=mode,
        )  # fmt: skip
        self._candidates = make_candidates(size, most)
        self._lister = make_lister(self.rules, self._candidates)
        self._plays = Plays(np.zeros(size, np.int64), np.zeros((size, NUM_SLOTS), np.int8))

    def __getstate__(self) -> dict[str, Any]:
        """Without the lister, whose views would be copies of their own."""
        return {**self.__dict__, "_lister": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._lister = make_lister(self.rules, self._candidates)

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a random candidate for each table, shape (N,): a function of (seed, round, ply)."""
        self._seats.check_begun()
        return random_candidates(self._seats.tables, self._candidates.mask)

    @property
    def _mask(self) -> NDArray[np.int8]:
        return self._candidates.mask

    def _illegal(self, row: int, action: int) -> IllegalActionError:
        return illegal_candidate(self._seats.tables.states[row], int(self._mask[row].sum()), action, f" (table {row})")

    def _random_actions(self, rows: Rows) -> NDArray[np.int64]:
        return random_candidates(self._seats.tables, self._mask)[rows]

    def _make(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        choices = actions[rows]
        self._plays.actions[rows] = self._candidates.actions[rows, choices]
        self._plays.cards[rows] = self._candidates.cards[rows, choices]
        self._seats.make(rows, self._next_actions(rows))

    def _go_on(self, rows: Rows) -> None:
        seats = self._seats
        while len(rows):
            seats.play_on(self._end, self._next_actions)
            list_some(seats.tables.states, rows, self._lister, self._candidates)
            if not self._skips_forced:
                return
            rows = rows[self._mask[rows].sum(axis=1) == 1]
            self._make(rows, np.zeros(self.num_envs, np.int64))

    def _next_actions(self, rows: Rows) -> NDArray[np.int64]:
        """Return the next actions of plays that agents have begun or begin."""
        actions, tables = np.zeros(len(rows), np.int64), self._seats.tables
        next_actions(tables.states, tables.masks, rows, self._plays, actions)
        return actions

    def _observe(self) -> dict[str, NDArray[Any]]:
        c = self._candidates
        parts = {
            "observation": self._seats.observe_all(self._dtype),
            "cards": c.cards.astype(self._dtype),
            "features": c.features.astype(self._dtype),
            "action_mask": c.mask.copy(),
        }
        return self._with_history(parts, seen_from(self._seats.tables.plays, self._seats.seat))

    def _observe_one(self, row: int) -> dict[str, NDArray[Any]]:
        """Return what an agent observes at the end of its episode, where there are no candidates."""
        tables, c = self._seats.tables, self._candidates
        parts = {
            "observation": self._seats.observe(row).astype(self._dtype, copy=False),
            "cards": np.zeros_like(c.cards[row], self._dtype),
            "features": np.zeros_like(c.features[row], self._dtype),
            "action_mask": np.zeros_like(c.mask[row]),
        }
        return self._with_history(parts, seen_from(tables.plays[row], self._seats.seat[row]))

    def _with_history(self, parts: dict[str, NDArray[Any]], plays: NDArray[np.int8]) -> dict[str, NDArray[Any]]:
        if self._history:
            parts["history"] = plays[..., -self._history :, :].astype(self._dtype)
        return parts
