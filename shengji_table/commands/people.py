"""``shengji people FILE …``: how strong people are who have played a season, from the files that they kept."""

import argparse
import sys

from rich.text import Text

from shengji_env.arena.statistics import plus, signed
from shengji_env.cli.commands import plain_table
from shengji_env.cli.exit_codes import EXIT_ERROR, OutputConsole
from shengji_env.cli.option_types import file_path, output_file
from shengji_env.cli.progress import shown_count
from shengji_env.errors import RecordError, printable
from shengji_env.render.text import plural
from shengji_env.support.whole_files import write_json
from shengji_table.season.checking import PersonRecord, joined, read_person
from shengji_table.season.season import shipped_season
from shengji_table.season.verdict import Against, against

DESCRIPTION = """\
Check the files that people have kept of the season's deals, and compare what they made with what players made in the
same seat, with the same partner and opponents, on the same deals.
"""
EPILOG = """\
Each file is played again. Refused, with a sentence, is one whose cards are not those that the season deals, in which a
decision is illegal or a value does not follow from the decisions, in which the other seats do not decide as the
season's player does, or which leaves out a deal. A person's deal counts once.

Levels a round are the person's less the player's: above 0, the person is better. Intervals of 95 % are over deals, for
all people together over people and deals. docs/humans.md says what they mean, and what cannot be checked.

exit code:
  2   an error, or a file that was refused; the others are counted

examples:
  shengji people ann.jsonl
  shengji people season/*.jsonl --json people.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", metavar="FILE", type=file_path, nargs="+", help="what a person kept of the season")
    parser.add_argument("--json", type=output_file, metavar="FILE", help="write the numbers, too")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    season, counted = shipped_season(), list[PersonRecord]()
    people: dict[str, list[int]] = {}
    with shown_count("files") as count:
        for done, path in enumerate(arguments.files, start=1):
            try:
                played = read_person(season, path)
                people = joined([*counted, played])
                counted.append(played)
            except RecordError as error:
                print(f"refused: {printable(f'{path}: {error}')}", file=sys.stderr)
            count(done, len(arguments.files))
    people = {name: made for name, made in people.items() if made}
    groups = [[made] for made in people.values()] + ([[*people.values()]] if len(people) > 1 else [])
    rows = [[against(season, player, group) for player in season.made] for group in groups]
    table = plain_table("who", "deals", "against", "levels a round", "95 % interval")
    for label, group, row in zip([*people, "all"], groups, rows, strict=False):
        for found in row:
            table.add_row(Text(printable(label)), str(sum(map(len, group))), found["player"], *_cells(found))
    if rows:
        OutputConsole().print(table)
    if arguments.json is not None:
        told = [
            {"who": who, "made": made, "against": row} for (who, made), row in zip(people.items(), rows, strict=False)
        ]
        everything = {"rules": season.rules, "seed": season.seed, "people": told, "all": rows[-1] if rows else []}
        write_json(arguments.json, everything)
    num_refused = len(arguments.files) - len(counted)
    print(f"{plural(len(people), 'person')}, {plural(num_refused, 'file')} refused")
    return EXIT_ERROR if num_refused else 0


def _cells(found: Against) -> tuple[str, str]:
    assert found["difference"] is not None
    return plus(found["difference"], 2), signed(found["interval"], 2) if found["interval"] else "–"
