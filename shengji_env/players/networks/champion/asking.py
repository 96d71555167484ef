"""Compiled code: the network chooses among the candidates of a decision.

`best_candidate` is the only way of asking: players (`choose_actions`) and rollouts (`datasets.rollouts`) share it.
Reviews read the values themselves (`value_found`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import State
from shengji_env.players.candidates.features import NUM_FEATURES, make_features, write_features
from shengji_env.players.candidates.finding import find
from shengji_env.players.candidates.found import MAX_FOUND, Found, play_found, write_cards_found
from shengji_env.players.candidates.playing import Scratch
from shengji_env.players.networks.champion.inputs import make_inputs
from shengji_env.players.networks.champion.network import Network, value_candidates
from shengji_env.players.whole_plays import next_action
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE


class Desk(NamedTuple):
    """Scratch memory: one decision as records, and the same memory as numbers."""

    record: NDArray[Any]
    """(1,) OBSERVATION_DTYPE."""
    observation: NDArray[np.int8]
    """(1, OBSERVATION_SIZE), the memory of `record`."""
    rows: NDArray[Any]
    """(MAX_FOUND + 1,) FEATURES_DTYPE, of `make_features`."""
    features: NDArray[np.int8]
    """(MAX_FOUND + 1, NUM_FEATURES), the memory of `rows`."""
    cards: NDArray[np.int8]
    """(MAX_FOUND, 54)."""
    offsets: NDArray[np.int64]
    """(2,)."""
    told: NDArray[np.int8]
    """(NUM_FIGURES,), the figures of rules that the network reads in place of the true ones; (0,): the true ones."""


def make_desk(told: RuleSet | None = None) -> Desk:
    """Make a thread's scratch memory.

    Args:
        told: the rules that the network is told it plays; None: the true ones. Candidates follow the true ones.
    """
    record: NDArray[Any] = np.zeros(1, OBSERVATION_DTYPE)
    rows = make_features()
    return Desk(
        record, record.view(np.int8).reshape(1, OBSERVATION_SIZE), rows,
        rows.view(np.int8).reshape(MAX_FOUND + 1, NUM_FEATURES), np.zeros((MAX_FOUND, NUM_SLOTS), np.int8),
        np.zeros(2, np.int64), np.zeros(0, np.int8) if told is None else told.record()["figures"][0].copy(),
    )  # fmt: skip


@jit
def best_candidate(s: State, x: Scratch, f: Found, number: int, n: Network, desk: Desk) -> int:
    """Return which of the first `number` candidates the network values most; of equal ones the first.

    The arguments are those of `value_found`.
    """
    if number < 2:
        return 0
    values = value_found(s, x, f, number, n, desk)
    best = 0
    for place in range(1, number):
        if values[place, 0] + values[place, 1] > values[best, 0] + values[best, 1]:
            best = place
    return best


@jit
def value_found(s: State, x: Scratch, f: Found, number: int, n: Network, desk: Desk) -> NDArray[np.float32]:
    """Return what the first `number` candidates are worth, (number, NUM_VALUES).

    Args:
        s: the veiled state for which `finding.find` has just found them.
        x: the scratch memory that it used.
        f: the candidates.
        number: how many, at least one.
        n: the network.
        desk: scratch memory.
    """
    desk.record[0] = x.observation
    o = desk.record[0]
    for place in range(desk.told.size):
        o.rules[place] = desk.told[place]
    write_features(s, x, f, number, desk.rows)
    desk.offsets[1] = number
    for place in range(number):
        write_cards_found(f, place, desk.cards[place])
    inputs = make_inputs(desk.observation, desk.offsets, desk.cards[:number], desk.features[:number])
    return value_candidates(n, inputs)


@jit
def choose_actions(
    starts: NDArray[Any],
    states: NDArray[Any],
    masks: NDArray[Any],
    most: int,
    decides: NDArray[Any],
    scratch: NDArray[Any],
    found: NDArray[Any],
    n: Network,
    desk: Desk,
    chosen: NDArray[Any],
) -> None:
    """Write the next action of each decision's best candidate.

    Args:
        starts: (D,) veiled, each as its decision begins.
        states: (D,) veiled, as they are now.
        masks: (D, 82) legal actions.
        most: most candidates of a decision.
        decides: (phases,) where the network decides; elsewhere the first candidate is taken.
        scratch: (1,) SCRATCH_DTYPE of the rules.
        found: (1,) FOUND_DTYPE.
        n: the network.
        desk: scratch memory.
        chosen: (D,) written.
    """
    x, f = scratch[0], found[0]
    for row in range(starts.size):
        s = starts[row]
        number = min(find(s, x, most, f), most)
        best = best_candidate(s, x, f, number, n, desk) if decides[s.phase] else 0
        chosen[row] = next_action(states[row : row + 1], masks[row], play_found(f, best))
