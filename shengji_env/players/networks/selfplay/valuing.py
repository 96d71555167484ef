"""Compiled code: a value network corrects what the policy thinks of its choices.

A choice's value is the policy's value plus the network's (`networks.champion.compiled_network`, with features of
`choice_features`), both in levels. A network of zeros plays as the policy does.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.play import CARDS
from shengji_env.engine.rows import copy_row, fill_row
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State
from shengji_env.players.candidates.candidate_list import MAX_FOUND
from shengji_env.players.fast_player import policy_part
from shengji_env.players.networks.champion.choosing import Evaluator, make_evaluator
from shengji_env.players.networks.champion.compiled_network import Network, blank_network, network_values
from shengji_env.players.networks.champion.inputs import make_inputs
from shengji_env.players.networks.selfplay.choice_features import write_choice_features
from shengji_env.players.networks.selfplay.choices import (
    SelfplayMemory,
    choice_of,
    example_memory,
    find_choices,
    value_choices,
)
from shengji_env.players.networks.selfplay.decision import MAX_CHOICES
from shengji_env.players.networks.selfplay.selfplay_network import LEVEL
from shengji_env.players.whole_plays import begin_decisions, next_legal
from shengji_env.tables.observing import write_observation, write_rules
from shengji_env.tables.policies import Policy
from shengji_env.tables.raw_arrays import reading

assert MAX_CHOICES <= MAX_FOUND


class ValuedMemory(NamedTuple):
    """What deciding needs besides the table."""

    policy: SelfplayMemory
    evaluator: Evaluator
    decides: NDArray[np.bool_]
    """(phases,) where the value network decides; elsewhere the policy does alone."""


@jit
def best_corrected_choice(s: State, r: Rules, memory: ValuedMemory) -> int:
    """Return which choice of the decision that begins at a table is worth most; values: ``memory.policy.decision``."""
    policy, evaluator = memory.policy, memory.evaluator
    d, w = policy.decision[0], policy.works[0]
    if find_choices(s, r, w, policy) < 2:
        return 0
    first = value_choices(policy)
    if not memory.decides[s.phase]:
        return int(first)
    write_observation(s, r, s.seat, evaluator.record[0])
    evaluator.offsets[1] = d.number
    for index in range(d.number):
        evaluator.rows[index] = evaluator.rows[MAX_FOUND]
        write_choice_features(s, r, w, d, first, index, evaluator.rows[index])
        if d.actions[index] == CARDS:
            copy_row(evaluator.cards[index], d.cards[index])
        else:
            fill_row(evaluator.cards[index], 0)
    cards, features = evaluator.cards[: d.number], evaluator.features[: d.number]
    values = network_values(evaluator.network, make_inputs(evaluator.observation, evaluator.offsets, cards, features))
    best, most = 0, -np.inf
    for index in range(d.number):
        value = d.values[index] / LEVEL + (values[index, 0] + values[index, 1]) / 2
        d.values[index] = int(value * LEVEL)
        if value > most:
            best, most = index, value
    return best


_memory_at = reading(lambda: ValuedMemory(example_memory(), make_evaluator(blank_network()), np.zeros(1, np.bool_)))


@jit
def next_corrected(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: Any) -> int:
    """Return the next action of the choice that is worth most, as `tables.policies` says."""
    whole = _memory_at(memory)
    policy = whole.policy
    if is_new:
        policy.seen[0] = s
        begin_decisions(policy.seen)
        policy.best[0] = best_corrected_choice(policy.seen[0], r, whole)
    return int(next_legal(choice_of(policy.decision[0], policy.best[0]), s.taken, slots, others))


compile_selfplay_values = policy_part(
    "selfplay-values", "the selfplay player with values: selfplay:PATH with a value network", next_corrected
)


def valued_policy(memory: SelfplayMemory, network: Network, decides: NDArray[np.bool_], rules: RuleSet) -> Policy:
    """Return the policy of a policy whose choices a value network values.

    Args:
        memory: the policy's.
        network: the value network, for these rules.
        decides: (phases,), where it decides.
        rules: what is played.
    """
    evaluator = make_evaluator(network)
    _begin(rules.record(), evaluator.record)
    return Policy("selfplay-values", next_corrected, ValuedMemory(memory, evaluator, decides), uses_key=False)


@jit
def _begin(rules: NDArray[Any], record: NDArray[Any]) -> None:
    write_rules(rules[0], record[0])
