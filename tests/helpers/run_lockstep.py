"""Play random rounds of random games by engine and oracle, compare every position, print what happened.

    python -m tests.helpers.run_lockstep --games 300 --rounds 20000 --processes 2

A position at which the two differ is printed with the game and the seed that lead there: `play_random` of
`lockstep.py` plays it again. The process ends with 1 if there is any, or if something of `WANTED` has not happened.

Source: docs/rules.md.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache

from shengji_env.engine.rule_sets import RuleSet
from tests.helpers.lockstep import play_random
from tests.helpers.lockstep_tally import WANTED, features_of
from tests.helpers.rule_draws import games

ROUNDS_OF_A_MATCH = 3
"""Rounds that are played one after another at most."""


@cache
def drawn_games(seed: int, count: int) -> tuple[RuleSet, ...]:
    """The games of a run."""
    return tuple(games(seed, count))


def compare(rules: RuleSet, seed: int, rounds: int) -> Counter[str]:
    """Play so many rounds under some rules; returns what happened.

    Raises:
        AssertionError: engine and oracle differ; it names the rules and the seed.
    """
    seen: Counter[str] = Counter()
    part = 0
    while seen["rounds"] < rounds:
        most = min(ROUNDS_OF_A_MATCH, rounds - seen["rounds"])
        try:
            records, lockstep = play_random(rules, 1000 * seed + part, most)
        except Exception as error:
            raise AssertionError(f"{rules}, seed {1000 * seed + part}, {most} rounds: {error!r}") from error
        for record in records:
            seen += features_of(record, lockstep.options)
        seen["positions"] += lockstep.positions
        seen["deals in which nobody could bid"] += lockstep.unseen_deals
        part += 1
    return seen


def run(game: int, num_games: int, rounds: int, seed: int) -> Counter[str]:
    """The rounds of one game of a run."""
    return compare(drawn_games(seed, num_games)[game], num_games * seed + game, rounds)


def show(seen: Counter[str]) -> str:
    """A tally as lines; what was wanted and did not happen stands out."""
    names: Iterable[str] = sorted(set(seen) | set(WANTED))
    return "\n".join(f"{seen[name]:>10,}  {name}{'' if seen[name] else '  (MISSING)'}" for name in names)


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=300, help="rule sets that are drawn")
    parser.add_argument("--rounds", type=int, default=20_000, help="rounds in all")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    started, seen, failures = time.monotonic(), Counter[str](), 0
    each = -(-arguments.rounds // arguments.games)
    with ProcessPoolExecutor(arguments.processes) as pool:
        tasks = [pool.submit(run, game, arguments.games, each, arguments.seed) for game in range(arguments.games)]
        for task in as_completed(tasks):
            if (error := task.exception()) is not None:
                failures += 1
                print(f"DIFFERENT: {str(error)[:2000]}", flush=True)
            else:
                seen += task.result()
    print(show(seen))
    print(f"{arguments.games} games, {failures} with differences, {time.monotonic() - started:.0f} s")
    return int(failures > 0 or any(not seen[name] for name in WANTED))


if __name__ == "__main__":
    sys.exit(main())
