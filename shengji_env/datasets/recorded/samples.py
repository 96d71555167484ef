"""Samples: recorded decisions as a learner reads them, in order or shuffled."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

NOTHING_FOLLOWS = -1


@dataclass(frozen=True, kw_only=True, eq=False)
class Samples:
    """B decisions, each an action of 83: whole plays are made card by card."""

    observation: NDArray[np.int8]
    """(B, OBSERVATION_SIZE) what the seat that decides sees (`tables/observation.py`)."""
    action_mask: NDArray[np.int8]
    """(B, 83) its legal actions."""
    action: NDArray[np.int64]
    """(B,) what it did."""
    returns: NDArray[np.float32]
    """(B,) what the round brought to the seat in the end, undiscounted."""
    terminal: NDArray[np.bool_]
    """(B,) whether it is the seat's last decision of the round among those that are read."""
    seat: NDArray[np.int8]
    """(B,) the seat, 0 to 3."""
    phase: NDArray[np.int8]
    """(B,) a `Phase`."""
    round: NDArray[np.int64]
    """(B,) the round's ``table`` in its record, which is its number in a collection; -1 without one. Decisions of one
    round are not independent."""
    following: NDArray[np.int64]
    """(B,) row of the seat's next decision of the round; -1 after its last, and in shuffled samples."""

    def __len__(self) -> int:
        return len(self.action)

    def take(self, rows: NDArray[np.int64] | slice) -> "Samples":
        """Return some of the samples, without what follows them."""
        return Samples(
            **{name: getattr(self, name)[rows] for name in _NAMES},
            following=np.full(len(self.action[rows]), NOTHING_FOLLOWS),
        )


_NAMES = tuple(field.name for field in fields(Samples) if field.name != "following")


def join(parts: Sequence[Samples]) -> Samples:
    """Return the samples of all parts, at least one, in their order, without what follows them."""
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _NAMES}
    return Samples(**arrays, following=np.full(len(arrays["action"]), NOTHING_FOLLOWS))


def in_batches(blocks: Iterable[Samples], size: int) -> Iterator[Samples]:
    """Cut samples into batches of one size; the last may be smaller."""
    waiting: list[Samples] = []
    number = 0
    for block in blocks:
        waiting.append(block)
        number += len(block)
        if number < size:
            continue
        joined = join(waiting)
        whole = number - number % size
        for first in range(0, whole, size):
            yield joined.take(slice(first, first + size))
        waiting, number = [joined.take(slice(whole, None))], number - whole
    if number:
        yield join(waiting)


def in_random_batches(
    blocks: Iterable[Samples], size: int, buffer_size: int, generator: np.random.Generator
) -> Iterator[Samples]:
    """Shuffle samples by a buffer: once it is full, a batch is drawn from it, whose rows the next samples take.

    Args:
        blocks: the samples.
        size: samples of a batch; the last may be smaller.
        buffer_size: samples in the buffer, at least those of a batch.
        generator: draws the batches.
    """
    room = max(buffer_size, size)
    buffer: Samples | None = None
    free = np.arange(room)
    for block in blocks:
        buffer = _empty_like(block, room) if buffer is None else buffer
        done = 0
        while done < len(block):
            rows, free = np.split(free, [len(block) - done])
            _put(buffer, rows, block.take(slice(done, done + len(rows))))
            done += len(rows)
            if not len(free):
                free = generator.choice(room, size, replace=False, shuffle=False)
                yield buffer.take(free)
    if buffer is not None:
        left = generator.permutation(np.setdiff1d(np.arange(room), free))
        for first in range(0, len(left), size):
            yield buffer.take(left[first : first + size])


def _empty_like(samples: Samples, size: int) -> Samples:
    """Make room for samples."""
    arrays = {name: getattr(samples, name) for name in (*_NAMES, "following")}
    return Samples(**{name: np.empty((size, *array.shape[1:]), array.dtype) for name, array in arrays.items()})


def _put(samples: Samples, rows: NDArray[np.int64], others: Samples) -> None:
    """Write samples over some rows."""
    for name in _NAMES:
        getattr(samples, name)[rows] = getattr(others, name)
