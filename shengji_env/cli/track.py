"""``shengji track TRACK ENTRANT …``: score a player on a frozen task."""

import argparse
import sys
from dataclasses import asdict
from datetime import UTC, datetime

from rich.text import Text

from shengji_env.arena.identities import WhoPlayed
from shengji_env.arena.paper_files import score_files
from shengji_env.arena.tracks import TRACKS, Score, Track, Work, run_track, track_header
from shengji_env.cli.commands import (
    PLAYERS_HELP,
    PlayedBefore,
    add_keep,
    add_workers,
    check_keep,
    chosen_executor,
    plain_table,
    show_who_played,
)
from shengji_env.cli.exit_codes import OutputConsole
from shengji_env.cli.option_types import file_path, number, output_file
from shengji_env.cli.progress import shown_count
from shengji_env.errors import ShengjiError
from shengji_env.support.whole_files import write_json, write_whole

DESCRIPTION = """\
Measure players in a track: a task whose deals, opponents and formula never change. What would change its number gets a
new version, which is part of its name.
"""
_LISTED = "\n".join(
    f"  {name:<13} {track.about}\n  {'':<13} {track.number}; {'more' if track.is_higher_better else 'less'} is better"
    for name, track in TRACKS.items()
)
EPILOG = f"""\
tracks:
{_LISTED}

{PLAYERS_HELP}

examples:
  shengji track strength champion my_players:Careful
  shengji track learning selfplay:runs/seed-1 selfplay:runs/seed-2 selfplay:runs/seed-3
  shengji track response selfplay:runs/exploit-champion/generation-2 --out runs/response
  shengji track beliefs my_beliefs:Network --json ours.json --team ours --core-hours 12

docs/tracks.md says what may be used in each, and what others have reached.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("track", metavar="TRACK", choices=list(TRACKS), help=", ".join(TRACKS))
    parser.add_argument("entrants", metavar="ENTRANT", nargs="+", help="players; belief models for the track beliefs")
    parser.add_argument(
        "--out",
        type=file_path,
        metavar="DIR",
        help="folder for scores.csv, scores.tex, and the deals played, where a track has any: the same command goes on "
        "from these",
    )
    add_keep(parser)
    group = parser.add_argument_group("what the entry says")
    group.add_argument("--json", type=output_file, metavar="FILE", help="write the numbers, each once it is known")
    group.add_argument("--team", metavar="NAME", help="who enters (with --json)")
    group.add_argument(
        "--core-hours",
        type=number,
        metavar="H",
        help="what making the entrants cost, in hours of one core (with --json)",
    )
    add_workers(parser.add_argument_group("who plays; results do not depend on it"))


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    track: Track = TRACKS[arguments.track]
    if arguments.out is not None and not track.plays_deals:
        print(f"note: {track.name} plays no deals from which --out could go on", file=sys.stderr)
    check_keep(arguments)
    _check_entry(arguments)
    scores: list[Score] = []
    players = () if track.takes_belief_models else arguments.entrants
    played_before = PlayedBefore(players, track.rules()[0])
    about = {"team": arguments.team, "date": f"{datetime.now(UTC):%Y-%m-%d}", "core_hours": arguments.core_hours}

    def keep(score: Score) -> None:
        scores.append(score)
        if arguments.json is not None:
            header = {**track_header(track, arguments.entrants), "policies_before": played_before.others, **about}
            said = {**header, "scores": [asdict(each) for each in scores]}
            write_json(arguments.json, said)

    try:
        with chosen_executor(arguments) as executor, shown_count(track.unit_of_progress) as count:
            work = Work(
                arguments.out, executor, lambda *done: count(*done), played_before, keep, keeps_changed=arguments.keep
            )
            run_track(track, arguments.entrants, work)
    finally:
        played_before.tell()
        if scores:
            who = played_before.who(track_header(track, arguments.entrants)["policies"])
            _show(track, scores, who)
            show_who_played(who)
            for name, content in score_files(track, scores, who).items() if arguments.out is not None else ():
                write_whole(arguments.out / name, content)


def _check_entry(arguments: argparse.Namespace) -> None:
    """Refuse what is no entry; note what one lacks."""
    if arguments.core_hours is not None and arguments.core_hours < 0:
        raise ShengjiError(f"--core-hours {arguments.core_hours:g} must be 0 or more")
    missing = [f"--{name}" for name in ("team", "core-hours") if getattr(arguments, name.replace("-", "_")) is None]
    if arguments.json is None and len(missing) < 2:
        raise ShengjiError("--team and --core-hours are written into the file: give --json FILE too")
    if arguments.json is not None and missing:
        print(f"note: {arguments.json} does not say {' and '.join(missing)}, which an entry needs", file=sys.stderr)


def _show(track: Track, scores: list[Score], who: WhoPlayed) -> None:
    console = OutputConsole()
    console.print(f"{track.name}: {track.about}", soft_wrap=True)
    table = plain_table("entrant", "number", "interval")
    for score in scores:
        low, high = score.interval
        table.add_row(Text(score.entrant + who.mark(score.entrant)), f"{score.value:.3f}", f"{low:.3f} to {high:.3f}")
    console.print(table)
    console.print(f"{track.number}; {'more' if track.is_higher_better else 'less'} is better", soft_wrap=True)
