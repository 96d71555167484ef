"""Players in compiled code. Like environments, they print a note when they have to be compiled, which takes a while."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.decisions import Decisions
from shengji_env.players.player import ObservationPlayer
from shengji_env.players.seated import Seated
from shengji_env.support.announcing import announce_compiling
from shengji_env.tables.observation import OBSERVATION_SIZE, view
from shengji_env.tables.own_arrays import writable

_LAYER = "players"


def announce(name: str, call_all: Callable[[], object]) -> None:
    """Compile a player's kernels, with a note to the user, unless an earlier process has compiled them.

    Args:
        name: the player's name, under which its kernels are marked as compiled.
        call_all: compiles them, or loads them from the cache.
    """
    announce_compiling(name, call_all, layer=_LAYER, what=f"the {name} player")


class CompiledPlayer(ObservationPlayer):
    """A player that decides by one compiled function, from what a seat sees.

    Args:
        name: its name.
        choose: ``choose(observations, masks, plans, chosen)`` writes an action for each row of OBSERVATION_DTYPE.
        step: a `seat_stepping.step_on` in which it answers; `plans` are its memory.
        plan: dtype of `plans`, scratch memory of shape (1,).
    """

    def __init__(self, name: str, choose: Callable[..., None], step: Callable[..., None], plan: np.dtype[Any]) -> None:
        self.name = name
        self._choose, self._step = choose, step
        self._plan = plan
        announce(name, self.compile)

    def __getstate__(self) -> dict[str, Any]:
        """With the names of compiled functions: Numba would make new ones of their source, and compile them anew."""
        return {**self.__dict__, "_choose": _name_of(self._choose), "_step": _name_of(self._step)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._choose, self._step = _function_of(self._choose), _function_of(self._step)

    def seated(self, rules: RuleSet) -> Seated | None:
        """Return how it answers inside the step of environments; None for subclasses, which may do otherwise."""
        is_as_compiled = type(self).decide is CompiledPlayer.decide and type(self).act is CompiledPlayer.act
        return Seated(self.name, self._step, np.zeros(1, self._plan)) if is_as_compiled else None

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Choose actions, shape (B,); the key has no part in them."""
        return self._choose_all(observation, action_mask)

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,), without asking for keys."""
        return self._choose_all(decisions.observation, decisions.action_mask)

    def _choose_all(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        chosen = np.empty(len(observation), np.int64)
        self._choose(view(writable(observation)), writable(action_mask), np.zeros(1, self._plan), chosen)
        return chosen

    def compile(self) -> None:
        """Compile everything that a decision needs, or load it from the cache."""
        self.act(np.zeros((0, OBSERVATION_SIZE), np.int8), np.zeros((0, NUM_ACTIONS), np.int8), np.zeros(0, np.uint64))


def _function_of(name: Any) -> Any:
    """Return the function that `_name_of` has named."""
    return getattr(importlib.import_module(name[0]), name[1]) if isinstance(name, tuple) else name


def _name_of(function: Callable[..., None]) -> Any:
    """Return module and name of a function, or itself if it cannot be found by them."""
    module, name = function.__module__, function.__name__
    return (module, name) if getattr(sys.modules.get(module), name, None) is function else function
