"""What a tournament has played so far, on disk: JSON lines, a header and one line for each finished chunk.

A killed run is continued from this file. The header holds everything that outcomes depend on (`Tournament.header`); a
file whose header differs is refused. If the last line is incomplete, it is dropped and its deals are played again. The
file is locked, so only one run at a time can use it. If a lost deal is played again, the later line replaces it. If a
player has changed, and the run is to go on all the same, a line of ``policies`` says who plays from there on.
"""

import contextlib
import json
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.chunks import PlayedChunk
from shengji_env.arena.deal_batch import LINEUPS
from shengji_env.arena.faults import Fault, Thinking
from shengji_env.arena.identities import KEEP_ADVICE, changed_since
from shengji_env.arena.limits import MAX_DEALS
from shengji_env.arena.result import ROUND_DTYPE
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import RANKS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import Winner
from shengji_env.errors import NotationError, RecordError, ShengjiError, printable
from shengji_env.support.ledger import refuse_other
from shengji_env.support.text_files import parse_json
from shengji_env.support.whole_files import lock_file, open_bytes

STORE_FORMAT = "shengji-tournament/1"

_MAX = {
    "table": len(LINEUPS), "round": np.iinfo(np.int16).max, "trump": len(TRUMP_TEXTS),
    "level_rank": len(RANKS), "declarer": NUM_SEATS, "winner": len(Winner),
}  # fmt: skip
"""Upper bounds (exclusive) of a round's fields."""


class Store:
    """The chunks that have been played, in a file that is created or continued.

    Args:
        path: the file.
        tournament: the tournament.
        retries_lost: whether the deals lost so far count as not played.
        keeps_changed: whether it goes on with players that have changed since.

    Attributes:
        played: by pair, its chunks in the order in which they ended, without records.
        lost: by pair, the lost deals.
        num_before: how many deals of all pairs had been played before the file was opened.
        before: earlier digests of players that have changed since, by text.

    Raises:
        RecordError: the file belongs to another tournament, or is damaged.
        ShengjiError: another run uses the file.
    """

    def __init__(
        self, path: Path, tournament: Tournament, *, retries_lost: bool = False, keeps_changed: bool = False
    ) -> None:
        self.path = path
        self.tournament = tournament
        self.before: dict[str, list[str]] = {}
        self.played: list[list[PlayedChunk]] = [[] for _ in tournament.pairs]
        self.lost: list[set[int]] = [set() for _ in tournament.pairs]
        self._retried: list[set[int]] = [set() for _ in tournament.pairs]
        self._positions: list[tuple[int, int, int]] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise RecordError(f"{path} is not a file: choose another folder")
        self._file: BinaryIO = open_bytes(path, "a+b")
        try:
            if not lock_file(self._file):
                raise ShengjiError(f"another run plays in {path.parent}: let it end, or choose another folder")
            self._read(keeps_changed=keeps_changed)
        except BaseException:
            self._file.close()
            raise
        if retries_lost:
            self._retried = [lost.copy() for lost in self.lost]
        self.num_before = self.num_played

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # what could not be written has been reported
            self._file.close()

    def add(self, played: PlayedChunk) -> None:
        """Keep a chunk: it is in the file when this returns."""
        self._file.seek(0, 2)
        self._note(played, self._file.tell())
        self._write(_to_json(played))

    def deals(self, pair: int) -> set[int]:
        """Return the deals of a pair that have been played, or lost and are not to be tried again."""
        deals = {deal for played in self.played[pair] for deal in range(played.first, played.end)}
        return deals - self._retried[pair]

    @property
    def num_played(self) -> int:
        """How many deals of all pairs `deals` returns."""
        return sum(len(self.deals(pair)) for pair in range(len(self.played)))

    def record_lines(self, stop: list[int]) -> Iterator[str]:
        """Yield the records of all rounds, by pair, deal and table, for each pair's deals before its `stop`.

        Deals that were played again come after the others of their chunk.

        Raises:
            RecordError: the file holds none, or others than were written.
        """
        for pair, _, position in sorted(self._positions):
            self._file.seek(position)
            try:
                lines = json.loads(self._file.readline())["lines"]
                wanted = [line for line in lines if json.loads(line)["table"] < stop[pair]]
            except (LookupError, TypeError, ValueError, RecursionError) as error:
                raise RecordError(f"{self.path}: a chunk's records cannot be read ({error})") from error
            yield from wanted

    def _read(self, *, keeps_changed: bool) -> None:
        self._file.seek(0)
        number, position, header = 0, 0, {"format": STORE_FORMAT, **self.tournament.header()}
        found: list[dict[str, str]] = []
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                if number == 1 and not _line_of(header).startswith(line):
                    raise RecordError(f"{self.path} is no tournament's: choose another folder, or move it away")
                break
            try:
                data = parse_json(line, NotationError)
                if number == 1:
                    wanted = {name: value for name, value in header.items() if name != "policies"}
                    refuse_other(self.path, "tournament", data, wanted, advice="Choose another folder, or delete it")
                if "policies" in data:
                    found.append({text: printable(str(digest)) for text, digest in data["policies"].items()})
                else:
                    self._note(self._checked(_from_json(data)), position)
            except RecordError:
                raise
            except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
                raise RecordError(
                    f"{self.path}, line {number}: this is not a chunk of a tournament ({error})"
                ) from error
            position += len(line)
        changed = self._changed(found, header["policies"], keeps_changed=keeps_changed) if position else header
        self._file.truncate(position)
        if changed:
            self._write(changed)

    def _changed(self, found: list[dict[str, str]], policies: dict[str, str], *, keeps_changed: bool) -> dict[str, Any]:
        """Compare who has played, at last, with who plays now; return the line that says who plays from here on."""
        self.before = changed_since(found, policies)
        last = {text: digest for each in found for text, digest in each.items()}
        now = {**dict.fromkeys(last), **policies}
        if not keeps_changed:
            refuse_other(self.path, "tournament", {"policies": last}, {"policies": now}, advice=KEEP_ADVICE)
        return {"policies": policies} if last != now else {}

    def _checked(self, played: PlayedChunk) -> PlayedChunk:
        """Return a chunk after checking that it can belong to this tournament.

        Raises:
            ValueError: it cannot.
        """
        deals = played.rounds["deal"].tolist()
        if not 0 <= played.pair < len(self.played) or not 0 <= played.first < played.end <= MAX_DEALS:
            raise ValueError(f"pair {played.pair} and deals {played.first} to {played.end} are none of its")
        if not all(played.first <= deal < played.end for deal in [*deals, *(lost["deal"] for lost in played.faults)]):
            raise ValueError(f"it has other deals than {played.first} to {played.end - 1}")
        if len(played.thinking) != 2:
            raise ValueError(f"it has the thinking of {len(played.thinking)} players")
        for name, most in _MAX.items():
            values = played.rounds[name]
            if not ((values >= 0) & (values < most)).all():
                raise ValueError(f"it has rounds with an impossible {name}")
        return played

    def _note(self, played: PlayedChunk, position: int) -> None:
        deals, lost = range(played.first, played.end), self.lost[played.pair]
        if not lost.isdisjoint(deals):
            for earlier in self.played[played.pair]:
                earlier.faults[:] = [fault for fault in earlier.faults if fault["deal"] not in deals]
        lost.difference_update(deals)
        lost.update(fault["deal"] for fault in played.faults)
        self._retried[played.pair].difference_update(deals)
        self.played[played.pair].append(played)
        self._positions.append((played.pair, played.first, position))

    def _write(self, data: dict[str, Any]) -> None:
        self._file.write(_line_of(data))
        self._file.flush()


def _line_of(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _to_json(played: PlayedChunk) -> dict[str, Any]:
    return {**vars(played), "rounds": played.rounds.tolist()}


def _from_json(data: dict[str, Any]) -> PlayedChunk:
    rounds: NDArray[Any] = np.array([tuple(row) for row in data["rounds"]], ROUND_DTYPE)
    thinking = tuple(Thinking(float(seconds), *map(int, numbers)) for seconds, *numbers in data["thinking"])
    pair, first, end = (operator.index(data[name]) for name in ("pair", "first", "end"))
    return PlayedChunk(pair, first, end, rounds, [_as_fault(fault) for fault in data["faults"]], [], thinking)


def _as_fault(data: dict[str, Any]) -> Fault:
    numbers = {name: operator.index(data[name]) for name in ("deal", "table")}
    texts = {"player": str(data["player"]), "error": printable(str(data["error"]))}
    return cast("Fault", {**data, **numbers, **texts})
