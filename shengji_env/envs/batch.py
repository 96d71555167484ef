"""The batch environment: N tables stepped at once by the compiled engine.

Source: docs/environments/batch.md.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, RulesLike, as_rules
from shengji_env.envs.answered_seats import AnsweredSeats, read_opponents
from shengji_env.errors import ShengjiError
from shengji_env.players.player import PlayerLike, kept_for, needs_of
from shengji_env.render.picture.batch_picture import batch_svg
from shengji_env.render.picture.table_picture import svg_in_cell
from shengji_env.support.arguments import (
    MAX_TABLES,
    MAX_THREADS,
    check_index,
    check_seed,
    check_tables,
    read_actions,
    seed_or_draw,
)
from shengji_env.tables.history import seen_from
from shengji_env.tables.illegal import illegal_action
from shengji_env.tables.own_arrays import Linked, read_only
from shengji_env.tables.queries import first_illegal
from shengji_env.tables.settings import KeepingArguments, TableSettings, takes_settings
from shengji_env.tables.snapshots import Snapshot, put_back, take_snapshot
from shengji_env.tables.tables import Tables, compile_tables, compile_threads

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Discrete


class _Shown(NamedTuple):
    """Read-only views of the tables' arrays."""

    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    seat: NDArray[np.int8]
    phase: NDArray[np.int8]
    reward: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    states: NDArray[Any]
    ply: NDArray[np.int32]
    result: NDArray[Any]


class ManyTables(Linked):
    """N tables as both batch environments show them: in read-only views of memory that the next step overwrites."""

    _LINKS: ClassVar[tuple[str, ...]] = ("_shown",)
    _tables: Tables

    def _link(self) -> None:
        tables = self._tables
        arrays = (
            tables.vectors, tables.masks, tables.seats, tables.phases, tables.rewards, tables.terminated, tables.states,
        )  # fmt: skip
        progress = read_only(tables.progress)
        self._shown = _Shown._make((*map(read_only, arrays), progress["ply"], progress["result"]))

    @property
    def metadata(self) -> dict[str, Any]:
        """What Gymnasium's vector environments say of themselves."""
        from gymnasium.vector import AutoresetMode  # all but this and spaces works without Gymnasium

        return {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    @property
    def num_envs(self) -> int:
        """The number of tables, N."""
        return len(self._tables.states)

    @property
    def rules(self) -> RuleSet:
        """The rules."""
        return self._tables.rules

    @property
    def observation(self) -> NDArray[np.int8]:
        """What the seats to move see, (N, OBSERVATION_SIZE), C-contiguous; `observation.view` names the segments."""
        return self._shown.observation

    @property
    def seat(self) -> NDArray[np.int8]:
        """The seats to move, (N,)."""
        return self._shown.seat

    @property
    def phase(self) -> NDArray[np.int8]:
        """The phases, (N,), each a `Phase`."""
        return self._shown.phase

    @property
    def reward(self) -> NDArray[np.float32]:
        """The rewards of the last step by seat, (N, 4)."""
        return self._shown.reward

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended an episode, (N,).

        Where it did, all but `reward` and `result` already show the first decision of the next episode.
        """
        return self._shown.terminated

    @property
    def states(self) -> NDArray[Any]:
        """The raw states, shape (N,), `engine.state.STATE_DTYPE`."""
        return self._shown.states

    @property
    def result(self) -> NDArray[Any]:
        """Result of each table's last finished round, shape (N,), `engine.state.RESULT_DTYPE`."""
        return self._shown.result

    def _repr_html_(self) -> str:
        """Return the first tables as a picture for a notebook."""
        return svg_in_cell(batch_svg(self))

    def save(self) -> Snapshot:
        """Return a snapshot of everything that the next steps depend on; `load` restores it exactly."""
        return take_snapshot(self._tables)


class BatchEnv(ManyTables):
    """N tables stepped at once; a finished table begins its next round (or match) in the same call.

    Args:
        num_envs: number of tables.
        seed: deals, and what ``start="any"`` draws, are a function of (seed, table number, round).
        threads: threads that a step may use; results do not depend on it.
        tables: table numbers, shape (num_envs,); default 0..num_envs-1. Tables with the same number get the same deals.
        opponents: players by seat, each a player or its text, such as ``{1: "greedy", 3: "greedy"}``: they decide in
            these seats, and a step goes on to the next decision of another seat, with the sums of all rewards.
        rules, episode, reward, shaping, skip_forced, start, record, history: as `settings.TableSettings` says.

    Raises:
        PlayerError: the players leave no seat, or one of them cannot play under these rules.
        ShengjiError: another argument is invalid.

    Its arrays are read-only views of memory that the next step overwrites: copy what must last. Legality is
    checked against that memory, and only `load` sets a state.
    """

    @takes_settings(TableSettings)
    def __init__(
        self,
        num_envs: int,
        rules: RulesLike = DEFAULT_RULES,
        *,
        seed: int | None = None,
        threads: int = 1,
        tables: ArrayLike | None = None,
        opponents: Mapping[int, PlayerLike] | None = None,
        **settings: Unpack[KeepingArguments],
    ) -> None:
        size = check_index("num_envs", num_envs, 1, MAX_TABLES)
        threads = check_index("threads", threads, 1, MAX_THREADS)
        numbers = check_tables(tables, size)
        given = TableSettings(rules=as_rules(rules), autoreset=True, **settings)
        players = read_opponents({} if opponents is None else opponents, size)
        if players and threads > 1:
            raise ShengjiError(f"threads={threads} does not go with opponents, who answer in one thread")
        kept = kept_for(needs_of(players.values()), given.rules)
        self._history = given.history
        given = replace(given, record=given.record or kept["record"], history=max(given.history, kept["history"]))
        self._seed = seed_or_draw(seed)
        (compile_tables if threads == 1 else compile_threads)()
        self._tables = Tables(given, numbers, seed=self._seed, threads=threads)
        self._link()
        self._chosen = np.zeros(size, np.int64)
        self._others = AnsweredSeats(players, self._tables) if players else None
        self.reset()

    @property
    def seed(self) -> int:
        """The seed of the deals."""
        return self._seed

    @cached_property
    def single_observation_space(self) -> "Box":
        """The space of the observation of one table."""
        from shengji_env.tables.spaces import vector_space

        return vector_space(np.dtype(np.int8))

    @cached_property
    def single_action_space(self) -> "Discrete":
        """The space of the actions of one table."""
        from gymnasium.spaces import Discrete

        return Discrete(NUM_ACTIONS)

    @property
    def tables(self) -> Tables:
        """The engine's own memory, for code of this package: what is written there is not checked."""
        return self._tables

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """The legal actions, (N, 83), C-contiguous."""
        return self._shown.action_mask

    @property
    def ply(self) -> NDArray[np.int32]:
        """Decisions made in the round under way, shape (N,), forced ones included."""
        return self._shown.ply

    @property
    def history(self) -> NDArray[np.int8]:
        """The last plays as the seats to move see them, shape (N, history, 55) (`history.py`): a copy."""
        return seen_from(self._tables.plays[:, self._tables.plays.shape[1] - self._history :], self._tables.seats)

    def reset(self, seed: int | None = None) -> None:
        """Begin round 0 at every table, with another seed if one is given.

        Raises:
            ShengjiError: the seed is invalid; nothing has changed.
        """
        if seed is not None:
            self._seed = check_seed(seed)
            self._tables.shared["seed"] = self._seed
        self._tables.begin()
        if self._others is not None:
            self._others.play_on()

    def step(self, actions: ArrayLike) -> None:
        """Make one action at every table; -1 leaves a table as it is.

        Raises:
            IllegalActionError: an action is illegal; the error names the table, and no table has moved.
            ShengjiError: `actions` are not N integers; no table has moved.
            PlayerError: an opponent has answered wrongly; `reset` or `load` must come next.
        """
        tables = self._tables
        if self._others is not None:
            self._others.check()
        chosen = read_actions(actions, self.num_envs)
        table = first_illegal(tables.masks, chosen)
        if table < self.num_envs:
            action = np.asarray(actions)[table]
            raise illegal_action(tables.states[table], tables.masks[table], int(action), f" (table {table})")
        if self._others is None:
            tables.step(chosen)
        else:
            self._others.step(chosen)

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a uniformly random legal action for each table, shape (N,); the next call overwrites the array.

        It is a function of (seed, table number, round, ply).
        """
        self._tables.choose_random(self._chosen)
        return self._chosen

    def load(self, snapshot: Snapshot) -> None:
        """Restore what `save` returned in this process, here or in an environment with equal arguments.

        Where it is the turn of one of this environment's opponents, they play on.

        Raises:
            ShengjiError: it is anything else; nothing has changed.
        """
        put_back(self._tables, snapshot)
        self._seed = int(self._tables.shared["seed"][0])
        if self._others is not None:
            self._others.play_on()
