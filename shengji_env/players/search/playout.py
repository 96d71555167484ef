"""Playouts: every candidate is played in every sampled deal, and a policy plays each round to its end."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals
from shengji_env.engine.play import Plays, make_play, play_at
from shengji_env.players.candidates.playing import value_of
from shengji_env.players.networks.distilled.playout_policy import PlayoutPolicy, play_out_by


class Playouts(NamedTuple):
    """What is played out: C candidates in W sampled deals."""

    candidates: Plays
    """The candidates."""
    is_open: NDArray[np.bool_]
    """(C,) which of them are still compared."""
    samples: NDArray[Any]
    """(W,) STATE_DTYPE: whole tables."""
    values: NDArray[np.float64]
    """(C, W), written: the value of each candidate in each sampled deal."""
    team: int
    """The team whose value counts."""
    points_weight: float
    """Levels that a point counts for."""
    policy: PlayoutPolicy
    """Who plays on, with memory for each thread."""


@jit
def play_samples(playouts: Playouts, first: int, end: int, scratch: NDArray[Any], thread: int) -> None:
    """Play every open candidate out in the sampled deals first..end-1.

    Args:
        playouts: candidates and sampled deals.
        first: the first sampled deal.
        end: one past the last.
        scratch: SCRATCH_DTYPE.
        thread: row of `scratch`, and of the policy's memory, to use.
    """
    own = scratch[thread]
    for sample in range(first, end):
        deals = Deals(np.uint64(sample), 0)
        for candidate in range(playouts.is_open.size):
            if playouts.is_open[candidate]:
                own.state = playouts.samples[sample]
                make_play(own.state, own.rules, own.work, deals, play_at(playouts.candidates, candidate))
                play_out_by(playouts.policy, thread, own, deals)
                playouts.values[candidate, sample] = value_of(own.state.result, playouts.team, playouts.points_weight)
