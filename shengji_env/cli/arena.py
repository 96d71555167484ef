"""``shengji arena A B [C …]``: players against each other on duplicate deals."""

import argparse
import contextlib
import os
import sys
import time
from pathlib import Path
from typing import TextIO

from shengji_env.arena.chunks import get_ready
from shengji_env.arena.faults import MOST_NOT_OWN
from shengji_env.arena.html_report import html_report
from shengji_env.arena.paper_files import PAPER_FILES, tournament_files
from shengji_env.arena.round_table import write_rounds
from shengji_env.arena.running import STORE_FILE, Resumed, play_tournament
from shengji_env.arena.sequential import LOOK
from shengji_env.arena.standings import Standings
from shengji_env.arena.swings import swings_page
from shengji_env.arena.tournament import CHUNK_SIZE, SLOW_CHUNK_SIZE, Tournament
from shengji_env.cli.arena_display import show, shown_progress
from shengji_env.cli.commands import (
    PLAYERS_HELP,
    RULES_HELP,
    PlayedBefore,
    add_keep,
    add_workers,
    check_keep,
    chosen_executor,
    note_other_rules,
    saying_what_is_kept,
)
from shengji_env.cli.option_types import file_path, number, whole_number
from shengji_env.cli.saved_rules import named_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.errors import ShengjiError
from shengji_env.records.lost_deals import lost_header
from shengji_env.records.writing import record_header, record_line
from shengji_env.support.whole_files import whole_file, write_json, write_whole
from shengji_env.support.workers.on_ray import OnRay
from shengji_env.support.workers.pools import Automatic, InProcess, Pool
from shengji_env.tables.settings import STARTS

RESULT_FILE, ROUNDS_FILE, REPORT_FILE, FAULTS_FILE = "results.json", "rounds.csv", "report.html", "lost.jsonl"
SWINGS_FILE = "swings.html"
_WRITTEN = (RESULT_FILE, ROUNDS_FILE, REPORT_FILE, SWINGS_FILE, FAULTS_FILE, *PAPER_FILES)
DEFAULT_DEALS, MOST_OF_TEST = 1000, 100_000
EXIT_FAULTS = 3
"""Exit code of a tournament that was played to its end, but in which deals were lost to players' faults, or too few of
a player's decisions were its own."""

DESCRIPTION = """\
Play players against each other. Every pair meets on the same deals, and every deal is played twice, with the sides
swapped. Two players get a table of metrics; more get ratings too.
"""
EPILOG = f"""\
{PLAYERS_HELP}
  ?name=value hands on arguments: policy:PATH?sample=true draws its actions. A person plays one table after another;
  `shengji play` is for playing without metrics.

{RULES_HELP}

metrics:
  All intervals are 95 % and over deals: a deal's rounds belong together, so they count as one. Ratings are
  Elo points from Bradley and Terry's model of rounds won, random being 0, with bootstrap intervals over deals.

--sprt LOW HIGH:
  Is A better than B? A sequential test of two hypotheses, that A wins LOW levels a round from B and that it wins HIGH.
  It is looked at every {LOOK} deals, and ends with "better", "not better" or "undecided". If one of the two is true, it
  errs in 5 % of cases.

--out DIR:
  {STORE_FILE:<13} what has been played: the same command resumes it
  {RESULT_FILE:<13} all metrics
  {REPORT_FILE:<13} tables and charts
  {SWINGS_FILE:<13} with --record: a replay of the deals that swung most
  {ROUNDS_FILE:<13} every round
  ratings.*     three players or more: a table for spreadsheets (csv) and papers (tex), a chart (svg)
  pairs.*       each pair's metrics: csv and tex
  {FAULTS_FILE:<13} deals that were lost, with the round so far: `shengji replay` shows them

exit code:
  0   all is well
  2   an error
  {EXIT_FAULTS}   played to the end, but deals were lost: a player raised, answered illegally or took too long;
      or more than {MOST_NOT_OWN:.0%} of a player's decisions were not its own: it has no rank
  130 interrupted

examples:
  shengji arena greedy random
  shengji arena heuristic greedy random --deals 2000 --out results/
  shengji arena selfplay:runs/new champion --sprt 0 0.02 --out is-it-better/
  shengji arena my_players:Careful greedy --match --time-limit 0.1 --record rounds.jsonl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("a", metavar="A", help="a player; the metrics of a pair are those of its first player")
    parser.add_argument("others", metavar="B", nargs="+", help="its opponents")
    _add_deals(parser)
    _add_outputs(parser)
    _add_workers(parser)


def _add_deals(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is played")
    group.add_argument(
        "--deals", type=whole_number, metavar="N",
        help=f"deals of a pair, two rounds each ({DEFAULT_DEALS:,}); with --sprt, the most ({MOST_OF_TEST:,})",
    )  # fmt: skip
    group.add_argument("--rules", default=DEFAULT_RULES, metavar="P", help=f"rule set ({DEFAULT_RULES})")
    group.add_argument("--seed", type=whole_number, default=0, metavar="S", help="seed of deals and random words (0)")
    group.add_argument("--match", action="store_true", help="a deal is a pair of whole matches, not of rounds")
    group.add_argument(
        "--start", choices=STARTS, default="any",
        help="first: every round begins as a match does, at level 2, the declarer bid for (any: all that is drawn)",
    )  # fmt: skip
    group.add_argument(
        "--sprt", type=number, nargs=2, metavar=("LOW", "HIGH"),
        help="stop once it is clear whether A wins HIGH levels a round from B rather than LOW (below)",
    )  # fmt: skip
    group.add_argument(
        "--time-limit", type=number, metavar="SECONDS",
        help="a deal is lost if a player takes longer for a decision; k decisions asked at once have k times as long",
    )  # fmt: skip


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is kept")
    group.add_argument(
        "--out", type=file_path, metavar="DIR", help="folder for results, report and what has been played"
    )
    group.add_argument(
        "--retry-lost", action="store_true", help="play deals again that were lost to players' faults (with --out)"
    )
    add_keep(group)
    group.add_argument(
        "--record", type=file_path, metavar="FILE", help="write every round as a line of JSON, at the end"
    )


def _add_workers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("who plays; results do not depend on it")
    add_workers(group)
    group.add_argument(
        "--batch-size", type=whole_number, metavar="N",
        help=f"deals played at once, and kept once they are finished ({CHUNK_SIZE}; with search {SLOW_CHUNK_SIZE})",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    if arguments.retry_lost and arguments.out is None:
        raise ShengjiError("--retry-lost needs --out: the folder whose lost deals are played again")
    check_keep(arguments)
    _check_files(arguments.out, arguments.record)
    tournament = Tournament(
        players=(arguments.a, *arguments.others),
        rules=named_rules(arguments.rules),
        seed=arguments.seed,
        num_deals=_num_deals(arguments),
        is_match=arguments.match,
        start=arguments.start,
        sprt=None if arguments.sprt is None else tuple(arguments.sprt),
        time_limit=arguments.time_limit,
        keeps_records=arguments.record is not None,
        batch_size=arguments.batch_size,
    )
    _note(tournament, arguments)
    get_ready(tournament.rules)
    began = time.perf_counter()
    played_before = PlayedBefore(tournament.players, tournament.rules)
    with saying_what_is_kept(arguments.out):
        standings = _play(tournament, arguments, played_before)
    seconds = time.perf_counter() - began
    played_before.tell()
    try:
        if arguments.out is not None:
            _write(standings, arguments.out, arguments.record)
    finally:
        show(standings, seconds, is_kept=arguments.out is not None)
    return EXIT_FAULTS if standings.faults or standings.unrated else 0


def _num_deals(arguments: argparse.Namespace) -> int:
    if arguments.deals is not None:
        return int(arguments.deals)
    return DEFAULT_DEALS if arguments.sprt is None else MOST_OF_TEST


def _check_files(folder: Path | None, record: Path | None) -> None:
    """Refuse a folder whose results cannot be gone on with, and a record that would overwrite a file of the folder."""
    if folder is None:
        return
    found = [name for name in _WRITTEN if (folder / name).exists()]
    if found and not (folder / STORE_FILE).exists():
        raise ShengjiError(
            f"--out {folder} has {found[0]}, but no {STORE_FILE} from which it could go on: choose another folder, or "
            f"move {'these files' if len(found) > 1 else 'this file'} away"
        )
    if record is not None and record.resolve() in [(folder / name).resolve() for name in (STORE_FILE, *_WRITTEN)]:
        raise ShengjiError(f"--record {record} is a file that --out {folder} keeps: choose another name")


def _play(tournament: Tournament, arguments: argparse.Namespace, resumed: Resumed) -> Standings:
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        record: TextIO | None = None
        if arguments.record is not None:
            record = stack.enter_context(whole_file(arguments.record))
            record.write(record_line(record_header(tournament.rules, _seats(tournament), tournament.seed)))
        executor = _executor(arguments, has_person=tournament.has_person)
        stack.enter_context(executor)
        return play_tournament(
            tournament,
            arguments.out,
            executor=executor,
            retries_lost=arguments.retry_lost,
            keeps_changed=arguments.keep or arguments.retry_lost,
            watch=None if tournament.has_person else stack.enter_context(shown_progress()),
            record=None if record is None else record.write,
            resumed=resumed,
        )


def _seats(tournament: Tournament) -> list[str]:
    """Return the names of the first seating, by seat."""
    return [tournament.names[player] for player in (0, 1, 0, 1)]


def _executor(arguments: argparse.Namespace, *, has_person: bool) -> InProcess | Pool | Automatic | OnRay:
    if has_person:
        if arguments.ray is not None or arguments.workers not in (None, 1):
            raise ShengjiError("a person plays in this process: leave out --workers and --ray")
        return InProcess()
    return chosen_executor(arguments)


def _write(standings: Standings, folder: Path, record: Path | None) -> None:
    """Write results, rounds, report and lost deals into a folder."""
    tournament = standings.tournament
    write_json(folder / RESULT_FILE, standings.to_json())
    with whole_file(folder / ROUNDS_FILE) as file:
        write_rounds(file, standings)
    if standings.faults:
        header = lost_header(tournament.rules, _seats(tournament), tournament.seed)
        write_whole(folder / FAULTS_FILE, "".join(map(record_line, [header, *standings.faults])).encode())
    else:
        (folder / FAULTS_FILE).unlink(missing_ok=True)
    files = tournament_files(standings)
    for name in PAPER_FILES:
        if name in files:
            write_whole(folder / name, files[name])
        else:
            (folder / name).unlink(missing_ok=True)
    links = [("All metrics", RESULT_FILE), ("Every round", ROUNDS_FILE), *((name, name) for name in files)]
    lost = FAULTS_FILE if standings.faults else None
    records = None if record is None else _path_from(folder, record)
    swings = {} if record is None or not record.is_file() else _write_swings(standings, folder, record)
    report = html_report(standings, links, records=records, lost=lost, swings=swings)
    write_whole(folder / REPORT_FILE, report.encode())
    print(f"written: {folder / RESULT_FILE}, {folder / REPORT_FILE}", file=sys.stderr)


def _write_swings(standings: Standings, folder: Path, record: Path) -> dict[tuple[int, int], str]:
    """Write the replay of the deals that swung most; return the links to them, by pair and deal."""
    page, first = swings_page(standings, record)
    if page is None:
        (folder / SWINGS_FILE).unlink(missing_ok=True)
        return {}
    write_whole(folder / SWINGS_FILE, page.encode())
    return {deal: f"{SWINGS_FILE}#round={number}" for deal, number in first.items()}


def _path_from(folder: Path, path: Path) -> str:
    """Return the link to a path from a page in a folder."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another Windows drive
        return path.absolute().as_uri()


def _note(tournament: Tournament, arguments: argparse.Namespace) -> None:
    note_other_rules(tournament.made, tournament.rules)
    if tournament.has_person and arguments.out is None:
        print("note: nothing is kept if you leave before the end; --out DIR keeps every deal", file=sys.stderr)
