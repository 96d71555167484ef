"""What a tournament has played so far, on disk: JSON lines, a header and a line for each finished chunk.

A run that was killed goes on from here. The header says what all outcomes depend on (`Tournament.header`), and a file
whose header differs is refused. A last line that was torn is dropped, and its deals are played again. One run at a time
may go on: the file is locked. A deal that was lost and is played again has a later line, which takes its place.
"""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.chunks import Played
from shengji_env.arena.files import lock_file
from shengji_env.arena.result import ROUND_DTYPE
from shengji_env.arena.tournament import Tournament
from shengji_env.errors import RecordError, ShengjiError

STORE_FORMAT = "shengji-tournament/1"


class Store:
    """The chunks that have been played, in a file that is made or gone on with.

    Args:
        path: the file.
        tournament: what is played.
        retries_lost: whether the deals that are lost by now count as not played.

    Attributes:
        played: by meeting, its chunks in the order in which they ended, without their records.
        lost: by meeting, the deals that are lost.

    Raises:
        RecordError: the file belongs to another tournament, or is damaged.
        ShengjiError: another run has it.
    """

    def __init__(self, path: Path, tournament: Tournament, *, retries_lost: bool = False) -> None:
        self.path = path
        self.tournament = tournament
        self.played: list[list[Played]] = [[] for _ in tournament.meetings]
        self.lost: list[set[int]] = [set() for _ in tournament.meetings]
        self._retried: list[set[int]] = [set() for _ in tournament.meetings]
        self._places: list[tuple[int, int, int]] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = path.open("a+b")
        try:
            if not lock_file(self._file):
                raise ShengjiError(f"another run plays in {path.parent}: let it end, or choose another folder")
            self._read()
        except BaseException:
            self._file.close()
            raise
        if retries_lost:
            self._retried = [lost.copy() for lost in self.lost]

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # what could not be written has been said
            self._file.close()

    def add(self, played: Played) -> None:
        """Keep a chunk: it is in the file when this returns."""
        self._file.seek(0, 2)
        self._note(played, self._file.tell())
        self._write(_to_json(played))

    def deals(self, meeting: int) -> set[int]:
        """The deals of a meeting that have been played, or lost and not to be tried again."""
        deals = {deal for played in self.played[meeting] for deal in range(played.first, played.end)}
        return deals - self._retried[meeting]

    def record_lines(self, stop: list[int]) -> Iterator[str]:
        """The records of all rounds, by meeting, deal and table; of each pair's deals before its `stop`.

        Deals that were played again come after the others of their chunk.
        """
        for meeting, _, position in sorted(self._places):
            self._file.seek(position)
            end = stop[self.tournament.meetings[meeting].pair]
            yield from (line for line in json.loads(self._file.readline())["lines"] if json.loads(line)["table"] < end)

    def _read(self) -> None:
        self._file.seek(0)
        number, position, header = 0, 0, {"format": STORE_FORMAT, **self.tournament.header()}
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                data = json.loads(line)
                if number == 1:
                    self._check(data, header)
                else:
                    self._note(_from_json(data), position)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                if isinstance(error, RecordError):
                    raise
                raise RecordError(f"{self.path}, line {number}: this is no chunk of a tournament ({error})") from error
            position += len(line)
        self._file.truncate(position)
        if not position:
            self._write(header)

    def _check(self, found: dict[str, Any], header: dict[str, Any]) -> None:
        found, wanted = _flat(found), _flat(header)
        differing = [key for key in wanted if found.get(key) != wanted[key]]
        if differing:
            what = "; ".join(f"{key} was {found.get(key)!r}, now {wanted[key]!r}" for key in differing)
            raise RecordError(f"{self.path} is of another tournament: {what}. Choose another folder, or delete it")

    def _note(self, played: Played, position: int) -> None:
        deals, lost = range(played.first, played.end), self.lost[played.meeting]
        if not lost.isdisjoint(deals):
            for earlier in self.played[played.meeting]:
                earlier.faults[:] = [fault for fault in earlier.faults if fault["deal"] not in deals]
        lost.difference_update(deals)
        lost.update(fault["deal"] for fault in played.faults)
        self._retried[played.meeting].difference_update(deals)
        self.played[played.meeting].append(played)
        self._places.append((played.meeting, played.first, position))

    def _write(self, data: dict[str, Any]) -> None:
        line = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error


def _to_json(played: Played) -> dict[str, Any]:
    return {**vars(played), "rounds": played.rounds.tolist()}


def _from_json(data: dict[str, Any]) -> Played:
    rounds: NDArray[Any] = np.array([tuple(row) for row in data["rounds"]], ROUND_DTYPE)
    thinking = tuple((seconds, decisions) for seconds, decisions in data["thinking"])
    return Played(data["meeting"], data["first"], data["end"], rounds, data["faults"], [], thinking)


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested dictionaries as one, keys joined by dots."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat
