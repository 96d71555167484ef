"""Compiled code: the candidates of decisions as arrays, and whole plays made at tables."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.rows import slots_with
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.envs.arrays import STAND_STILL, Arrays
from shengji_env.envs.stepping import step_range
from shengji_env.players.candidates import NUM_FEATURES
from shengji_env.players.candidates.features import FEATURES_DTYPE, make_features, write_features
from shengji_env.players.candidates.finding import find
from shengji_env.players.candidates.found import FOUND_DTYPE
from shengji_env.players.candidates.playing import CARDS, SCRATCH_DTYPE, make_scratch
from shengji_env.players.veil import veil
from shengji_env.players.whole_plays import next_card

Memory: TypeAlias = np.record

MEMORY_DTYPE = record_type([("veiled", STATE_DTYPE), ("x", SCRATCH_DTYPE), ("found", FOUND_DTYPE)])
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


class Lister(NamedTuple):
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


def make_lister(rules: RuleSet, candidates: Candidates) -> Lister:
    """Make what is needed to write candidates into some arrays."""
    memory: NDArray[Any] = np.zeros(1, MEMORY_DTYPE)
    memory["x"] = make_scratch(rules.record(), 1)
    return Lister(memory, make_features(), candidates.features.view(FEATURES_DTYPE)[..., 0])


@jit
def list_all(states: NDArray[Any], lister: Lister, c: Candidates) -> None:
    """Write the candidates of the decisions that begin at some tables; none where a round is over."""
    for table in range(states.size):
        _write(table, _find(states, table, lister, c), lister, c)


@jit
def list_some(states: NDArray[Any], rows: NDArray[Any], lister: Lister, c: Candidates) -> None:
    """Write the candidates of the decisions that begin at tables `rows`; none where a round is over."""
    for place in range(rows.size):
        _write(rows[place], _find(states, rows[place], lister, c), lister, c)


@jit
def next_cards(
    states: NDArray[Any], masks: NDArray[Any], rows: NDArray[Any], cards: NDArray[Any], actions: NDArray[Any]
) -> None:
    """Write the next actions of legal plays under way, or of plays that begin.

    Args:
        states: the tables, (N,).
        masks: (N, 82), what is legal at them.
        rows: tables, (B,).
        cards: (N, 54), the cards of their plays by slot.
        actions: (B,), written: a card, or DONE after the last one.
    """
    for place in range(rows.size):
        row = rows[place]
        actions[place] = next_card(states[row].taken, slots_with(masks[row], 1), cards[row])


@jit
def step_plays(
    a: Arrays, choices: NDArray[Any], skips_forced: bool, actions: NDArray[Any], lister: Lister, c: Candidates
) -> None:
    """Make the chosen candidate at every table, and go on to its next decision; write that one's candidates.

    Args:
        a: the tables, with autoreset; rewards and ends are those of all cards of the play, and of the plays skipped.
        choices: (N,) candidates, or STAND_STILL.
        skips_forced: whether decisions with one candidate are made too.
        actions: (N,) scratch memory.
        lister: scratch memory.
        c: the candidates, read and written.
    """
    sums = np.zeros(NUM_SEATS, np.float32)
    for table in range(choices.size):
        sums[:] = 0
        ended = False
        if choices[table] != STAND_STILL:
            choice = choices[table]
            ended = _play(a, table, c.actions[table, choice], c.cards[table, choice], actions, sums)
            number = _find(a.states, table, lister, c)
            found = lister.memory[0].found
            while number == 1 and skips_forced:
                ended |= _play(a, table, found.actions[0], found.cards[0], actions, sums)
                number = _find(a.states, table, lister, c)
            _write(table, number, lister, c)
        for seat in range(NUM_SEATS):
            a.rewards[table].of_seat[seat] = sums[seat]
        a.terminated[table] = ended


@jit
def _play(a: Arrays, table: int, action: int, cards: NDArray[Any], actions: NDArray[Any], sums: NDArray[Any]) -> bool:
    """Make a whole play at a table, add its rewards, and return whether an episode has ended."""
    s = a.states[table]
    ended = False
    while True:
        is_set = action == CARDS
        actions[table] = next_card(s.taken, slots_with(a.masks[table].legal, 1), cards) if is_set else action
        step_range(table, table + 1, a, a.works[0], actions)
        ended |= a.terminated[table]
        for seat in range(NUM_SEATS):
            sums[seat] += a.rewards[table].of_seat[seat]
        if not is_set or s.taken_size == 0:
            return bool(ended)


@jit
def _find(states: NDArray[Any], table: int, lister: Lister, c: Candidates) -> int:
    """Find the candidates of the seat to move, from what it may know; return their number."""
    m = lister.memory[0]
    if states[table].phase == Phase.OVER:
        return 0
    m.veiled = states[table]
    veil(m.veiled, m.x.rules)
    most = c.mask.shape[1]
    return int(min(find(m.veiled, m.x, most, m.found), most))


@jit
def _write(table: int, number: int, lister: Lister, c: Candidates) -> None:
    """Write the candidates that `_find` has just found."""
    m, blank = lister.memory[0], lister.blank
    if number > 0:
        write_features(m.veiled, m.x, m.found, number, blank)
    for place in range(c.mask.shape[1]):
        is_found = place < number
        is_set = is_found and m.found.actions[place] == CARDS
        c.mask[table, place] = is_found
        c.actions[table, place] = m.found.actions[place] if is_found else 0
        lister.records[table, place] = blank[place if is_found else blank.size - 1]
        for slot in range(NUM_SLOTS):
            c.cards[table, place, slot] = m.found.cards[place, slot] if is_set else 0
