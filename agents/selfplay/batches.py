"""Labelled decisions as minibatches."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.selfplay.model import Batch, Indices, SuitBatch
from shengji_env.datasets.selfplay.label_kernels import SUITS, LabelArrays
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS
from shengji_env.errors import CheckpointError
from shengji_env.players.networks.selfplay.decision import MAX_CHANGE_ROWS, MAX_SUIT_ROWS
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
    "num_suit_rows": np.int64,
    "suit_rows": np.int16,
    "num_change_rows": np.int64,
    "change_rows": np.int16,
}
"""The arrays of labelled decisions, as in `label_kernels.LabelArrays`; targets are centred labels, in levels; weights
of decisions are 1 on average in each kind. Those of SUITS are there if an encoder of suits reads them."""
_PRIOR = 10
"""As many decisions count for the spread of labels under all rules, beside those under the rules themselves."""


def check_decisions(arrays: Mapping[str, NDArray[Any]], num_rows: int, num_suit_rows: int) -> None:
    """Check the arrays of labelled decisions that come from a file.

    Args:
        arrays: those of DECISION_ARRAYS; of SUITS none or all.
        num_rows: rows of the network.
        num_suit_rows: of an encoder of suits.

    Raises:
        CheckpointError: one has another type or size, or a value that none can have.
    """
    for name, array in arrays.items():
        kind = DECISION_ARRAYS[name]
        if array.dtype != kind or array.ndim != 1:
            raise CheckpointError(
                f"the {name} of its labels are {array.dtype} {array.shape}, not a list of {np.dtype(kind)}"
            )
    numbers = {name: len(array) for name, array in arrays.items()}
    finite = float(np.finfo(np.float32).max)
    ranges: dict[str, tuple[float, float]] = {
        "groups": (0, NUM_GROUPS - 1), "num_choices": (1, numbers["targets"]), "num_common": (0, numbers["common"]),
        "num_rows": (0, numbers["rows"]), "common": (0, num_rows - 1), "rows": (0, num_rows - 1),
        "targets": (-finite, finite), "weights": (0, finite), "suit_rows": (0, num_suit_rows - 1),
        "change_rows": (0, num_suit_rows - 1), "num_suit_rows": (0, MAX_SUIT_ROWS),
        "num_change_rows": (0, MAX_CHANGE_ROWS),
    }  # fmt: skip
    for name, array in arrays.items():
        least, most = ranges[name]
        if not ((array >= least) & (array <= most)).all():
            raise CheckpointError(f"the {name} of its labels are not all from {least:g} to {most:g}")
    _check_sizes(arrays, numbers)


def _check_sizes(arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, int]) -> None:
    """Check that arrays have as many entries as others of them say."""
    decisions, choices = numbers["groups"], int(arrays["num_choices"].sum())
    sizes = dict.fromkeys(("num_choices", "num_common", "weights"), decisions)
    sizes |= dict.fromkeys(("num_rows", "targets"), choices)
    if "suit_rows" in numbers:
        sizes |= {"num_suit_rows": NUM_EFFECTIVE_SUITS * decisions, "num_change_rows": NUM_EFFECTIVE_SUITS * choices}
    sizes |= {name: int(arrays[f"num_{name}"].sum()) for name in numbers if f"num_{name}" in numbers}
    for name, size in sizes.items():
        if numbers[name] != size:
            raise CheckpointError(f"the {name} of its labels are {numbers[name]}, not {size}")


class LabelledDecisions:
    """Labelled decisions that minibatches are taken of.

    Args:
        arrays: those of DECISION_ARRAYS, as `arrays` returns them.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = {
            name: arrays[name].astype(kind, copy=False).ravel()
            for name, kind in DECISION_ARRAYS.items()
            if name in arrays
        }
        self.groups, self.targets = self.arrays["groups"], self.arrays["targets"]
        self.num_choices, self._weights = self.arrays["num_choices"], self.arrays["weights"]
        self._num_common, self._num_rows = self.arrays["num_common"], self.arrays["num_rows"]
        self._common, self._rows = self.arrays["common"], self.arrays["rows"]
        self._first_choice, self._first_common = starts_of(self.num_choices), starts_of(self._num_common)
        self._first_row = starts_of(self._num_rows)
        if "suit_rows" in self.arrays:
            self._first_suit_row = starts_of(self.arrays["num_suit_rows"])
            self._first_change_row = starts_of(self.arrays["num_change_rows"])

    @classmethod
    def of(cls, labels: LabelArrays) -> "LabelledDecisions":
        """Return the decisions that have been labelled."""
        parts, smooth = labels._asdict(), labels.smooth.astype(np.float64)
        if not labels.num_suit_rows.size:
            parts = {name: array for name, array in parts.items() if name not in SUITS}
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
        owners = np.repeat(np.arange(len(chosen)), numbers)
        return Batch(
            self._num_common[chosen],
            self._common[common],
            self._num_rows[choices],
            self._rows[rows],
            torch.from_numpy(owners),
            torch.from_numpy(self.groups[chosen].astype(np.int64)),
            torch.from_numpy(self.targets[choices]),
            torch.from_numpy(self._weights[chosen]),
            self._suits(chosen, choices, owners) if "suit_rows" in self.arrays else None,
        )

    def _suits(self, chosen: Indices, choices: Indices, owners: Indices) -> SuitBatch:
        """Return what an encoder of suits reads of some decisions."""
        arrays, each = self.arrays, np.arange(NUM_EFFECTIVE_SUITS)
        suits = (chosen[:, None] * NUM_EFFECTIVE_SUITS + each).ravel()
        taken = (choices[:, None] * NUM_EFFECTIVE_SUITS + each).ravel()
        at = np.flatnonzero(arrays["num_change_rows"][taken])
        numbers, changes = arrays["num_suit_rows"][suits], arrays["num_change_rows"][taken[at]]
        by = at // NUM_EFFECTIVE_SUITS
        return SuitBatch(
            numbers,
            arrays["suit_rows"][ranges_of(self._first_suit_row[suits], numbers)],
            changes,
            arrays["change_rows"][ranges_of(self._first_change_row[taken[at]], changes)],
            torch.from_numpy(owners[by] * NUM_EFFECTIVE_SUITS + at % NUM_EFFECTIVE_SUITS),
            torch.from_numpy(by),
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
