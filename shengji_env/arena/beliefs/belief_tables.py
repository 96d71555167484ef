"""Means of scores with 95 % intervals over rounds."""

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.beliefs.belief_scores import Scores

_Z = 1.96


def mean_with_error(values: NDArray[np.float64], rounds: NDArray[np.int64]) -> tuple[float, float]:
    """Return the mean of values, and half the width of its 95 % interval; values of one round depend on each other."""
    _, index = np.unique(rounds, return_inverse=True)
    number, mean = index.max() + 1, values.mean()
    left = np.bincount(index, values - mean, number)
    if number < 2:
        return float(mean), float("nan")
    error = np.sqrt(np.square(left).sum() * number / (number - 1)) / len(values)
    return float(mean), float(_Z * error)


def round_indices(scores: Scores) -> NDArray[np.int64]:
    """Return which round each position is of, (N,), over the rounds of all players."""
    _, players = np.unique(scores.players, return_inverse=True)
    numbers = players * (scores.rounds.max() + 1) + scores.rounds
    return np.asarray(np.unique(numbers, return_inverse=True)[1], np.int64)
