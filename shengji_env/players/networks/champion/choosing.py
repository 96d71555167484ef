"""Compiled code: the network chooses among the candidates of a decision.

Players and rollouts ask the policy (`next_champion`); reviews and searches read the values (`value_candidates`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import compile_for, jit
from shengji_env.engine.rule_sets import RuleSet, rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, Phase, Rules, State
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_list import (
    CANDIDATE_LIST_DTYPE,
    MAX_FOUND,
    CandidateList,
    candidate_play,
    write_cards_found,
)
from shengji_env.players.candidates.features import NUM_FEATURES, make_features, write_features
from shengji_env.players.candidates.finding import find_candidates
from shengji_env.players.candidates.scratch import SCRATCH_DTYPE, Scratch, make_scratch
from shengji_env.players.fast_player import policy_part
from shengji_env.players.hiding import hide_unknown
from shengji_env.players.networks.champion.compiled_network import Network, blank_network, network_values
from shengji_env.players.networks.champion.inputs import make_inputs
from shengji_env.players.whole_plays import begin_decisions, next_legal
from shengji_env.support.announcing import part
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE
from shengji_env.tables.policies import Policy
from shengji_env.tables.raw_arrays import reading


class Evaluator(NamedTuple):
    """A network, and scratch memory of a thread that runs it: one decision as records, and the same as numbers."""

    network: Network
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


class Chooser(NamedTuple):
    """The memory of the policy."""

    evaluator: Evaluator
    decides: NDArray[np.bool_]
    """(phases,), where the network decides; elsewhere the first candidate is taken."""
    most: NDArray[np.int64]
    """(1,) the most candidates of a decision."""
    begun: NDArray[Any]
    """(1,) STATE_DTYPE: what the seat to move knew as its decision began."""
    scratch: NDArray[Any]
    """(1,) SCRATCH_DTYPE of the rules."""
    found: NDArray[Any]
    """(1,) CANDIDATE_LIST_DTYPE."""
    best: NDArray[np.int64]
    """(1,) which of these candidates is played."""


def make_evaluator(network: Network) -> Evaluator:
    """Make what a thread needs to run a network."""
    record: NDArray[Any] = np.zeros(1, OBSERVATION_DTYPE)
    rows = make_features()
    return Evaluator(
        network, record, record.view(np.int8).reshape(1, OBSERVATION_SIZE), rows,
        rows.view(np.int8).reshape(MAX_FOUND + 1, NUM_FEATURES), np.zeros((MAX_FOUND, NUM_SLOTS), np.int8),
        np.zeros(2, np.int64),
    )  # fmt: skip


def _make_chooser(evaluator: Evaluator, decides: NDArray[np.bool_], scratch: NDArray[Any]) -> Chooser:
    return Chooser(
        evaluator, decides, np.full(1, DEFAULT_CANDIDATES), np.zeros(1, STATE_DTYPE), scratch,
        np.zeros(1, CANDIDATE_LIST_DTYPE), np.zeros(1, np.int64),
    )  # fmt: skip


@jit
def value_candidates(
    s: State, scratch: Scratch, found: CandidateList, number: int, evaluator: Evaluator
) -> NDArray[np.float32]:
    """Return what the first `number` candidates are worth, (number, NUM_VALUES).

    Args:
        s: the state, hidden cards wiped, for which `find_candidates` has just found them.
        scratch: the scratch memory that it used.
        found: the candidates.
        number: how many, at least one.
        evaluator: the network, and memory of its own.
    """
    evaluator.record[0] = scratch.observation
    write_features(s, scratch, found, number, evaluator.rows)
    evaluator.offsets[1] = number
    for candidate in range(number):
        write_cards_found(found, candidate, evaluator.cards[candidate])
    cards, features = evaluator.cards[:number], evaluator.features[:number]
    inputs = make_inputs(evaluator.observation, evaluator.offsets, cards, features)
    return network_values(evaluator.network, inputs)


@part("champion-values", "the champion's values: reviews, compare, champion:N")
def compile_champion_values() -> None:
    """Compile what values the candidates that have been found."""
    state, found = np.zeros(1, STATE_DTYPE), np.zeros(1, CANDIDATE_LIST_DTYPE)
    scratch, evaluator = make_scratch(rule_set().record(), 1), make_evaluator(blank_network())
    compile_for(value_candidates, state[0], scratch[0], found[0], 1, evaluator)


@jit
def _best_candidate(chooser: Chooser) -> int:
    """Find the candidates of the decision that begins, and return the index of the best; of equal ones the first."""
    s, scratch, found = chooser.begun[0], chooser.scratch[0], chooser.found[0]
    number = min(find_candidates(s, scratch, chooser.most[0], found), chooser.most[0])
    if number < 2 or not chooser.decides[s.phase]:
        return 0
    values = value_candidates(s, scratch, found, number, chooser.evaluator)
    best = 0
    for candidate in range(1, number):
        if values[candidate, 0] + values[candidate, 1] > values[best, 0] + values[best, 1]:
            best = candidate
    return best


_chooser_at = reading(
    lambda: _make_chooser(make_evaluator(blank_network()), np.zeros(len(Phase), np.bool_), np.zeros(1, SCRATCH_DTYPE))
)


@jit
def next_champion(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: Any) -> int:
    """Return the next action of the candidate that the network values most, as `tables.policies` says."""
    chooser = _chooser_at(memory)
    if is_new:
        chooser.begun[0] = s
        hide_unknown(chooser.begun[0], r)
        begin_decisions(chooser.begun)
        chooser.best[0] = _best_candidate(chooser)
    return next_legal(candidate_play(chooser.found[0], chooser.best[0]), s.taken, slots, others)


compile_champion = policy_part("champion", "the champion player: values:PATH, too", next_champion)


def network_policy(evaluator: Evaluator, decides: NDArray[np.bool_], rules: RuleSet) -> Policy:
    """Return the policy of a network.

    Args:
        evaluator: its own, of the network for these rules.
        decides: (phases,), where it decides.
        rules: what is played.
    """
    chooser = _make_chooser(evaluator, decides, make_scratch(rules.record(), 1))
    return Policy("champion", next_champion, chooser, uses_key=False)


def compare_at_most(policy: Policy, most: int) -> None:
    """Let a network compare so many candidates of a decision; any other policy stays as it is."""
    if policy.next_action is next_champion:
        policy.memory.most[:] = most
