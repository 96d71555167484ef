"""What is kept of a session: the record, and beside it a private file from which a killed server resumes.

| file | holds | for |
|---|---|---|
| ``NAME.jsonl`` | the record: a line for each finished round; no seed | replays, reviews |
| ``NAME.jsonl.table`` | seed, players, secrets of links, all events (`kept_events.py`) | resuming; nobody is sent it |

Lines are written whole and at once, and both files are readable by their owner only. The record follows from the
private file: it is written again when a server resumes. Files that are there already stay as they are until both have
been checked and everything has happened again (`SessionLog.begin`).
"""

import contextlib
import io
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet, parse_rules
from shengji_env.errors import RecordError, ShengjiError, show
from shengji_env.records.reading import read_header
from shengji_env.records.writing import record_header, record_line
from shengji_env.render.round_record import Round
from shengji_env.support.arguments import check_seed
from shengji_env.support.text_files import ENCODING, as_file_texts, lines_of, parse_json
from shengji_env.support.whole_files import lock_file, open_text
from shengji_table.web.ended_rounds import line_of_round
from shengji_table.web.kept_events import LEAST_SECRET, Event, event_of_line, line_of_event
from shengji_table.web.links import Keys

FORMAT = "shengji-evening/2"
PRIVATE = ".table"
"""What the private file's name ends with."""
NUM_SECRETS = 3
"""Secrets that a session begins with."""
_OWNER_ONLY = 0o600


@dataclass(frozen=True)
class SessionPlan:
    """What a session begins with."""

    rules: str
    """The rules, as text."""
    players: tuple[str, ...]
    """Texts that name the players, by seat; like the next two, `FileText` if they were read."""
    adviser: str
    """Text that names the adviser."""
    substitute: str
    """Text that names the player that decides for persons who are not there."""
    seed: int
    """Seed of deals and random words."""
    secrets: tuple[str, ...]
    """Secrets of the links for guests, for those who watch, and to the evening's page; those of seats come later."""

    def keys(self) -> Keys:
        """Return the table's secrets, before any seat is taken."""
        invite, watch, evening = self.secrets
        return Keys(invite, watch, evening)

    def header(self) -> str:
        """Return the private file's first line."""
        return json.dumps({"format": FORMAT, **asdict(self)}) + "\n"


class EventLog(Protocol):
    """Where a table's events are kept, and from where they come when it goes on."""

    kept: list[Event]
    """What happened before."""

    def begin(self) -> None:
        """Everything kept has happened again: from here on, what is noted is new."""

    def begin_record(self, rules: RuleSet, names: tuple[str, ...]) -> None:
        """Take the names that the record's header has."""

    def note(self, event: Event) -> None:
        """Keep what has happened."""

    def note_round(self, record: Round) -> None:
        """Keep a finished round."""


def new_plan(rules: RuleSet, players: tuple[str, ...], adviser: str, substitute: str = "heuristic") -> SessionPlan:
    """Return a plan with a seed and secrets of its own, which nobody can guess."""
    keys, seed = Keys(), int.from_bytes(os.urandom(8), "little")
    return SessionPlan(str(rules), players, adviser, substitute, seed, (keys.invite, keys.watch, keys.evening))


class SessionLog:
    """The files of a session.

    Args:
        path: the record.
        plan: what it begins with, if there is no private file yet.

    Attributes:
        plan: what it began with.
        kept: what happened before.

    Raises:
        ShengjiError: another server has the files, or one of them is there and none of this session's.
        RecordError: the private file cannot be read.
    """

    def __init__(self, path: Path, plan: SessionPlan) -> None:
        self.path, private = path, path.with_name(path.name + PRIVATE)
        self.plan = plan
        self.kept: list[Event] = []
        self._header = ""
        self._has_rounds = False
        is_new = _size_of(private) == 0
        if is_new and _size_of(path) > 0:
            raise ShengjiError(f"{path} is there already, and would be lost: choose another name, or delete it")
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as opened:
            self._private = opened.enter_context(_open(private))
            if not lock_file(self._private):
                raise ShengjiError(f"another server has {path}: let it end, or choose another name")
            self._end: int | None = None
            if is_new:
                self._write(self._private, self.plan.header())
            else:
                self.plan, self.kept, self._end = _read(private)
                _check_record(path, self.plan)
            self._on_disk = opened.enter_context(_open(path))
            self._opened = opened.pop_all()
        self._record: TextIO = io.StringIO()

    def begin(self) -> None:
        """Write the record as far as it has been noted, which nothing was until now; from here on, all is at once."""
        if self._end is not None:
            self._private.truncate(self._end)
        noted, self._record = self._record, self._on_disk
        self._record.truncate(0)
        noted.seek(0)
        self._write(self._record, noted.read())

    def begin_record(self, rules: RuleSet, names: tuple[str, ...]) -> None:
        """Write the record's header; a later one replaces it until a round is written, which says its own names."""
        self._names = names
        header = record_line(record_header(rules, names, None))
        if not self._has_rounds and header != self._header:
            self._record.seek(0)
            self._record.truncate()
            self._write(self._record, header)
            self._header = header

    def note(self, event: Event) -> None:
        """Keep what has happened."""
        self._write(self._private, line_of_event(event))

    def note_round(self, record: Round) -> None:
        """Write a finished round into the record."""
        self._has_rounds = True
        self._write(self._record, line_of_round(self._names, record))

    def close(self) -> None:
        """Close the files."""
        self._opened.close()

    @staticmethod
    def _write(file: TextIO, line: str) -> None:
        file.write(line)
        file.flush()


def _open(path: Path) -> TextIO:
    """Open a file for adding lines; nobody but its owner may read it."""
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))
    return open_text(path, "a")


def _size_of(path: Path) -> int:
    """Return how many bytes a file has, 0 if there is none; what is no file is refused."""
    if path.is_file():
        return path.stat().st_size
    if os.path.lexists(path):
        raise ShengjiError(f"{path} is no file, or a link that leads to none: choose another name, or delete it")
    return 0


def _check_record(path: Path, plan: SessionPlan) -> None:
    """Refuse a record that is none of a session: it would be written over."""
    if _size_of(path) == 0:
        return
    try:
        with path.open(encoding="utf-8") as file:
            rules, _, seed = read_header(next(lines_of(file, RecordError)))
        if rules != parse_rules(plan.rules) or seed is not None:
            raise RecordError(f"it is of {rules} with seed {seed}, not of {plan.rules} without one")
    except RecordError as error:
        raise ShengjiError(f"{path} is no record of this session, and would be lost: {error}; move it away") from error


def _read(path: Path) -> tuple[SessionPlan, list[Event], int]:
    """Read a private file; return how many of its bytes count, too: not those of a last line that is not whole."""
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    try:
        text = content[:end].decode(ENCODING)
    except UnicodeDecodeError as error:
        raise RecordError(f"{path} is not UTF-8 text") from error
    return *read_session(text, str(path)), end


def read_session(text: str, name: str) -> tuple[SessionPlan, list[Event]]:
    """Read what is kept of a session: whole lines, as a private file has them; ``name`` is for errors.

    Raises:
        RecordError: it cannot be read.
    """
    lines = text.split("\n")[:-1]
    if not lines:
        raise RecordError(f"{name} has no whole line: choose another name")
    return _read_plan(name, lines[0]), list(_read_events(name, lines[1:]))


def _read_plan(path: str, line: str) -> SessionPlan:
    try:
        value: Any = as_file_texts(parse_json(line, RecordError))
    except RecordError as error:
        raise RecordError(f"{path}, line 1: {error}") from error
    found = value.pop("format", None) if isinstance(value, dict) else None
    if found != FORMAT:
        raise RecordError(f"{path} is of format {show(found)}; this version goes on with {FORMAT!r} alone")
    try:
        return SessionPlan(
            _text(value["rules"]), _texts(value["players"], NUM_SEATS), _text(value["adviser"]),
            _text(value["substitute"]), check_seed(value["seed"]), _read_secrets(value["secrets"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{path}, line 1: {error!r}") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{show(value)} is no text")
    return value


def _texts(value: Any, number: int) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) != number:
        raise TypeError(f"{show(value)} are no {number} texts")
    return tuple(map(_text, value))


def _read_secrets(value: Any) -> tuple[str, ...]:
    secrets = _texts(value, NUM_SECRETS)
    if not all(len(secret) >= LEAST_SECRET for secret in secrets):
        raise ValueError("the secrets are damaged")
    return secrets


def _read_events(path: str, lines: list[str]) -> Iterator[Event]:
    for number, line in enumerate(lines, start=2):
        try:
            yield event_of_line(parse_json(line, RecordError))
        except RecordError as error:
            raise RecordError(f"{path}, line {number}: {error}") from error
