"""Compiled code: the choices of a decision, their rows, and which of them is worth most.

Sets of cards are proposed by one of two programs, which is all in which the variants of the learner differ: OWN
(`own_choices`), or PROGRAM, the package's candidates (`players.candidates`), without any mark of which one is whose.
Of single actions, such as bids, all legal ones are choices.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.play import CARDS, Play, play_of
from shengji_env.engine.rows import copy_row, lowest_slot
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Phase, Rules, State, Workspace
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_arrays import MEMORY_DTYPE
from shengji_env.players.candidates.finding import find_hidden
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.networks.distilled.distilled_inputs import SIGHT_DTYPE, look
from shengji_env.players.networks.selfplay.action_rows import list_action
from shengji_env.players.networks.selfplay.context_rows import list_common
from shengji_env.players.networks.selfplay.own_burials import find_own_burials
from shengji_env.players.networks.selfplay.own_follows import find_own_cards, find_own_follows
from shengji_env.players.networks.selfplay.own_leads import find_own_leads
from shengji_env.players.networks.selfplay.own_sets import MAX_CHOICES, NUM_MARKS
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    ACTION_GROUP,
    BURY_GROUP,
    LEAD_GROUP,
    MANY_GROUP,
    MAX_COMMON,
    MAX_ROWS,
    ONE_GROUP,
)
from shengji_env.players.networks.selfplay.selfplay_network import (
    NUM_SUMS,
    WIDTH,
    SelfplayNetwork,
    blank_network,
    sum_common,
    sums_of_rules,
    value_of_choice,
)
from shengji_env.players.networks.selfplay.set_rows import list_set

Own: TypeAlias = np.record

OWN, PROGRAM = PROPOSALS = ("own", "program")
"""Who proposes sets of cards."""

OWN_DTYPE = record_type(
    [
        ("sight", SIGHT_DTYPE),
        ("trial", STATE_DTYPE),
        ("walked", STATE_DTYPE),
        ("group", np.int64),
        ("number", np.int64),
        ("num_common", np.int64),
        ("common", np.int16, (MAX_COMMON,)),
        ("num_rows", np.int64, (MAX_CHOICES,)),
        ("rows", np.int16, (MAX_CHOICES, MAX_ROWS)),
        ("actions", np.int64, (MAX_CHOICES + 1,)),
        ("cards", np.int8, (MAX_CHOICES + 1, NUM_SLOTS)),
        ("marks", np.int64, (MAX_CHOICES + 1, NUM_MARKS)),
        ("prices", np.float64, (NUM_SLOTS,)),
        ("values", np.int64, (MAX_CHOICES,)),
        ("rest", np.int8, (NUM_SLOTS,)),
        ("sums", np.int16, (NUM_SUMS * WIDTH,)),
    ]
)
"""A decision: what is seen; its kind, and how many choices it has; rows in common, and of each choice; the choices:
actions or CARDS, cards, values; one more is being put together. What is left is scratch memory."""


class SelfplayMemory(NamedTuple):
    """What deciding needs besides the table."""

    network: SelfplayNetwork
    own: NDArray[Any]
    """(1,) OWN_DTYPE."""
    program: NDArray[Any]
    """(1,) MEMORY_DTYPE of the package's candidates; none with proposals of its own."""
    works: NDArray[Any]
    """(1,) WORKSPACE_DTYPE."""
    seen: NDArray[Any]
    """(1,) STATE_DTYPE: the table as the decision began."""
    best: NDArray[np.int64]
    """(1,) the choice that is being played."""


def make_selfplay_memory(network: SelfplayNetwork, proposals: str, rules: RuleSet | None) -> SelfplayMemory:
    """Make the memory of a policy."""
    program: NDArray[Any] = np.zeros(1 if proposals == PROGRAM else 0, MEMORY_DTYPE)
    if program.size and rules is not None:
        program["scratch"] = make_scratch(rules.record(), 1)
    own: NDArray[Any] = np.zeros(1, OWN_DTYPE)
    own["sums"] = sums_of_rules(network, rules)
    return SelfplayMemory(
        network, own, program, np.zeros(1, WORKSPACE_DTYPE), np.zeros(1, STATE_DTYPE),
        np.zeros(1, np.int64),
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
    own = memory.own[0]
    own.group, own.number, own.num_common = group_of(s), 0, 0
    slots, others = legal_actions(s, r, w)
    if own.group == ACTION_GROUP:
        _find_actions(s, r, slots, others, own)
        return int(own.number)
    if own.group == ONE_GROUP and slots & (slots - 1) == 0:
        own.actions[0] = lowest_slot(slots)
        return 1
    look(s, own.sight)
    if memory.program.size == 0:
        _find_own(s, r, w, slots, own)
    else:
        found = memory.program[0].found
        number = find_hidden(s, memory.program[0], DEFAULT_CANDIDATES, found)
        own.number = number
        for index in range(number):
            own.actions[index] = CARDS
            copy_row(own.cards[index], found.cards[index])
    if own.number > 1:
        list_rows(s, r, w, own)
    return int(own.number)


@jit
def _find_actions(s: State, r: Rules, slots: int, others: int, own: Own) -> None:
    """Find all legal actions."""
    while slots or others:
        if slots:
            own.actions[own.number] = lowest_slot(slots)
            slots &= slots - 1
        else:
            own.actions[own.number] = NUM_SLOTS + lowest_slot(others)
            others &= others - 1
        own.number += 1
    if own.number > 1:
        for index in range(own.number):
            own.num_rows[index] = list_action(s, r, own.actions[index], own.rows[index])


@jit
def _find_own(s: State, r: Rules, w: Workspace, slots: int, own: Own) -> None:
    """Find sets of cards of the policy's own."""
    if own.group == LEAD_GROUP:
        find_own_leads(s, r, own)
    elif own.group == ONE_GROUP:
        find_own_cards(s, slots, own)
    elif own.group == MANY_GROUP:
        find_own_follows(s, r, w, own)
    else:
        find_own_burials(s, r, own)


@jit
def list_rows(s: State, r: Rules, w: Workspace, own: Own) -> None:
    """List the rows of sets of cards."""
    own.num_common = list_common(s, r, own.sight, own.group, own.common)
    if own.group == MANY_GROUP:
        own.trial = s
    for index in range(own.number):
        own.num_rows[index] = list_set(s, r, w, own, own.cards[index], own.rows[index])


@jit
def value_choices(memory: SelfplayMemory) -> int:
    """Value the choices that have been found; return which one is worth most, of equal ones the first."""
    own = memory.own[0]
    sum_common(own, memory.network)
    best = 0
    for index in range(own.number):
        own.values[index] = value_of_choice(own, memory.network, index)
        if own.values[index] > own.values[best]:
            best = index
    return best


@jit
def choice_of(own: Own, index: int) -> Play:
    """Return one of the choices."""
    return play_of(own.actions[index], own.cards[index])


@jit
def choose(s: State, r: Rules, w: Workspace, memory: SelfplayMemory) -> int:
    """Return which choice of the decision that begins at a table is worth most; they are in ``memory.own``."""
    return value_choices(memory) if find_choices(s, r, w, memory) > 1 else 0


def example_memory() -> SelfplayMemory:
    """Return a memory of the types of all."""
    return make_selfplay_memory(blank_network(), PROGRAM, None)
