"""What adaptive pairing saves, and whether it is fair to the ratings.

``python -m research.measure_pairing`` draws 20 strengths for each tournament, plays it adaptively and as a round
robin with the same number of deals, and prints for each

| figure | what |
|---|---|
| width | half width of the 95 % intervals of neighbours' differences, in Elo points: the mean |
| open | the same of neighbours in truth less than 40 points apart, whose order is hard to tell; and the widest |
| held | share of intervals that hold the true difference: of all neighbours, of open ones; from the anchor |
| order | share of neighbours whose order the ratings have right |

No round is played: the players win rounds with the probabilities of Bradley and Terry's model, and of the two rounds of
a deal each is drawn by itself. Strengths are drawn from the spread of the real players: one plays at random, two are
weak, all others lie within 500 points.

``--real FOLDER`` plays 20 real players instead: a round robin, and adaptively on the same deals. Of these nobody knows
the strengths; open are neighbours whose interval contains 0, and `apart` says how many standard errors the ratings of
the two tournaments are apart, the root of the mean square. They share deals, so it is below 1 if both rate alike.
"""

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.chunks import play_chunk
from shengji_env.arena.ratings import ELO, rate, tally
from shengji_env.arena.running import STORE_FILE, play_tournament
from shengji_env.arena.standings import Standings, pair_rounds, standings_of
from shengji_env.arena.store import Store
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players.random import RandomPlayer
from shengji_env.players.registry import make_player
from tools.pairing import Pairing, adaptive_stops

NUM_PLAYERS = 20
CLOSE = 40.0
"""Elo points within which neighbours are open."""
DISTRACTED = "research.measure_pairing:Distracted"
REAL = (
    "random", "greedy", "heuristic", "champion",
    *(f"{DISTRACTED}?share={share}" for share in (0.01, 0.02, 0.04, 0.06, 0.09, 0.13, 0.2, 0.3)),
    *(f"{DISTRACTED}?player=greedy&share={share}" for share in (0.05, 0.15, 0.4)),
)  # fmt: skip


class Distracted:
    """Plays like another player, but draws a share of its actions at random."""

    def __init__(self, share: float, player: str = "heuristic") -> None:
        self.name = f"{player} {100 * share:g} %"
        self.share, self.random = share, RandomPlayer()
        self.player: Any = make_player(player)  # one with `act`

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return an action for each row."""
        is_random = (key >> np.uint64(11)) < np.uint64(self.share * 2**53)
        chosen: NDArray[np.int64] = self.player.act(observation, action_mask, key)
        return np.where(is_random, self.random.act(observation, action_mask, key), chosen)


class World:
    """Players of known strengths, and what comes of their deals."""

    def __init__(self, seed: int, most: int) -> None:
        generator = np.random.default_rng(seed)
        close = generator.uniform(0, 500, NUM_PLAYERS - 3)
        self.strengths = generator.permutation(np.concatenate([[-700, -300, -200], close]))
        self.pairs = list(itertools.combinations(range(NUM_PLAYERS), 2))
        self.seed, self.most = seed, most
        self._won: dict[int, NDArray[np.float64]] = {}

    def tallies(self, stop: Sequence[int]) -> list[NDArray[np.float64]]:
        """Return the rounds that both players of each pair win in so many deals, (deals, 2) a pair."""
        return [self._tally(number)[:deals] for number, deals in enumerate(stop)]

    def _tally(self, number: int) -> NDArray[np.float64]:
        if number not in self._won:
            a, b = self.pairs[number]
            chance = 1 / (1 + np.exp((self.strengths[b] - self.strengths[a]) / ELO))
            won = np.random.default_rng((self.seed, number)).binomial(2, chance, self.most)
            self._won[number] = np.stack([won, 2 - won], axis=1).astype(np.float64)
        return self._won[number]


def play(world: World, deals: int, is_adaptive: bool) -> list[int]:
    """Return the deals of each pair after a tournament of so many deals."""
    if not is_adaptive:
        return [deals // len(world.pairs)] * len(world.pairs)
    pairing = Pairing(NUM_PLAYERS, deals, world.most)
    return list(adaptive_stops(pairing, world.tallies))[-1]


def figures(world: World, stop: Sequence[int], bootstraps: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return figures of neighbours, and which intervals of the ratings hold the truth.

    Those of neighbours are rows of (true difference, half width, whether the interval holds it, whether the order is
    right).
    """
    anchor = NUM_PLAYERS // 2
    names = [str(player) for player in range(NUM_PLAYERS)]
    ratings = rate(names, world.pairs, world.tallies(stop), anchor=anchor, bootstraps=bootstraps)
    places = [int(each.player) for each in ratings]
    rows = []
    for each, a, b in zip(ratings, places, places[1:], strict=False):
        true = world.strengths[a] - world.strengths[b]
        assert each.lead_interval is not None
        low, high = each.lead_interval
        rows.append((abs(true), (high - low) / 2, low <= true <= high, true > 0))
    true = world.strengths - world.strengths[anchor]
    held = [each.interval[0] <= true[int(each.player)] <= each.interval[1] for each in ratings]
    return np.array(rows, np.float64), np.delete(held, places.index(anchor))


def measure(repeats: int, deals: int, is_adaptive: bool, bootstraps: int) -> dict[str, float]:
    """Return means of the figures over tournaments."""
    all_rows, all_held, widest = [], [], []
    for seed in range(repeats):
        world = World(seed, deals)
        rows, held = figures(world, play(world, deals, is_adaptive), bootstraps)
        all_rows.append(rows)
        all_held.append(held)
        widest.append(rows[rows[:, 0] < CLOSE, 1].max(initial=0))
    rows = np.concatenate(all_rows)
    is_open = rows[:, 0] < CLOSE
    return {
        "width": rows[:, 1].mean(),
        "open": rows[is_open, 1].mean(),
        "widest open": np.mean(widest),
        "held": rows[:, 2].mean(),
        "held open": rows[is_open, 2].mean(),
        "held ratings": np.concatenate(all_held).mean(),
        "order": rows[:, 3].mean(),
    }


def measure_real(folder: Path, deals: int, deals_of_pair: int, seed: int) -> None:
    """Play real players, every pair and adaptively; print both, and how far they are apart."""
    rules = parse_rules("two_deck")
    every = play_tournament(Tournament(REAL, rules, seed=seed, num_deals=deals_of_pair), folder)
    _print_real("round robin", every)
    plan = Tournament(REAL, rules, seed=seed, num_deals=deals)
    chosen = _play_adaptively(plan, folder)
    _print_real("adaptive", chosen)
    both = [{each.player: each for each in standings.ratings} for standings in (every, chosen)]
    apart = [
        (first.rating - second.rating) / np.hypot(_error(first.interval), _error(second.interval))
        for first, second in ((both[0][name], both[1][name]) for name in plan.names if name != "random")
    ]
    print(f"apart {np.mean(np.square(apart)) ** 0.5:.2f}")


def _play_adaptively(plan: Tournament, folder: Path) -> Standings:
    """Play so many deals in all as the tournament allows a pair, where results say."""
    with Store(folder / STORE_FILE, plan) as store:

        def tallies(stop: Sequence[int]) -> list[NDArray[np.float64]]:
            return [tally(pair_rounds(store, pair, deals), plan.rules) for pair, deals in enumerate(stop)]

        for stop in adaptive_stops(Pairing(len(plan.players), plan.num_deals, plan.num_deals), tallies):
            for pair, deals in enumerate(stop):
                for chunk in plan.chunks(pair, deals, store.deals(pair)):
                    store.add(play_chunk(chunk))
        return standings_of(store, stop)


def _print_real(name: str, standings: Standings) -> None:
    leads = [each.lead_interval for each in standings.ratings if each.lead_interval is not None]
    widths = np.array([_error(lead) * 1.96 for lead in leads])
    is_open = np.array([low < 0 for low, _ in leads])
    met = np.count_nonzero(standings.stopped)
    print(f"{name}: {sum(standings.stopped)} deals, {met} pairs, width {widths.mean():.1f}")
    print(f"  {is_open.sum()} open: width {widths[is_open].mean():.1f}, widest {widths[is_open].max():.1f}")
    for each in standings.ratings:
        lead = (
            ""
            if each.lead_interval is None
            else f"  ahead by {each.lead:.0f} ± {1.96 * _error(each.lead_interval):.0f}"
        )
        print(f"  {each.player:45} {each.rating:5.0f}{lead}")


def _error(interval: tuple[float, float]) -> float:
    """Return the standard error of which an interval is made."""
    return (interval[1] - interval[0]) / 2 / 1.96


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--deals", type=int, nargs="+", default=[4000, 8000, 16000])
    parser.add_argument("--bootstraps", type=int, default=200)
    parser.add_argument("--real", type=Path, metavar="FOLDER", help="play real players, keeping deals in a folder")
    parser.add_argument("--deals-of-pair", type=int, default=84, help="with --real: of the round robin")
    parser.add_argument("--seed", type=int, default=0, help="with --real")
    arguments = parser.parse_args()
    if arguments.real is not None:
        measure_real(arguments.real, arguments.deals[0], arguments.deals_of_pair, arguments.seed)
        return
    for deals, is_adaptive in itertools.product(arguments.deals, (True, False)):
        found = measure(arguments.repeats, deals, is_adaptive, arguments.bootstraps)
        text = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
        print(f"{deals} deals, {'adaptive' if is_adaptive else 'round robin'}: {text}", flush=True)


if __name__ == "__main__":
    main()
