"""A folder of shards: made by any number of workers, resumed after a kill, the same bytes in either case.

| file | what |
|---|---|
| `rollouts.json` | the settings; a folder of other settings is refused |
| `rounds-FIRST-END.rollouts` | the shard of rounds FIRST to END - 1, there only if whole |
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shengji_env.datasets.rollouts.generating import compile_rollouts, generate
from shengji_env.datasets.rollouts.rollout_settings import RolloutSettings
from shengji_env.datasets.rollouts.shards import SHARD_FORMAT, Shard, read_header, read_shard, write_shard
from shengji_env.errors import RecordError, ShengjiError, show
from shengji_env.players.candidates import CANDIDATES_VERSION
from shengji_env.players.candidates.digest import compile_candidates
from shengji_env.support.arguments import MAX_ROUNDS, check_index
from shengji_env.support.ledger import refuse_other
from shengji_env.support.whole_files import lock_folder, write_json
from shengji_env.support.workers.jobs import Executor, Job, Watch
from shengji_env.support.workers.ranges import FolderWatch, RangeFiles, RoundRange, fill, read_settings

SETTINGS_FILE = "rollouts.json"
SHARD_ROUNDS = 1000
"""Rounds of a shard: some 15,000 decisions, half a megabyte, four seconds of a core."""
MAX_SHARD_ROUNDS = 100_000
"""Most rounds of a shard: more would only be lost by a kill."""
FILES = RangeFiles(".rollouts")


@dataclass(frozen=True)
class Folder:
    """The rollouts in a folder."""

    path: Path
    settings: RolloutSettings
    """What all of them were made of."""
    shards: tuple[Path, ...]
    """The shards' files, by round."""

    def __iter__(self) -> Iterator[Shard]:
        """Read one shard after another."""
        return map(read_shard, self.shards)


def _make(part: RoundRange[RolloutSettings], watch: Watch | None) -> Shard:
    return generate(part.settings, part.first, part.end - part.first, watch=watch)


def get_ready() -> None:
    """Compile what making shards needs, unless an earlier process has, before anything is timed."""
    compile_rollouts()
    compile_candidates()


RANGES: Job[RoundRange[RolloutSettings], Shard] = Job(_make, get_ready, RoundRange.describe)
"""What workers do with ranges of rounds."""


def write_rollouts(
    folder: Path,
    settings: RolloutSettings,
    num_rounds: int,
    *,
    shard_rounds: int = SHARD_ROUNDS,
    executor: Executor | None = None,
    watch: FolderWatch | None = None,
) -> Folder:
    """Make the rollouts of rounds 0..num_rounds-1, or those that the folder lacks.

    Args:
        folder: where shards are kept; it is made if need be.
        settings: what rollouts are made of.
        num_rounds: how many rounds the folder is to have; those beyond stay if it has more.
        shard_rounds: most rounds of a shard.
        executor: who makes shards; default: this process.
        watch: called now and then; what it raises ends the run, whose finished shards stay.

    Raises:
        RecordError: the folder has rollouts of other settings, or a damaged shard.
        ShengjiError: an argument is invalid, workers keep dying, or another run uses the folder.
        OSError: the folder cannot be written to.
    """
    num_rounds = check_index("num_rounds", num_rounds, 1, MAX_ROUNDS)
    shard_rounds = check_index("shard_rounds", shard_rounds, 1, MAX_SHARD_ROUNDS)

    def keep(shard: Shard) -> int:
        write_shard(shard_path(folder, shard.first_round, shard.first_round + shard.num_rounds), shard)
        return shard.num_rounds

    folder.mkdir(parents=True, exist_ok=True)
    with lock_folder(folder):
        if not (folder / SETTINGS_FILE).exists():
            _refuse_foreign_files(folder)
            write_json(folder / SETTINGS_FILE, _header(settings), ensure_ascii=True)
        else:
            refuse_other(folder, "set of rollouts", read_folder(folder).settings.compared(), settings.compared())
        lacking = FILES.lacking(folder, settings, num_rounds, shard_rounds)
        fill(lacking, num_rounds, RANGES, keep, executor=executor, watch=watch)
        return read_folder(folder)


def read_folder(folder: Path) -> Folder:
    """Read which shards a folder has.

    Raises:
        RecordError: it is not a folder of rollouts, or its settings or the beginning of a shard are damaged.
        OSError: it cannot be read.
    """
    path = folder / SETTINGS_FILE
    if not path.is_file():
        raise RecordError(f"{folder} is not a folder of rollouts: it has no {SETTINGS_FILE}")
    try:
        header = read_settings(path, SHARD_FORMAT)
        if header.get("candidates_version") != CANDIDATES_VERSION:
            raise RecordError(
                f"its candidates are of version {show(header.get('candidates_version'))}, here {CANDIDATES_VERSION}"
            )
        settings = RolloutSettings.from_json(header.get("settings"))
    except ShengjiError as error:
        raise RecordError(f"{path} cannot be read: {error}") from error
    shards = FILES.found(folder)
    for shard, (first, end) in shards.items():
        found = read_header(shard)
        if found.settings != settings or (found.first_round, found.num_rounds) != (first, end - first):
            raise RecordError(f"{shard} does not belong here: its settings or rounds are others; delete it")
    return Folder(folder, settings, tuple(shards))


def _header(settings: RolloutSettings) -> dict[str, object]:
    return {"format": SHARD_FORMAT, "candidates_version": CANDIDATES_VERSION, "settings": settings.to_json()}


def _refuse_foreign_files(folder: Path) -> None:
    """Refuse a folder whose shards have lost their settings."""
    if FILES.found(folder):
        raise RecordError(f"{folder} has shards but no {SETTINGS_FILE}: choose another folder")


def shard_path(folder: Path, first: int, end: int) -> Path:
    """Return the file of the shard of rounds first..end-1."""
    return FILES.path(folder, first, end)
