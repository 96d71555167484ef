"""Labelled decisions as minibatches."""

import numpy as np
import torch
from numpy.typing import NDArray

from agents.selfplay.model import Batch
from shengji_env.datasets.selfplay.label_kernels import Labels
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.tables.smoothing import smooth_levels

Indices = NDArray[np.int64]


class Decisions:
    """Labelled decisions that minibatches are taken of.

    Args:
        labels: as they were written; only what is filled is kept.
        rules: what was played.
    """

    def __init__(self, labels: Labels, rules: RuleSet) -> None:
        decisions, common, choices, rows = labels.filled.tolist()
        self.groups = labels.groups[:decisions].copy()
        self.num_choices = labels.num_choices[:decisions].astype(np.int64)
        self._num_common = labels.num_common[:decisions].astype(np.int64)
        self._num_rows = labels.num_rows[:choices].astype(np.int64)
        self._common, self._rows = labels.common[:common].copy(), labels.rows[:rows].copy()
        self._first_choice, self._first_common = _starts(self.num_choices), _starts(self._num_common)
        self._first_row = _starts(self._num_rows)
        parts = (part[:choices] for part in (labels.levels, labels.points, labels.is_attacker))
        smooth = smooth_levels(*parts, rules).astype(np.float64)
        means = np.add.reduceat(smooth, self._first_choice) / self.num_choices
        self.targets = (smooth - np.repeat(means, self.num_choices)).astype(np.float32)

    def __len__(self) -> int:
        return len(self.groups)

    def take(self, chosen: Indices) -> Batch:
        """Return some decisions, by their indices."""
        numbers = self.num_choices[chosen]
        choices = _ranges(self._first_choice[chosen], numbers)
        common = _ranges(self._first_common[chosen], self._num_common[chosen])
        rows = _ranges(self._first_row[choices], self._num_rows[choices])
        return Batch(
            *map(
                torch.from_numpy,
                (
                    self._common[common].astype(np.int64),
                    _starts(self._num_common[chosen]),
                    self._rows[rows].astype(np.int64),
                    _starts(self._num_rows[choices]),
                    np.repeat(np.arange(len(chosen)), numbers),
                    self.groups[chosen].astype(np.int64),
                    self.targets[choices],
                ),
            )
        )


def _starts(numbers: Indices) -> Indices:
    """Return where runs of some lengths begin."""
    starts: Indices = np.cumsum(numbers) - numbers
    return starts


def _ranges(starts: Indices, numbers: Indices) -> Indices:
    """Return the indices of some runs, one run after another."""
    indices: Indices = np.arange(int(numbers.sum())) + np.repeat(starts - _starts(numbers), numbers)
    return indices
