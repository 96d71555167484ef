"""One table, stepped from Python as cheaply as can be: what the AEC and the Gymnasium environment sit at.

Handing a dozen arrays of records to compiled code takes longer than a step. So their addresses are handed over as one
plain array, and compiled code finds the arrays there.
"""

from collections.abc import Mapping
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core import config as numba_config
from numba.extending import intrinsic
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import PLAYER_STREAM, fold, stream_key
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet, rule_set
from shengji_env.engine.state import NOBODY, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase
from shengji_env.envs.arguments import seed_or_draw
from shengji_env.envs.arrays import LOG_DTYPE, MASK_DTYPE, PROGRESS_DTYPE, REWARD_DTYPE, SHARED_DTYPE, Arrays
from shengji_env.envs.history import PLAY_SIZE, seen_from
from shengji_env.envs.observation import OBSERVATION_DTYPE
from shengji_env.envs.stepping import choose_random, observe_seat, step_range
from shengji_env.envs.tables import Tables
from shengji_env.envs.truth import TRUTH_SIZE, write_truth

ILLEGAL = -1
SEAT_BITS = 7
"""Bits of what `OneTable.step` returns that hold the seat to move, NUM_SEATS for nobody."""
ROUND_OVER = 8
EPISODE_OVER = 16
REWARDED = 32
NEWS = ROUND_OVER | EPISODE_OVER | REWARDED


class OneTable:
    """Table 0 of a seed, without autoreset: after an episode the final state stays.

    Attributes:
        observation: (OBSERVATION_SIZE,) int8, of the seat to move; overwritten by the next step.
        mask: (82,) int8, its legal actions; overwritten by the next step.
        reward: (4,) float32, of the last step; overwritten by the next one.
        seed: that of the deals, None before the first episode.
        key: (1,) uint64, the random word that a player is given for the decision; written by `draw_key`.
    """

    def __init__(self, rules: RuleSet, shared: Mapping[str, int], history: int = 0) -> None:
        self.tables = Tables(rules, {"seed": 0, "autoreset": 0, **shared}, np.zeros(1, np.int64), history=history)
        self.seed: int | None = None
        self._link()

    def _link(self) -> None:
        """Make the views and addresses of the tables' arrays."""
        tables = self.tables
        self.observation: NDArray[np.int8] = tables.views.view(np.int8).reshape(-1)
        self.mask = tables.masks[0]
        self.reward = tables.rewards[0]
        self.key = np.zeros(1, np.uint64)
        self._other = tables.views.copy()
        self._other_bytes: NDArray[np.int8] = self._other.view(np.int8).reshape(-1)
        self._chosen = np.zeros(1, np.int64)
        num_plays = tables.plays.shape[1]
        arrays = (array.ctypes.data for array in tables.arrays)
        self._addresses = np.array([*arrays, num_plays, self._chosen.ctypes.data], np.int64)

    def __getstate__(self) -> dict[str, Any]:
        """Only the tables: views and addresses belong to one copy in one process."""
        return {"tables": self.tables, "seed": self.seed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.tables, self.seed = state["tables"], state["seed"]
        self._link()

    def begin(self, seed: int | None, given: Mapping[str, Any]) -> int:
        """Begin an episode: with round 0 of a seed, or with the next round of the seed in use (at first a random one).

        Args:
            seed: deals are a function of it.
            given: state fields that replace what is drawn (`options.py`).

        Returns:
            The seat to move.

        Raises:
            ShengjiError: it is no seed; nothing has changed.
        """
        tables = self.tables
        next_round = int(tables.states["round_index"][0]) + 1
        if seed is not None or self.seed is None:
            next_round = 0
            self.seed = seed_or_draw(seed)
            tables.shared["seed"] = self.seed
        tables.begin(round_index=next_round)
        if given:
            state = tables.states
            # Bidding may have ended already, and made somebody declarer.
            state["declarer"] = np.where(state["had_declarer"], state["first_drawer"], NOBODY)
            state["trump"] = UNNAMED
            for name, value in given.items():
                state[name][0] = value
            tables.begin(given=True)
        return int(tables.seats[0])

    def step(self, action: int) -> int:
        """Make an action of 0..81, if it is legal.

        Returns:
            ILLEGAL, and nothing has changed; or the next seat to move, with ROUND_OVER, EPISODE_OVER and REWARDED.
        """
        if numba_config.DISABLE_JIT:
            return _step(self.tables.arrays, self._chosen, action)
        return _step_at(self._addresses, action)

    @property
    def mover(self) -> int:
        """The seat to move, NOBODY before the first episode and after each."""
        return NOBODY if self.seed is None else int(self.tables.seats[0])

    def observe(self, seat: int) -> NDArray[np.int8]:
        """What any seat sees, shape (OBSERVATION_SIZE,) int8: a copy."""
        observe_seat(self.tables.states, self.tables.shared, 0, seat, self._other)
        return self._other_bytes.copy()

    def history(self, seat: int) -> NDArray[np.int8]:
        """The last plays as any seat sees them (`history.py`), shape (K, PLAY_SIZE) int8: a copy."""
        return seen_from(self.tables.plays[0], seat)

    def truth(self) -> NDArray[np.int8]:
        """The whole truth (`truth.py`), shape (TRUTH_SIZE,) int8: a copy."""
        truth = np.zeros(TRUTH_SIZE, np.int8)
        write_truth(self.tables.states, self.tables.shared, self._other, truth)
        return truth

    def choose_random(self) -> int:
        """A uniformly random legal action: a function of (seed, round, ply)."""
        tables = self.tables
        choose_random(tables.states, tables.progress, tables.shared, tables.masks, self._chosen)
        return int(self._chosen[0])

    def draw_key(self) -> NDArray[np.uint64]:
        """The random word for the decision to come, shape (1,): a function of (seed, round, ply)."""
        _draw_key(self.tables.states, self.tables.progress, self.tables.shared, self.key)
        return self.key


def call_kernels() -> None:
    """Call everything compiled, so that it is."""
    table = OneTable(rule_set(), {"seed": 0})
    table.begin(0, {})
    table.step(table.choose_random())
    table.observe(0)
    table.truth()
    table.draw_key()


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _pointer(typing_context: Any, address: Any) -> Any:
    """An address as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@jit
def _step_at(addresses: NDArray[Any], action: int) -> int:
    """`_step` with the arrays at these addresses; the last two entries are the number of plays and the actions."""
    arrays = Arrays(
        numba.carray(_pointer(addresses[0]), 1, STATE_DTYPE),
        numba.carray(_pointer(addresses[1]), 1, PROGRESS_DTYPE),
        numba.carray(_pointer(addresses[2]), 1, SHARED_DTYPE),
        numba.carray(_pointer(addresses[3]), 1, WORKSPACE_DTYPE),
        numba.carray(_pointer(addresses[4]), 1, OBSERVATION_DTYPE),
        numba.carray(_pointer(addresses[5]), 1, MASK_DTYPE),
        numba.carray(_pointer(addresses[6]), 1, np.int8),
        numba.carray(_pointer(addresses[7]), 1, np.int8),
        numba.carray(_pointer(addresses[8]), 1, REWARD_DTYPE),
        numba.carray(_pointer(addresses[9]), 1, np.bool_),
        numba.carray(_pointer(addresses[10]), 1, LOG_DTYPE),
        numba.carray(_pointer(addresses[11]), (1, addresses[12], PLAY_SIZE), np.int8),
    )
    return _step(arrays, numba.carray(_pointer(addresses[13]), 1, np.int64), action)


@jit
def _step(a: Arrays, actions: NDArray[Any], action: int) -> int:
    if not a.masks[0].legal[action]:
        return ILLEGAL
    round_index = a.states[0].round_index
    actions[0] = action
    step_range(0, 1, a, a.works[0], actions)
    outcome: int = NUM_SEATS if a.seats[0] == NOBODY else a.seats[0]
    if a.phases[0] == Phase.OVER or a.states[0].round_index != round_index:
        outcome |= ROUND_OVER
    if a.terminated[0]:
        outcome |= EPISODE_OVER
    for seat in range(NUM_SEATS):
        if a.rewards[0].of_seat[seat] != 0.0:
            outcome |= REWARDED
    return outcome


@jit
def _draw_key(states: NDArray[Any], progress: NDArray[Any], shared: NDArray[Any], key: NDArray[Any]) -> None:
    stream = stream_key(shared[0].seed, progress[0].number, states[0].round_index, PLAYER_STREAM)
    key[0] = fold(stream, progress[0].ply)
