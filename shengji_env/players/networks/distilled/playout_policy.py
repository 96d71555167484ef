"""Who plays playouts: `heuristic`, or the distilled network, in all four seats to the end of the round.

The network chooses leads, and follows of one card; everything else is `heuristic`'s.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.errors import ShengjiError, show
from shengji_env.players.candidates.playing import Scratch, play_heuristically, play_out
from shengji_env.players.networks.distilled.distilled_file import shipped_network
from shengji_env.players.networks.distilled.distilled_network import (
    DISTILLED_DTYPE,
    DistilledNetwork,
    choose_card,
    is_for_network,
    look_at,
)

HEURISTIC, DISTILLED = PLAYOUTS = ("heuristic", "distilled")
"""Who may play playouts."""


class PlayoutPolicy(NamedTuple):
    """Who plays playouts, for compiled code."""

    network: DistilledNetwork
    """The network; without rows: `heuristic` plays."""
    memory: NDArray[Any]
    """(threads,) DISTILLED_DTYPE."""


def playout_policy(
    name: str = HEURISTIC, threads: int = 1, *, error: type[ShengjiError] = ShengjiError
) -> PlayoutPolicy:
    """Return who plays playouts.

    Args:
        name: one of PLAYOUTS.
        threads: threads that play at the same time.
        error: what is raised.

    Raises:
        ShengjiError: it is not one of them.
    """
    if name not in PLAYOUTS:
        raise error(f"playouts={show(name)} must be {' or '.join(PLAYOUTS)}")
    network = shipped_network() if name == DISTILLED else _NOBODY
    return PlayoutPolicy(network, np.zeros(threads, DISTILLED_DTYPE))


_NOBODY = DistilledNetwork(np.zeros(0, np.int16), np.zeros(0, np.int16), np.zeros(0, np.int64))


@jit
def play_distilled(scratch: Scratch, own: Any, network: DistilledNetwork, deals: Deals) -> None:
    """Make the distilled player's next play at ``scratch.state``, or the rest of a play that has begun.

    Args:
        scratch: SCRATCH_DTYPE.
        own: DISTILLED_DTYPE.
        network: the network.
        deals: where redeals come from.
    """
    s, r, w = scratch.state, scratch.rules, scratch.work
    if not is_for_network(s):
        play_heuristically(scratch, deals)
        return
    is_seen = False
    while True:
        slots, others = legal_actions(s, r, w)
        if others == 0 and slots & (slots - 1) == 0:
            action = lowest_slot(slots)
        elif slots == 0 and others & (others - 1) == 0:
            action = NUM_SLOTS + lowest_slot(others)
        else:
            if not is_seen:
                is_seen = True
                look_at(s, own)
            action = choose_card(s, slots, others != 0, own, network)
        apply_action(s, r, w, deals, action)
        if s.taken_size == 0:
            return


@jit
def is_distilled(policy: PlayoutPolicy) -> bool:
    """Return whether the network plays."""
    return bool(policy.network.rows.size > 0)


@jit
def play_next(policy: PlayoutPolicy, thread: int, scratch: Scratch, deals: Deals) -> None:
    """Make the next play at ``scratch.state``; `thread` is the policy's row of memory."""
    if is_distilled(policy):
        play_distilled(scratch, policy.memory[thread], policy.network, deals)
    else:
        play_heuristically(scratch, deals)


@jit
def play_out_by(policy: PlayoutPolicy, thread: int, scratch: Scratch, deals: Deals) -> None:
    """Play the round at ``scratch.state`` to its end; `thread` is the policy's row of memory."""
    if is_distilled(policy):
        while scratch.state.phase != Phase.OVER:
            play_distilled(scratch, policy.memory[thread], policy.network, deals)
    else:
        play_out(scratch, deals)
