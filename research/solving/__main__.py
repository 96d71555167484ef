"""What players lose in a small game to opponents who know them: ``python -m research.solving RULES PLAYER …``."""

import argparse
import sys
from pathlib import Path

from research.solving.regret_matching import average_strategy
from research.solving.solving import Solved, describe, report, solve
from shengji_env.arena.small_games.exploiting import BRANCHES, STARTS
from shengji_env.arena.small_games.game_tree import GameTree, build_tree
from shengji_env.arena.small_games.tree_play import check_askable
from shengji_env.cli.commands import PLAYERS_HELP
from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import output_file, whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.cli.progress import shown_count
from shengji_env.cli.saved_rules import named_rules
from shengji_env.errors import ShengjiError
from shengji_env.players import make_player
from shengji_env.support.arguments import check_index
from shengji_env.support.whole_files import write_json

DESCRIPTION = (
    "List all rounds of a small game, and say exactly what players win there, and between what bounds lies what two "
    "partners can win who know them."
)
EPILOG = f"""\
Games: small_two_ranks and small_four_ranks take seconds, small_three_ranks takes minutes and 3 GB of memory; others
with fixed bidding, no kitty and few cards can be given, too. research/small_games.md says what is computed.

{PLAYERS_HELP}
Persons and programs are not asked.

examples:
  python -m research.solving small_two_ranks random greedy heuristic champion
  python -m research.solving small_four_ranks heuristic search:20 --json solved.json
"""
_MAX_DRAWS, _MAX_STARTS, _MAX_BRANCHES, _MAX_ITERATIONS = 10_000, 10_000, 1_000_000, 1_000_000


def main(argv: list[str] | None = None) -> int:
    """Solve, and print the table; return the exit code."""
    return run_command("python -m research.solving", lambda: _run(_parser().parse_args(argv)))


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="python -m research.solving", description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("rules", metavar="RULES", help="the small game")
    parser.add_argument("players", metavar="PLAYER", nargs="+", help="who is measured")
    parser.add_argument(
        "--against", metavar="PLAYER", default="heuristic", help="whom they are played against (default: %(default)s)"
    )
    parser.add_argument(
        "--draws", type=whole_number, default=1,
        help="how often a player that uses randomness is asked in each information set (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--starts", type=whole_number, default=STARTS,
        help="from how many strategies partners begin to reply in turns (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--branches", type=whole_number, default=BRANCHES,
        help="how many replies may be computed to bring the upper value down (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--cfr", metavar="N", type=whole_number, default=0, help="measure N iterations of CFR, too (default: none)"
    )
    parser.add_argument("--json", metavar="FILE", type=output_file, help="write all values, too")
    return parser


def _run(arguments: argparse.Namespace) -> None:
    rules = named_rules(arguments.rules)
    draws = check_index("--draws", arguments.draws, 1, _MAX_DRAWS)
    starts = check_index("--starts", arguments.starts, 1, _MAX_STARTS)
    branches = check_index("--branches", arguments.branches, 0, _MAX_BRANCHES)
    iterations = check_index("--cfr", arguments.cfr, 0, _MAX_ITERATIONS)
    if len(set(arguments.players)) < len(arguments.players):
        raise ShengjiError("a player is named twice")
    made = {text: make_player(text) for text in (*arguments.players, arguments.against)}
    for player in made.values():
        check_askable(player)
    reference = made[arguments.against]
    with shown_count("deals") as count:
        tree = build_tree(rules, count)
    print(describe(tree), file=sys.stderr)
    strategies = {}
    if iterations:
        with shown_count("iterations of CFR") as count:
            strategies[f"CFR, {iterations:,} iterations"] = average_strategy(tree, iterations, count)
    with shown_count("starts of replies in turns") as count:
        measured = solve(
            tree, [made[text] for text in arguments.players], reference,
            strategies=strategies, draws=draws, starts=starts, branches=branches, watch=count,
        )  # fmt: skip
        solved = list(measured)
    if arguments.json:
        _write(arguments.json, tree, solved, reference.name)
    print(report(solved, reference.name))


def _write(path: Path, tree: GameTree, solved: list[Solved], reference: str) -> None:
    about = {
        "rules": tree.rules.to_json(), "deals": len(tree.deals), "histories": tree.num_histories,
        "choices": len(tree.seat) - tree.num_histories, "information_sets": len(tree.single),
        "joint_information_sets": len(tree.joint), "against": reference,
    }  # fmt: skip
    write_json(path, {**about, "players": [each.to_json() for each in solved]}, indent=1, ensure_ascii=True)


if __name__ == "__main__":
    sys.exit(main())
