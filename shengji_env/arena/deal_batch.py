"""Duplicate deals in play: each is played twice, with the two sides swapped.

| table | players in seats 0 to 3 |
|---|---|
| the first | A B A B |
| the second | B A B A |

Deal d is round 0 of table number d, so it depends only on the seed and the rules, not on the players or on how many
deals are played at once. A player's random words depend only on (seed, deal, round, ply), so against itself it plays
the same round at both tables, and every metric is exactly even.

If matches are played, "deal d" is match number d: its rounds 0, 1, … have the same cards at both tables, as long as
both play.
"""

import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.result import RESULT_FIELDS, ROUND_DTYPE
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase
from shengji_env.envs.batch import BatchEnv
from shengji_env.errors import PlayerError
from shengji_env.players.asking import check_answers
from shengji_env.players.decisions import AtTables, Decisions
from shengji_env.players.player import Needs, Player, kept_for, needs_of
from shengji_env.records.writing import finished_round, round_line
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.observation import view
from shengji_env.tables.settings import Start

LINEUPS = np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
"""Indices of the players by (table, seat)."""

BatchWatch = Callable[[float], object]
"""Called after every step with the approximate number of deals played; the number never falls."""


class Asker(Protocol):
    """An object that may stand between a batch and its players."""

    def decide(self, batch: "DealBatch", index: int, rows: NDArray[np.int64]) -> None:
        """Write a player's actions for some tables into ``batch.actions``, or drop their deals."""


class DealBatch:
    """Some deals in play at both tables: rows 0..n-1 are the first tables, n..2n-1 the second.

    Args:
        players: A and B, or those of `lineup`.
        rules: the rules.
        seed: the seed of deals and random words.
        deals: numbers of the deals.
        is_match: whether whole matches are played.
        start: how single rounds begin (`TableSettings.start`); a match begins as ``"first"``.
        asker: if given, it asks the players and may drop deals; otherwise a player's fault is raised.
        lineup: (deals, 4), indices of the players by seat; each deal is then played at this one table only.
        names: the players' names in records and errors; None: their own names.

    If one of the players is a person, the tables are played one after another.

    Attributes:
        num_decided: by player's index, how many actions it has chosen.
        num_not_own: how many of these were no decisions of its own (`Player.num_not_own`).
    """

    def __init__(
        self,
        players: tuple[Player, ...],
        rules: RuleSet,
        seed: int,
        deals: range,
        *,
        is_match: bool = False,
        start: Start = "any",
        asker: "Asker | None" = None,
        lineup: NDArray[np.int64] | None = None,
        names: tuple[str, ...] | None = None,
    ) -> None:
        self.players = players
        self.player_names = tuple(player.name for player in players) if names is None else names
        self.num_deals = len(deals)
        self.deals = np.tile(np.asarray(deals), 2 if lineup is None else 1)
        num_tables = len(self.deals)
        self.lineup = np.repeat(LINEUPS, self.num_deals, axis=0) if lineup is None else lineup
        self.persons = {index for index, player in enumerate(players) if Needs.PERSON in player.needs}
        self.env = BatchEnv(
            num_tables, rules, seed=seed, episode="match" if is_match else "round",
            start="first" if is_match else start, skip_forced=True,
            tables=self.deals, record=True, history=kept_for(needs_of(players), rules)["history"],
        )  # fmt: skip
        self.asker = asker
        self.live = np.ones(num_tables, np.bool_)
        self.dropped: set[int] = set()
        self.num_decided, self.num_not_own = [0] * len(players), [0] * len(players)
        self.actions = np.zeros(num_tables, np.int64)

    def names(self, table: int) -> tuple[str, str, str, str]:
        """Return the names of the players at a table, by seat."""
        first, second, third, fourth = (self.player_names[index] for index in self.lineup[table])
        return first, second, third, fourth

    def play(self) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
        """Play to the end; yield after every step which tables still play, and those at which a round has ended."""
        env, rows = self.env, np.arange(self.env.num_envs)
        while self.live.any():
            rounds = env.states["round_index"].copy()
            self.actions.fill(STAND_STILL)
            mover = np.where(self._is_asked(), self.lineup[rows, env.seat], -1)
            for index in range(len(self.players)):
                self._decide(index, np.flatnonzero(mover == index))
            env.tables.step(self.actions)
            self.live &= ~env.terminated
            finished = np.flatnonzero(env.states["round_index"] != rounds)
            self._show_results(finished)
            self._end_rounds(finished)
            yield self.live, finished

    def play_out(self, watch: BatchWatch | None = None, *, keeps_lines: bool = False) -> tuple[NDArray[Any], list[str]]:
        """Play to the end.

        Returns:
            The rounds of all deals except those dropped, ROUND_DTYPE, by deal, table and round; and with `keeps_lines`
            their records in the same order, as lines of text.
        """
        rounds: list[NDArray[Any]] = []
        lines: dict[tuple[int, int], list[str]] = defaultdict(list)
        share = 0.0
        for live, finished in self.play():
            rounds.append(self._finished_rounds(finished))
            for row in finished.tolist() if keeps_lines else []:
                index = int(self.deals[row]), row // self.num_deals
                lines[index].append(round_line(self.env, row, self.names(row)))
            if watch is not None:
                share = max(share, self.share_played(live))
                watch(self.num_deals * share)
        played = np.concatenate(rounds)
        kept = played[~np.isin(played["deal"], list(self.dropped))]
        kept_lines = [line for index in sorted(lines) if index[0] not in self.dropped for line in lines[index]]
        return np.sort(kept, order=("deal", "table", "round")), kept_lines

    def _finished_rounds(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rounds that have just ended at some tables, ROUND_DTYPE."""
        rounds = np.zeros(len(rows), ROUND_DTYPE)
        result, state = self.env.result[rows], self.env.tables.logs["finished_state"][rows]
        rounds["deal"], rounds["table"] = self.deals[rows], rows // self.num_deals
        rounds["round"] = result["round_index"]
        for name in ("trump", "level_rank"):
            rounds[name] = state[name]
        for name in RESULT_FIELDS:
            rounds[name] = result[name]
        return rounds

    def _is_asked(self) -> NDArray[np.bool_]:
        """Return the tables at which a step is made: all that still play, or with a person only the first of them."""
        return self.live & (np.cumsum(self.live) == 1) if self.persons else self.live

    def _show_results(self, rows: NDArray[np.int64]) -> None:
        """Show rounds that have just ended to one of the persons who played them, since they share a terminal."""
        for row in rows.tolist() if self.persons else []:
            finished, record = self.env.tables.logs[row]["finished_state"], finished_round(self.env, row)
            index = min(self.persons & set(self.lineup[row].tolist()), default=None)
            if index is not None:
                self.players[index].show_result(finished, record, self.env.rules)

    def _end_rounds(self, rows: NDArray[np.int64]) -> None:
        """Tell players with processes of their own that rounds have just ended."""
        for index, player in enumerate(self.players) if len(rows) else []:
            if Needs.PROCESSES in player.needs:
                player.end_rounds(AtTables(self.env.tables, rows[(self.lineup[rows] == index).any(axis=1)]))

    def drop(self, deal: int) -> None:
        """Stop playing a deal, at both tables."""
        self.dropped.add(deal)
        is_dropped = self.deals == deal
        self.live[is_dropped] = False
        self.actions[is_dropped] = STAND_STILL

    def _decide(self, index: int, rows: NDArray[np.int64]) -> None:
        """Ask a player for its actions at some tables, and store them."""
        if not len(rows):
            return
        if self.asker is None:
            self.actions[rows] = self.ask(index, rows)
        else:
            self.asker.decide(self, index, rows)

    def share_played(self, live: NDArray[np.bool_]) -> float:
        """Return the approximate share of all cards that has been played."""
        in_hand = view(self.env.observation)["cards_left"][:, 0] / self.env.rules.hand
        left = np.where(self.env.phase < Phase.LEAD, 1.0, np.minimum(in_hand, 1.0))
        return 1 - float((left * live).mean())

    def ask(self, index: int, rows: NDArray[np.int64], *, time_limit: float | None = None) -> NDArray[np.int64]:
        """Return a player's actions for some tables, checked; a `PlayerError` says what it did wrong.

        A player with processes of its own keeps to the time limit for each decision itself.
        """
        player = self.players[index]
        before = player.num_not_own
        try:
            answer = player.decide(Decisions.at(self.env.tables, rows, time_limit=time_limit))
        except (Exception, SystemExit) as error:
            if Needs.PERSON in player.needs and isinstance(error, BrokenPipeError):
                raise  # nobody reads the terminal's output any more
            if Needs.PROCESSES in player.needs and isinstance(error, PlayerError):
                raise PlayerError(f"{self._who(index, int(rows[0]))}: {error}") from error
            line = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error} ({Path(line.filename).name}, line {line.lineno})"
            raise PlayerError(f"{self._who(index, int(rows[0]))}: {what}") from error
        actions = check_answers(answer, self.env.tables, rows, partial(self._who, index))
        self.num_decided[index] += len(rows)
        self.num_not_own[index] += player.num_not_own - before
        return actions

    def _who(self, index: int, row: int) -> str:
        """Return who is asked at a table, and where that is."""
        env = self.env
        where = f"deal {self.deals[row]}, ply {env.ply[row]}, seat {env.seat[row]}, {Phase(int(env.phase[row])).name}"
        return f"player {self.player_names[index]!r} ({where})"
