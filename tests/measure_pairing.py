"""What adaptive pairing saves, and whether it is fair to the ratings: tournaments of players whose strengths are known.

``python -m tests.measure_pairing --repeats 200`` draws 20 strengths for each tournament, plays it adaptively and as a
round robin with the same number of deals, and prints for each

| figure | what |
|---|---|
| neighbours | half widths of the 95 % intervals of neighbours' differences, in Elo points; the widest of them |
| open | the same for neighbours in truth less than 40 points apart, whose order is hard to tell |
| held | share of intervals that contain the true difference: neighbours', and ratings above the anchor's |
| order | share of neighbours in truth whose order the ratings have right |

No round is played: the players win rounds with the probabilities of Bradley and Terry's model, and of the two rounds of
a deal each is drawn by itself. Strengths are drawn from the spread of the real players: one plays at random, two are
weak, all others lie within 500 points.
"""

import argparse
import itertools

import numpy as np

from shengji_env.arena.pairing import Pairing, adaptive_stops
from shengji_env.arena.ratings import ELO, rate

NUM_PLAYERS = 20
CLOSE = 40.0
"""Elo points within which neighbours are open."""


class World:
    """Players of known strengths, and what comes of their deals."""

    def __init__(self, seed, most):
        generator = np.random.default_rng(seed)
        close = generator.uniform(0, 500, NUM_PLAYERS - 3)
        self.strengths = generator.permutation(np.concatenate([[-700, -300, -200], close]))
        self.pairs = list(itertools.combinations(range(NUM_PLAYERS), 2))
        self.seed, self.most = seed, most
        self._won = {}

    def tallies(self, stop):
        return [self._tally(number)[:deals] for number, deals in enumerate(stop)]

    def _tally(self, number):
        if number not in self._won:
            a, b = self.pairs[number]
            chance = 1 / (1 + np.exp((self.strengths[b] - self.strengths[a]) / ELO))
            won = np.random.default_rng((self.seed, number)).binomial(2, chance, self.most)
            self._won[number] = np.stack([won, 2 - won], axis=1).astype(np.float64)
        return self._won[number]


def play(world, deals, is_adaptive):
    """The deals of each pair after a tournament of so many deals."""
    if not is_adaptive:
        return [deals // len(world.pairs)] * len(world.pairs)
    pairing = Pairing(NUM_PLAYERS, deals, world.most)
    return list(adaptive_stops(pairing, world.tallies))[-1]


def figures(world, stop, bootstraps):
    """Rows of (true difference, half width, whether the interval holds it, whether the order is right) of neighbours,
    and which intervals of the ratings hold the truth."""
    anchor = NUM_PLAYERS // 2
    names = [str(player) for player in range(NUM_PLAYERS)]
    ratings = rate(names, world.pairs, world.tallies(stop), anchor=anchor, bootstraps=bootstraps)
    places = [int(each.player) for each in ratings]
    rows = []
    for each, a, b in zip(ratings, places, places[1:], strict=False):
        true = world.strengths[a] - world.strengths[b]
        low, high = each.lead_interval
        rows.append((abs(true), (high - low) / 2, low <= true <= high, true > 0))
    true = world.strengths - world.strengths[anchor]
    held = [each.interval[0] <= true[int(each.player)] <= each.interval[1] for each in ratings]
    return np.array(rows, np.float64), np.delete(held, places.index(anchor))


def measure(repeats, deals, is_adaptive, bootstraps=400):
    """Means of the figures over tournaments."""
    all_rows, all_held, widest, open_widest, num_pairs = [], [], [], [], []
    for seed in range(repeats):
        world = World(seed, deals)
        stop = play(world, deals, is_adaptive)
        rows, held = figures(world, stop, bootstraps)
        is_open = rows[:, 0] < CLOSE
        all_rows.append(rows)
        all_held.append(held)
        widest.append(rows[:, 1].max())
        open_widest.append(rows[is_open, 1].max(initial=0))
        num_pairs.append(np.count_nonzero(stop))
    rows = np.concatenate(all_rows)
    is_open = rows[:, 0] < CLOSE
    return {
        "pairs that met": np.mean(num_pairs),
        "neighbours": rows[:, 1].mean(),
        "widest": np.mean(widest),
        "open": rows[is_open, 1].mean(),
        "widest open": np.mean(open_widest),
        "held": rows[:, 2].mean(),
        "held open": rows[is_open, 2].mean(),
        "held settled": rows[~is_open, 2].mean(),
        "held ratings": np.concatenate(all_held).mean(),
        "order": rows[:, 3].mean(),
    }


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--deals", type=int, nargs="+", default=[4000, 8000])
    parser.add_argument("--bootstraps", type=int, default=400)
    arguments = parser.parse_args()
    for deals in arguments.deals:
        for is_adaptive in (True, False):
            found = measure(arguments.repeats, deals, is_adaptive, arguments.bootstraps)
            text = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
            print(f"{deals} deals, {'adaptive' if is_adaptive else 'round robin'}: {text}", flush=True)


if __name__ == "__main__":
    main()
