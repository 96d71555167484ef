"""N tables with an agent at each and players in the other seats, who are asked in batches.

Every table has a seed of its own, so that it plays what `SeatEnv` plays with that seed (`engine.deal`,
`numbers_for_seeds`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from shengji_env.engine.deal import numbers_for_seeds
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY
from shengji_env.envs.answering import Answering
from shengji_env.errors import ShengjiError
from shengji_env.players import Player
from shengji_env.support.announcing import part
from shengji_env.support.arguments import NUM_SEEDS
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.own_arrays import Linked
from shengji_env.tables.queries import draw_keys, first_illegal_row
from shengji_env.tables.reset_options import write_start
from shengji_env.tables.seat_stepping import BEGIN_NEXT, ENDED, OTHERS, Seating, observe_agents, pay_agents
from shengji_env.tables.settings import TableSettings, plain_settings
from shengji_env.tables.stepping import BEGIN_GIVEN
from shengji_env.tables.tables import Tables

Rows = NDArray[np.int64]
"""Indices of tables."""
OnEnd = Callable[[Rows], object]
"""Called with the tables at which the episode has just ended; it may begin their next one."""


class SeatTables(Linked):
    """N tables, each stepped from one decision of its agent to the next; none begins an episode by itself.

    Args:
        settings: what all tables have in common, without autoreset.
        size: N.
        opponents: the players of the next, partner and previous seats, seen from the agent's.
        seat: the agents' seat; None draws one for each episode.
        has_plays: whether agents make whole plays.

    Attributes:
        tables: the tables; where an episode is over, nobody is to move.
        is_match: whether episodes are matches.
        seat: (N,) int8, the agents' seats.
        plays: N whole plays, which agents make with OWN_PLAY; none without `has_plays`.
        has_result: (N,) bool, where a round has ended since the caller has set it to False.
    """

    _LINKS = ("seat", "has_result", "plays", "_lists", "_counts", "_round_index", "_seen")

    def __init__(
        self,
        settings: TableSettings,
        size: int,
        opponents: tuple[Player, ...],
        seat: int | None,
        *,
        has_plays: bool = False,
    ) -> None:
        _compile()
        self.tables = Tables(settings, np.zeros(size, np.int64))
        self.tables.seats.fill(NOBODY)
        self.is_match = settings.episode == "match"
        self._seating = Seating(self.tables, has_plays=has_plays)
        self._link()
        self.seat.fill(0 if seat is None else seat)
        self._draws_seat = seat is None
        self._others = Answering((None, *opponents), settings.rules)
        self._has_seed = np.zeros(size, np.bool_)
        self._seeds: list[int | None] = [None] * size
        self._generators: list[np.random.Generator | None] = [None] * size
        self._is_stopped = False

    def _link(self) -> None:
        self.seat, _, self.has_result, self._lists, self._counts, seen, self.plays = self._seating.of_seats
        self._seen: NDArray[np.int8] = seen.view(np.int8).reshape(-1, OBSERVATION_SIZE)
        self._round_index: NDArray[np.int32] = self.tables.states["round_index"]

    def __len__(self) -> int:
        return len(self.seat)

    @property
    def is_over(self) -> NDArray[np.bool_]:
        """(N,), where no episode is under way."""
        return np.asarray(self.tables.seats == NOBODY)

    @property
    def is_stopped(self) -> bool:
        """Whether an error of a player has stopped all tables."""
        return self._is_stopped

    def begin(self, rows: Rows, seeds: Sequence[int | None] | None, given: Mapping[str, Any]) -> None:
        """Begin an episode at some tables; the caller goes on with `play_on`.

        Args:
            rows: the tables.
            seeds: one for each: round 0 of it; None: the next round of the seed in use (at first a random one). None
                instead of all: where seeds are in use everywhere.
            given: state fields that replace what is drawn (`reset_options.py`).
        """
        if seeds is not None:
            seeded = [index for index, seed in enumerate(seeds) if seed is not None or not self._has_seed[rows[index]]]
            if seeded:
                self._seed(rows[seeded], [seeds[index] for index in seeded])
        if self._draws_seat:
            for row in rows.tolist():
                self.seat[row] = self._generator(row).integers(NUM_SEATS)
        if given:
            before = self._counts.copy()
            self._step(rows, np.full(len(rows), BEGIN_NEXT), goes_on=False)
            write_start(self.tables.states, rows, given)
            self._counts[:] = before
        self.make(rows, np.full(len(rows), BEGIN_GIVEN if given else BEGIN_NEXT))

    def make(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        """Make actions at some tables, checked by the caller, who goes on with `play_on`."""
        self._step(rows, actions)

    def _step(self, rows: Rows, actions: NDArray[np.int64], *, goes_on: bool = True) -> None:
        """Step as `Answering.step` does."""
        self._others.step(self._seating, rows, actions, goes_on=goes_on)

    def pay(self, rows: Rows, is_paid: NDArray[np.bool_], paid: NDArray[np.float64]) -> None:
        """Write what the agents of some tables have been paid since this was last done, as `pay_agents` says."""
        pay_agents(self._seating.packed, rows, is_paid, paid)

    def write_results(self, rows: Rows, results: NDArray[Any]) -> None:
        """Write the results of the last rounds of some tables to an array for all, (N,)."""
        results[rows] = self.tables.progress["result"][rows]

    def play_on(self, on_end: OnEnd) -> None:
        """Let the players act until at every table the agent is to decide or the episode is over.

        Raises:
            PlayerError: a player has answered wrongly; episodes must begin anew at all tables.
        """
        try:
            while self._counts.any():
                if self._counts[ENDED]:
                    on_end(self._take(ENDED))
                if self._counts[OTHERS]:
                    self._others.ask(self._seating, self._take(OTHERS))
        except BaseException:
            self._is_stopped = True
            self._counts.fill(0)
            raise
        self._is_stopped = False

    def observe_some(self, rows: Rows, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a copy of what the agents of some tables see, also where they are not to move: (B, D) of a type."""
        observe_agents(self._seating.packed, rows)
        return self._seen[: len(rows)].astype(dtype)

    def observe_all(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a copy of what all agents see, also where an episode is over: (N, D) of a type."""
        seen = self.tables.vectors.astype(dtype)
        over = self.is_over.nonzero()[0]
        if len(over):
            seen[over] = self.observe_some(over, dtype)
        return seen

    def choose_random(self) -> NDArray[np.int64]:
        """Return a uniformly random legal action for each table, (N,): a function of (seed, round, ply)."""
        chosen = np.zeros(len(self), np.int64)
        self.tables.choose_random(chosen)
        return chosen

    def check_begun(self, rows: NDArray[np.bool_] | None = None) -> None:
        """Check that all tables wait for their agents or are over; or some of them, given by a Boolean each.

        Raises:
            ShengjiError: no episode has ever begun at one of them, or an error of a player has stopped all.
        """
        if self._is_stopped:
            raise ShengjiError("an error of a player has stopped the rounds: call reset() first, for all tables")
        missing = np.flatnonzero(~self._has_seed if rows is None else rows & ~self._has_seed)
        if len(missing):
            raise ShengjiError(f"no round has begun (table {missing[0]}): call reset() first")

    def _take(self, which: int) -> Rows:
        """Return one of the lists, and empty it."""
        rows = self._lists[which, : self._counts[which]].copy()
        self._counts[which] = 0
        return rows

    def _seed(self, rows: Rows, seeds: list[int | None]) -> None:
        """Give some tables seeds, random ones for None; their next round is round 0."""
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            self._generators[row], self._seeds[row] = None, seed
            if seed is None:
                self._generators[row], self._seeds[row] = seeding.np_random()
        words = np.array([(self._seeds[row] or 0) % NUM_SEEDS for row in rows.tolist()], np.uint64)
        numbers = np.zeros_like(words)
        numbers_for_seeds(words, numbers)
        self.tables.progress["number"][rows] = numbers.view(np.int64)
        self._round_index[rows] = -1  # no round has begun yet
        self._has_seed[rows] = True

    def _generator(self, row: int) -> np.random.Generator:
        """Return the generator of a table's seed, which is that of Gymnasium's environments with this seed."""
        made = self._generators[row]
        if made is None:
            made = self._generators[row] = seeding.np_random(self._seeds[row])[0]
        return made


@part("seat-vectors", "many tables of one seat: gymnasium.make_vec")
def _compile() -> None:
    seats, row = SeatTables(plain_settings(), 1, (), 0), np.zeros(1, np.int64)
    seats.begin(row, [0], {})
    seats._counts.fill(0)  # nobody is asked here
    chosen = seats.choose_random()
    first_illegal_row(seats.tables.masks, row, chosen)
    seats.observe_some(row, np.dtype(np.int8))
    seats.pay(row, np.zeros(1, np.bool_), np.zeros(1))
    tables = seats.tables
    draw_keys(tables.states, tables.progress, tables.shared, row, np.zeros(1, np.uint64))
