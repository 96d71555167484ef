"""Records as arrays: rounds are played again, many at once and compiled, and every decision is written out.

Memory is bounded by a block of rounds and the buffer that shuffles, however long the records are.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.recorded.decoding import WRONG, Decoded, decode
from shengji_env.datasets.recorded.recorded_arrays import RECORDED_DECISION_DTYPE, START_DTYPE
from shengji_env.datasets.recorded.sample_making import SampleArrays, replay_rounds
from shengji_env.datasets.recorded.samples import NOTHING_FOLLOWS, Samples, in_batches, in_random_batches
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet, rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE
from shengji_env.errors import RecordError, ShengjiError, show
from shengji_env.records.reading import RecordReader, read_header
from shengji_env.support.announcing import part
from shengji_env.support.arguments import check_index, check_seed
from shengji_env.support.settings import between, check_fields, one_of
from shengji_env.support.text_files import check_rereadable, lines_of, open_text
from shengji_env.support.workers.ranges import RangeFiles
from shengji_env.tables.arrays import MASK_DTYPE, REWARD_DTYPE
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE
from shengji_env.tables.rewards import REWARDS, RewardScheme

SampleSplit = Literal["all", "training", "validation"]
PARTS: tuple[SampleSplit, ...] = ("all", "training", "validation")

FILES = RangeFiles(".jsonl.gz")
"""The files of a collection."""
BUFFER_SIZE = 1 << 16
"""Default number of samples in the buffer that shuffles: 90 MB."""
MAX_SAMPLES = 1 << 28
"""Most samples of a batch or a buffer: more would fill the memory."""
_BLOCK_ROUNDS = 64
"""Rounds played again at once: some 6,000 decisions, 10 MB."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some rounds, played again."""

    samples: Samples
    """Their decisions, by round."""
    ends: NDArray[np.int64]
    """(R,) where the decisions of each round end."""
    rewards: NDArray[np.float32]
    """(R, 4) what each round brought to each seat."""
    finals: NDArray[np.int8]
    """(R, 4, OBSERVATION_SIZE) what each seat sees when the round is over; R is 0 here if that was not asked for."""


@dataclass(frozen=True)
class RecordedRounds:
    """Rounds of records, and what is to be read of them.

    Raises:
        RecordError: a path is neither a record nor a folder with records.
        ShengjiError: an argument is invalid.
    """

    paths: Path | str | Sequence[Path | str]
    """Records (``.jsonl`` or ``.jsonl.gz``), or folders of `shengji collect`, whose files are taken in their order."""
    part: SampleSplit = one_of("all", *PARTS)
    """Which of them: ``"training"`` and ``"validation"`` share no deal, whatever else is asked for."""
    validation_share: float = between(0.1, 0, 1)
    """Share of the deals that are for validation."""
    players: tuple[str, ...] = ()
    """The names of players whose decisions are read; (): of all."""
    keeps_forced: bool = False
    """Whether decisions with one legal action are read too."""
    reward: RewardScheme = one_of("levels", *REWARDS)
    """What a round is worth (`tables.rewards`)."""
    files: tuple[Path, ...] = field(init=False)
    """The records, in their order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", tuple(_files(self.paths)))
        check_fields(self)
        if isinstance(self.players, str) or not all(isinstance(name, str) for name in self.players):
            raise ShengjiError(f"players={show(self.players)} must be a tuple of names")

    @property
    def rules(self) -> RuleSet:
        """The rules of all rounds.

        Raises:
            RecordError: the records have different rules, or cannot be read.
        """
        found = {}
        for path in self.files:
            with open_text(path, RecordError) as file:
                found[RecordReader(file).rules] = path
        if len(found) != 1:
            raise RecordError(f"the records have different rules, {' and '.join(map(str, found))}: read one at a time")
        return next(iter(found))

    def samples(self) -> Iterator[Samples]:
        """Read all decisions in order, those of some rounds at a time: none are of a round cut in two.

        Raises:
            RecordError: a record cannot be read, or a round does not follow the rules; the error names file and line.
        """
        return (block.samples for block in self.blocks())

    def batches(self, size: int, *, seed: int | None = None, buffer: int = BUFFER_SIZE) -> Iterator[Samples]:
        """Read all decisions in batches of one size, of which the last may be smaller.

        Args:
            size: decisions of a batch.
            seed: shuffles files, and decisions by a buffer; None: in order. Another seed for each epoch gives other
                batches.
            buffer: decisions in the buffer.

        Raises:
            RecordError: as for `samples`.
            ShengjiError: a number is out of range.
        """
        size = check_index("size", size, 1, MAX_SAMPLES)
        buffer = check_index("buffer", buffer, 1, MAX_SAMPLES)
        if seed is None:
            return in_batches(self.samples(), size)
        generator = np.random.default_rng(check_seed(seed))
        order = generator.permutation(len(self.files))
        return in_random_batches((block.samples for block in self.blocks(order)), size, buffer, generator)

    def blocks(self, order: Iterable[int] | None = None, *, finals: bool = False) -> Iterator[Block]:
        """Read blocks of rounds.

        Args:
            order: the files to read, by their indices in `files`; None: all, in their order.
            finals: whether what the seats see when a round is over is written too.

        Raises:
            RecordError: as for `samples`.
        """
        _compile_offline()
        for index in range(len(self.files)) if order is None else order:
            yield from self._blocks_of(self.files[index], finals)

    def _blocks_of(self, path: Path, finals: bool) -> Iterator[Block]:
        with open_text(path, RecordError) as file:
            lines = (line for line in lines_of(file, RecordError) if line.strip())
            try:
                rules, players, _ = read_header(next(lines, ""))
                while some := list(islice(lines, _BLOCK_ROUNDS)):
                    yield self._block(some, rules, players, finals)
            except WRONG as error:
                raise RecordError(f"{path}: {_reason(path, error)}") from error

    def _block(self, lines: list[str], rules: RuleSet, players: list[str], finals: bool) -> Block:
        rounds = [given for given in map(json.loads, lines) if self._is_wanted(given)]
        decoded = decode(rounds, rules, players, self._seats)
        return replay(decoded, rules, keeps_forced=self.keeps_forced, reward=self.reward, finals=finals)

    def _is_wanted(self, given: Mapping[str, Any]) -> bool:
        if self.part == "all":
            return True
        word = zlib.crc32(" ".join(given["deal"].split()).encode())
        return (word < self.validation_share * 2**32) == (self.part == "validation")

    def _seats(self, players: Sequence[str]) -> int:
        return sum(1 << seat for seat, name in enumerate(players) if not self.players or name in self.players)


def _files(paths: Path | str | Sequence[Path | str]) -> Iterator[Path]:
    """Yield the records that paths mean."""
    for path in map(Path, [paths] if isinstance(paths, Path | str) else paths):
        if path.is_dir():
            found = FILES.found(path)
            if not found:
                raise RecordError(f"{path} is not a collection: it has no rounds-*{FILES.suffix}")
            yield from found
        elif path.is_file():
            yield path
        else:
            check_rereadable(path, "rounds are read several times", RecordError)
            raise RecordError(f"cannot read {path}: there is no such file or folder")


def _reason(path: Path, error: Exception) -> str:
    """Return what is wrong with a record, in the words of `RecordReader`, which checks ply by ply."""
    try:
        with open_text(path, RecordError) as file:
            for _ in RecordReader(file):
                pass
    except RecordError as found:
        return str(found)
    return f"it cannot be read: {error}"


def replay(decoded: Decoded, rules: RuleSet, *, keeps_forced: bool, reward: RewardScheme, finals: bool) -> Block:
    """Play rounds again.

    Raises:
        RecordError: a round does not follow the rules.
    """
    number = len(decoded.starts)
    most = int(decoded.decisions["num_cards"].sum(dtype=np.int64)) + len(decoded.decisions)
    arrays = SampleArrays(
        states=np.zeros(1, STATE_DTYPE),
        rules=rules.record(),
        works=np.zeros(1, WORKSPACE_DTYPE),
        wanted=np.zeros(NUM_SLOTS, np.int8),
        starts=decoded.starts,
        decisions=decoded.decisions,
        cards=decoded.cards,
        keeps_forced=keeps_forced,
        reward=REWARDS.index(reward),
        observations=np.empty(most, OBSERVATION_DTYPE),
        masks=np.empty(most + 1, MASK_DTYPE),
        actions=np.empty(most, np.int8),
        seats=np.empty(most, np.int8),
        phases=np.empty(most, np.int8),
        following=np.empty(most, np.int64),
        ends=np.zeros(number, np.int64),
        rewards=np.zeros(number, REWARD_DTYPE),
        finals=np.empty(number * NUM_SEATS if finals else 0, OBSERVATION_DTYPE),
    )
    if replay_rounds(arrays) < number:
        raise RecordError("a round does not follow the rules")
    return _block_of(arrays, decoded.tables)


def _block_of(arrays: SampleArrays, tables: list[int]) -> Block:
    size = int(arrays.ends[-1]) if len(arrays.ends) else 0
    sizes = np.diff(arrays.ends, prepend=0)
    rewards = arrays.rewards.view(np.float32).reshape(-1, NUM_SEATS)
    seats = arrays.seats[:size]
    samples = Samples(
        observation=arrays.observations.view(np.int8).reshape(-1, OBSERVATION_SIZE)[:size],
        action_mask=arrays.masks.view(np.int8).reshape(-1, NUM_ACTIONS)[:size],
        action=arrays.actions[:size].astype(np.int64),
        returns=rewards[np.repeat(np.arange(len(sizes)), sizes), seats],
        terminal=arrays.following[:size] == NOTHING_FOLLOWS,
        seat=seats,
        phase=arrays.phases[:size],
        round=np.repeat(np.array(tables, np.int64), sizes),
        following=arrays.following[:size],
    )
    return Block(samples, arrays.ends, rewards, arrays.finals.view(np.int8).reshape(-1, NUM_SEATS, OBSERVATION_SIZE))


@part("offline", "the reading of records as arrays: learning from records")
def _compile_offline() -> None:
    nothing = Decoded(np.zeros(0, START_DTYPE), np.zeros(0, RECORDED_DECISION_DTYPE), np.zeros(0, np.int8), [])
    replay(nothing, rule_set(), keeps_forced=False, reward="levels", finals=False)
