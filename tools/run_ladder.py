"""The ladder of docs/ladder.md: plays the season, or some of its deals again.

``make ladder`` runs ``python -m tools.run_ladder --trust-file``, which plays what is missing of the current seasons,
for each rule set the latest that has begun, and writes ``docs/ladder/season_N.json``, the page and its pictures. What
has been played is kept, also if the command is killed; if a player has changed, its deals are played anew and no
others. Which deals are played follows from the season's file alone, as if all had been played at once.

``make ladder-verify`` runs it with ``--verify``, which plays some deals of each pair again and compares them with the
file. ``--trust-file`` lets the season's file name programs to build and to start.
"""

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from shengji_env.arena.chunks import CHUNKS, Chunk, get_ready
from shengji_env.arena.limits import MAX_DEALS
from shengji_env.cli.commands import add_workers, chosen_executor
from shengji_env.cli.option_types import whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.cli.progress import shown_count
from shengji_env.errors import ShengjiError
from shengji_env.players.callables import refuse_file
from shengji_env.support.arguments import check_index, check_seed
from shengji_env.support.workers.jobs import Executor
from tools import write_ladder
from tools.ladder_results import LOST, SeasonResults, deal_texts
from tools.ladder_season import Entry, LadderError, LadderSeason, read_seasons
from tools.pairing import adaptive_stops

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "ladder"
VERIFIED_DEALS = 10
"""Deals of each pair that are played again by default."""


def current(folder: Path, *, trusts_file: bool = False) -> list[LadderSeason]:
    """Return, for each rule set, the latest season that has begun.

    Raises:
        LadderError: none has.
    """
    seasons = read_seasons(folder, trusts_file=trusts_file)
    latest = {season.rules.fingerprint: season for season in seasons if season.seed is not None and season.players}
    if not latest:
        raise LadderError(f"{folder} has no season that has begun: one whose file has a seed and players")
    return list(latest.values())


def build(season: LadderSeason) -> None:
    """Build the players that need it.

    Raises:
        LadderError: one cannot be built.
        PlayerError: the season's file, which is not trusted, says how.
    """
    for command in dict.fromkeys(entry.build for entry in season.players if entry.build):
        refuse_file(command, "is a command to run")
        print(command, flush=True)
        words = shlex.split(command)
        try:
            (ROOT / "build" / "bots").mkdir(parents=True, exist_ok=True)
            subprocess.run(words, check=True, cwd=ROOT)
        except (OSError, subprocess.CalledProcessError) as error:
            raise LadderError(f"a player cannot be built: {error}") from error


def play(results: SeasonResults, executor: Executor) -> None:
    """Play what is missing of a season.

    Raises:
        LadderError: the code of a player that has to play is not there.
    """
    pairing = results.season.pairing
    stop: list[int] = []
    with shown_count("deals") as shown:
        for stop in adaptive_stops(pairing, results.tallies):
            chunks = results.chunks(stop)
            for entry in _entries(results, chunks):
                if entry.missing(ROOT):
                    raise LadderError(f"{entry.name} has to play; get it by: {entry.missing(ROOT)}")
            for played in executor.do(CHUNKS, chunks, lambda _: None):
                results.add(played)
                results.save()
                shown(sum(len(results.played(pair)) for pair in results.pairs), pairing.total)
    results.keep(stop)
    results.save(table=True)


def verify(results: SeasonResults, executor: Executor, num_deals: int, seed: int) -> int:
    """Play some deals of each pair again; print what differs, and return how many deals do.

    Raises:
        LadderError: none has been played, or only such of players whose code is not there.
    """
    absent = {index for index, entry in enumerate(results.season.players) if entry.missing(ROOT)}
    for index in sorted(absent):
        entry = results.season.players[index]
        print(f"{entry.name} is left out; get it by: {entry.missing(ROOT)}")
    generator = np.random.default_rng(seed)
    chunks = []
    for number, pair in enumerate(results.pairs):
        end = len(results.deals[pair])
        if end and not absent.intersection(pair):
            first = int(generator.integers(max(1, end - num_deals + 1)))
            chunks += results.tournament.chunks(number, min(first + num_deals, end), range(first))
    differing, compared = 0, 0
    for played in executor.do(CHUNKS, chunks, lambda _: None):
        pair = results.pairs[played.pair]
        kept = results.deals[pair][played.first : played.end]
        for deal, (then, now) in enumerate(zip(kept, deal_texts(played, results.season.rules), strict=True)):
            compared += 1
            if then != now:
                differing += 1
                names = " against ".join(results.names[index] for index in pair)
                print(f"{names}, deal {played.first + deal}: {then} in the file, {now} now{_reason(now)}")
    if not compared:
        raise LadderError(f"{results.path} has no deals of the players as they are now: there is nothing to verify")
    met = len({chunk.pair for chunk in chunks})
    print(f"{compared - differing:,} of {compared:,} deals of {met} pairs came out as in {results.path.name}")
    return differing


def _entries(results: SeasonResults, chunks: Iterable[Chunk]) -> list[Entry]:
    """Return who plays in chunks."""
    indices = {index for chunk in chunks for index in results.pairs[chunk.pair]}
    return [results.season.players[index] for index in sorted(indices)]


def _reason(text: str) -> str:
    return " (lost: a player raised, answered illegally or took too long)" if text == LOST else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Play the ladder's current seasons, and write its page."""
    parser = OnceParser(prog="python -m tools.run_ladder", description=main.__doc__)
    parser.add_argument("--verify", action="store_true", help="play some deals again, and compare")
    parser.add_argument(
        "--deals", type=whole_number, default=VERIFIED_DEALS, metavar="N",
        help=f"with --verify: deals of each pair ({VERIFIED_DEALS})",
    )  # fmt: skip
    parser.add_argument(
        "--draw", type=whole_number, default=0, metavar="S", help="with --verify: seed that draws the deals (0)"
    )
    parser.add_argument(
        "--again", nargs="+", default=[], metavar="NAME", help="players whose deals are played anew, changed or not"
    )
    parser.add_argument(
        "--trust-file", action="store_true", help="run the programs and code of modules that the season's file names"
    )
    add_workers(parser.add_argument_group("who plays; results do not depend on it"))
    arguments = parser.parse_args(argv)
    try:
        return _run(arguments)
    except ShengjiError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _run(arguments: argparse.Namespace) -> int:
    check_index("--deals", arguments.deals, 1, MAX_DEALS, error=LadderError)
    check_seed(arguments.draw)
    seasons = current(FOLDER, trusts_file=arguments.trust_file)
    unknown = sorted(set(arguments.again) - {entry.name for season in seasons for entry in season.players})
    if unknown:
        raise LadderError(f"no player of a current season is called {', '.join(unknown)}")
    differing = 0
    for season in seasons:
        build(season)
        path = FOLDER / f"season_{season.number}.json"
        results = SeasonResults(path, season, season.identities(ROOT), arguments.again)
        for name in results.changed:
            print(f"{name} has changed since: its deals of season {season.number} are left out", flush=True)
        get_ready(season.rules)
        with chosen_executor(arguments) as executor:
            if arguments.verify:
                differing += verify(results, executor, arguments.deals, arguments.draw)
            else:
                play(results, executor)
    if not arguments.verify:
        write_ladder.write(ROOT)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
