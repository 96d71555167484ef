"""What a player is worth under many rule sets: ``python -m research.measure_rules selfplay:PATH --rules unseen``.

For each rule set it plays duplicate deals against an opponent. What is printed is a table of levels a round with 95 %
intervals, their mean, and the rule sets under which the player loses: one-sided, with Holm's correction for as many
tests as there are rule sets (S. Holm, 1979, "A simple sequentially rejective multiple test procedure").

With ``--than OTHER`` a second player meets the same opponent on the same deals, and the table shows its levels and the
difference, too: the interval of a difference on the same deals is narrower than those of its parts.
"""

import argparse
import math
import sys
from collections.abc import Sequence

from shengji_env.arena import MatchupResult, play_matchup
from shengji_env.arena.limits import MAX_DEALS
from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.engine.frozen_rules import unseen_rules
from shengji_env.engine.rule_sets import PRESETS, RuleSet, parse_rules
from shengji_env.support.arguments import check_index, check_seed
from tools.markdown import table

PRESET_GROUP, UNSEEN_GROUP = "presets", "unseen"
LEVEL = 0.05
"""Of the tests, all together."""
_QUANTILE = 1.96


def standard_error(result: MatchupResult) -> float:
    """Return the standard error of levels a round."""
    low, high = result.interval
    return (high - low) / (2 * _QUANTILE)


def losing(results: Sequence[MatchupResult]) -> list[int]:
    """Return the indices of the match-ups that the first player loses beyond chance, by Holm's procedure."""
    chances = [_chance_below(result.levels_per_round, standard_error(result)) for result in results]
    order = sorted(range(len(results)), key=chances.__getitem__)
    found = []
    for rank, index in enumerate(order):
        if chances[index] > LEVEL / (len(results) - rank):
            break
        found.append(index)
    return sorted(found)


def _chance_below(mean: float, error: float) -> float:
    """Return the chance of such a mean, or a lower one, if the true one is 0."""
    return 0.5 * math.erfc(-mean / max(error, 1e-12) / math.sqrt(2))


def report(rules: Sequence[RuleSet], results: Sequence[MatchupResult]) -> str:
    """Return the table and what it comes to, in Markdown."""
    rows = [
        (f"`{one}`", _shown(each.levels_per_round, *each.interval)) for one, each in zip(rules, results, strict=True)
    ]
    mean = sum(each.levels_per_round for each in results) / len(results)
    error = math.sqrt(sum(standard_error(each) ** 2 for each in results)) / len(results)
    lost = [f"`{rules[index]}`" for index in losing(results)]
    about = f"Mean {_shown(mean, mean - _QUANTILE * error, mean + _QUANTILE * error)}; below 0 beyond chance: "
    return table(("rules", "levels a round"), rows, texts=(0,)) + "\n" + about + (", ".join(lost) or "none")


def report_differences(
    rules: Sequence[RuleSet], results: Sequence[MatchupResult], others: Sequence[MatchupResult]
) -> str:
    """Return the table of two players against one opponent on the same deals, in Markdown."""
    rows = []
    for one, each, other in zip(rules, results, others, strict=True):
        shown = (_shown(found.levels_per_round, *found.interval) for found in (each, other))
        rows.append((f"`{one}`", *shown, _shown(*difference(each, other))))
    return table(("rules", "levels a round", "of the other", "difference"), rows, texts=(0,))


def difference(result: MatchupResult, other: MatchupResult) -> tuple[float, float, float]:
    """Return how many levels a round more a player makes than another on the same deals, and the 95 % interval."""
    gains = result.levels.mean(axis=1) - other.levels.mean(axis=1)
    mean, error = float(gains.mean()), float(gains.std(ddof=1) / math.sqrt(len(gains)))
    return mean, mean - _QUANTILE * error, mean + _QUANTILE * error


def _shown(mean: float, low: float, high: float) -> str:
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


def main(argv: list[str] | None = None) -> int:
    """Play, and print the table; return the exit code."""
    return run_command("python -m research.measure_rules", lambda: _run(_parser().parse_args(argv)))


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="python -m research.measure_rules",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("player", help="such as champion or selfplay:PATH")
    parser.add_argument("--against", default="heuristic", metavar="PLAYER", help="(default: %(default)s)")
    parser.add_argument(
        "--than", metavar="PLAYER", help="whose levels are shown, too, on the same deals; {} in it: the rule set"
    )
    parser.add_argument("--rules", default=UNSEEN_GROUP, help="unseen, presets, or a rule set (default: %(default)s)")
    parser.add_argument("--deals", type=whole_number, default=1000, help="of each rule set (default: %(default)s)")
    parser.add_argument("--seed", type=whole_number, default=8800, help="(default: %(default)s)")
    return parser


def _run(args: argparse.Namespace) -> None:
    check_index("--deals", args.deals, 2, MAX_DEALS, why="one deal gives no interval")
    check_seed(args.seed)
    rules = unseen_rules()
    if args.rules != UNSEEN_GROUP:
        rules = tuple(map(parse_rules, PRESETS if args.rules == PRESET_GROUP else (args.rules,)))
    results: list[MatchupResult] = []
    others: list[MatchupResult] = []
    for one in rules:
        for player, found in ((args.player, results), (args.than, others)):
            if player is not None:
                player = player.replace("{}", str(one))
                found.append(play_matchup(player, args.against, num_deals=args.deals, rules=one, seed=args.seed))
        print(f"{len(results)} of {len(rules)} rule sets", end="\r", file=sys.stderr, flush=True)
    print(report_differences(rules, results, others) if others else report(rules, results))


if __name__ == "__main__":
    raise SystemExit(main())
