"""The batch environment whose actions are whole plays.

Source: docs/environment.md.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.envs.batch import BatchEnv
from shengji_env.envs.plays.listing import (
    Candidates,
    StepScratch,
    list_all,
    list_some,
    make_candidates,
    make_lister,
    next_actions,
    step_plays,
)
from shengji_env.errors import IllegalActionError, ShengjiError, show
from shengji_env.players.candidates import DEFAULT_MOST, NUM_FEATURES
from shengji_env.players.candidates.found import MAX_FOUND
from shengji_env.support.announcing import announce_compiling
from shengji_env.support.arguments import check_flag, check_index, read_actions
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.history import PLAY_SIZE
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.own_arrays import read_only, with_own_arrays
from shengji_env.tables.rewards import RewardScheme, Shaping
from shengji_env.tables.settings import Episode, Start
from shengji_env.tables.stepping import draw_keys
from shengji_env.tables.tables import Tables


def illegal_candidate(state: Any, number: int, choice: Any, where: str = "") -> IllegalActionError:
    """Return the error for a candidate that there is not: who chose what in which phase, and how many there are."""
    reason = f"the decision has {number} candidates{where}"
    phase, seat = Phase(int(state["phase"])).name, int(state["seat"])
    return IllegalActionError(phase, seat, f"candidate {show(choice)}", reason, [f"0 to {number - 1}"])


def check_most(candidates: Any) -> int:
    """Return the most candidates of a decision as an int."""
    return check_index("candidates", candidates, 2, MAX_FOUND)


def play_spaces(candidates: int, dtype: Any = np.int8, history: int = 0) -> gymnasium.spaces.Dict:
    """Return the space of what is observed with so many candidates, and so many plays of history."""
    box = gymnasium.spaces.Box
    parts: dict[str, gymnasium.Space[Any]] = {
        "observation": box(-128, 127, (OBSERVATION_SIZE,), dtype),
        "cards": box(-128, 127, (candidates, NUM_SLOTS), dtype),
        "features": box(-128, 127, (candidates, NUM_FEATURES), dtype),
        "action_mask": box(0, 1, (candidates,), np.int8),
    }
    if history:
        parts["history"] = box(0, 127, (history, PLAY_SIZE), dtype)
    return gymnasium.spaces.Dict(parts)


def random_candidates(tables: Tables, mask: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return a random candidate for each table, shape (N,): a function of (seed, table number, round, ply).

    Where `mask`, (N, M), has none, it is 0.
    """
    keys = np.empty(len(mask), np.uint64)
    draw_keys(tables.states, tables.progress, tables.shared, np.arange(len(mask)), keys)
    chosen: NDArray[np.int64] = (keys % np.maximum(mask.sum(axis=1, dtype=np.uint64), 1)).astype(np.int64)
    return chosen


class PlayBatchEnv:
    """N tables at which whole plays are made; a finished table begins its next round (or match) in the same call.

    Args:
        num_envs: number of tables.
        candidates: most candidates of a decision; single actions (bids, names, forced components) beyond it are left
            out.
        skip_forced: whether decisions with one candidate are made by the environment itself.
        rules, episode, start, reward, shaping, seed, record, history, tables: as in `BatchEnv`.

    Its arrays are read-only views of memory that the next step overwrites: copy what must last. Those that it shares
    with `BatchEnv` are of whole plays. What is legal is read from that memory, and only `load` sets a state.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        num_envs: int,
        rules: RuleSet | str = DEFAULT_RULES,
        *,
        candidates: int = DEFAULT_MOST,
        episode: Episode = "round",
        start: Start = "first",
        reward: RewardScheme = "levels",
        shaping: Shaping = "none",
        seed: int | None = None,
        skip_forced: bool = False,
        record: bool = False,
        history: int = 0,
        tables: ArrayLike | None = None,
    ) -> None:
        self.skip_forced = check_flag("skip_forced", skip_forced)
        most = check_most(candidates)
        self._batch = BatchEnv(
            num_envs, rules, episode=episode, start=start, reward=reward, shaping=shaping, seed=seed, record=record,
            history=history, tables=tables,
        )  # fmt: skip
        announce_compiling("plays", call_kernels, floor="envs", what="whole plays")
        self._candidates = make_candidates(self.num_envs, most)
        self._link()
        self.single_observation_space = play_spaces(most)
        self.single_action_space = gymnasium.spaces.Discrete(most)
        self._begin()

    def _link(self) -> None:
        """Make the views of the candidates, and scratch memory."""
        self._shown = Candidates(*map(read_only, self._candidates))
        self._lister = make_lister(self.rules, self._candidates)
        self._scratch = StepScratch(self._lister, np.zeros(self.num_envs, np.int64))

    def __getstate__(self) -> dict[str, Any]:
        """Without views, which would be copies of their own, and without scratch memory."""
        return {**self.__dict__, "_shown": None, "_lister": None, "_scratch": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(with_own_arrays(state))
        self._link()

    @property
    def num_envs(self) -> int:
        """The number of tables, N."""
        return self._batch.num_envs

    @property
    def rules(self) -> RuleSet:
        """The rules."""
        return self._batch.rules

    @property
    def tables(self) -> BatchEnv:
        """The batch environment that is stepped card by card; it is not to be stepped by others."""
        return self._batch

    @property
    def observation(self) -> NDArray[np.int8]:
        """What the seats to move see, (N, OBSERVATION_SIZE); no cards are taken yet."""
        return self._batch.observation

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """1 for each candidate, (N, M)."""
        return self._shown.mask

    @property
    def actions(self) -> NDArray[np.int8]:
        """The candidates' actions, (N, M); -1 for a set of cards, 0 where there is no candidate."""
        return self._shown.actions

    @property
    def cards(self) -> NDArray[np.int8]:
        """The cards of a set by slot, (N, M, 54); zero for an action."""
        return self._shown.cards

    @property
    def features(self) -> NDArray[np.int8]:
        """`players.candidates.FEATURES` of the candidates, (N, M, NUM_FEATURES)."""
        return self._shown.features

    @property
    def seat(self) -> NDArray[np.int8]:
        """The seats to move, (N,)."""
        return self._batch.seat

    @property
    def phase(self) -> NDArray[np.int8]:
        """The phases, (N,), each a `Phase`."""
        return self._batch.phase

    @property
    def reward(self) -> NDArray[np.float32]:
        """The rewards of the last step by seat, (N, 4)."""
        return self._batch.reward

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended an episode, (N,); all but `reward` and `result` already show the next one."""
        return self._batch.terminated

    @property
    def states(self) -> NDArray[Any]:
        """The raw states, shape (N,), `engine.state.STATE_DTYPE`."""
        return self._batch.states

    @property
    def result(self) -> NDArray[Any]:
        """Result of each table's last finished round, shape (N,), `engine.state.RESULT_DTYPE`."""
        return self._batch.result

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
        return random_candidates(self._batch.tables, self._candidates.mask)

    def save(self) -> dict[str, NDArray[Any]]:
        """Return a copy of everything that the next steps depend on; `load` restores it exactly."""
        return self._batch.save()

    def load(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Restore what `save` copied, checked as `BatchEnv.load` does.

        Raises:
            ShengjiError: no such environment could have saved it; nothing has changed.
        """
        states = snapshot.get("states") if isinstance(snapshot, Mapping) else None
        is_like = isinstance(states, np.ndarray) and states.dtype == self.states.dtype
        if states is not None and is_like and (states["taken_size"] != 0).any():
            raise ShengjiError("the snapshot cannot be loaded: a table is in the middle of a play")
        self._batch.load(snapshot)
        list_all(self._batch.tables.states, self._lister, self._candidates)

    def _begin(self) -> None:
        """Find the candidates of a round's first decisions; go on to the first choices if others are skipped."""
        list_all(self._batch.tables.states, self._lister, self._candidates)
        if self.skip_forced:
            self._step(np.where(self._candidates.mask[:, 1] == 0, 0, STAND_STILL))

    def _step(self, chosen: NDArray[np.int64]) -> None:
        arrays = self._batch.tables.arrays
        step_plays(arrays, chosen, self.skip_forced, self._scratch, self._candidates)


def call_kernels() -> None:
    """Call all compiled functions once, so that they are compiled."""
    tables = BatchEnv(1).tables
    candidates = make_candidates(1, DEFAULT_MOST)
    lister = make_lister(tables.rules, candidates)
    list_all(tables.states, lister, candidates)
    step_plays(tables.arrays, np.zeros(1, np.int64), True, StepScratch(lister, np.zeros(1, np.int64)), candidates)
    random_candidates(tables, candidates.mask)
    first, plays = np.zeros(1, np.int64), Plays(np.zeros(1, np.int64), np.zeros((1, NUM_SLOTS), np.int8))
    list_some(tables.states, first, lister, candidates)
    next_actions(tables.states, tables.masks, first, plays, np.zeros(1, np.int64))
