"""How often the sequential test is wrong, and how many deals it takes: ``python -m research.measure_sprt``.

Two players meet on many duplicate deals. Their values are moved so that their mean is what it is said to be, and drawn
again, with replacement, as the deals of a test; thousands of such tests are run for each mean. A fixed number of deals
that errs as often at both bounds is (2 · 1.645)² · s² / (HIGH − LOW)².
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena import play_matchup
from shengji_env.arena.sequential import DECISIVE, LOOK, log_ratio

_NORMAL = 1.644853627
"""95 % quantile of the normal distribution."""


def run_tests(
    values: NDArray[np.float64], low: float, high: float, *, tests: int, limit: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how tests end, (tests,): 1 better, -1 not better, 0 undecided; and after how many deals, (tests,)."""
    ends, deals = np.zeros(tests, np.int64), np.full(tests, limit)
    going, sums, squares = np.arange(tests), np.zeros(tests), np.zeros(tests)
    for count in range(LOOK, limit + 1, LOOK):
        drawn = rng.choice(values, (len(going), LOOK))
        sums[going] += drawn.sum(axis=1)
        squares[going] += (drawn**2).sum(axis=1)
        ratios = log_ratio(count, sums[going], squares[going], low, high)
        over = np.abs(ratios) >= DECISIVE
        ends[going[over]], deals[going[over]] = np.sign(ratios[over]), count
        going = going[~over]
        if not len(going):
            break
    return ends, deals


def main() -> None:
    """Print how tests end for each mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", nargs=2, default=("champion", "heuristic"), metavar="P", help="who meet")
    parser.add_argument("--deals", type=int, default=20_000, help="deals that are drawn from (%(default)s)")
    parser.add_argument("--bounds", type=float, nargs=2, default=(0.0, 0.02), metavar=("LOW", "HIGH"))
    parser.add_argument("--tests", type=int, default=4000, help="tests of each mean (%(default)s)")
    parser.add_argument("--limit", type=int, default=100_000, help="most deals of a test (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    result = play_matchup(*args.players, num_deals=args.deals, seed=args.seed)
    values = result.levels.mean(axis=1)
    low, high = args.bounds
    middle, width, spread = (low + high) / 2, high - low, values.std(ddof=1)
    fixed = (2 * _NORMAL * spread / width) ** 2
    print(f"s = {spread:.3f}; as many errors with a fixed number: {fixed:,.0f} deals; {args.tests:,} tests each\n")
    print("| true mean | better | not better | undecided | deals, mean | of a fixed number |")
    print("|---|---|---|---|---|---|")
    rng = np.random.default_rng(args.seed)
    for mean in (low - width / 2, low, middle - width / 4, middle, middle + width / 4, high, high + width / 2):
        moved = values - values.mean() + mean
        ends, deals = run_tests(moved, low, high, tests=args.tests, limit=args.limit, rng=rng)
        shares = " | ".join(f"{(ends == end).mean():.1%}" for end in (1, -1, 0))
        print(f"| {mean:+.4g} | {shares} | {deals.mean():,.0f} | {deals.mean() / fixed:.2f} |")


if __name__ == "__main__":
    main()
