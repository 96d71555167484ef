"""Playouts: every candidate is played in every sampled deal, and a policy plays each round to its end."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals
from shengji_env.engine.play import Plays, make_play, play_at
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.players.candidates.scratch import value_of
from shengji_env.players.playing import play_out
from shengji_env.tables.policies import PackedPolicies


class Outcomes(NamedTuple):
    """What became of C candidates in W sampled deals, from a team's view; each array is (C, W)."""

    levels: NDArray[np.int64]
    """Levels won, those that the last trick costs included; negative: lost."""
    points: NDArray[np.int64]
    """The attackers' points, negative where the team declared."""
    is_attacker: NDArray[np.bool_]
    """Whether the team attacked."""

    @staticmethod
    def zeros(candidates: int, samples: int) -> "Outcomes":
        """Return arrays to be written."""
        shape = candidates, samples
        return Outcomes(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.bool_))

    def first(self, samples: int) -> "Outcomes":
        """Return those of the first sampled deals."""
        return Outcomes(self.levels[:, :samples], self.points[:, :samples], self.is_attacker[:, :samples])

    def with_points(self, weight: float) -> NDArray[np.float64]:
        """Return levels and, for each point, ``weight`` more."""
        values: NDArray[np.float64] = self.levels + weight * self.points
        return values


class Playouts(NamedTuple):
    """What is played out: C candidates in W sampled deals."""

    candidates: Plays
    """The candidates."""
    is_open: NDArray[np.bool_]
    """(C,) which of them are still compared."""
    samples: NDArray[Any]
    """(W,) STATE_DTYPE: whole tables."""
    outcomes: Outcomes
    """Written: what becomes of each candidate in each sampled deal."""
    team: int
    """The team from whose view outcomes are."""
    policies: PackedPolicies
    """The playout policy, with memory for each thread."""


@jit
def play_samples(playouts: Playouts, first: int, end: int, scratch: NDArray[Any], thread: int) -> None:
    """Play every open candidate out in the sampled deals first..end-1.

    Args:
        playouts: candidates and sampled deals.
        first: the first sampled deal.
        end: one past the last.
        scratch: SCRATCH_DTYPE.
        thread: row of `scratch`, and which policy, to use.
    """
    own, outcomes, team = scratch[thread], playouts.outcomes, playouts.team
    for sample in range(first, end):
        deals = Deals(np.uint64(sample), 0)
        for candidate in range(playouts.is_open.size):
            if playouts.is_open[candidate]:
                own.state = playouts.samples[sample]
                make_play(own.state, own.rules, own.work, deals, play_at(playouts.candidates, candidate))
                play_out(own.state, own.rules, own.work, deals, playouts.policies, thread, deals.seed)
                result = own.state.result
                is_attacker = result.declarer % NUM_TEAMS != team
                outcomes.levels[candidate, sample] = int(value_of(result, team, 0.0))
                side = 1 if is_attacker else -1
                outcomes.points[candidate, sample] = side * result.attackers_points
                outcomes.is_attacker[candidate, sample] = is_attacker
