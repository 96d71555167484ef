"""Duplicate match-ups: each deal is played twice, with the two sides swapped.

Deal d is round 0 of table number d, so it depends on the seed and the rules only: not on the players, nor on how many
deals are played at once. At the first table player A has seats 0 and 2, at the second seats 1 and 3. A player's random
words depend on (seed, deal, ply) only: against itself it plays the same round at both tables, and every figure is
exactly even.
"""

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.player import Player, make_player
from shengji_env.arena.result import MatchupResult, summarize
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import PLAYER_STREAM, fold, stream_key
from shengji_env.engine.rules import DEFAULT_RULES, RuleSet, as_rules
from shengji_env.engine.state import Phase
from shengji_env.envs.arrays import STAND_STILL
from shengji_env.envs.batch import ShengjiVectorEnv
from shengji_env.envs.observation import view
from shengji_env.errors import PlayerError, ShengjiError

__all__ = ["BATCH_SIZE", "MatchupResult", "Progress", "Record", "play_matchup"]

BATCH_SIZE = 512
"""Deals played at once: results do not depend on it."""

Progress = Callable[[float, int], object]
"""Called after every step with the deals played so far (fractions too) and the number of deals."""
Record = Callable[[ShengjiVectorEnv, int, tuple[str, str, str, str]], object]
"""Called with every finished round: the environment, the table's place in it and the players by seat."""


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
    if num_deals < 2:
        raise ShengjiError(f"num_deals={num_deals} must be at least 2: one deal gives no interval")
    if batch_size < 1:
        raise ShengjiError(f"batch_size={batch_size} must be at least 1")
    players = tuple(make_player(player) if isinstance(player, str) else player for player in (player_a, player_b))
    rule_set = as_rules(rules)
    rounds = []
    for first in range(0, num_deals, batch_size):
        window = _Window(players, rule_set, seed, range(first, min(first + batch_size, num_deals)), record is not None)
        share = 0.0
        for live in window.play():
            if progress is not None:
                share = max(share, window.share_played(live))
                progress(first + share * window.num_deals, num_deals)
        rounds.append(window.env.result.reshape(2, -1).T.copy())
        if record is not None:
            for deal in range(window.num_deals):
                for table in (deal, deal + window.num_deals):
                    record(window.env, table, window.names(table))
    return summarize(np.concatenate(rounds), (players[0].name, players[1].name), rules=rule_set, seed=seed)


class _Window:
    """Some deals under way, all at both tables: rows 0..n-1 are the first tables, n..2n-1 the second."""

    def __init__(
        self, players: tuple[Player, ...], rules: RuleSet, seed: int, deals: range, keeps_record: bool
    ) -> None:
        self.players = players
        self.num_deals = len(deals)
        self.deals = np.tile(np.asarray(deals), 2)
        self.is_swapped = np.repeat([0, 1], self.num_deals)
        self.env = ShengjiVectorEnv(
            2 * self.num_deals, rules, seed=seed, start="any", skip_forced=True, record=keeps_record, tables=self.deals
        )
        self.seed = np.uint64(seed % 2**64)
        self.keys = np.zeros(2 * self.num_deals, np.uint64)
        self.actions = np.zeros(2 * self.num_deals, np.int64)

    def names(self, table: int) -> tuple[str, str, str, str]:
        """The players at a table, by seat."""
        first, second = (self.players[(seat + int(self.is_swapped[table])) % 2].name for seat in range(2))
        return first, second, first, second

    def play(self) -> Iterator[NDArray[np.bool_]]:
        """Play all rounds to their end; yields, after every step, which tables still play."""
        env = self.env
        live = np.ones(env.num_envs, np.bool_)
        while live.any():
            draw_keys(self.seed, self.deals, env.ply, self.keys)
            self.actions.fill(STAND_STILL)
            mover = (env.seat + self.is_swapped) % 2
            for side, player in enumerate(self.players):
                rows = np.flatnonzero(live & (mover == side))
                if len(rows):
                    self.actions[rows] = self._ask(player, rows)
            env.tables.step(self.actions)
            live &= ~env.terminated
            yield live

    def share_played(self, live: NDArray[np.bool_]) -> float:
        """About what share of all cards has been played."""
        in_hand = view(self.env.observation)["cards_left"][:, 0] / self.env.rules.hand
        left = np.where(self.env.phase < Phase.LEAD, 1.0, np.minimum(in_hand, 1.0))
        return 1 - float((left * live).mean())

    def _ask(self, player: Player, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """A player's actions for some tables, checked."""
        masks = self.env.action_mask[rows]
        try:
            answer: Any = player.act(self.env.observation[rows], masks.copy(), self.keys[rows])
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"
            raise self._error(player, int(rows[0]), what) from error
        actions = np.asarray(answer)
        if actions.shape != rows.shape or not np.issubdtype(actions.dtype, np.integer):
            form = f"it answered {actions.dtype} of shape {actions.shape}; it must be integers of shape {rows.shape}"
            raise self._error(player, int(rows[0]), form)
        within = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = within & (masks[np.arange(len(rows)), np.where(within, actions, 0)] != 0)
        if not legal.all():
            wrong = int(np.flatnonzero(~legal)[0])
            allowed = ", ".join(map(str, np.flatnonzero(masks[wrong])))
            raise self._error(player, int(rows[wrong]), f"its action {actions[wrong]} is illegal; legal: {allowed}")
        return np.asarray(actions, np.int64)

    def _error(self, player: Player, row: int, what: str) -> PlayerError:
        env = self.env
        place = f"deal {self.deals[row]}, ply {env.ply[row]}, seat {env.seat[row]}, {Phase(int(env.phase[row])).name}"
        return PlayerError(f"player {player.name!r} ({place}): {what}")


@jit
def draw_keys(seed: np.uint64, deals: NDArray[Any], plies: NDArray[Any], keys: NDArray[Any]) -> None:
    """Write each table's random word for its player: a function of (seed, deal, ply)."""
    for table in range(keys.size):
        keys[table] = fold(stream_key(seed, deals[table], 0, PLAYER_STREAM), plies[table])
