"""The base of players that are a policy in compiled code, which is also asked at tables, in batches."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import compile_for, jit
from shengji_env.engine.masks import first_legal, legal_of_mask, num_legal
from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.source_digest import layer_of
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.players.decisions import Decisions
from shengji_env.players.player import Player
from shengji_env.support.announcing import PARTS, Part, part
from shengji_env.tables.own_arrays import with_own_arrays, writable
from shengji_env.tables.policies import NO_POLICIES, NextAction, PackedPolicies, Policies, Policy, address_of, next_of


class FastPlayer(Player):
    """A player that is a policy (docs/tutorials/policy.md): subclasses write `policy`, and have a `name`.

    Where it is asked, hidden cards have been wiped from the table that the policy gets. So if its decisions inside a
    step are the same, it reads nothing that its seat may not know.
    """

    _rules: RuleSet | None = None
    _policies: Policies | None = None

    @abstractmethod
    def policy(self, rules: RuleSet) -> Policy:
        """Return its rule of decision under some rules, with memory of its own.

        Raises:
            PlayerError: it cannot play under these rules.
        """

    def __getstate__(self) -> dict[str, Any]:
        """Without the memory of its policy: a copy makes its own."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_rules", "_policies")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(with_own_arrays(state))

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose one legal action for each decision, shape (B,).

        Raises:
            PlayerError: it cannot play under the rules.
        """
        if self._policies is None or decisions.rules is not self._rules:
            policy = self.policy(decisions.rules)
            announce_policy(policy)
            self._policies, self._rules = Policies((policy,)), decisions.rules
        chosen = np.empty(len(decisions), np.int64)
        masks, keys = writable(decisions.action_mask), writable(decisions.key)
        choose_all(decisions.states, decisions.rules_record, masks, keys, self._policies.packed, chosen)
        return chosen


@jit
def choose_all(
    states: NDArray[Any],
    rules: NDArray[Any],
    masks: NDArray[Any],
    keys: NDArray[Any],
    policies: PackedPolicies,
    chosen: NDArray[np.int64],
) -> None:
    """Write a policy's action for each information state; it is asked where two or more are legal."""
    for row in range(states.size):
        slots, others = legal_of_mask(masks[row])
        action = first_legal(slots, others)
        if num_legal(slots, others) > 1:
            action = next_of(policies, 0, states[row], rules[0], slots, others, True, keys[row])
        chosen[row] = action


def policy_part(name: str, about: str, next_action: NextAction) -> Part:
    """Make a policy's function, and what asks fast players for theirs, a part; its name is the policy's kind."""

    def call_all() -> None:
        address_of(next_action)
        states, rules = np.zeros(1, STATE_DTYPE), np.zeros(1, RULES_DTYPE)
        masks, keys = np.zeros((1, NUM_ACTIONS), np.int8), np.zeros(1, np.uint64)
        compile_for(choose_all, states, rules, masks, keys, NO_POLICIES, np.zeros(1, np.int64))

    return part(name, about)(call_all)


def announce_policy(policy: Policy) -> None:
    """Compile a policy, with a note; one from outside the package is compiled when it is first needed, without."""
    if policy.kind in PARTS and layer_of(policy.next_action.__module__) is not None:
        PARTS[policy.kind]()
