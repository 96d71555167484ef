"""Labelled decisions as minibatches."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.selfplay.model import Batch
from shengji_env.datasets.selfplay.label_kernels import LabelArrays

Indices = NDArray[np.int64]


DECISION_ARRAYS: dict[str, type[np.generic]] = {
    "groups": np.int8,
    "num_choices": np.int64,
    "num_common": np.int64,
    "num_rows": np.int64,
    "common": np.int16,
    "rows": np.int16,
    "targets": np.float32,
}
"""The arrays of labelled decisions, as in `label_kernels.LabelArrays`; targets are centred labels, in levels."""


class LabelledDecisions:
    """Labelled decisions that minibatches are taken of.

    Args:
        arrays: those of DECISION_ARRAYS, as `arrays` returns them.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = {name: arrays[name].astype(kind, copy=False) for name, kind in DECISION_ARRAYS.items()}
        self.groups, self.targets = self.arrays["groups"], self.arrays["targets"]
        self.num_choices = self.arrays["num_choices"]
        self._num_common, self._num_rows = self.arrays["num_common"], self.arrays["num_rows"]
        self._common, self._rows = self.arrays["common"], self.arrays["rows"]
        self._first_choice, self._first_common = starts_of(self.num_choices), starts_of(self._num_common)
        self._first_row = starts_of(self._num_rows)

    @classmethod
    def of(cls, labels: LabelArrays) -> "LabelledDecisions":
        """Return the decisions that have been labelled."""
        parts, smooth = labels._asdict(), labels.smooth.astype(np.float64)
        means = np.add.reduceat(smooth, starts_of(labels.num_choices.astype(np.int64))) / labels.num_choices
        return cls(parts | {"targets": smooth - np.repeat(means, labels.num_choices)})

    def __len__(self) -> int:
        return len(self.groups)

    def take(self, chosen: Indices) -> Batch:
        """Return some decisions, by their indices."""
        numbers = self.num_choices[chosen]
        choices = ranges_of(self._first_choice[chosen], numbers)
        common = ranges_of(self._first_common[chosen], self._num_common[chosen])
        rows = ranges_of(self._first_row[choices], self._num_rows[choices])
        return Batch(
            *map(
                torch.from_numpy,
                (
                    self._common[common].astype(np.int64),
                    starts_of(self._num_common[chosen]),
                    self._rows[rows].astype(np.int64),
                    starts_of(self._num_rows[choices]),
                    np.repeat(np.arange(len(chosen)), numbers),
                    self.groups[chosen].astype(np.int64),
                    self.targets[choices],
                ),
            )
        )


def starts_of(numbers: Indices) -> Indices:
    """Return where runs of some lengths begin."""
    starts: Indices = np.cumsum(numbers, dtype=np.int64) - numbers
    return starts


def ranges_of(starts: Indices, numbers: Indices) -> Indices:
    """Return the indices of some runs, one run after another."""
    indices: Indices = np.arange(int(numbers.sum())) + np.repeat(starts - starts_of(numbers), numbers)
    return indices
