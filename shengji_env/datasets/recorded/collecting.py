"""A folder of records: played by any number of workers, resumed after a kill, the same bytes in either case.

| file | what |
|---|---|
| `collection.json` | players, rules, seed, versions (`Collection.header`); a folder of others is refused |
| `rounds-FIRST-END.jsonl.gz` | a record of rounds FIRST to END - 1, compressed, there only if whole |
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from shengji_env.arena.chunks import get_ready
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.identities import KEEP_ADVICE, Before, WhoPlayed, changed_since
from shengji_env.arena.tournament import CHUNK_SIZE, SLOW_CHUNK_SIZE
from shengji_env.datasets.recorded.collection import COLLECTION_FORMAT, Collection
from shengji_env.datasets.recorded.loading import FILES
from shengji_env.errors import RecordError, ShengjiError
from shengji_env.players.player import check_learned
from shengji_env.records.writing import record_header, record_line
from shengji_env.support.arguments import MAX_ROUNDS, check_index
from shengji_env.support.ledger import refuse_other
from shengji_env.support.whole_files import lock_folder, write_json, write_whole
from shengji_env.support.workers.jobs import Executor, Job, Watch
from shengji_env.support.workers.ranges import FolderWatch, RoundRange, fill, read_settings

COLLECTION_FILE = "collection.json"
BEFORE = "networks_before"
FILE_ROUNDS = 1000
"""Default number of rounds of a file: half a megabyte, two seconds of a core with `heuristic`."""
SLOW_FILE_ROUNDS = 50
"""FILE_ROUNDS if a player takes long for a round, so that a killed run loses less."""
MAX_FILE_ROUNDS = 100_000
"""Most rounds of a file: more would only be lost by a kill."""
_COMPRESSION = 6
"""Level of gzip: 9 is four times as slow and saves 7 %."""


@dataclass(frozen=True)
class RecordFile:
    """The content of a file."""

    first: int
    end: int
    content: bytes
    """A record, compressed."""


def play_range(part: RoundRange[Collection], watch: Watch | None = None) -> RecordFile:
    """Play a range of rounds; the outcome depends on it alone, if the players keep to their protocol.

    Raises:
        PlayerError: a player raised, or answered illegally.
    """
    collection, rules = part.settings, part.settings.rules
    seats = [collection.players[index] for index in collection.lineup(range(1))[0]]
    lines = [record_line(record_header(rules, seats, collection.seed))]
    size = SLOW_CHUNK_SIZE if collection.is_slow else CHUNK_SIZE
    for first in range(part.first, part.end, size):
        rounds = range(first, min(first + size, part.end))
        batch = DealBatch(
            collection.seated, rules, collection.seed, rounds, lineup=collection.lineup(rounds),
            names=collection.players,
        )  # fmt: skip
        lines += batch.play_out(watch and partial(_say, watch, first - part.first), keeps_lines=True)[1]
    return RecordFile(part.first, part.end, gzip.compress("".join(lines).encode(), _COMPRESSION, mtime=0))


def _say(watch: Watch, before: int, played: float) -> None:
    watch(before + played)


def collect(
    folder: Path,
    collection: Collection,
    num_rounds: int,
    *,
    file_rounds: int | None = None,
    keeps_changed: bool = False,
    executor: Executor | None = None,
    watch: FolderWatch | None = None,
) -> list[Path]:
    """Play rounds 0..num_rounds-1, or those that the folder lacks; return its files by round.

    It warns if a player has no network for the rules.

    Args:
        folder: where files are kept; it is made if need be.
        collection: what rounds are made of.
        num_rounds: how many rounds the folder is to have; those beyond stay if it has more.
        file_rounds: most rounds of a file; None: by the kind of players.
        executor: who plays; default: this process.
        watch: called now and then; what it raises ends the run, whose finished files stay.

    Raises:
        RecordError: the folder holds something else, or rounds of another collection.
        PlayerError: a player raised, or answered illegally; finished files stay.
        ShengjiError: an argument is invalid, workers keep dying, or another run uses the folder.
        OSError: the folder cannot be written to.
    """
    check_learned(collection.seated, collection.rules)
    num_rounds = check_index("num_rounds", num_rounds, 1, MAX_ROUNDS)
    default = SLOW_FILE_ROUNDS if collection.is_slow else FILE_ROUNDS
    most = default if file_rounds is None else check_index("file_rounds", file_rounds, 1, MAX_FILE_ROUNDS)

    def keep(made: RecordFile) -> int:
        write_whole(FILES.path(folder, made.first, made.end), made.content)
        return made.end - made.first

    folder.mkdir(parents=True, exist_ok=True)
    _refuse_foreign_files(folder)
    with lock_folder(folder):
        _check_header(folder / COLLECTION_FILE, collection, keeps_changed=keeps_changed)
        prepare = partial(get_ready, collection.rules)
        job: Job[RoundRange[Collection], RecordFile] = Job(play_range, prepare, RoundRange.describe)
        lacking = FILES.lacking(folder, collection, num_rounds, most)
        fill(lacking, num_rounds, job, keep, executor=executor, watch=watch)
        return list(FILES.found(folder))


def _refuse_foreign_files(folder: Path) -> None:
    """Refuse a folder that is not a collection and not empty, before anything is written to it."""
    if (folder / COLLECTION_FILE).exists():
        return
    others = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    if others:
        raise RecordError(
            f"{folder} holds something else ({others[0]}) and no {COLLECTION_FILE}: choose a new or an empty folder"
        )


def _check_header(path: Path, collection: Collection, *, keeps_changed: bool) -> None:
    """Write the header of a new collection, or compare that of an old one."""
    wanted = collection.header()
    if path.exists():
        found = _read_header(path)
        others = {name: value for name, value in wanted.items() if name != "networks"}
        refuse_other(path.parent, "collection", found, others)
        before = found["networks"]
        now = {**dict.fromkeys(before), **wanted["networks"]}
        if not keeps_changed:
            refuse_other(path.parent, "collection", {"networks": before}, {"networks": now}, advice=KEEP_ADVICE)
        if before == now:
            return
        wanted[BEFORE] = changed_since([*_one_by_one(found[BEFORE]), before], wanted["networks"])
    write_json(path, wanted)


def _one_by_one(before: Before) -> Iterator[dict[str, str]]:
    return ({text: digest} for text, digests in before.items() for digest in digests)


def _read_header(path: Path) -> dict[str, Any]:
    """Read a collection's header, and check what it says of its players."""
    try:
        found = {"networks": {}, BEFORE: {}, **read_settings(path, COLLECTION_FORMAT)}
    except ShengjiError as error:
        raise RecordError(f"{path} cannot be read: {error}; choose another folder") from error
    for name in ("networks", BEFORE):
        if not isinstance(found[name], dict) or not all(isinstance(each, str | list) for each in found[name].values()):
            raise RecordError(f"{path} cannot be read: its {name} must be digests by player; choose another folder")
    return found


def who_collected(folder: Path) -> list[str]:
    """Return what is to be said of who has played a collection (`identities.WhoPlayed`).

    Raises:
        RecordError: the folder is no collection.
    """
    found = _read_header(folder / COLLECTION_FILE)
    return WhoPlayed(found["networks"], found[BEFORE]).lines
