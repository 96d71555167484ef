"""Many tables of ``shengji/PlaySeat-v0`` stepped by the compiled engine, as `seat_vector.py` for cards.

Table i of ``reset(seed=s)`` plays what `PlaySeatEnv` plays after ``reset(seed=s + i)``.
Source: docs/environments/plays.md.
"""

from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from shengji_env.envs.plays.play_batch import (
    check_candidates,
    compile_seat_plays,
    illegal_candidate,
    play_spaces,
    random_candidates,
    skip_plays_only,
)
from shengji_env.envs.seat.agent_vector import AgentVectorEnv
from shengji_env.envs.seat.other_seats import Opponents
from shengji_env.envs.seat.seat_settings import SeatArguments, read_seat_settings
from shengji_env.envs.seat.seat_tables import Rows
from shengji_env.errors import IllegalActionError
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_arrays import list_some, make_candidate_scratch, make_candidates
from shengji_env.tables.seat_stepping import OWN_PLAY
from shengji_env.tables.settings import takes_settings
from shengji_env.tables.spaces import add_history


class PlaySeatVectorEnv(AgentVectorEnv):
    """One seat's whole plays at N tables, with players in the others; `reset` must be called before other methods.

    Args:
        num_envs: number of tables.
        candidates, skip_forced, illegal_actions, history, dtype: as in `PlaySeatEnv`.
        opponents, seat, autoreset_mode, rules, episode, start: as in `SeatVectorEnv`.
        reward, shaping, render_mode: likewise.
    """

    _LINKS = ("_candidate_scratch",)

    @takes_settings(read_seat_settings)
    def __init__(
        self,
        num_envs: int,
        opponents: Opponents = "greedy",
        *,
        candidates: int = DEFAULT_CANDIDATES,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **settings: Unpack[SeatArguments],
    ) -> None:
        most = check_candidates(candidates)
        self._skips_forced = skip_plays_only(settings)
        given = read_seat_settings(opponents, **settings)
        compile_seat_plays()
        space = play_spaces(most, given.dtype, given.history)
        super().__init__(num_envs, given, space, spaces.Discrete(most), autoreset_mode, has_plays=True)
        self._candidates = make_candidates(self.num_envs, most)
        self._link()

    def _link(self) -> None:
        self._candidate_scratch = make_candidate_scratch(self.rules, self._candidates)

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
        choices, plays = actions[rows], self._seats.plays
        plays.actions[rows] = self._candidates.actions[rows, choices]
        plays.cards[rows] = self._candidates.cards[rows, choices]
        self._seats.make(rows, np.full(len(rows), OWN_PLAY))

    def _go_on(self, rows: Rows) -> None:
        seats = self._seats
        while len(rows):
            seats.play_on(self._end)
            list_some(seats.tables.states, rows, self._candidate_scratch, self._candidates)
            if not self._skips_forced:
                return
            rows = rows[self._mask[rows].sum(axis=1) == 1]
            self._make(rows, np.zeros(self.num_envs, np.int64))

    def _observe(self) -> dict[str, NDArray[Any]]:
        seats, candidates = self._seats, self._candidates
        parts = {
            "observation": seats.observe_all(self._dtype),
            "cards": candidates.cards.astype(self._dtype),
            "features": candidates.features.astype(self._dtype),
            "action_mask": candidates.mask.copy(),
        }
        return add_history(parts, seats.tables.plays, seats.seat, self._history, self._dtype)

    def _observe_last(self, rows: Rows) -> list[dict[str, NDArray[Any]]]:
        """Return what agents observe at the end of their episodes, where there are no candidates."""
        seen = self._seats.observe_some(rows, self._dtype)
        return [self._without_candidates(row, its) for row, its in zip(rows.tolist(), seen, strict=True)]

    def _without_candidates(self, row: int, seen: NDArray[Any]) -> dict[str, NDArray[Any]]:
        seats, candidates = self._seats, self._candidates
        parts = {
            "observation": seen,
            "cards": np.zeros_like(candidates.cards[row], self._dtype),
            "features": np.zeros_like(candidates.features[row], self._dtype),
            "action_mask": np.zeros_like(candidates.mask[row]),
        }
        return add_history(parts, seats.tables.plays[row], seats.seat[row], self._history, self._dtype)
