"""``shengji scale PLAYER``: how strong a player is, with as few deals as that takes."""

import argparse

from rich.text import Text

from shengji_env.arena.chunks import get_ready
from shengji_env.arena.faults import MOST_NOT_OWN
from shengji_env.arena.identities import WhoPlayed, known_by_files
from shengji_env.arena.scale import OPPONENTS, Rung, Scale, play_scale, standing
from shengji_env.arena.statistics import plus
from shengji_env.cli.commands import (
    PLAYERS_HELP,
    RULES_HELP,
    add_workers,
    chosen_executor,
    plain_table,
    saying_what_is_kept,
    show_who_played,
)
from shengji_env.cli.exit_codes import OutputConsole
from shengji_env.cli.option_types import output_file, whole_number
from shengji_env.cli.progress import shown_count
from shengji_env.cli.saved_rules import named_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES

EXIT_FAULTS = 3
DESCRIPTION = """\
Play a player against players of known strength, from the weakest on, on duplicate deals: ten against each, then twice
as many, and so on until a sequential test knows who is better. Once it has lost to two, stronger ones are left out.
"""
EPILOG = f"""\
verdicts:
  better, worse   a player that is 0.1 levels a round worse is called better in at most 5 % of cases, and likewise
  close           --deals deals have not told them apart
  none            all deals were lost, or more than {MOST_NOT_OWN:.0%} of the player's decisions were not its own

exit code:
  0   all is well
  2   an error
  {EXIT_FAULTS}   there is no verdict

examples:
  shengji scale greedy
  shengji scale 'exec:python3 docs/bots/chat.py --url http://localhost:8000/v1 --model NAME' --out scale.json
  shengji scale my_players:Careful --against greedy heuristic --deals 1000

{PLAYERS_HELP}

{RULES_HELP}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("player", metavar="PLAYER", help="the player")
    group = parser.add_argument_group("what is played")
    group.add_argument(
        "--against", metavar="X", nargs="+", default=OPPONENTS,
        help=f"the opponents, from weak to strong (default: {' '.join(OPPONENTS)})",
    )  # fmt: skip
    group.add_argument("--deals", type=whole_number, default=320, metavar="N", help="most deals against each (320)")
    group.add_argument("--all", action="store_true", help="play stronger opponents although weaker ones have won")
    group.add_argument("--rules", default=DEFAULT_RULES, metavar="P", help=f"rule set ({DEFAULT_RULES})")
    group.add_argument("--seed", type=whole_number, default=0, metavar="S", help="seed of deals and random words (0)")
    group = parser.add_argument_group("what is kept")
    group.add_argument(
        "--out",
        type=output_file,
        metavar="FILE",
        help="keep every deal, as JSON: the same command goes on from there",
    )
    add_workers(parser.add_argument_group("who plays; results do not depend on it"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    scale = Scale(
        arguments.player, named_rules(arguments.rules), tuple(arguments.against), arguments.deals, arguments.seed,
        arguments.all,
    )  # fmt: skip
    get_ready(scale.rules)
    was_kept = arguments.out is not None and arguments.out.exists()
    with saying_what_is_kept(arguments.out), chosen_executor(arguments) as executor, shown_count("deals") as count:
        rungs = play_scale(scale, arguments.out, executor, lambda _, done, look: count(done, look))
    _show(scale, rungs, was_kept=was_kept)
    return EXIT_FAULTS if any(rung.verdict == "none" for rung in rungs) else 0


def _show(scale: Scale, rungs: list[Rung], *, was_kept: bool) -> None:
    players = (scale.player, *(rung.opponent for rung in rungs))
    by_files = known_by_files(players, scale.rules) if was_kept else ()
    who, console = WhoPlayed(scale.header()["policies"], {}, by_files), OutputConsole()
    console.print(Text(f"{scale.player}{who.mark(scale.player)}: {scale.rules}, seed {scale.seed}"))
    has_shares = any(rung.not_own for rung in rungs)
    table = plain_table("against", "deals", "lost", *["not own"] * has_shares, "levels a round", "95 % interval")
    table.add_column("verdict")
    for rung in rungs:
        mean, (low, high) = rung.mean
        lost = len(rung.values) - len(rung.levels)
        interval = f"{plus(low, 2)} … {plus(high, 2)}" if len(rung.levels) > 1 else ""
        share = [f"{rung.thinking.share_not_own:.1%}"] * has_shares
        figures = ("", "") if rung.verdict == "none" else (plus(mean, 2), interval)
        name = Text(rung.opponent + who.mark(rung.opponent))
        table.add_row(name, f"{len(rung.values):,}", f"{lost:,}", *share, *figures, rung.verdict)
    console.print(table)
    show_who_played(who)
    console.print(Text(standing(rungs)))
    decisions, seconds = sum(rung.decisions for rung in rungs), sum(rung.seconds for rung in rungs)
    deals = sum(len(rung.values) for rung in rungs)
    each = 1000 * seconds / max(decisions, 1)
    console.print(f"{deals:,} deals, {decisions:,} decisions of the player, {seconds:,.0f} s ({each:.3g} ms each)")
    for fault in [fault for rung in rungs for fault in rung.faults][:3]:
        console.print(Text(f"lost: {fault}"))
