"""The batch environment whose actions are whole plays.

Source: docs/environments/plays.md.
"""

from typing import Any, Unpack

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.rule_sets import DEFAULT_RULES, RulesLike
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.envs.batch import BatchEnv, ManyTables
from shengji_env.envs.plays.play_stepping import LIST, step_plays
from shengji_env.errors import IllegalActionError, ShengjiError, show
from shengji_env.players.candidates import DEFAULT_CANDIDATES, NUM_FEATURES
from shengji_env.players.candidates.candidate_arrays import (
    Candidates,
    list_all,
    make_candidate_scratch,
    make_candidates,
)
from shengji_env.players.candidates.candidate_list import MAX_FOUND
from shengji_env.support.announcing import part
from shengji_env.support.arguments import check_flag, check_index, read_actions
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.own_arrays import read_only
from shengji_env.tables.queries import draw_keys
from shengji_env.tables.settings import EpisodeArguments, KeepingArguments, TableSettings, takes_settings
from shengji_env.tables.snapshots import Snapshot
from shengji_env.tables.spaces import observation_space
from shengji_env.tables.tables import Tables

_INT8 = np.dtype(np.int8)


def illegal_candidate(state: Any, number: int, choice: Any, where: str = "") -> IllegalActionError:
    """Return the error for an index without a candidate: who chose what in which phase, and how many there are."""
    reason = f"the decision has {number} candidates{where}"
    phase, seat = Phase(int(state["phase"])).name, int(state["seat"])
    return IllegalActionError(phase, seat, f"candidate {show(choice)}", reason, [f"0 to {number - 1}"])


def check_candidates(candidates: Any) -> int:
    """Return the argument `candidates` as an int."""
    return check_index("candidates", candidates, 2, MAX_FOUND)


def skip_plays_only(settings: EpisodeArguments) -> bool:
    """Return the argument `skip_forced`, and turn it off for the tables, which are stepped card by card."""
    skips = check_flag("skip_forced", settings.get("skip_forced", False))
    settings["skip_forced"] = False
    return skips


def play_spaces(candidates: int, dtype: np.dtype[Any] = _INT8, history: int = 0) -> gymnasium.spaces.Dict:
    """Return the space of observations with a number of candidates, and of plays of history."""
    box = gymnasium.spaces.Box
    parts = {
        "cards": box(-128, 127, (candidates, NUM_SLOTS), dtype.type),
        "features": box(-128, 127, (candidates, NUM_FEATURES), dtype.type),
        "action_mask": box(0, 1, (candidates,), np.int8),
    }
    return gymnasium.spaces.Dict({**observation_space(history, dtype).spaces, **parts})


def random_candidates(tables: Tables, mask: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return a random candidate for each table, shape (N,): a function of (seed, table number, round, ply).

    It is 0 at a table that has no candidate in `mask`, (N, M).
    """
    keys = np.empty(len(mask), np.uint64)
    draw_keys(tables.states, tables.progress, tables.shared, np.arange(len(mask)), keys)
    chosen: NDArray[np.int64] = (keys % np.maximum(mask.sum(axis=1, dtype=np.uint64), 1)).astype(np.int64)
    return chosen


class PlayBatchEnv(ManyTables):
    """N tables at which whole plays are made; a finished table begins its next round (or match) in the same call.

    Args:
        num_envs: number of tables.
        candidates: the most candidates of a decision; single actions (bids, names, forced components) beyond that
            number are left out.
        skip_forced: whether decisions with one candidate are made by the environment itself.
        rules, episode, start, reward, shaping, seed, record, history, tables: as in `BatchEnv`.

    Its arrays are read-only views of memory that the next step overwrites: copy what must last. Those that it shares
    with `BatchEnv` describe whole plays. Legality is checked against that memory, and only `load` sets a state.
    """

    _LINKS = ("_shown", "_listed", "_candidate_scratch")

    @takes_settings(TableSettings)
    def __init__(
        self,
        num_envs: int,
        rules: RulesLike = DEFAULT_RULES,
        *,
        candidates: int = DEFAULT_CANDIDATES,
        seed: int | None = None,
        tables: ArrayLike | None = None,
        **settings: Unpack[KeepingArguments],
    ) -> None:
        most = check_candidates(candidates)
        self.skip_forced = skip_plays_only(settings)
        self._batch = BatchEnv(num_envs, rules, seed=seed, tables=tables, **settings)
        _compile_plays()
        self._tables = self._batch.tables
        self._candidates = make_candidates(self.num_envs, most)
        self._link()
        self.single_observation_space = play_spaces(most)
        self.single_action_space = gymnasium.spaces.Discrete(most)
        self._begin()

    def _link(self) -> None:
        super()._link()
        self._listed = Candidates(*map(read_only, self._candidates))
        self._candidate_scratch = make_candidate_scratch(self.rules, self._candidates)

    @property
    def tables(self) -> BatchEnv:
        """The batch environment underneath, which is stepped card by card; nothing else may step it."""
        return self._batch

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """1 for each candidate, (N, M)."""
        return self._listed.mask

    @property
    def actions(self) -> NDArray[np.int8]:
        """The candidates' actions, (N, M); -1 for a set of cards, 0 where there is no candidate."""
        return self._listed.actions

    @property
    def cards(self) -> NDArray[np.int8]:
        """The cards of a set by slot, (N, M, 54); zero for an action."""
        return self._listed.cards

    @property
    def features(self) -> NDArray[np.int8]:
        """`players.candidates.FEATURES` of the candidates, (N, M, NUM_FEATURES)."""
        return self._listed.features

    def reset(self, seed: int | None = None) -> None:
        """Begin round 0 at every table, with another seed if one is given.

        Raises:
            ShengjiError: the seed is invalid; nothing has changed.
        """
        self._batch.reset(seed)
        self._begin()

    def step(self, actions: ArrayLike) -> None:
        """Make one candidate at every table; -1 leaves a table as it is.

        Raises:
            IllegalActionError: there is no such candidate; the error names the table, and no table has moved.
            ShengjiError: `actions` are not N integers; no table has moved.
        """
        chosen = read_actions(actions, self.num_envs)
        numbers = self._candidates.mask.sum(axis=1, dtype=np.int64)
        wrong = np.flatnonzero((chosen != STAND_STILL) & ((chosen < 0) | (chosen >= numbers)))
        if wrong.size:
            table = int(wrong[0])
            raise illegal_candidate(
                self.states[table], int(numbers[table]), int(np.asarray(actions)[table]), f" (table {table})"
            )
        self._step(chosen)

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a random candidate for each table, shape (N,): a function of (seed, table number, round, ply)."""
        return random_candidates(self._tables, self._candidates.mask)

    def load(self, snapshot: Snapshot) -> None:
        """Restore what `save` returned in this process, here or in an environment with equal arguments.

        Raises:
            ShengjiError: it is anything else, such as a batch environment's in the middle of a play; nothing has
                changed.
        """
        before = self._batch.save()
        self._batch.load(snapshot)
        if self.states["taken_size"].any():
            self._batch.load(before)
            raise ShengjiError("the snapshot cannot be loaded: a table is in the middle of a play")
        self._step(np.full(self.num_envs, LIST))

    def _begin(self) -> None:
        """Find the candidates of a round's first decisions; go on to the first choices if others are skipped."""
        self._step(np.full(self.num_envs, LIST))
        if self.skip_forced:
            self._step(np.where(self._candidates.mask[:, 1] == 0, 0, STAND_STILL))

    def _step(self, chosen: NDArray[np.int64]) -> None:
        arrays = self._tables.arrays
        step_plays(arrays, chosen, self.skip_forced, self._candidate_scratch, self._candidates)


@part("plays", "whole plays: their batch environment")
def _compile_plays() -> None:
    tables = BatchEnv(1).tables
    candidates = make_candidates(1, DEFAULT_CANDIDATES)
    candidate_scratch = make_candidate_scratch(tables.rules, candidates)
    for choice in (LIST, 0):
        step_plays(tables.arrays, np.full(1, choice), True, candidate_scratch, candidates)
    random_candidates(tables, candidates.mask)


@part("seat-plays", "whole plays of one seat")
def compile_seat_plays() -> None:
    """Call what environments of one seat's whole plays need."""
    tables = BatchEnv(1).tables
    candidates = make_candidates(1, DEFAULT_CANDIDATES)
    candidate_scratch = make_candidate_scratch(tables.rules, candidates)
    list_all(tables.states, candidate_scratch, candidates)
    random_candidates(tables, candidates.mask)
