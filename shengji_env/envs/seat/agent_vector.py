"""What the vector environments of one seat have in common: seeds, options of `reset`, autoreset and infos.

| mode | a table whose episode has ended |
|---|---|
| ``"SameStep"`` | begins its next round or match in the same step; ``final_obs`` and ``final_info`` show the end |
| ``"NextStep"`` | shows the end, and begins in the next step, which ignores its action |
| ``"Disabled"`` | shows the end, and begins with ``reset(options={"reset_mask": …})`` |

Source: docs/environments/seat.md; Gymnasium's `gymnasium.vector.SyncVectorEnv`, whose answers these are.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from shengji_env.envs.rendering import FRAMES_PER_SECOND, RENDER_MODES, Rendered, render_as
from shengji_env.envs.seat.seat_settings import SeatSettings
from shengji_env.envs.seat.seat_tables import Rows, SeatTables
from shengji_env.envs.seat.stacking import (
    stack_objects,
    stack_results,
    stack_values,
    with_flags,
)
from shengji_env.envs.seat.undecided import check_goes_on
from shengji_env.errors import PlayerError, RenderModeError, ShengjiError, show
from shengji_env.players.player import Needs, needs_of
from shengji_env.support.arguments import MAX_TABLES, NUM_SEEDS, as_index, check_index, check_seed, read_actions
from shengji_env.tables.own_arrays import Linked, read_only
from shengji_env.tables.queries import first_illegal_row
from shengji_env.tables.reset_options import read_options

Observed = Any
"""What N agents observe: an array (N, …) or a dictionary of arrays."""

_HUMAN = "human"
VECTOR_RENDER_MODES = tuple(mode for mode in RENDER_MODES if mode != _HUMAN)
"""Many tables are not printed after every step."""
_RESET_MASK = "reset_mask"
_NO_ROWS: Rows = np.zeros(0, np.int64)
_COUNTS_RIGHTLY = (1, 4)
"""The version since which Gymnasium's wrappers count same-step episodes rightly; RLlib requires an older one."""
_HAS_DECIDED = -1
"""Instead of a number of episodes without a decision: the one under way was not begun in this call."""


class _Finals(NamedTuple):
    """The ends of episodes at some tables whose next ones have begun in the same step."""

    rows: Rows
    seen: Sequence[Any]
    """What each agent observed."""
    results: NDArray[Any]
    """Those of all tables: the same array for all ends of a step."""


class AgentVectorEnv(Linked, gymnasium.vector.VectorEnv[Observed, ArrayLike, NDArray[Any]]):
    """N tables with an agent at each and players in the other seats; subclasses say what is observed and what is done.

    Args:
        num_envs: N.
        settings: the arguments that all environments of one seat take; render modes are VECTOR_RENDER_MODES.
        observation_space: of one table.
        action_space: of one table.
        autoreset_mode: one of `gymnasium.vector.AutoresetMode`, or its text.
        has_plays: whether agents make whole plays.

    Raises:
        PlayerError: a person is to play at several tables at once.
        RenderModeError: the mode shows one table only.
        ShengjiError: another argument is invalid, or Gymnasium is too old for the mode.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]  # Gymnasium declares it without ClassVar
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": list(VECTOR_RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        num_envs: int,
        settings: SeatSettings,
        observation_space: gymnasium.Space[Any],
        action_space: gymnasium.spaces.Discrete,
        autoreset_mode: AutoresetMode | str,
        *,
        has_plays: bool = False,
    ) -> None:
        self.num_envs = check_index("num_envs", num_envs, 1, MAX_TABLES)
        _check_many(settings, self.num_envs)
        self.rules, self.render_mode = settings.tables.rules, settings.render_mode
        self._history, self._dtype, self._replaces = settings.history, settings.dtype, settings.replaces
        self.single_observation_space, self.single_action_space = observation_space, action_space
        self.observation_space = batch_space(observation_space, self.num_envs)
        self.action_space = batch_space(action_space, self.num_envs)
        self.autoreset_mode = _read_autoreset_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]  # as above
        self._seats = SeatTables(settings.tables, self.num_envs, settings.opponents, settings.seat, has_plays=has_plays)
        self._everywhere = np.arange(self.num_envs)
        self._paid = np.zeros(self.num_envs)
        self._has_ended = np.zeros(self.num_envs, np.bool_)
        self._replaced: dict[int, int] = {}
        self._finals: list[_Finals] = []
        self._given: Mapping[str, Any] = {}
        self._num_undecided = np.full(self.num_envs, _HAS_DECIDED)
        self._has_begun = False  # whether an episode has begun in this call

    @property
    def states(self) -> NDArray[Any]:
        """The raw states, shape (N,), `engine.state.STATE_DTYPE`: a read-only view."""
        return read_only(self._seats.tables.states)

    @property
    def seat(self) -> NDArray[np.int8]:
        """The agents' seats, shape (N,): a read-only view."""
        return read_only(self._seats.seat)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begin an episode at all tables, and go to the agents' first decisions.

        Args:
            seed: table i begins round 0 of ``seed + i``, as in `SyncVectorEnv` (seeds less than N apart share deals),
                or of the i-th of N seeds; without one it begins its seed's next round (at first, of a random seed).
            options: as `reset_options.py` says; also ``"reset_mask"``, shape (N,) bool: the tables to begin, while the
                others stay as they are.

        Raises:
            DealError: no round could start with these options; nothing has changed.
            ShengjiError: the seeds or the mask are invalid; nothing has changed.
        """
        seeds = self._read_seeds(seed)
        rows, wishes = self._read_reset_mask(options)
        given = read_options(wishes, self.rules, is_match=self._seats.is_match)
        super().reset(seed=seeds[0] if as_index(seed) is not None else None)
        self._forget()
        self._given = given
        self._num_undecided[rows] = 0
        self._has_begun = True
        self._seats.begin(rows, [seeds[row] for row in rows.tolist()], given)
        self._go_on(rows)
        self._given = {}
        infos = self._infos()
        infos["_action_mask"] = np.isin(self._everywhere, rows)
        return self._observe(), infos

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observed, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Make one action at every table, and go on to the agents' next decisions.

        Returns:
            Observations; rewards, (N,); terminations, (N,); truncations, (N,), all False; infos. The arrays belong to
            the caller.

        Raises:
            IllegalActionError: an action is not in the action space, or it is illegal and
                ``illegal_actions="raise"``; the error names the table, and no table has moved.
            ShengjiError: `actions` are not N integers, no episode is under way at a table, or an error of a player has
                stopped one.
        """
        chosen, rows, begins = read_actions(actions, self.num_envs), self._everywhere, _NO_ROWS
        replaced: dict[int, int] = {}
        if self._seats.is_stopped or first_illegal_row(self._mask, rows, chosen) < len(rows):
            is_over = self._seats.is_over
            self._check_may_begin(is_over)
            begins, rows = np.flatnonzero(is_over), np.flatnonzero(~is_over)
            replaced = self._replace_illegal(rows, chosen)
        self._forget()
        self._replaced = replaced
        if len(begins):
            self._begin_next(begins)
        self._make(rows, chosen)
        self._go_on(self._everywhere)
        self._seats.pay(rows, self._has_ended, self._paid)
        truncations = np.zeros(self.num_envs, np.bool_)
        return self._observe(), self._paid.copy(), self._has_ended.copy(), truncations, self._infos()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the agents' legal actions, shape (N, actions) bool; none where an episode is over."""
        self._seats.check_begun()
        return self._mask.astype(np.bool_)

    def render(self) -> tuple[Rendered, ...] | None:  # type: ignore[override]  # frames may be text too
        """Return the agents' views in the way of the render mode, one for each table."""
        seats = self._seats
        seats.check_begun()
        if self.render_mode is None:
            render_as(None, seats.tables, self.rules, viewer=None)  # warns
            return None
        return tuple(
            render_as(self.render_mode, seats.tables, self.rules, viewer=int(seats.seat[row]), row=row)
            for row in range(self.num_envs)
        )

    @property
    @abstractmethod
    def _mask(self) -> NDArray[np.int8]:
        """(N, actions), the agents' legal actions; zero where an episode is over."""

    @abstractmethod
    def _illegal(self, row: int, action: int) -> Exception:
        """Return the error for an action that does not exist at a table."""

    @abstractmethod
    def _random_actions(self, rows: Rows) -> NDArray[np.int64]:
        """Return a random legal action for each of some tables."""

    @abstractmethod
    def _make(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        """Make actions, (N,), at some tables; `_go_on` follows."""

    @abstractmethod
    def _go_on(self, rows: Rows) -> None:
        """Go on to the next decision or the end of an episode, at tables where something has been made or begun."""

    @abstractmethod
    def _observe(self) -> Observed:
        """Return what all agents observe."""

    @abstractmethod
    def _observe_last(self, rows: Rows) -> Sequence[Any]:
        """Return what some agents observe at the end of their episodes, one after the other."""

    def _forget(self) -> None:
        """Forget what the infos of the last step were made of."""
        self._paid.fill(0)
        self._has_ended.fill(False)
        self._seats.has_result.fill(False)
        self._replaced, self._finals = {}, []
        self._given = {}
        self._num_undecided.fill(_HAS_DECIDED)
        self._has_begun = False

    def _begin_next(self, rows: Rows) -> None:
        """Begin the next episode at some tables; `_go_on` follows."""
        self._num_undecided[rows] = 0
        self._has_begun = True
        self._seats.begin(rows, None, {})

    def _skip_undecided(self, rows: Rows) -> Rows:
        """Begin episodes again that have ended before their agents could decide (`undecided.py`); return the others."""
        if not self._has_begun:
            return rows
        is_undecided: NDArray[np.bool_] = self._num_undecided[rows] != _HAS_DECIDED
        skipped, shown = rows[is_undecided], rows[~is_undecided]
        if len(skipped):
            self._num_undecided[skipped] += 1
            check_goes_on(int(self._num_undecided[skipped].max()), self._given)
            self._seats.begin(skipped, None, self._given)
        return shown

    def _end(self, rows: Rows) -> None:
        """Note that episodes have just ended at some tables; with same-step autoreset begin the next ones."""
        rows, seats = self._skip_undecided(rows), self._seats
        if not len(rows):
            return
        seats.pay(rows, self._has_ended, self._paid)
        self._has_ended[rows] = True
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            results = self._finals[0].results if self._finals else self._no_results()
            seats.write_results(rows, results)
            self._finals.append(_Finals(rows, self._observe_last(rows), results))
            self._begin_next(rows)

    def _infos(self) -> dict[str, Any]:
        """Return the infos of a step, in the form in which Gymnasium stacks those of single environments."""
        infos: dict[str, Any] = {
            "action_mask": self._mask.copy(),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }
        rows = self._seats.has_result.nonzero()[0]
        if len(rows):
            results = self._no_results()
            self._seats.write_results(rows, results)
            infos.update(self._news(rows, results))
        if not self._finals:
            return infos | self._replacements(_NO_ROWS, within=False)
        ended = np.concatenate([finals.rows for finals in self._finals])
        info = self._news(ended, self._finals[0].results)
        masks = with_flags({"action_mask": np.zeros_like(self._mask)}, ended, self.num_envs)
        last = {
            "final_obs": stack_objects([seen for finals in self._finals for seen in finals.seen], ended, self.num_envs),
            "final_info": {**masks, **info, **self._replacements(ended, within=True)},
        }
        return {**infos, **self._replacements(ended, within=False), **with_flags(last, ended, self.num_envs)}

    def _no_results(self) -> NDArray[Any]:
        return np.zeros_like(self._seats.tables.progress["result"])

    def _news(self, rows: Rows, results: NDArray[Any]) -> dict[str, Any]:
        """Return the results of rounds that have ended at some tables."""
        return with_flags({"result": stack_results(results, rows)}, rows, self.num_envs)

    def _replacements(self, ended: Rows, *, within: bool) -> dict[str, Any]:
        """Return the actions that were replaced, within the tables where an episode has ended or outside of them."""
        if not self._replaced:
            return {}
        over = set(ended.tolist())
        rows = np.array([row for row in self._replaced if (row in over) == within], np.int64)
        values = [self._replaced[row] for row in rows.tolist()]
        stacked = {"replaced": stack_values(values, rows, self.num_envs)}
        return with_flags(stacked, rows, self.num_envs) if len(rows) else {}

    def _check_may_begin(self, begins: NDArray[np.bool_]) -> None:
        """Check that the next step may begin episodes at some tables."""
        self._seats.check_begun()
        if begins.any() and self.autoreset_mode == AutoresetMode.DISABLED:
            row = int(np.flatnonzero(begins)[0])
            raise ShengjiError(
                f"no decision of the agent is under way (table {row}): call"
                f" reset(options={{{_RESET_MASK!r}: mask}}) with the tables whose episode is over"
            )

    def _replace_illegal(self, rows: Rows, chosen: NDArray[np.int64]) -> dict[int, int]:
        """Replace illegal actions at some tables by random legal ones; return those replaced, by table.

        Raises:
            IllegalActionError: one may not be replaced.
        """
        actions, size = chosen[rows], self._mask.shape[1]
        if first_illegal_row(self._mask, rows, actions) == len(rows):
            return {}
        within = (actions >= 0) & (actions < size)
        is_legal = within & (self._mask[rows, np.where(within, actions, 0)] != 0)
        refused = ~within if self._replaces else ~is_legal
        if refused.any():
            row = int(rows[refused][0])
            raise self._illegal(row, int(chosen[row]))
        wrong = rows[~is_legal]
        replaced = dict(zip(wrong.tolist(), chosen[wrong].tolist(), strict=True))
        chosen[wrong] = self._random_actions(wrong)
        return replaced

    def _read_seeds(self, seed: Any) -> list[int | None]:
        """Return a seed or None for each table."""
        if seed is None:
            return [None] * self.num_envs
        if not isinstance(seed, list | tuple | np.ndarray) or np.ndim(seed) == 0:
            first = check_seed(seed)
            if first + self.num_envs > NUM_SEEDS:
                raise ShengjiError(f"seed={first}: the last of {self.num_envs} seeds would be above 2**64 - 1")
            return list(range(first, first + self.num_envs))
        if len(seed) != self.num_envs:
            raise ShengjiError(f"seed has {len(seed)} entries; it must be one seed, or one for each of {self.num_envs}")
        return [None if each is None else check_seed(each) for each in seed]

    def _read_reset_mask(self, options: Mapping[str, Any] | None) -> tuple[Rows, Mapping[str, Any] | None]:
        """Return the tables to begin, and the other options."""
        everywhere = np.arange(self.num_envs)
        if not isinstance(options, Mapping) or _RESET_MASK not in options:
            return everywhere, options
        mask = options[_RESET_MASK]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ShengjiError(f"{_RESET_MASK}={show(mask)} must be an array of bool, shape ({self.num_envs},)")
        if not mask.any():
            raise ShengjiError(f"{_RESET_MASK} names no table; leave it out to begin at all of them")
        if not mask.all():
            self._seats.check_begun(~mask)
        return np.flatnonzero(mask), {name: value for name, value in options.items() if name != _RESET_MASK}


def _read_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Return an autoreset mode, given itself or as its text."""
    try:
        found = AutoresetMode(mode)
    except (ValueError, TypeError):
        texts = ", ".join(known.value for known in AutoresetMode)
        raise ShengjiError(f"autoreset_mode={show(mode)} is unknown; it is one of {texts}") from None
    version = gymnasium.__version__
    if found == AutoresetMode.SAME_STEP and tuple(map(int, version.split(".")[:2])) < _COUNTS_RIGHTLY:
        raise ShengjiError(
            f"autoreset_mode='{found.value}': with it, RecordEpisodeStatistics of gymnasium {version} leaves out a step"
            " of every later episode; install gymnasium>=1.4, or choose 'NextStep' or 'Disabled'"
        )
    return found


def _check_many(settings: SeatSettings, num_envs: int) -> None:
    """Check that many tables can be shown like this, and that nobody is to play at several of them at once."""
    if settings.render_mode == _HUMAN:
        shown = ", ".join(VECTOR_RENDER_MODES)
        raise RenderModeError(f"render_mode='human' prints one table; for many of them it is one of {shown}, or None")
    if num_envs > 1 and Needs.PERSON in needs_of(settings.opponents):
        raise PlayerError(f"a person plays at one table, not at {num_envs} at once; use gymnasium.make")
