"""What a player is asked: a batch of decisions, each showing only what the seat to move may know.

| what | where | when available |
|---|---|---|
| observation, legal actions, a random word | `observation`, `action_mask`, `key` | always |
| the rules | `rules`, `rules_record` | at tables |
| the table itself, hidden cards wiped (`hiding.py`) | `states` | at tables |
| all plays of the round | `plays` | if the tables keep them: `Needs.POSITIONS` |
| its last plays, as environments show them | `history` | likewise: `Needs.HISTORY` |
| everything public in the round so far | `public_records` | if the tables keep logs: `Needs.RECORDS` |
| time to think | `time_limit` | if there is a limit: `Needs.PROCESSES` |

Only `observation` and `action_mask` are made in advance. The others are made when they are first read, so a player must
read them before it answers. All are copies.

What is here is for players, and shows only what their seats may know. A player that is a program gets messages instead;
the code that writes them reads the tables themselves (`tables_behind`).
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.errors import PlayerError
from shengji_env.players.hiding import hide_all_unknown
from shengji_env.records.writing import round_so_far
from shengji_env.render.round_record import PublicRound
from shengji_env.support.arguments import MAX_HISTORY, check_index
from shengji_env.tables.history import seen_from
from shengji_env.tables.queries import draw_keys
from shengji_env.tables.tables import Tables


def num_plays(rules: RuleSet) -> int:
    """Return the most plays in a round: the ``history`` that an environment needs to fill `Decisions.plays`."""
    return NUM_SEATS * rules.hand


class AtTables:
    """Some tables behind a batch of decisions; players cannot look at them here.

    Args:
        tables: the tables; None: none are known.
        rows: (B,) which of them, by their indices.
    """

    def __init__(self, tables: Tables | None, rows: NDArray[np.int64]) -> None:
        self._tables = tables
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)


def tables_behind(some: AtTables) -> tuple[Tables, NDArray[np.int64]]:
    """Return the tables, hidden cards included, and the indices of those that are meant.

    This is not for players, but for code that shows them what their seats may know.

    Raises:
        PlayerError: these are observations alone.
    """
    if some._tables is None:
        raise PlayerError("these decisions are observations alone: no table is known")
    return some._tables, some._rows


class Decisions(AtTables):
    """A batch of B decisions.

    Args:
        observation: (B, OBSERVATION_SIZE) int8, what the seats to move see.
        action_mask: (B, 83) int8, their legal actions, at least one each.
        key: (B,) uint64, a random word for each decision; at tables a function of (seed, deal, round, step), from which
            none of these follows (`engine/words.py`).
        tables: where the decisions are made; None: only the three arrays are known.
        rows: (B,) the indices of the tables in `tables`; None: 0..B-1.
        time_limit: seconds for each decision; None: no limit.
    """

    def __init__(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.int8],
        key: NDArray[np.uint64] | None = None,
        *,
        tables: Tables | None = None,
        rows: NDArray[np.int64] | None = None,
        time_limit: float | None = None,
    ) -> None:
        super().__init__(tables, np.arange(len(observation)) if rows is None else rows)
        self.observation = observation
        self.action_mask = action_mask
        self._key = key
        self.time_limit = time_limit

    @staticmethod
    def at(tables: Tables, rows: NDArray[np.int64] | None = None, *, time_limit: float | None = None) -> "Decisions":
        """Return the decisions to be made at some tables, given by their indices, or at all of them."""
        rows = np.arange(len(tables.seats)) if rows is None else rows
        observation, mask = tables.vectors.take(rows, axis=0), tables.masks.take(rows, axis=0)
        return Decisions(observation, mask, tables=tables, rows=rows, time_limit=time_limit)

    def __getitem__(self, chosen: NDArray[Any]) -> "Decisions":
        """Return some of the decisions, chosen by indices or by a Boolean for each."""
        return Decisions(
            self.observation[chosen], self.action_mask[chosen], None if self._key is None else self._key[chosen],
            tables=self._tables, rows=self._rows[chosen], time_limit=self.time_limit,
        )  # fmt: skip

    @property
    def key(self) -> NDArray[np.uint64]:
        """A random word for each decision, (B,) uint64: at tables a function of (seed, deal, round, step)."""
        if self._key is None:
            tables, rows = tables_behind(self)
            self._key = np.empty(len(self), np.uint64)
            draw_keys(tables.states, tables.progress, tables.shared, rows, self._key)
        return self._key

    @property
    def rules(self) -> RuleSet:
        """The rules."""
        return tables_behind(self)[0].rules

    @cached_property
    def rules_record(self) -> NDArray[Any]:
        """The rules as compiled code reads them: (1,), `engine.rule_record.RULES_DTYPE`."""
        return tables_behind(self)[0].shared["rules"].astype(RULES_DTYPE)

    @cached_property
    def states(self) -> NDArray[Any]:
        """(B,), `engine.state.STATE_DTYPE`, without what each seat cannot know."""
        tables, rows = tables_behind(self)
        states = tables.states[rows]
        hide_all_unknown(states, self.rules_record)
        return states

    @cached_property
    def plays(self) -> NDArray[np.int8]:
        """(B, K, 55), all plays of the round, newest last, with absolute seats (`tables/history.py`).

        Raises:
            PlayerError: the tables do not keep all of them.
        """
        tables, rows = tables_behind(self)
        plays = tables.plays
        if plays.shape[1] < num_plays(self.rules):
            raise PlayerError(
                "the tables do not keep all plays of a round; a player that reads them needs POSITIONS or HISTORY"
            )
        return plays[rows]

    def history(self, length: int) -> NDArray[np.int8]:
        """Return what ``history=length`` of an environment shows the seats to move, (B, length, 55).

        Raises:
            PlayerError: the tables do not keep all plays.
        """
        wanted = check_index("length", length, 1, MAX_HISTORY, error=PlayerError)
        tables, rows = tables_behind(self)
        seen = seen_from(self.plays[:, -wanted:], tables.states["seat"][rows])
        return np.pad(seen, ((0, 0), (wanted - seen.shape[1], 0), (0, 0)))

    @cached_property
    def public_records(self) -> tuple[PublicRound, ...]:
        """(B,), everything public in the round so far (`Transcript.public_record`).

        Raises:
            PlayerError: the tables keep no logs.
        """
        tables, rows = tables_behind(self)
        if not tables.shared["record"][0]:
            raise PlayerError("the tables keep no records; a player that reads them needs RECORDS")
        return tuple(round_so_far(tables, int(row)).public_record() for row in rows)
