"""The player `distilled`: the network leads and follows with one card, everything else is done as by `heuristic`."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NUM_ACTIONS
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.rows import slots_with
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.players.compiled import announce
from shengji_env.players.decisions import Decisions
from shengji_env.players.heuristic import choose_heuristically_at, heuristic_action
from shengji_env.players.heuristic.counting import HEURISTIC_DTYPE
from shengji_env.players.networks.distilled.distilled_file import DISTILLED_FILE, read_distilled, shipped_network
from shengji_env.players.networks.distilled.distilled_network import (
    DISTILLED_DTYPE,
    DistilledNetwork,
    choose_card,
    is_for_network,
    look_at,
)
from shengji_env.players.networks.network_file import file_at
from shengji_env.players.player import Player
from shengji_env.players.seated import Seated
from shengji_env.tables.arrays import Arrays
from shengji_env.tables.observation import OBSERVATION_SIZE, view
from shengji_env.tables.own_arrays import with_own_arrays, writable
from shengji_env.tables.seat_stepping import Packed, step_on


class _Memory(NamedTuple):
    """What deciding needs besides the table."""

    network: DistilledNetwork
    own: NDArray[Any]
    """(1,) DISTILLED_DTYPE."""
    plans: NDArray[Any]
    """(1,) HEURISTIC_DTYPE."""


class DistilledPlayer(Player):
    """A player whose leads and follows of one card a small network chooses, under any rules; the rest is `heuristic`'s.

    A decision is a function of what the seat to move may know. A play is decided anew at each of its cards.

    Args:
        path: a ``distilled.npz`` file, or a folder that holds one; None: the network that comes with the package.

    Attributes:
        network: the network.

    Raises:
        PlayerError: there is no such file, it is damaged, or it is not compatible.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.name = "distilled" if path is None else f"distilled?path={path}"
        if path is None:
            self.network = shipped_network()
        else:
            self.network = read_distilled(file_at(path, DISTILLED_FILE, "distilled network"))
        self._memory = self._make_memory()
        announce("distilled", compile_distilled)

    def _make_memory(self) -> _Memory:
        return _Memory(self.network, np.zeros(1, DISTILLED_DTYPE), np.zeros(1, HEURISTIC_DTYPE))

    def __getstate__(self) -> dict[str, Any]:
        """Without scratch memory: a copy makes its own."""
        return {**self.__dict__, "_memory": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(with_own_arrays(state))
        self._memory = self._make_memory()

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,)."""
        chosen = np.empty(len(decisions), np.int64)
        seen = view(writable(decisions.observation))
        choose_distilled(decisions.states, seen, writable(decisions.action_mask), self._memory, chosen)
        return chosen

    def seated(self, rules: RuleSet) -> Seated | None:
        """Return how it answers inside the step of environments; None for subclasses, which may do otherwise."""
        is_as_compiled = type(self).decide is DistilledPlayer.decide
        return Seated("distilled", step_with_distilled, self._make_memory()) if is_as_compiled else None


@jit
def choose_distilled(
    states: NDArray[Any], seen: NDArray[Any], masks: NDArray[Any], memory: _Memory, chosen: NDArray[Any]
) -> None:
    """Choose an action for each information state, whose observation is a row of OBSERVATION_DTYPE."""
    for row in range(states.size):
        s = states[row]
        if is_for_network(s):
            look_at(s, memory.own[0])
            chosen[row] = _next_card(s, masks[row], memory)
        else:
            chosen[row] = heuristic_action(seen[row], masks[row], memory.plans[0])


@jit
def _next_card(s: Any, mask: NDArray[Any], memory: _Memory) -> int:
    """Return the next card of a decision that has been looked at."""
    return int(choose_card(s, slots_with(mask, 1), mask[DONE] != 0, memory.own[0], memory.network))


@jit
def step_with_distilled(packed: Packed, rows: Any, actions: Any, sits_at: Any, memory: _Memory) -> None:
    """Step tables with this player in some seats, as `seat_stepping.step_on` says."""
    step_on(_choose_at, packed, rows, actions, sits_at, memory)


@jit_inline
def _choose_at(arrays: Arrays, row: int, memory: _Memory, is_planned: bool) -> int:
    s, mask = arrays.states[row], arrays.masks[row].legal
    if is_for_network(s):
        if not is_planned:
            look_at(s, memory.own[0])
        return int(_next_card(s, mask, memory))
    return int(choose_heuristically_at(arrays, row, memory.plans, is_planned))


def compile_distilled() -> None:
    """Compile everything that a decision needs, or load it from the cache."""
    memory = _Memory(shipped_network(), np.zeros(1, DISTILLED_DTYPE), np.zeros(1, HEURISTIC_DTYPE))
    seen = view(np.zeros((0, OBSERVATION_SIZE), np.int8))
    masks = np.zeros((0, NUM_ACTIONS), np.int8)
    choose_distilled(np.zeros(0, STATE_DTYPE), seen, masks, memory, np.zeros(0, np.int64))
