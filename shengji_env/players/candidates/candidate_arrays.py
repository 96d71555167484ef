"""Compiled code: the candidates of decisions as arrays."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.rows import fill_row
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE, write_cards_found
from shengji_env.players.candidates.features import FEATURES_DTYPE, NUM_FEATURES, make_features, write_features
from shengji_env.players.candidates.finding import find_candidates_at
from shengji_env.players.candidates.scratch import SCRATCH_DTYPE, make_scratch

MEMORY_DTYPE = record_type([("seen", STATE_DTYPE), ("scratch", SCRATCH_DTYPE), ("found", CANDIDATE_LIST_DTYPE)])
"""Scratch memory for finding the candidates of a decision."""


class Candidates(NamedTuple):
    """The candidates of the decisions at N tables, at most M each; zero where there is none."""

    mask: NDArray[np.int8]
    """(N, M) 1 for each candidate."""
    actions: NDArray[np.int8]
    """(N, M) its action; -1 for a set of cards."""
    cards: NDArray[np.int8]
    """(N, M, 54) the cards of a set by slot; zero for an action."""
    features: NDArray[np.int8]
    """(N, M, NUM_FEATURES) `players.candidates.FEATURES`."""


class CandidateScratch(NamedTuple):
    """What finding candidates needs besides the tables."""

    memory: NDArray[Any]
    """(1,) MEMORY_DTYPE."""
    blank: NDArray[Any]
    """Features of one decision's candidates, `make_features`."""
    records: NDArray[Any]
    """(N, M) FEATURES_DTYPE, the memory of `Candidates.features`."""


def make_candidates(size: int, most: int) -> Candidates:
    """Make room for the candidates of `size` decisions."""
    shape = size, most
    return Candidates(
        np.zeros(shape, np.int8), np.zeros(shape, np.int8), np.zeros((*shape, NUM_SLOTS), np.int8),
        np.zeros((*shape, NUM_FEATURES), np.int8),
    )  # fmt: skip


def make_candidate_scratch(rules: RuleSet, candidates: Candidates) -> CandidateScratch:
    """Make what is needed to write candidates into some arrays."""
    memory: NDArray[Any] = np.zeros(1, MEMORY_DTYPE)
    memory["scratch"] = make_scratch(rules.record(), 1)
    return CandidateScratch(memory, make_features(), candidates.features.view(FEATURES_DTYPE)[..., 0])


def list_all(states: NDArray[Any], candidate_scratch: CandidateScratch, candidates: Candidates) -> None:
    """Write the candidates of the decisions that begin at some tables; none where a round is over."""
    list_some(states, np.arange(states.size), candidate_scratch, candidates)


@jit
def list_some(
    states: NDArray[Any], rows: NDArray[Any], candidate_scratch: CandidateScratch, candidates: Candidates
) -> None:
    """Write the candidates of the decisions that begin at tables `rows`; none where a round is over."""
    for index in range(rows.size):
        number = find_at_seat(states, rows[index], candidate_scratch, candidates)
        write_found(rows[index], number, candidate_scratch, candidates)


@jit
def find_at_seat(states: NDArray[Any], table: int, candidate_scratch: CandidateScratch, candidates: Candidates) -> int:
    """Find the candidates of the seat to move, from what it may know; return their number."""
    memory = candidate_scratch.memory[0]
    if states[table].phase == Phase.OVER:
        return 0
    return int(find_candidates_at(states[table], memory, candidates.mask.shape[1], memory.found))


@jit
def write_found(table: int, number: int, candidate_scratch: CandidateScratch, candidates: Candidates) -> None:
    """Write the candidates that `find_at_seat` has just found."""
    memory, blank = candidate_scratch.memory[0], candidate_scratch.blank
    if number > 0:
        write_features(memory.seen, memory.scratch, memory.found, number, blank)
    for index in range(candidates.mask.shape[1]):
        is_found = index < number
        candidates.mask[table, index] = is_found
        candidates.actions[table, index] = memory.found.actions[index] if is_found else 0
        candidate_scratch.records[table, index] = blank[index if is_found else blank.size - 1]
        if is_found:
            write_cards_found(memory.found, index, candidates.cards[table, index])
        else:
            fill_row(candidates.cards[table, index], 0)
