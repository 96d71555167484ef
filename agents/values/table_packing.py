"""The candidates of tables of whole plays, as a value network reads them."""

import numpy as np
from numpy.typing import NDArray

from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.players.networks.champion.inputs import Inputs, make_inputs


def packed_inputs(
    observations: NDArray[np.int8], cards: NDArray[np.int8], features: NDArray[np.int8], numbers: NDArray[np.int64]
) -> tuple[Inputs, NDArray[np.int64]]:
    """Return what the network reads of D decisions, and where the candidates of each begin, (D + 1,).

    Args:
        observations: (D, OBSERVATION_SIZE).
        cards: (D, M, 54).
        features: (D, M, NUM_FEATURES).
        numbers: (D,) of candidates.
    """
    offsets = np.concatenate([[0], np.cumsum(numbers)])
    is_there = np.arange(cards.shape[1]) < numbers[:, None]
    return make_inputs(np.ascontiguousarray(observations), offsets, cards[is_there], features[is_there]), offsets


def inputs_at(tables: PlayBatchEnv, rows: NDArray[np.int64]) -> tuple[Inputs, NDArray[np.int64]]:
    """Return the same of the decisions at some tables."""
    numbers = tables.action_mask[rows].sum(axis=1, dtype=np.int64)
    return packed_inputs(tables.observation[rows], tables.cards[rows], tables.features[rows], numbers)
