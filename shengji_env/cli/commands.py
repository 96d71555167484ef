"""Code that several commands share."""

import argparse
import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

from rich import box
from rich.table import Table

from shengji_env.arena.identities import MARK, Before, WhoPlayed, known_by_files, not_compared
from shengji_env.cli.ending import take_longer
from shengji_env.cli.exit_codes import OutputConsole
from shengji_env.cli.option_types import whole_number
from shengji_env.cli.progress import shown_count
from shengji_env.engine.rule_sets import NUM_SEATS, RULE_SETS, RuleSet, rule_set
from shengji_env.errors import ShengjiError
from shengji_env.players.networks.policy import PolicyPlayer
from shengji_env.players.partners import all_players
from shengji_env.players.player import Player, check_learned
from shengji_env.players.registry import players_help
from shengji_env.render.rule_words import own_language
from shengji_env.render.text import Language
from shengji_env.support.workers.jobs import Executor
from shengji_env.support.workers.on_ray import OnRay
from shengji_env.support.workers.pools import Automatic, InProcess, Pool, executor_for
from shengji_env.support.workers.ranges import FolderWatch

DEFAULT_PLAYERS = ("human", "heuristic", "heuristic", "heuristic")
"""Who sits at a table if nobody is named."""
_RAY_LEAVES = 20.0
"""Seconds that Ray has to end after Ctrl-C; no player thinks in this process."""
PLAYERS_HELP = f"players:\n{players_help()}"
RULES_HELP = f"""\
rules:
  {", ".join(RULE_SETS)}, or a name that `shengji rules --save` has given
  options are overridden in brackets: 'two_deck(throws=False, kitty=12)'"""
"""Paragraphs of a command's help."""


def check_seats(players: Sequence[str]) -> None:
    """Refuse players that are not one for each seat; none are named if the usual ones are to play.

    Raises:
        ShengjiError: it is another number.
    """
    if players and len(players) != NUM_SEATS:
        named = "1 player is named" if len(players) == 1 else f"{len(players)} players are named"
        raise ShengjiError(f"{named}; a table has {NUM_SEATS} seats: name four, or none")


def note_other_rules(players: Iterable[Player], rules: RuleSet) -> None:
    """Print a note on standard error for each policy that was trained on other rules.

    Raises:
        PlayerError: a player refuses to play under these rules.
    """
    here, players = f"{rules} ({rules.fingerprint})", tuple(players)
    check_learned(players, rules)
    for player in all_players(players):
        if isinstance(player, PolicyPlayer) and player.rules_fingerprint not in ("", rules.fingerprint):
            trained = f"{player.header.get('rules', 'other rules')} ({player.rules_fingerprint})"
            print(f"note: {player.name} was trained on {trained}; this is {here}", file=sys.stderr)


def add_language(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option that chooses the language of `what`."""
    parser.add_argument(
        "--language", choices=get_args(Language), default=own_language(), help=f"of {what} (the locale's)"
    )


def add_keep(group: argparse._ActionsContainer) -> None:
    """Add the option that goes on with players that have changed."""
    group.add_argument(
        "--keep", action="store_true",
        help="go on although a player's files have changed, in a comment, say; results say so (with --out)",
    )  # fmt: skip


def check_keep(arguments: argparse.Namespace) -> None:
    """Refuse `--keep` where there is nothing to go on from.

    Raises:
        ShengjiError: it is given without --out.
    """
    if arguments.keep and arguments.out is None:
        raise ShengjiError("--keep needs --out: the folder from which it goes on")


def add_workers(group: argparse._ArgumentGroup) -> None:
    """Add the options that say who works."""
    group.add_argument(
        "--workers", type=whole_number, metavar="N",
        help="worker processes; 1: only this one (default: one per core, if the work takes longer than starting them)",
    )  # fmt: skip
    group.add_argument(
        "--ray", nargs="?", const="", metavar="ADDRESS",
        help="work on Ray: on a cluster's ADDRESS, or on one that is started here (needs Ray)",
    )  # fmt: skip


def chosen_executor(arguments: argparse.Namespace) -> InProcess | Pool | Automatic | OnRay:
    """Return the executor that the options of `add_workers` ask for.

    Raises:
        ShengjiError: the number of workers is out of range, or Ray cannot be used.
    """
    if arguments.ray is not None:
        take_longer(_RAY_LEAVES)
        return OnRay(arguments.ray, arguments.workers)
    return executor_for(arguments.workers)


@contextlib.contextmanager
def saying_what_is_kept(path: Path | None) -> Iterator[None]:
    """Say, if the user breaks off the block, that the same command resumes from a path; None: nothing is kept."""
    try:
        yield
    except KeyboardInterrupt:
        if path is not None:
            print(f"{path} holds what was played: the same command resumes from there", file=sys.stderr)
        raise


def plain_table(first: str, *others: str, title: str | None = None) -> Table:
    """Make a table: names in the first column, figures in the others."""
    table = Table(box=box.SIMPLE, title=title, title_justify="left")
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right")
    return table


def show_who_played(who: WhoPlayed) -> None:
    """Print below a table who is not known, and who has changed."""
    for line in who.lines:
        OutputConsole().print(f"{MARK.strip()} {line}", soft_wrap=True, markup=False, highlight=False)


class PlayedBefore:
    """Says how much of what a command shows was not played by it, but by an earlier one whose folder it goes on from.

    Args:
        players: the texts of who plays.
        rules: under which rules.
        what: what is counted, in the plural.

    Attributes:
        others: who of them was somebody else then, with earlier digests by text.
    """

    def __init__(self, players: Iterable[str], rules: RuleSet | None = None, what: str = "deals") -> None:
        self._players, self._rules, self._what = tuple(players), rules or rule_set(), what
        self._before = self._played = 0
        self.others: dict[str, list[str]] = {}

    def __call__(self, before: int, played: int, others: Before) -> None:
        """Count some: how many a folder had before, how many it has, and who was somebody else."""
        self._before += before
        self._played += played
        for text in self._players:
            known = [*self.others.get(text, ()), *others.get(text, ())]
            if known:
                self.others[text] = list(dict.fromkeys(known))

    def who(self, digests: Mapping[str, str]) -> WhoPlayed:
        """Return what results say of who has played."""
        by_files = known_by_files(self._players, self._rules) if self._before else ()
        return WhoPlayed(digests, self.others, by_files)

    def tell(self) -> None:
        """Print a note on standard error, if there were any."""
        if self._before:
            counted = f"{self._before:,} of {self._played:,} {self._what} were played before"
            print(f"note: {counted}{not_compared(self._players, self._rules)}", file=sys.stderr)


@contextlib.contextmanager
def workers_on_rounds(
    arguments: argparse.Namespace, players: Iterable[str] = (), rules: RuleSet | None = None
) -> Iterator[tuple[Executor, FolderWatch]]:
    """Yield the executor that the options ask for, and what shows how many rounds of a folder are there.

    At the end, a note says how many were there before.

    Raises:
        ShengjiError: as for `chosen_executor`.
    """
    first: list[tuple[int, int]] = []
    with chosen_executor(arguments) as executor, shown_count("rounds") as count:

        def watch(done: int, total: int, unfinished: float) -> None:
            first.append((done, total))
            del first[1:]
            count(min(done + unfinished, total), total)

        yield executor, watch
    played_before = PlayedBefore(players, rules, "rounds")
    for done, total in first:
        played_before(done, total, {})
    played_before.tell()
