"""The season of a ladder: who takes part, and on which deals. Read from ``docs/ladder/season_N.toml``.

A season is announced by a file that has ``seed_sha256`` instead of ``seed``: nobody can prepare for its deals, and
everybody can check later that they were chosen before. It begins when its seed is published.
"""

import datetime
import hashlib
import subprocess
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from shengji_env import __version__
from shengji_env.arena.identities import player_digests
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.rule_sets import RuleSet, parse_rules
from shengji_env.errors import ShengjiError, show
from shengji_env.support.text_files import as_file_texts, parse_toml, read_text
from shengji_env.tables.settings import Start
from tools.pairing import Pair, Pairing

OUTSIDE = Path("build") / "outside"
"""Where clones of other people's players are expected; git ignores it."""


class LadderError(ShengjiError, ValueError):
    """A file of the ladder that cannot be used."""


@dataclass(frozen=True)
class Entry:
    """A player of a season."""

    name: str
    """Its name in tables."""
    player: str
    """The text that names it in the arena."""
    about: str
    """What it does, in a few words."""
    by: str
    """Whose it is."""
    entered: datetime.date
    """When it was entered, or last changed."""
    version: str = __version__
    """Its version; for players of the package that of the package."""
    files: tuple[str, ...] = ()
    """The files that it is made of, if it is not one of the package's players: a change to them is a change to it."""
    build: str = ""
    """The command that builds it, if it needs one; without a shell, in the root of the repository."""
    deals: int | None = None
    """For a slow player: most deals against the reference, and most of all others together."""
    source: str = ""
    """Where its code is, if it is not in the repository: ``https://SITE/OWNER/NAME@COMMIT``. It plays from a clone in
    `OUTSIDE`, and the commit makes it the player that it is."""

    @property
    def clone(self) -> Path:
        """Where its clone is expected."""
        return OUTSIDE / self.source.partition("@")[0].rstrip("/").rpartition("/")[2]

    def missing(self, root: Path) -> str:
        """Return the commands that get its code, if that is not there; empty if it is."""
        url, _, commit = self.source.partition("@")
        if not url:
            return ""
        command = ["git", "-C", str(root / self.clone), "rev-parse", "HEAD"]
        if subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == commit:
            return ""
        return f"git clone {url} {self.clone}; git -C {self.clone} checkout {commit}"


@dataclass(frozen=True)
class Identity:
    """What makes a player the one that has played: if it changes, its deals are played again."""

    player: str
    """Its text."""
    version: str
    """Its version."""
    digest: str
    """A digest of its files or of its network, 12 hexadecimal digits; empty if it has none."""


@dataclass(frozen=True)
class LadderSeason:
    """A season."""

    number: int
    """Its number."""
    rules: RuleSet
    """The rules of all rounds."""
    announced: datetime.date
    """When its file was first published."""
    seed_sha256: str
    """SHA-256 of its seed, as decimal digits."""
    seed: int | None = None
    """Its seed; None: it has not begun."""
    begins: datetime.date | None = None
    """When the seed is published."""
    start: Start = "any"
    """How rounds begin, as in the arena."""
    reference: str = "heuristic"
    """The name of the player whose rating is 0, and against whom levels a round are measured."""
    reference_deals: int = 1000
    """Deals of each player against the reference."""
    deals: int = 20_000
    """Deals of all pairs together."""
    most_of_pair: int = 2000
    """Most deals of a pair."""
    seconds: float = 10.0
    """Time limit for a decision."""
    players: tuple[Entry, ...] = ()
    """Who takes part."""

    def __post_init__(self) -> None:
        if self.seed is not None and hashlib.sha256(str(self.seed).encode()).hexdigest() != self.seed_sha256:
            raise LadderError(f"season {self.number}: seed {self.seed} is not the one whose SHA-256 was announced")
        names = [entry.name for entry in self.players]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise LadderError(f"season {self.number}: {', '.join(twice)} is named twice; names must differ")
        if self.players and self.reference not in names:
            raise LadderError(f"season {self.number}: the reference {self.reference!r} is not one of its players")

    @property
    def reference_index(self) -> int:
        """Index of the reference among the players."""
        return [entry.name for entry in self.players].index(self.reference)

    @property
    def tournament(self) -> Tournament:
        """The tournament whose deals are played."""
        assert self.seed is not None
        return Tournament(
            tuple(entry.player for entry in self.players),
            self.rules,
            seed=self.seed,
            num_deals=self.most_of_pair,
            start=self.start,
            time_limit=self.seconds,
        )

    @property
    def pairing(self) -> Pairing:
        """Who plays on: everybody against the reference first, then by results."""
        reference, first = self.reference_index, dict[Pair, int]()
        for index, entry in enumerate(self.players):
            if index != reference:
                deals = min(self.reference_deals, entry.deals or self.reference_deals)
                first[min(index, reference), max(index, reference)] = deals
        slow = {index: 2 * entry.deals for index, entry in enumerate(self.players) if entry.deals is not None}
        return Pairing(len(self.players), self.deals, self.most_of_pair, first=first, max_of_player=slow)

    def identities(self, root: Path) -> list[Identity]:
        """Return what makes each player the one that it is; files are found from the root of the repository.

        Raises:
            LadderError: a file is missing.
        """
        networks = player_digests(self.tournament.players, self.tournament.rules)
        return [
            Identity(entry.player, entry.source.rpartition("@")[2][:12], "")
            if entry.source
            else Identity(entry.player, entry.version, _digest(entry, root) or networks.get(entry.player, ""))
            for entry in self.players
        ]


def read_season(path: Path, *, trusts_file: bool = False) -> LadderSeason:
    """Read the file of a season.

    Args:
        path: the file.
        trusts_file: whether programs and code that it names may run.

    Raises:
        LadderError: there is no such file, or something in it is wrong.
    """
    try:
        values = parse_toml(read_text(path, LadderError), LadderError)
        values = values if trusts_file else as_file_texts(values)
        players = values.pop("player", [])
        if not isinstance(players, list):
            raise LadderError("write each player as a table [[player]]")
        values = _checked(values, LadderSeason, "the season") | {"rules": parse_rules(str(values.get("rules")))}
        return LadderSeason(**values, players=tuple(Entry(**_entry(each)) for each in players))
    except ShengjiError as error:
        raise LadderError(f"{path}: {error}") from error


def read_seasons(folder: Path, *, trusts_file: bool = False) -> list[LadderSeason]:
    """Read the files of all seasons in a folder, the first season first."""
    seasons = [read_season(path, trusts_file=trusts_file) for path in folder.glob("season_*.toml")]
    return sorted(seasons, key=lambda season: season.number)


def _entry(values: Any) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise LadderError("write each player as a table [[player]]")
    checked = _checked(values, Entry, f"player {values.get('name', '')!r}")
    return checked | {"files": tuple(values.get("files", ()))}


_KINDS: dict[Any, type | tuple[type, ...]] = {
    int: int, int | None: int, str: str, float: (int, float), tuple[str, ...]: list, RuleSet: str,
    Start: str, datetime.date: datetime.date, datetime.date | None: datetime.date,
}  # fmt: skip
"""What TOML holds for fields of each type."""


def _checked(values: dict[str, Any], record: type[LadderSeason] | type[Entry], what: str) -> dict[str, Any]:
    """Return values after checking that there are such fields, of such types, and that none is missing."""
    known = {field.name: field for field in fields(record) if field.name != "players"}
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise LadderError(f"{what} has {', '.join(unknown)}, which is unknown; there are {', '.join(known)}")
    missing = [name for name, field in known.items() if field.default is MISSING and name not in values]
    if missing:
        raise LadderError(f"{what} lacks {', '.join(missing)}")
    for name, value in values.items():
        kind = known[name].type
        if not isinstance(value, _KINDS[kind]) or isinstance(value, bool):
            raise LadderError(f"{what}: {name}={show(value)} must be {getattr(kind, '__name__', kind)}")
    return values


def _digest(entry: Entry, root: Path) -> str:
    digest = hashlib.sha256()
    for name in entry.files:
        try:
            digest.update((root / name).read_bytes())
        except OSError as error:
            raise LadderError(f"player {entry.name!r}: {name} cannot be read ({error.strerror})") from error
    return digest.hexdigest()[:12] if entry.files else ""
