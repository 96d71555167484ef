"""Players in compiled code. Like environments, they print a note when they have to be compiled, which takes a while."""

import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.source_digest import layer_of
from shengji_env.players.decisions import Decisions
from shengji_env.players.player import ObservationPlayer
from shengji_env.support.announcing import announce_compiling
from shengji_env.tables.arrays import MASK_DTYPE
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE, view
from shengji_env.tables.observing import write_rules
from shengji_env.tables.own_arrays import writable
from shengji_env.tables.policies import Policy, address_of

_LAYER = "players"


def announce(name: str, call_all: Callable[[], object]) -> None:
    """Compile a player's kernels, with a note to the user, unless an earlier process has compiled them.

    Args:
        name: the player's name, under which its kernels are marked as compiled.
        call_all: compiles them, or loads them from the cache.
    """
    announce_compiling(name, call_all, layer=_LAYER, what=f"the {name} player")


def announce_policy(policy: Policy) -> None:
    """Do the same for a policy; one from outside the package is compiled when it is first needed, without a note."""
    if layer_of(policy.next_action.__module__) == _LAYER:
        call = partial(address_of, policy.next_action)
        announce_compiling(policy.kind, call, layer=_LAYER, what=f"the policy of {policy.kind.removeprefix('policy-')}")


class Sight(NamedTuple):
    """The memory of a policy that decides from an observation."""

    seen: NDArray[Any]
    """(1,) OBSERVATION_DTYPE, with the rules written."""
    masks: NDArray[Any]
    """(1,) MASK_DTYPE, the legal actions."""
    plans: NDArray[Any]
    """(1,) what it plans."""


def make_sight(plan: np.dtype[Any], rules: RuleSet | None = None) -> Sight:
    """Make such memory, for plans of a dtype."""
    sight = Sight(np.zeros(1, OBSERVATION_DTYPE), np.zeros(1, MASK_DTYPE), np.zeros(1, plan))
    if rules is not None:
        _write_rules(rules.record(), sight.seen)
    return sight


@jit
def _write_rules(rules: NDArray[Any], seen: NDArray[Any]) -> None:
    write_rules(rules[0], seen[0])


class CompiledPlayer(ObservationPlayer):
    """A player that decides by one compiled function, from what a seat sees.

    Args:
        name: its name.
        choose: ``choose(observations, masks, plans, chosen)`` writes an action for each row of OBSERVATION_DTYPE.
        next_action: its policy (`tables.policies`), whose memory is a `Sight`.
        plan: dtype of `plans`, scratch memory of shape (1,).
        is_asked: whether `choose` is needed at once.
    """

    def __init__(
        self,
        name: str,
        choose: Callable[..., None],
        next_action: Callable[..., int],
        plan: np.dtype[Any],
        *,
        is_asked: bool = True,
    ) -> None:
        self.name = name
        self._choose, self._next_action = choose, next_action
        self._plan = plan
        if is_asked:
            announce(name, self.compile)

    def __getstate__(self) -> dict[str, Any]:
        """With the names of compiled functions: Numba would make new ones of their source, and compile them anew."""
        return {**self.__dict__, "_choose": _name_of(self._choose), "_next_action": _name_of(self._next_action)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._choose, self._next_action = _function_of(self._choose), _function_of(self._next_action)

    def policy(self, rules: RuleSet) -> Policy | None:
        """Return its policy; None for subclasses, which may do otherwise."""
        if type(self).decide is not CompiledPlayer.decide or type(self).act is not CompiledPlayer.act:
            return None
        return Policy(f"policy-{self.name}", self._next_action, make_sight(self._plan, rules), uses_key=False)

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


def _name_of(function: Callable[..., Any]) -> Any:
    """Return module and name of a function, or itself if it cannot be found by them."""
    module, name = function.__module__, function.__name__
    return (module, name) if getattr(sys.modules.get(module), name, None) is function else function
