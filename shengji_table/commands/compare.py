"""``shengji compare RECORD OTHER --html OUT``: two players on the same deals, and where they first differ."""

import argparse
import sys
from pathlib import Path

from shengji_env.cli.commands import note_other_rules
from shengji_env.cli.option_types import file_path, output_file
from shengji_env.errors import RecordError
from shengji_env.players.registry import make_player, players_help
from shengji_env.records.replays import Replay
from shengji_env.support.whole_files import whole_file
from shengji_table.commands.replay import MAX_ROUNDS, follow_rounds, read_who
from shengji_table.review import as_valuer
from shengji_table.review.comparing import compare_tables, compare_with_player
from shengji_table.review.reviewing import EVERYBODY

DESCRIPTION = "Show where two players first differ on a deal, and what both plays are worth, as a page."
EPILOG = f"""\
With a player, the page has one table: the player is asked at every decision of the record, and the play goes on as it
is recorded, so there may be many differences. With tables, it has two: they are the same up to the first difference;
from there on each goes its own way.

examples:
  shengji arena champion heuristic --deals 4 --record rounds.jsonl
  shengji compare rounds.jsonl --html tables.html                         # both tables of each deal
  shengji compare rounds.jsonl others.jsonl --html tables.html            # the same deals in another record
  shengji compare rounds.jsonl champion --of heuristic --html asked.html  # what champion would have played

players:
{players_help()}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="RECORD", type=file_path, help="the record")
    parser.add_argument(
        "other", metavar="OTHER", nargs="?",
        help="another record of the same deals, or a player (default: the second table of each deal of the record)",
    )  # fmt: skip
    parser.add_argument("--html", metavar="OUT", type=output_file, required=True, help="the page to write")
    parser.add_argument(
        "--review", metavar="PLAYER",
        help="who says what plays are worth, as for shengji replay (default: champion)",
    )  # fmt: skip
    parser.add_argument(
        "--of", nargs="+", default=[], metavar="WHO",
        help="ask the player only about decisions of these: seats, 0 to 3, or names as in the record",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    other = arguments.other
    is_player = other is not None and (Path(other).is_dir() or not Path(other).exists())
    if arguments.of and not is_player:
        raise RecordError("--of says about whose decisions a player is asked: name a player")
    inputs = [arguments.file, *([Path(other)] if other and not is_player else [])]
    if arguments.html.resolve() in [file.resolve() for file in inputs]:
        raise RecordError(f"--html {arguments.html}: the page would replace a record")
    replay = _read(arguments.file)
    valuer = as_valuer(arguments.review, replay.rules)
    if is_player:
        player = make_player(other)
        note_other_rules([player], replay.rules)
        whose = [read_who(text) for text in arguments.of] or EVERYBODY
        compared = compare_with_player(replay, player, valuer, track=follow_rounds, whose=whose)
    else:
        second = _read(Path(other)) if other else None
        compared = compare_tables(replay, second, valuer, track=follow_rounds)
    with whole_file(arguments.html) as file:
        file.write(compared.html(arguments.file.name))
    print(_summary(compared))
    print(f"written: {arguments.html}", file=sys.stderr)


def _read(file: Path) -> Replay:
    replay = Replay.read(file)
    if len(replay.rounds) > MAX_ROUNDS:
        raise RecordError(f"{file}: {len(replay.rounds):,} rounds; a page shows {MAX_ROUNDS} at most")
    return replay


def _summary(compared: Replay) -> str:
    differences = [len(beside.differences) for beside in compared.beside.values()]
    differing = sum(number > 0 for number in differences)
    rounds = f"{len(differences):,} deal{'s' * (len(differences) != 1)} compared"
    if any(beside.table for beside in compared.beside.values()):
        return f"{rounds}: the tables differ in {differing:,}"
    return f"{rounds}: {sum(differences):,} decisions differ, in {differing:,} of them"
