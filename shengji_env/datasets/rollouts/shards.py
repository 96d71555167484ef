"""Shards: the rollouts of a range of rounds in one file, which is read without copying and refused if damaged.

The file is one line of JSON, filled up with spaces to a multiple of 64 bytes, then the arrays of
`shard_sections.SECTIONS` as they are in memory (little-endian), each filled up with zeros to a multiple of 64 bytes.

| in the line | what |
|---|---|
| `format` | SHARD_FORMAT |
| `settings` | `RolloutSettings.to_json`, the rules among them |
| `drawn` | where rules are drawn: those of each block of rounds, as texts |
| `candidates` | version and digest of the candidates that were compared |
| `first_round` | number of the first round |
| `sizes` | number of entries of each array |
| `crc32` | checksum of everything after the line |
"""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.rollout_settings import BLOCK, RolloutSettings
from shengji_env.datasets.rollouts.shard_sections import SECTIONS, Sections
from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.engine.frozen_rules import frozen_text
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.errors import RecordError, ShengjiError, show
from shengji_env.players.candidates import CANDIDATES_VERSION
from shengji_env.support.arguments import MAX_ROUNDS, check_index
from shengji_env.support.text_files import parse_json
from shengji_env.support.whole_files import write_whole

SHARD_FORMAT = "shengji-rollouts/2"
"""The first one has a key for the share of each kind of opponents."""
_BLOCK = 64
_LONGEST_LINE = 1 << 20
_MAX_ENTRIES = 1 << 40


@dataclass(frozen=True, kw_only=True, eq=False)
class Shard:
    """The rollouts of some rounds. The arrays are not to be changed; those of a file are read-only views of it."""

    settings: RolloutSettings
    """What they were made of."""
    first_round: int
    """Number of the first round."""
    digest: str
    """Digest of the candidates without features (`players.candidates.candidates_digest`)."""
    rounds: NDArray[Any]
    """(R,) ROUND_DTYPE."""
    decisions: NDArray[Any]
    """(D,) LABELLED_DECISION_DTYPE: labelled decisions, by round and ply."""
    candidates: NDArray[Any]
    """(C,) CANDIDATE_DTYPE: the candidates of these decisions in order, the heuristic player's first."""
    actions: NDArray[np.uint8]
    """(A,) all actions of all rounds."""

    @property
    def num_rounds(self) -> int:
        """Number of rounds."""
        return len(self.rounds)

    @property
    def num_decisions(self) -> int:
        """Number of labelled decisions."""
        return len(self.decisions)

    @property
    def num_candidates(self) -> int:
        """Number of candidates, which is that of rounds played out."""
        return len(self.candidates)


def write_shard(path: Path, shard: Shard) -> int:
    """Write a shard, whole or not at all; return the file's size in bytes.

    Raises:
        OSError: the file cannot be written.
    """
    body = b"".join(_padded(getattr(shard, name).tobytes(), b"\0") for name in SECTIONS)
    header = {
        "format": SHARD_FORMAT,
        "settings": shard.settings.to_json(),
        **_drawn(shard.settings, shard.first_round, shard.num_rounds),
        "candidates": {"version": CANDIDATES_VERSION, "digest": shard.digest},
        "actions_version": ACTIONS_VERSION,
        "first_round": shard.first_round,
        "sizes": {name: len(getattr(shard, name)) for name in SECTIONS},
        "crc32": zlib.crc32(body),
    }
    content = _padded(json.dumps(header).encode() + b" ", b" ", end=b"\n") + body
    write_whole(path, content)
    return len(content)


@dataclass(frozen=True)
class ShardHeader:
    """What the first line of a shard says."""

    settings: RolloutSettings
    first_round: int
    digest: str
    sizes: dict[str, int]
    """Number of entries of each array."""
    crc32: int
    """Checksum of the arrays."""

    @property
    def num_rounds(self) -> int:
        """Number of rounds."""
        return self.sizes["rounds"]

    @property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """Where each array begins after the line, and its length, in bytes."""
        found, start = {}, 0
        for name, dtype in SECTIONS.items():
            length = self.sizes[name] * dtype.itemsize
            found[name] = start, length
            start += length + -length % _BLOCK
        return found

    @property
    def body_size(self) -> int:
        """Number of bytes after the line."""
        start, length = list(self.ranges.values())[-1]
        return start + length + -length % _BLOCK


def read_header(path: Path | str) -> ShardHeader:
    """Read a shard's first line, and check that the file has the size that it says.

    Raises:
        RecordError: the file is not a shard, is cut off, or was made by another version.
        OSError: it cannot be read.
    """
    return _open(Path(path))[0]


def read_shard(path: Path | str) -> Shard:
    """Map a shard's file into memory, and check it.

    Raises:
        RecordError: the file is not a shard, is damaged, or was made by another version.
        OSError: it cannot be read.
    """
    header, body = _open(Path(path))
    try:
        if zlib.crc32(body.data) != header.crc32:
            raise RecordError("its checksum is wrong")
        shard = Shard(
            settings=header.settings,
            first_round=header.first_round,
            digest=header.digest,
            **{name: body[at : at + size].view(SECTIONS[name]) for name, (at, size) in header.ranges.items()},
        )
        check_arrays(shard, shard.settings)
    except RecordError as error:
        raise _refusal(path, error) from error
    return shard


def _open(path: Path) -> tuple[ShardHeader, NDArray[np.uint8]]:
    """Return a shard's header, and the rest of its file."""
    try:
        size = path.stat().st_size
        content: NDArray[np.uint8] = np.memmap(path, np.uint8, "r") if size else np.zeros(0, np.uint8)
        line, found, _ = content[:_LONGEST_LINE].tobytes().partition(b"\n")
        if not found:
            raise RecordError("it does not begin with a line of JSON")
        header, body = _header_of(parse_json(line, RecordError)), content[len(line) + 1 :]
        if header.body_size != len(body):
            raise RecordError(f"it has {len(body):,} bytes after its first line, and should have {header.body_size:,}")
    except (ShengjiError, LookupError, TypeError) as error:
        raise _refusal(path, error) from error
    return header, body


def _refusal(path: Path | str, error: Exception) -> RecordError:
    return RecordError(f"{path} is not a shard of rollouts, or a damaged one: {error}; if it is yours, delete it")


def _header_of(data: Any) -> ShardHeader:
    if not isinstance(data, dict) or data.get("format") != SHARD_FORMAT:
        raise RecordError(f"its first line does not say {SHARD_FORMAT}")
    actions, candidates = data["actions_version"], data["candidates"]["version"]
    if actions != ACTIONS_VERSION or candidates != CANDIDATES_VERSION:
        raise RecordError(
            f"its actions and candidates are of versions {show(actions)} and {show(candidates)}; here they are of"
            f" {ACTIONS_VERSION} and {CANDIDATES_VERSION}"
        )
    settings = RolloutSettings.from_json(data["settings"])
    first = check_index("first_round", data["first_round"], 0, MAX_ROUNDS)
    sizes = {name: check_index(name, data["sizes"][name], 0, _MAX_ENTRIES) for name in SECTIONS}
    if settings.draws_rules and data.get("drawn") != _drawn(settings, first, sizes["rounds"])["drawn"]:
        raise RecordError("its rules are not those that are drawn by this version: it was made by another one")
    return ShardHeader(
        settings=settings,
        first_round=first,
        digest=str(data["candidates"]["digest"]),
        sizes=sizes,
        crc32=check_index("crc32", data["crc32"], 0, 2**32 - 1),
    )


def _drawn(settings: RolloutSettings, first: int, count: int) -> dict[str, list[str]]:
    """Return what the line says of rules that are drawn; nothing if none are."""
    if not settings.draws_rules:
        return {}
    numbers = range(first - first % BLOCK, first + count, BLOCK)
    return {"drawn": [frozen_text(settings.rules_of(number)) for number in numbers]}


def check_arrays(arrays: Shard | Sections, settings: RolloutSettings) -> None:
    """Refuse arrays that do not fit together: compiled code trusts them.

    Raises:
        RecordError: they do not.
    """
    rounds, decisions = arrays.rounds, arrays.decisions
    sums = (
        ("actions", rounds["num_actions"], len(arrays.actions)),
        ("decisions", rounds["num_decisions"], len(decisions)),
        ("candidates", decisions["num_candidates"], len(arrays.candidates)),
    )
    for name, counts, number in sums:
        if int(counts.sum(dtype=np.int64)) != number:
            raise RecordError(f"it has {number:,} {name}, and counts others")
    limits = (("explorer", NUM_SEATS), ("others", len(settings.others)), ("noise", len(settings.noise)))
    for name, limit in limits:
        if (rounds[name] >= limit).any():
            raise RecordError(f"a round's {name} is {int(rounds[name].max())}, which is above {limit - 1}")
    if len(decisions) and not 2 <= decisions["num_candidates"].min() <= decisions["num_candidates"].max() <= 255:
        raise RecordError("a decision has fewer than two candidates")


def _padded(content: bytes, filler: bytes, *, end: bytes = b"") -> bytes:
    """Fill up to a multiple of the block's size."""
    return content + filler * (-(len(content) + len(end)) % _BLOCK) + end
