"""Players measured in one small game, and the table of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shengji_env.arena.small_games.best_replies import following, odds_of, value_of
from shengji_env.arena.small_games.exploiting import BRANCHES, STARTS, TEAMS, Exploited, exploit
from shengji_env.arena.small_games.game_tree import GameTree
from shengji_env.arena.small_games.tree_play import Strategy, play_of
from shengji_env.players.player import Player


@dataclass(frozen=True)
class Solved:
    """A player in a small game."""

    exploited: Exploited
    """What it loses to opponents who know it."""
    levels: float
    """Levels a round that it wins against the reference, each declaring in one half of the rounds: exactly."""

    def to_json(self) -> dict[str, Any]:
        """Return all values as JSON has them."""
        return {**self.exploited.to_json(), "levels": self.levels}


def solve(
    tree: GameTree,
    players: Sequence[Player],
    reference: Player,
    *,
    strategies: Mapping[str, Strategy] | None = None,
    draws: int = 1,
    starts: int = STARTS,
    branches: int = BRANCHES,
    watch: Callable[[int, int], object] | None = None,
) -> Iterator[Solved]:
    """Measure players one after another, then strategies by their names.

    `watch` is told how many starts of replies in turns are done.

    Raises:
        PlayerError: a player answers wrongly.
    """
    given = strategies or {}
    done, number = 0, (len(players) + len(given)) * starts * len(TEAMS)

    def count() -> None:
        nonlocal done
        done += 1
        if watch is not None:
            watch(done, number)

    def measured(name: str, own: Strategy) -> Solved:
        found = exploit(tree, name, own, starts=starts, branches=branches, watch=count)
        return Solved(found, levels_against(tree, own, other))

    other = play_of(tree, reference, draws)
    for player in players:
        yield measured(player.name, other if player is reference else play_of(tree, player, draws))
    for name, own in given.items():
        yield measured(name, own)


def levels_against(tree: GameTree, own: Strategy, other: Strategy) -> float:
    """Return how many levels a round one strategy wins against another one if each declares in one half of them."""
    values = []
    for strategy, against in ((own, other), (other, own)):
        odds = odds_of(tree, strategy)
        for seat in TEAMS[1]:
            odds = following(tree, odds, seat, against)
        values.append(value_of(tree, odds))
    return (values[0] - values[1]) / 2


def describe(tree: GameTree) -> str:
    """Return how large a game is, in one line."""
    ends = tree.num_histories
    return (
        f"{tree.rules}: {len(tree.deals):,} deals, {ends:,} histories, {len(tree.seat) - ends:,} choices in "
        f"{len(tree.single):,} information sets"
    )


def report(solved: Sequence[Solved], reference: str) -> str:
    """Return the table of some players, in Markdown."""
    columns = (
        "player", f"against {reference}", "exploitability", "declarers' value", "best declarers", "best attackers",
        "nash_conv",
    )  # fmt: skip
    lines = [_row(columns), f"|---|{'--:|' * (len(columns) - 1)}"]
    for each in solved:
        found = each.exploited
        bounds = (part.text() for part in (found.exploitability, found.declarers, found.attackers))
        exploitability, declarers, attackers = bounds
        lines.append(
            _row((
                found.player, f"{each.levels:+.3f}", exploitability, f"{found.value:+.3f}", declarers, attackers,
                f"{found.nash_conv:.3f}",
            ))
        )  # fmt: skip
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
