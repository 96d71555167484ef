"""Compiled code: the choices of a decision, their rows, and which of them is worth most.

Sets of cards are proposed by one of two programs, which is all in which the variants of the learner differ: WIDE
(`proposed_leads` and its neighbours), or CANDIDATES, those of the package (`players.candidates`), without any mark of
which one is whose.
Of single actions, such as bids, all legal ones are choices.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.play import CARDS, Play, play_of
from shengji_env.engine.rows import copy_row, lowest_slot
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Phase, Rules, State, Workspace
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_arrays import MEMORY_DTYPE
from shengji_env.players.candidates.finding import find_candidates_at
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.networks.selfplay.action_rows import list_action
from shengji_env.players.networks.selfplay.chance_rows import look_for_chances
from shengji_env.players.networks.selfplay.context_rows import list_common
from shengji_env.players.networks.selfplay.decision import DECISION_DTYPE, DecisionRecord
from shengji_env.players.networks.selfplay.proposed_burials import propose_burials
from shengji_env.players.networks.selfplay.proposed_follows import propose_cards, propose_follows
from shengji_env.players.networks.selfplay.proposed_leads import propose_leads
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    ACTION_GROUP,
    BURY_GROUP,
    LEAD_GROUP,
    MANY_GROUP,
    ONE_GROUP,
)
from shengji_env.players.networks.selfplay.selfplay_network import (
    SelfplayNetwork,
    blank_network,
    make_sums,
    value_all,
)
from shengji_env.players.networks.selfplay.set_rows import list_set
from shengji_env.players.networks.selfplay.sight import look
from shengji_env.players.networks.selfplay.suit_rows import list_changes, list_suits

WIDE, CANDIDATES = PROPOSALS = ("wide", "program")
"""Who proposes sets of cards, as configs and files call it."""


class SelfplayMemory(NamedTuple):
    """What deciding needs besides the table."""

    network: SelfplayNetwork
    decision: NDArray[Any]
    """(1,) DECISION_DTYPE."""
    sums: NDArray[np.int16]
    """`make_sums`."""
    candidates: NDArray[Any]
    """(1,) MEMORY_DTYPE of the package's candidates; only with CANDIDATES."""
    works: NDArray[Any]
    """(1,) WORKSPACE_DTYPE."""
    seen: NDArray[Any]
    """(1,) STATE_DTYPE: the table as the decision began."""
    best: NDArray[np.int64]
    """(1,) the choice that is being played."""


def make_selfplay_memory(network: SelfplayNetwork, proposals: str, rules: RuleSet | None) -> SelfplayMemory:
    """Make the memory of a policy."""
    candidates: NDArray[Any] = np.zeros(1 if proposals == CANDIDATES else 0, MEMORY_DTYPE)
    if candidates.size and rules is not None:
        candidates["scratch"] = make_scratch(rules.record(), 1)
    decision: NDArray[Any] = np.zeros(1, DECISION_DTYPE)
    decision["chances"] = network.shape.chances
    return SelfplayMemory(
        network, decision, make_sums(network, rules), candidates, np.zeros(1, WORKSPACE_DTYPE),
        np.zeros(1, STATE_DTYPE), np.zeros(1, np.int64),
    )  # fmt: skip


@jit
def group_of(s: State) -> int:
    """Return the kind of decision."""
    if s.phase == Phase.LEAD:
        return LEAD_GROUP
    if s.phase == Phase.FOLLOW:
        return ONE_GROUP if s.lead_size == 1 else MANY_GROUP
    return BURY_GROUP if s.phase == Phase.BURY else ACTION_GROUP


@jit
def find_choices(s: State, r: Rules, w: Workspace, memory: SelfplayMemory) -> int:
    """Find the choices of the decision that begins at a table, with their rows; return their number."""
    d = memory.decision[0]
    d.group, d.number, d.num_common = group_of(s), 0, 0
    slots, others = legal_actions(s, r, w)
    if d.group == ACTION_GROUP:
        _find_actions(s, r, slots, others, d)
        return int(d.number)
    if d.group == ONE_GROUP and slots & (slots - 1) == 0:
        d.actions[0] = lowest_slot(slots)
        return 1
    look(s, d.sight)
    if d.chances and d.group != BURY_GROUP:
        look_for_chances(s, r, d)
    if memory.candidates.size == 0:
        _propose(s, r, w, slots, d)
    else:
        found = memory.candidates[0].found
        number = find_candidates_at(s, memory.candidates[0], DEFAULT_CANDIDATES, found)
        d.number = number
        for index in range(number):
            d.actions[index] = CARDS
            copy_row(d.cards[index], found.cards[index])
    if d.number > 1:
        list_rows(s, r, w, d, memory.network.widths[1] > 0)
    return int(d.number)


@jit
def _find_actions(s: State, r: Rules, slots: int, others: int, d: DecisionRecord) -> None:
    """Find all legal actions."""
    while slots or others:
        if slots:
            d.actions[d.number] = lowest_slot(slots)
            slots &= slots - 1
        else:
            d.actions[d.number] = NUM_SLOTS + lowest_slot(others)
            others &= others - 1
        d.number += 1
    if d.number > 1:
        for index in range(d.number):
            d.num_rows[index] = list_action(s, r, d.actions[index], d.rows[index])


@jit
def _propose(s: State, r: Rules, w: Workspace, slots: int, d: DecisionRecord) -> None:
    """Propose sets of cards."""
    if d.group == LEAD_GROUP:
        propose_leads(s, r, d)
    elif d.group == ONE_GROUP:
        propose_cards(s, slots, d)
    elif d.group == MANY_GROUP:
        propose_follows(s, r, w, d)
    else:
        propose_burials(s, r, d)


@jit
def list_rows(s: State, r: Rules, w: Workspace, d: DecisionRecord, has_suits: bool) -> None:
    """List the rows of sets of cards, and those of suits."""
    d.num_common = list_common(s, r, d.sight, d.group, d.common)
    if d.group == MANY_GROUP:
        d.trial = s
    if has_suits:
        list_suits(s, d)
    for index in range(d.number):
        d.num_rows[index] = list_set(s, r, w, d, d.cards[index], d.rows[index])
        if has_suits:
            list_changes(s, d, d.cards[index], index)


@jit
def value_choices(memory: SelfplayMemory) -> int:
    """Value the choices that have been found; return which one is worth most, of equal ones the first."""
    return int(value_all(memory.decision[0], memory.network, memory.sums))


@jit
def choice_of(d: DecisionRecord, index: int) -> Play:
    """Return one of the choices."""
    return play_of(d.actions[index], d.cards[index])


@jit
def best_choice(s: State, r: Rules, w: Workspace, memory: SelfplayMemory) -> int:
    """Return which choice of the decision that begins at a table is worth most; they are in ``memory.decision``."""
    return value_choices(memory) if find_choices(s, r, w, memory) > 1 else 0


def example_memory() -> SelfplayMemory:
    """Return a memory of the types of all."""
    return make_selfplay_memory(blank_network(), CANDIDATES, None)
