"""Players of hand-written rules in compiled code."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.decisions import Decisions
from shengji_env.players.fast_player import policy_part
from shengji_env.players.player import ObservationPlayer
from shengji_env.support.announcing import part
from shengji_env.tables.arrays import MASK_DTYPE
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE, view
from shengji_env.tables.observing import write_rules
from shengji_env.tables.own_arrays import writable
from shengji_env.tables.policies import NextAction, Policy


class RuleMemory(NamedTuple):
    """The memory of a policy that decides from an observation."""

    seen: NDArray[Any]
    """(1,) OBSERVATION_DTYPE, with the rules written."""
    masks: NDArray[Any]
    """(1,) MASK_DTYPE, the legal actions."""
    plans: NDArray[Any]
    """(1,) what it plans."""


def make_rule_memory(plan: np.dtype[Any], rules: RuleSet | None = None) -> RuleMemory:
    """Make such memory, for plans of a dtype."""
    memory = RuleMemory(np.zeros(1, OBSERVATION_DTYPE), np.zeros(1, MASK_DTYPE), np.zeros(1, plan))
    if rules is not None:
        _write_rules(rules.record(), memory.seen)
    return memory


@jit
def _write_rules(rules: NDArray[Any], seen: NDArray[Any]) -> None:
    write_rules(rules[0], seen[0])


class Rule:
    """A rule of decision in compiled code, for observations and for tables: a part each.

    Args:
        name: the player's name.
        choose: ``choose(observations, masks, plans, chosen)`` writes an action for each row of OBSERVATION_DTYPE.
        next_action: its policy (`tables.policies`), whose memory is a `RuleMemory`.
        plan: dtype of `plans`, scratch memory of shape (1,).
    """

    def __init__(self, name: str, choose: Callable[..., None], next_action: NextAction, plan: np.dtype[Any]) -> None:
        self.kind, self.next_action, self.plan = f"policy-{name}", next_action, plan
        self._choose = choose
        policy_part(self.kind, f"the policy of {name}: inside the step, and in playouts", next_action)
        self.compile = part(name, f"the {name} player")(self._choose_nothing)

    def choose(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose actions, shape (B,)."""
        chosen = np.empty(len(observation), np.int64)
        self._choose(view(writable(observation)), writable(action_mask), np.zeros(1, self.plan), chosen)
        return chosen

    def _choose_nothing(self) -> None:
        self.choose(np.zeros((0, OBSERVATION_SIZE), np.int8), np.zeros((0, NUM_ACTIONS), np.int8))


class CompiledPlayer(ObservationPlayer):
    """A player that decides by one rule, from what a seat sees. Observations are there: reading a table takes longer.

    Args:
        is_asked: whether it is asked at tables; otherwise only its policy is compiled, when it is needed.
    """

    rule: ClassVar[Rule]

    def __init__(self, *, is_asked: bool = True) -> None:
        if is_asked:
            self.rule.compile()

    def policy(self, rules: RuleSet) -> Policy | None:
        """Return its policy."""
        return Policy(self.rule.kind, self.rule.next_action, make_rule_memory(self.rule.plan, rules), uses_key=False)

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Choose actions, shape (B,); the key has no part in them."""
        return self.rule.choose(observation, action_mask)

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,), without asking for keys."""
        return self.rule.choose(decisions.observation, decisions.action_mask)
