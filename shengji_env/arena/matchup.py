"""Duplicate match-ups: each deal is played twice, with the two sides swapped.

| table | even deals | odd deals, where they differ |
|---|---|---|
| the first | A B A B | |
| the second | B A B A | |
| the first, crossed | A B S S | S S A B |
| the second, crossed | B A S S | S S B A |

The words name who sits in seats 0 to 3. In a crossed match-up A and B each have the stranger S as partner.

Deal d is round 0 of table number d, so it depends on the seed and the rules only: not on the players, nor on how many
deals are played at once. A player's random words depend on (seed, deal, round, ply) only: against itself it plays the
same round at both tables, and every figure is exactly even.

Of matches, "deal d" is match number d: its rounds 0, 1, … have the same cards at both tables, for as long as both play.
"""

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.ranges import MOST_AT_ONCE, MOST_DEALS, NUM_SEEDS, check_range
from shengji_env.arena.result import MatchupResult, summarize
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import PLAYER_STREAM, fold, stream_key
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules
from shengji_env.engine.state import Phase
from shengji_env.envs.arrays import STAND_STILL
from shengji_env.envs.batch import ShengjiVectorEnv
from shengji_env.envs.observation import view
from shengji_env.errors import PlayerError
from shengji_env.players.registry import Player, make_player
from shengji_env.players.veil import ask_player, is_person, num_plays, sees_tables
from shengji_env.records.writing import finished_round

__all__ = ["BATCH_SIZE", "MatchupResult", "Progress", "Record", "Referee", "Window", "play_matchup"]

BATCH_SIZE = 512
"""Deals played at once: results do not depend on it."""
_LINEUPS = np.array([[[0, 1, 0, 1], [1, 0, 1, 0]]] * 2)
_CROSSED_LINEUPS = np.array([[[0, 1, 2, 2], [1, 0, 2, 2]], [[2, 2, 0, 1], [2, 2, 1, 0]]])
"""Places of players by (deal's parity, table, seat)."""

Progress = Callable[[float, int], object]
"""Called after every step with the deals played so far (fractions too) and the number of deals."""
Record = Callable[[ShengjiVectorEnv, int, tuple[str, str, str, str]], object]
"""Called with every finished round: the environment, the table's place in it and the players by seat."""


def lineup_at(deal: int, table: int, *, is_cross: bool = False) -> list[int]:
    """Who sits where at table 0 or 1 of a deal, by seat: 0 for A, 1 for B, 2 for the stranger."""
    lineups = _CROSSED_LINEUPS if is_cross else _LINEUPS
    return [int(place) for place in lineups[deal % 2, table]]


class Referee(Protocol):
    """What may stand between a window and its players."""

    def decide(self, window: "Window", place: int, rows: NDArray[np.int64]) -> None:
        """Put the actions of a window's player for some tables into ``window.actions``, or drop their deals."""


def play_matchup(
    player_a: Player | str,
    player_b: Player | str,
    *,
    num_deals: int,
    rules: RuleSet | str = DEFAULT_RULES,
    seed: int = 0,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
    record: Record | None = None,
) -> MatchupResult:
    """Play every deal twice with the sides swapped, and sum up what A made of it.

    Args:
        player_a: a player, or its text (`make_player`).
        player_b: the other one; may be the same object.
        num_deals: at least 2, since there is no interval from one.
        rules: the rules of all rounds; levels, declarer and first drawer are drawn with each deal (``start="any"``).
        seed: deals and random words are a function of it.
        batch_size: deals played at once.
        progress: called after every step; what it raises ends the match-up.
        record: called for every finished round, in the order of deals.

    Raises:
        PlayerError: a player raises or answers illegally; it names player, deal and ply (of the first decision that it
            was asked for, if it raises).
        ShengjiError: there are too few deals.
    """
    check_range("num_deals", num_deals, 2, MOST_DEALS, why="one deal gives no interval")
    check_range("batch_size", batch_size, 1, MOST_AT_ONCE)
    check_range("seed", seed, 0, NUM_SEEDS - 1)
    players = tuple(make_player(player) if isinstance(player, str) else player for player in (player_a, player_b))
    rule_set = as_rules(rules)
    rounds = []
    for first in range(0, num_deals, batch_size):
        deals = range(first, min(first + batch_size, num_deals))
        window = Window(players, rule_set, seed, deals, keeps_record=record is not None)
        share = 0.0
        for live, _ in window.play():
            if progress is not None:
                share = max(share, window.share_played(live))
                progress(first + share * window.num_deals, num_deals)
        rounds.append(window.env.result.reshape(2, -1).T.copy())
        if record is not None:
            for deal in range(window.num_deals):
                for table in (deal, deal + window.num_deals):
                    record(window.env, table, window.names(table))
    return summarize(np.concatenate(rounds), (players[0].name, players[1].name), rules=rule_set, seed=seed)


class Window:
    """Some deals under way, all at both tables: rows 0..n-1 are the first tables, n..2n-1 the second.

    Args:
        players: A and B, and the stranger if partners are crossed.
        rules: the rules.
        seed: the seed of deals and random words.
        deals: numbers of the deals.
        keeps_record: whether the environment keeps logs.
        is_match: whether whole matches are played.
        referee: if given, it asks the players, and may drop deals; else what a player does wrong is raised.
        lineup: (deals, 4), who sits where at the one table that each deal is then played at: places of players.
        names: how records and errors call the players; None: by their own names.

    With a person among the players, one table is played after another.
    """

    def __init__(
        self,
        players: tuple[Player, ...],
        rules: RuleSet,
        seed: int,
        deals: range,
        *,
        keeps_record: bool,
        is_match: bool = False,
        referee: "Referee | None" = None,
        lineup: NDArray[np.int64] | None = None,
        names: tuple[str, ...] | None = None,
    ) -> None:
        self.players = players
        self.player_names = tuple(player.name for player in players) if names is None else names
        self.num_deals = len(deals)
        self.deals = np.tile(np.asarray(deals), 2 if lineup is None else 1)
        num_tables = len(self.deals)
        self.lineup = self._duplicate_lineup() if lineup is None else lineup
        self.persons = {place for place, player in enumerate(players) if is_person(player)}
        self.env = ShengjiVectorEnv(
            num_tables, rules, seed=seed, episode="match" if is_match else "round",
            start="first" if is_match else "any", skip_forced=True,
            record=keeps_record or bool(self.persons), tables=self.deals,
            history=num_plays(rules) if any(map(sees_tables, players)) else 0,
        )  # fmt: skip
        self.referee = referee
        self.live = np.ones(num_tables, np.bool_)
        self.seed = np.uint64(seed % 2**64)
        self.keys = np.zeros(num_tables, np.uint64)
        self.actions = np.zeros(num_tables, np.int64)

    def _duplicate_lineup(self) -> NDArray[np.int64]:
        lineups = _LINEUPS if len(self.players) == 2 else _CROSSED_LINEUPS
        return np.asarray(lineups[self.deals % 2, np.repeat([0, 1], self.num_deals)])

    def names(self, table: int) -> tuple[str, str, str, str]:
        """The players at a table, by seat."""
        first, second, third, fourth = (self.player_names[place] for place in self.lineup[table])
        return first, second, third, fourth

    def play(self) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
        """Play to the end; yields, after every step, which tables still play, and those at which a round has ended."""
        env, rows = self.env, np.arange(self.env.num_envs)
        while self.live.any():
            rounds = env.states["round_index"].copy()
            draw_keys(self.seed, self.deals, rounds, env.ply, self.keys)
            self.actions.fill(STAND_STILL)
            mover = np.where(self._is_asked(), self.lineup[rows, env.seat], -1)
            for place in range(len(self.players)):
                self._decide(place, np.flatnonzero(mover == place))
            env.tables.step(self.actions)
            self.live &= ~env.terminated
            finished = np.flatnonzero(env.states["round_index"] != rounds)
            self._show_results(finished)
            yield self.live, finished

    def _is_asked(self) -> NDArray[np.bool_]:
        """The tables at which a step is made: all that still play, or with a person the first of them."""
        return self.live & (np.cumsum(self.live) == 1) if self.persons else self.live

    def _show_results(self, rows: NDArray[np.int64]) -> None:
        """Show rounds that have just ended to one of the persons who played them: they share a terminal."""
        for row in rows.tolist() if self.persons else []:
            finished, record = self.env.tables.logs[row]["finished_state"], finished_round(self.env, row)
            place = min(self.persons & set(self.lineup[row].tolist()), default=None)
            show_result = None if place is None else getattr(self.players[place], "show_result", None)
            if show_result is not None:
                show_result(finished, record, self.env.rules)

    def drop(self, deal: int) -> None:
        """Play no more of a deal, at either table."""
        is_dropped = self.deals == deal
        self.live[is_dropped] = False
        self.actions[is_dropped] = STAND_STILL

    def _decide(self, place: int, rows: NDArray[np.int64]) -> None:
        """Put down a player's actions for some tables."""
        if not len(rows):
            return
        if self.referee is None:
            self.actions[rows] = self.ask(place, rows)
        else:
            self.referee.decide(self, place, rows)

    def share_played(self, live: NDArray[np.bool_]) -> float:
        """About what share of all cards has been played."""
        in_hand = view(self.env.observation)["cards_left"][:, 0] / self.env.rules.hand
        left = np.where(self.env.phase < Phase.LEAD, 1.0, np.minimum(in_hand, 1.0))
        return 1 - float((left * live).mean())

    def ask(self, place: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions of a player for some tables, checked; a `PlayerError` says what it did wrong."""
        player = self.players[place]
        masks = self.env.action_mask[rows]
        try:
            actions = np.asarray(ask_player(player, self.env.tables, rows, self.keys[rows]))
        except (Exception, SystemExit) as error:
            if is_person(player) and isinstance(error, BrokenPipeError):
                raise  # nobody reads the terminal's output any more
            line = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error} ({Path(line.filename).name}, line {line.lineno})"
            raise self._error(place, int(rows[0]), what) from error
        if actions.shape != rows.shape or not np.issubdtype(actions.dtype, np.integer):
            form = f"it answered {actions.dtype} of shape {actions.shape}; it must be integers of shape {rows.shape}"
            raise self._error(place, int(rows[0]), form)
        within = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = within & (masks[np.arange(len(rows)), np.where(within, actions, 0)] != 0)
        if not legal.all():
            wrong = int(np.flatnonzero(~legal)[0])
            allowed = ", ".join(map(str, np.flatnonzero(masks[wrong])))
            raise self._error(place, int(rows[wrong]), f"its action {actions[wrong]} is illegal; legal: {allowed}")
        return np.asarray(actions, np.int64)

    def _error(self, place: int, row: int, what: str) -> PlayerError:
        env = self.env
        where = f"deal {self.deals[row]}, ply {env.ply[row]}, seat {env.seat[row]}, {Phase(int(env.phase[row])).name}"
        return PlayerError(f"player {self.player_names[place]!r} ({where}): {what}")


@jit
def draw_keys(
    seed: np.uint64, deals: NDArray[Any], rounds: NDArray[Any], plies: NDArray[Any], keys: NDArray[Any]
) -> None:
    """Write each table's random word for its player: a function of (seed, deal, round, ply)."""
    for table in range(keys.size):
        keys[table] = fold(stream_key(seed, deals[table], rounds[table], PLAYER_STREAM), plies[table])
