"""Labelled decisions as minibatches."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.selfplay.model import Batch, Indices
from shengji_env.datasets.selfplay.label_kernels import LabelArrays
from shengji_env.errors import CheckpointError
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS

_LEAST = 1e-9

DECISION_ARRAYS: dict[str, type[np.generic]] = {
    "groups": np.int8,
    "num_choices": np.int64,
    "num_common": np.int64,
    "num_rows": np.int64,
    "common": np.int16,
    "rows": np.int16,
    "targets": np.float32,
    "weights": np.float32,
}
"""The arrays of labelled decisions, as in `label_kernels.LabelArrays`; targets are centred labels, in levels; weights
of decisions are 1 on average in each kind."""
_PRIOR = 10
"""As many decisions count for the spread of labels under all rules, beside those under the rules themselves."""


def check_decisions(arrays: Mapping[str, NDArray[Any]], num_rows: int) -> None:
    """Check the arrays of labelled decisions that come from a file, for a network of so many rows.

    Raises:
        CheckpointError: one has another type or size, or a value that none can have.
    """
    for name, kind in DECISION_ARRAYS.items():
        if arrays[name].dtype != kind or arrays[name].ndim != 1:
            found = f"{arrays[name].dtype} {arrays[name].shape}"
            raise CheckpointError(f"the {name} of its labels are {found}, not a list of {np.dtype(kind)}")
    numbers = {name: len(arrays[name]) for name in DECISION_ARRAYS}
    finite = float(np.finfo(np.float32).max)
    ranges: dict[str, tuple[float, float]] = {
        "groups": (0, NUM_GROUPS - 1), "num_choices": (1, numbers["targets"]), "num_common": (0, numbers["common"]),
        "num_rows": (0, numbers["rows"]), "common": (0, num_rows - 1), "rows": (0, num_rows - 1),
        "targets": (-finite, finite), "weights": (0, finite),
    }  # fmt: skip
    for name, (least, most) in ranges.items():
        if not ((arrays[name] >= least) & (arrays[name] <= most)).all():
            raise CheckpointError(f"the {name} of its labels are not all from {least:g} to {most:g}")
    _check_sizes(arrays, numbers)


def _check_sizes(arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, int]) -> None:
    """Check that arrays have as many entries as others of them say."""
    sizes = dict.fromkeys(("num_choices", "num_common", "weights"), numbers["groups"])
    sizes |= {"num_rows": numbers["targets"], "targets": int(arrays["num_choices"].sum())}
    sizes |= {name: int(arrays[f"num_{name}"].sum()) for name in ("common", "rows")}
    for name, size in sizes.items():
        if numbers[name] != size:
            raise CheckpointError(f"the {name} of its labels are {numbers[name]}, not {size}")


class LabelledDecisions:
    """Labelled decisions that minibatches are taken of.

    Args:
        arrays: those of DECISION_ARRAYS, as `arrays` returns them.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = {name: arrays[name].astype(kind, copy=False) for name, kind in DECISION_ARRAYS.items()}
        self.groups, self.targets = self.arrays["groups"], self.arrays["targets"]
        self.num_choices, self._weights = self.arrays["num_choices"], self.arrays["weights"]
        self._num_common, self._num_rows = self.arrays["num_common"], self.arrays["num_rows"]
        self._common, self._rows = self.arrays["common"], self.arrays["rows"]
        self._first_choice, self._first_common = starts_of(self.num_choices), starts_of(self._num_common)
        self._first_row = starts_of(self._num_rows)

    @classmethod
    def of(cls, labels: LabelArrays) -> "LabelledDecisions":
        """Return the decisions that have been labelled."""
        parts, smooth = labels._asdict(), labels.smooth.astype(np.float64)
        means = np.add.reduceat(smooth, starts_of(labels.num_choices.astype(np.int64))) / labels.num_choices
        targets = smooth - np.repeat(means, labels.num_choices)
        return cls(parts | {"targets": targets, "weights": _weights(labels, targets)})

    def __len__(self) -> int:
        return len(self.groups)

    def take(self, chosen: Indices) -> Batch:
        """Return some decisions, by their indices."""
        numbers = self.num_choices[chosen]
        choices = ranges_of(self._first_choice[chosen], numbers)
        common = ranges_of(self._first_common[chosen], self._num_common[chosen])
        rows = ranges_of(self._first_row[choices], self._num_rows[choices])
        owners, groups = np.repeat(np.arange(len(chosen)), numbers), self.groups[chosen].astype(np.int64)
        return Batch(
            self._num_common[chosen],
            self._common[common],
            self._num_rows[choices],
            self._rows[rows],
            *map(torch.from_numpy, (owners, groups, self.targets[choices], self._weights[chosen])),
        )


def _weights(labels: LabelArrays, targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a weight for each decision: the more, the less its kind's labels spread under its rules.

    Four decks may win ten levels at once. Without weights their bids would drown those of one deck.
    """
    squares = np.add.reduceat(targets**2, starts_of(labels.num_choices.astype(np.int64)))
    groups, changes = labels.groups.astype(np.int64), (labels.rules[1:] != labels.rules[:-1]).any(axis=1)
    cells = np.cumsum([0, *changes]) * NUM_GROUPS + groups
    numbers = np.maximum(np.bincount(groups, minlength=NUM_GROUPS), 1)
    of_kinds = (np.bincount(groups, squares, NUM_GROUPS) + _LEAST) / numbers
    spread = (np.bincount(cells, squares)[cells] + _PRIOR * of_kinds[groups]) / (np.bincount(cells)[cells] + _PRIOR)
    means = np.bincount(groups, 1 / spread, NUM_GROUPS) / numbers
    weights: NDArray[np.float64] = 1 / (spread * means[groups])
    return weights


def starts_of(numbers: Indices) -> Indices:
    """Return where runs of some lengths begin."""
    starts: Indices = np.cumsum(numbers, dtype=np.int64) - numbers
    return starts


def ranges_of(starts: Indices, numbers: Indices) -> Indices:
    """Return the indices of some runs, one run after another."""
    indices: Indices = np.arange(int(numbers.sum())) + np.repeat(starts - starts_of(numbers), numbers)
    return indices
