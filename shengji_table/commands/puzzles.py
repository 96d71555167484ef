"""``shengji puzzles``: finds decisions with one best play in records, and lets players solve them."""

import argparse
import contextlib
from collections.abc import Sequence

import numpy as np
from rich import box
from rich.table import Table

from shengji_env.arena.statistics import mean_interval
from shengji_env.cli.exit_codes import OutputConsole
from shengji_env.cli.option_types import file_path, output_file, whole_number
from shengji_env.cli.progress import shown_count
from shengji_env.errors import RecordError, ShengjiError
from shengji_env.players.registry import make_player
from shengji_env.records.reading import RecordReader
from shengji_env.support.text_files import lines_of, open_text
from shengji_env.support.whole_files import write_whole
from shengji_table.puzzles.finding import LEAST, MOST_PLAYS, PLAYERS, PuzzleFinder
from shengji_table.puzzles.puzzle import AS_GOOD, LEVELS, Puzzle, read_puzzles, shipped_puzzles, write_puzzles
from shengji_table.puzzles.solving import loss_of

DESCRIPTION = f"""\
A puzzle is a decision of a recorded round with one best play, which {", ".join(PLAYERS[:-1])} or {PLAYERS[-1]} misses:
champion and champion:1000 agree on it, and in held-out sampled deals it is {LEAST:g} levels better than any other play,
as far as there are at most {MOST_PLAYS:,}. 110 come with the package: docs/puzzles.md.
"""
EPILOG = """\
examples:
  shengji puzzles --solve champion heuristic                    how many of the 110 do they solve?
  shengji arena heuristic champion --deals 100 --record rounds.jsonl
  shengji puzzles rounds.jsonl --out mine.jsonl                 find some in these rounds
  shengji puzzles rounds.jsonl --out mine.jsonl --most 20
  shengji puzzles --file mine.jsonl --solve greedy
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("records", metavar="RECORD", type=file_path, nargs="*", help="recorded rounds to search")
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where puzzles are written")
    parser.add_argument("--most", type=whole_number, metavar="N", help="stop once N have been found in a record")
    parser.add_argument("--solve", metavar="PLAYER", nargs="+", default=[], help="players that are to solve puzzles")
    parser.add_argument("--file", type=file_path, metavar="FILE", help="the puzzles to be solved (default: the 110)")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    if bool(arguments.records) == bool(arguments.solve):
        raise ShengjiError("name records to search, or players with --solve: one of the two")
    if arguments.solve:
        _solve(arguments)
        return
    if arguments.out is None:
        raise ShengjiError("--out FILE says where the puzzles are written")
    _find(arguments)


def _find(arguments: argparse.Namespace) -> None:
    found: list[Puzzle] = []
    for record in arguments.records:
        with open_text(record, RecordError) as file:
            lines = list(lines_of(file, RecordError))  # once: it may be a pipe
        total, before = sum(1 for _ in RecordReader(lines)), len(found)
        with shown_count("rounds") as count, contextlib.closing(PuzzleFinder(lines).find()) as rounds:
            for done, puzzle in enumerate(rounds, start=1):
                found += [puzzle] if puzzle is not None else []
                count(done, total)
                if len(found) - before == arguments.most:
                    break
    write_whole(arguments.out, write_puzzles(found).encode())
    by_level = ", ".join(f"{sum(each.level == level for each in found)} of level {level}" for level in LEVELS)
    print(f"written: {arguments.out}; puzzles: {len(found)}, {by_level}")


def _solve(arguments: argparse.Namespace) -> None:
    puzzles = shipped_puzzles() if arguments.file is None else read_puzzles(arguments.file)
    players = [make_player(text) for text in arguments.solve]
    table = Table(
        "player", "loss in levels", "95 % interval", "best plays", *(f"level {each}" for each in LEVELS), box=box.SIMPLE
    )
    for player, text in zip(players, arguments.solve, strict=True):
        losses = []
        with shown_count("puzzles") as count:
            for puzzle in puzzles:
                losses.append(loss_of(puzzle, player))
                count(len(losses), len(puzzles))
        table.add_row(text, *_cells(puzzles, np.array(losses)))
    OutputConsole().print(table)


def _cells(puzzles: Sequence[Puzzle], losses: np.ndarray) -> list[str]:
    interval = "{:.3f} … {:.3f}".format(*mean_interval(losses)[1]) if len(losses) > 1 else "–"
    shares = [losses <= AS_GOOD, *((losses <= AS_GOOD)[[each.level == level for each in puzzles]] for level in LEVELS)]
    told = [f"{100 * share.mean():.0f} %" if len(share) else "–" for share in shares]
    return [f"{losses.mean():.3f}", interval, *told]
