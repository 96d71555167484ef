"""What compiled code needs to make rollouts: the tables of the round under way, and scratch memory."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.rollout_settings import RolloutSettings
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.deal import Deals
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE
from shengji_env.players.candidates.scratch import SCRATCH_DTYPE
from shengji_env.tables.observing import write_rules

Memory: TypeAlias = np.record
Settings: TypeAlias = np.record

MEMORY_DTYPE = record_type(
    [
        ("table", STATE_DTYPE),  # the round as it is really played
        ("seen", STATE_DTYPE),  # what the seat that decides knows of it, or of its copy
        ("scratch", SCRATCH_DTYPE),  # for choosing
        ("playout", SCRATCH_DTYPE),  # for playing on, at its copy of the table
        ("found", CANDIDATE_LIST_DTYPE),  # candidates at the table
        ("found_on", CANDIDATE_LIST_DTYPE),  # the same at the copy
        ("number", np.int64),  # the round's number, which is its table's
        ("key", np.uint64),  # of the round's random words
        ("explorer", np.int64),  # of the round
        ("others", np.int64),  # who sits in its other seats: index in `RolloutSettings.others`
        ("num_actions", np.int64),  # written so far; beyond the room for them, they are only counted
        ("num_decisions", np.int64),
        ("num_candidates", np.int64),
        ("first_action", np.int64),  # `num_actions` as the round began
        ("known", np.int64),  # the candidate, if any, whose outcome the policy reaches from here; -1: none
    ]
)
"""What a thread needs to make rollouts."""


def make_memory(settings: RolloutSettings) -> NDArray[Any]:
    """Make a thread's memory, (1,), MEMORY_DTYPE."""
    memory: NDArray[Any] = np.zeros(1, MEMORY_DTYPE)
    for part in ("scratch", "playout"):
        memory[part]["rules"] = settings.rules.record()[0]
    _prepare(memory)
    return memory


@jit
def deals_of(memory: Memory, settings: Settings) -> Deals:
    """Return where the deals of the round under way come from."""
    return Deals(settings.seed, memory.number)


@jit
def _prepare(memory: NDArray[Any]) -> None:
    """Write the rules into the observations of the scratch memory."""
    own = memory[0]
    write_rules(own.scratch.rules, own.scratch.observation)
    write_rules(own.playout.rules, own.playout.observation)
