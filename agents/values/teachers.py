"""Teachers: networks whose values are learned in place of a part of the labels, under the rules that they play.

A label is one round's outcome, nearly all of it chance; a network that has learned from millions of them says at once
what they are in the mean. So a network for many rule sets keeps what one for a single rule set knew, while it learns
the others from their labels ("learning without forgetting", Li and Hoiem, 2016).
"""

import numpy as np
from numpy.typing import NDArray

from agents.values.held_out import values_on
from agents.values.minibatches import Targets, labels_of, owners_of
from agents.values.value_config import FittingConfig
from shengji_env.datasets.rollouts import Expanded
from shengji_env.errors import ConfigError, PlayerError
from shengji_env.players.networks.champion.champion_player import named_file
from shengji_env.players.networks.champion.compiled_network import NUM_VALUES
from shengji_env.players.networks.champion.conditioning import features_of
from shengji_env.players.networks.champion.value_file import ValueFile
from shengji_env.tables.observation import view


class Teachers:
    """Some networks, each for one rule set or for all; where several know the rules, the first teaches.

    Args:
        config: names them, and says how much they teach.

    Raises:
        ConfigError: one of them is not a network, or its file cannot be read.
    """

    def __init__(self, config: FittingConfig) -> None:
        self._teachers = [_read(name) for name in config.teachers]
        self._share, self._factor = np.float32(config.teachers_share), np.float32(config.teachers_factor)

    def targets(self, decisions: Expanded) -> Targets:
        """Return what is to be learned: the labels, or the mean of a teacher's values and of them.

        The mean over a decision's candidates stays that of its labels, since values have none.
        """
        targets = labels_of(decisions)
        features: NDArray[np.int8] = view(decisions.observations)["rules"]
        is_free = np.ones(len(decisions), np.bool_)
        for teacher in self._teachers:
            knows = True if teacher.rules is None else (features == features_of(teacher.rules)).all(axis=1)
            rows = np.flatnonzero(is_free & knows)
            is_free[rows] = False
            if len(rows):
                taught = decisions.take(rows)
                indices = decisions.candidates_of(rows)
                labels = targets.values[indices, :NUM_VALUES]
                values = _uncentred(values_on(teacher.weights, taught), labels, taught)
                targets.values[indices, :NUM_VALUES] += self._share * (values - labels)
                targets.factors[rows] = self._factor
        return targets


def _read(name: str) -> ValueFile:
    try:
        return named_file(name)
    except PlayerError as error:
        raise ConfigError(f"fitting.teachers: {error}") from error


def _uncentred(values: NDArray[np.float32], labels: NDArray[np.float32], decisions: Expanded) -> NDArray[np.float32]:
    """Return values with the labels' mean of each decision."""
    owners, sizes = owners_of(decisions), np.diff(decisions.offsets)[:, None]
    means = np.add.reduceat(labels - values, decisions.offsets[:-1]) / sizes
    return values + means[owners].astype(np.float32)
