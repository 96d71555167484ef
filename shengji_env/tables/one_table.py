"""One table, stepped from Python as cheaply as possible, for the AEC and the Gymnasium environment.

A step passes its arrays to compiled code by their addresses (`raw_arrays.py`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.compiler import IS_PLAIN
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, Phase
from shengji_env.support.announcing import part
from shengji_env.support.arguments import seed_or_draw
from shengji_env.tables.arrays import Arrays
from shengji_env.tables.no_refcount import no_refcount
from shengji_env.tables.own_arrays import Linked, read_only
from shengji_env.tables.queries import choose_random, draw_keys, observe_seat
from shengji_env.tables.raw_arrays import addresses_of, arrays_at
from shengji_env.tables.reset_options import write_start
from shengji_env.tables.settings import TableSettings, plain_settings
from shengji_env.tables.stepping import step_range
from shengji_env.tables.tables import Tables
from shengji_env.tables.truth import TRUTH_SIZE, write_truth

ILLEGAL = -1
SEAT_BITS = 7
"""Bits of `OneTable.step`'s result that hold the seat to move; NUM_SEATS stands for nobody."""
ROUND_OVER = 8
EPISODE_OVER = 16
REWARDED = 32
NEWS = ROUND_OVER | EPISODE_OVER | REWARDED


class OneTable(Linked):
    """Table 0 of a seed, without autoreset: after an episode the final state stays.

    Attributes:
        observation: (OBSERVATION_SIZE,) int8, of the seat to move; overwritten by the next step.
        mask: (83,) int8, its legal actions; overwritten by the next step.
        reward: (4,) float32, of the last step; overwritten by the next one.
        states: (1,) STATE_DTYPE, the raw state: a read-only view.
        seed: the seed of the deals, None before the first episode.
    """

    _LINKS = ("observation", "mask", "reward", "states", "_other", "_other_bytes", "_chosen", "_addresses")

    def __init__(self, settings: TableSettings) -> None:
        self.tables = Tables(settings, np.zeros(1, np.int64))
        self.seed: int | None = None
        self._link()

    def _link(self) -> None:
        """Make the views and addresses of the tables' arrays."""
        tables = self.tables
        self.observation: NDArray[np.int8] = tables.vectors[0]
        self.mask = tables.masks[0]
        self.reward = tables.rewards[0]
        self.states = read_only(tables.states)
        self._other = tables.observations.copy()
        self._other_bytes: NDArray[np.int8] = self._other.view(np.int8).reshape(-1)
        self._chosen = np.zeros(1, np.int64)
        self._addresses = np.append(addresses_of(tables.arrays), 0)

    def begin(self, seed: int | None, given: Mapping[str, Any]) -> int:
        """Begin an episode: with round 0 of a seed, or with the next round of the seed in use (at first a random one).

        Args:
            seed: deals are a function of it.
            given: state fields that replace what is drawn (`reset_options.py`).

        Returns:
            The seat to move.

        Raises:
            ShengjiError: the seed is invalid; nothing has changed.
        """
        tables = self.tables
        next_round = int(tables.states["round_index"][0]) + 1
        if seed is not None or self.seed is None:
            next_round = 0
            self.seed = seed_or_draw(seed)
            tables.shared["seed"] = self.seed
        tables.begin(round_index=next_round)
        if given:
            write_start(tables.states, slice(None), given)
            tables.begin(given=True)
        return int(tables.seats[0])

    def step(self, action: int) -> int:
        """Make an action of 0..82, if it is legal.

        Returns:
            ILLEGAL if the action is illegal (nothing has changed then); otherwise the next seat to move, with flags:
            ROUND_OVER, EPISODE_OVER, REWARDED.
        """
        if IS_PLAIN:
            return _step(self.tables.arrays, self._chosen, action)
        return _step_at(self._addresses, action)

    @property
    def mover(self) -> int:
        """The seat to move, NOBODY before the first episode and after each."""
        return NOBODY if self.seed is None else int(self.tables.seats[0])

    def observe(self, seat: int) -> NDArray[np.int8]:
        """Return a copy of what any seat sees, shape (OBSERVATION_SIZE,) int8."""
        observe_seat(self.tables.states, self.tables.shared, 0, seat, self._other)
        return self._other_bytes.copy()

    def truth(self) -> NDArray[np.int8]:
        """Return a copy of the whole truth (`truth.py`), shape (TRUTH_SIZE,) int8."""
        truth = np.zeros(TRUTH_SIZE, np.int8)
        write_truth(self.tables.states, self.tables.shared, self._other, truth)
        return truth

    def choose_random(self) -> int:
        """Return a uniformly random legal action: a function of (seed, round, ply)."""
        choose_random(self.tables.arrays, self._chosen)
        return int(self._chosen[0])


@part("table", "the engine: the AEC and the single-seat environment")
def compile_table() -> None:
    """Call all compiled functions once."""
    table = OneTable(plain_settings())
    table.begin(0, {})
    table.step(table.choose_random())
    table.observe(0)
    table.truth()
    tables = table.tables
    draw_keys(tables.states, tables.progress, tables.shared, np.zeros(1, np.int64), np.zeros(1, np.uint64))


@jit
def _step_at(addresses: NDArray[Any], action: int) -> int:
    """Step the table at `addresses` as `_step` does; their last word is free for the action."""
    return _step(arrays_at(addresses), no_refcount(addresses)[addresses.size - 1 :], action)


@jit
def _step(arrays: Arrays, actions: NDArray[Any], action: int) -> int:
    s = arrays.states[0]
    if not arrays.masks[0].legal[action]:
        return ILLEGAL
    round_index = s.round_index
    actions[0] = action
    step_range(0, 1, arrays, arrays.works[0], actions)
    outcome: int = NUM_SEATS if s.seat == NOBODY else s.seat
    if s.phase == Phase.OVER or s.round_index != round_index:
        outcome |= ROUND_OVER
    if arrays.terminated[0]:
        outcome |= EPISODE_OVER
    for seat in range(NUM_SEATS):
        if arrays.rewards[0].of_seat[seat] != 0.0:
            outcome |= REWARDED
    return outcome
