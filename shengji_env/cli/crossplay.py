"""``shengji crossplay A B … --against X …``: players as partners of each other."""

import argparse

from rich.table import Table
from rich.text import Text

from shengji_env.arena.chunks import get_ready
from shengji_env.arena.crossplay import CrossPartners, Crossplay, CrossplayResult, Partnering, play_crossplay
from shengji_env.arena.identities import WhoPlayed
from shengji_env.arena.statistics import Interval, plus
from shengji_env.cli.commands import (
    PLAYERS_HELP,
    RULES_HELP,
    PlayedBefore,
    add_keep,
    add_workers,
    check_keep,
    chosen_executor,
    plain_table,
    saying_what_is_kept,
    show_who_played,
)
from shengji_env.cli.exit_codes import OutputConsole
from shengji_env.cli.option_types import file_path, output_file, whole_number
from shengji_env.cli.progress import shown_count
from shengji_env.cli.saved_rules import named_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.support.whole_files import write_json

DESCRIPTION = """\
Does a player play as well with another partner as with a copy of itself? Every two players play as partners, and every
player with its copy, against each opponent of a field, all on the same duplicate deals.
"""
EPILOG = f"""\
{PLAYERS_HELP}

{RULES_HELP}

groups:
  --group-size 3 takes the first three players for runs of one algorithm with different seeds, the next three for those
  of another, and so on. Partners of the own group and of other groups are then told apart.

examples:
  shengji crossplay heuristic search:20 champion --against greedy
  shengji crossplay selfplay:a1 selfplay:a2 policy:b1 policy:b2 --group-size 2 --against champion --out crossplay
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("players", metavar="A", nargs="+", help="the players, at least two")
    group = parser.add_argument_group("what is played")
    group.add_argument("--against", metavar="X", nargs="+", required=True, help="the opponents, two copies of each")
    group.add_argument("--deals", type=whole_number, default=1000, metavar="N", help="deals of each match-up (1,000)")
    group.add_argument("--rules", default=DEFAULT_RULES, metavar="P", help=f"rule set ({DEFAULT_RULES})")
    group.add_argument("--seed", type=whole_number, default=0, metavar="S", help="seed of deals and random words (0)")
    group.add_argument("--group-size", type=whole_number, default=1, metavar="N", help="players of a group (1; below)")
    group = parser.add_argument_group("what is kept")
    group.add_argument(
        "--out", type=file_path, metavar="DIR", help="folder of what has been played: the same command goes on from it"
    )
    group.add_argument("--json", type=output_file, metavar="FILE", help="write matrix and differences, too")
    add_keep(group)
    add_workers(parser.add_argument_group("who plays; results do not depend on it"))


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    check_keep(arguments)
    crossplay = Crossplay(
        players=tuple(arguments.players),
        opponents=tuple(arguments.against),
        rules=named_rules(arguments.rules),
        seed=arguments.seed,
        num_deals=arguments.deals,
        group_size=arguments.group_size,
    )
    get_ready(crossplay.rules)
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
    played_before = PlayedBefore((*crossplay.players, *crossplay.opponents), crossplay.rules)
    with saying_what_is_kept(arguments.out), chosen_executor(arguments) as executor, shown_count("deals") as count:
        result = play_crossplay(
            crossplay, arguments.out, keeps_changed=arguments.keep, executor=executor, watch=count,
            resumed=played_before,
        )  # fmt: skip
    played_before.tell()
    said = {**result.to_json(), "policies_before": played_before.others}
    if arguments.json is not None:
        write_json(arguments.json, said)
    who = played_before.who(said["policies"])
    _show(result, who)
    show_who_played(who)


def _show(result: CrossplayResult, who: WhoPlayed) -> None:
    plan, console = result.crossplay, OutputConsole()
    against = ", ".join(text + who.mark(text) for text in plan.opponents)
    console.print(f"{plan.rules}, seed {plan.seed}, {plan.num_deals:,} duplicate deals a match-up, against {against}")
    console.print(_matrix(result, who))
    console.print(f"95 % intervals over deals: ± {result.error.min():.3f} to {result.error.max():.3f}\n")
    console.print(_differences(result))


def _matrix(result: CrossplayResult, who: WhoPlayed) -> Table:
    """The levels a round of all partners."""
    letters = [_letter(index) for index in range(len(result.names))]
    table = plain_table("player", *letters, title="levels a round with each partner")
    marks = map(who.mark, result.crossplay.players)
    for letter, name, mark, row in zip(letters, result.names, marks, result.matrix, strict=True):
        table.add_row(Text(f"{letter} {name}{mark}"), *(plus(value, 3) for value in row))
    return table


def _differences(result: CrossplayResult) -> Table:
    """What partners of each kind make of a difference."""
    has_groups = result.crossplay.group_size > 1
    partners = ("same group", "other groups") if has_groups else ("others",)
    columns = (column for kind in partners for column in _columns(kind, has_groups=has_groups))
    table = plain_table("", "own copy", *columns, title="levels a round, and the cross-play gap")
    rows = [*((_name(result, group), group) for group in result.groups), ("all", result.whole)]
    for name, group in rows:
        kinds = [group.group, group.others] if has_groups else [group.others]
        cells = [cell for kind in kinds for cell in _cells(kind, has_groups=has_groups)]
        table.add_row(Text(name), plus(group.own, 3), *cells)
    return table


def _columns(kind: str, *, has_groups: bool) -> list[str]:
    return [kind, "gap ± over deals", *["± over runs"] * has_groups]


def _cells(found: CrossPartners | None, *, has_groups: bool) -> list[str]:
    if found is None:
        return [""] * len(_columns("", has_groups=has_groups))
    over_runs = "" if found.over_players is None else f"± {_half(found.over_players):.3f}"
    gap = f"{plus(found.price, 3)} ± {_half(found.over_deals):.3f}"
    return [plus(found.levels, 3), gap, *[over_runs] * has_groups]


def _half(interval: Interval) -> float:
    return (interval[1] - interval[0]) / 2


def _name(result: CrossplayResult, group: Partnering) -> str:
    letters = "".join(_letter(player) for player in group.players)
    return f"{letters} {result.names[group.players[0]]}" if len(group.players) == 1 else letters


def _letter(index: int) -> str:
    """Return the letter of a player in the tables, or its number once the letters are used up."""
    return chr(ord("A") + index) if index < 26 else str(index + 1)
