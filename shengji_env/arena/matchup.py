"""Duplicate match-ups of two players in this process; the players may be objects, not only texts."""

from collections.abc import Callable
from functools import partial

import numpy as np

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.limits import MAX_AT_ONCE, MAX_DEALS
from shengji_env.arena.result import MatchupResult, summarize
from shengji_env.engine.rule_sets import DEFAULT_RULES, RulesLike, as_rules
from shengji_env.players.player import Needs, PlayerLike, needs_of
from shengji_env.players.registry import as_player
from shengji_env.support.arguments import check_index, check_seed

BATCH_SIZE = 512
"""Deals played at once; results do not depend on it."""
PROCESSES_BATCH_SIZE = 4
"""The same if each seat at each table has a process of its own."""

MatchupWatch = Callable[[float, int], object]
"""Called after every step with the number of deals played so far (fractions included) and the number of all deals."""


def play_matchup(
    player_a: PlayerLike,
    player_b: PlayerLike,
    *,
    num_deals: int,
    rules: RulesLike = DEFAULT_RULES,
    seed: int = 0,
    batch_size: int | None = None,
    progress: MatchupWatch | None = None,
    record: Callable[[str], object] | None = None,
) -> MatchupResult:
    """Play every deal twice with the sides swapped, and return A's results.

    Args:
        player_a: a player, its text (`make_player`), or any object that acts (`players.player.Acting`).
        player_b: the other one; may be the same object.
        num_deals: at least 2, since there is no interval from one.
        rules: the rules of all rounds; levels, declarer and first drawer are drawn with each deal (``start="any"``).
        seed: seed of deals and random words.
        batch_size: number of deals played at once; None: by the kind of players.
        progress: called after every step; what it raises ends the match-up.
        record: called with the record of every round, one line of text each, in the order of deals and tables.

    Raises:
        PlayerError: a player raises or answers illegally; the error names player, deal and ply (if the player raises,
            of the first decision in that call).
        ShengjiError: there are too few deals.
    """
    num_deals = check_index("num_deals", num_deals, 2, MAX_DEALS, why="one deal gives no interval")
    seed = check_seed(seed)
    players = (as_player(player_a), as_player(player_b))
    if batch_size is None:
        batch_size = PROCESSES_BATCH_SIZE if Needs.PROCESSES in needs_of(players) else BATCH_SIZE
    batch_size = check_index("batch_size", batch_size, 1, MAX_AT_ONCE)
    rule_set = as_rules(rules)
    rounds, counts = [], np.zeros((2, len(players)))
    for first in range(0, num_deals, batch_size):
        batch = DealBatch(players, rule_set, seed, range(first, min(first + batch_size, num_deals)))
        watch = None if progress is None else partial(_report, progress, first, num_deals)
        played, lines = batch.play_out(watch, keeps_lines=record is not None)
        rounds.append(played)
        counts += batch.num_not_own, batch.num_decided
        if record is not None:
            for line in lines:
                record(line)
    names, (share_a, share_b) = (players[0].name, players[1].name), (counts[0] / np.maximum(counts[1], 1)).tolist()
    return summarize(np.concatenate(rounds), names, rules=rule_set, seed=seed, not_own=(share_a, share_b))


def _report(progress: MatchupWatch, first: int, num_deals: int, played: float) -> None:
    progress(first + played, num_deals)
