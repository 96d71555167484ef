"""Values of a network that has learned by playing with itself: of any candidates, in little time, without playouts."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import compile_for, jit
from shengji_env.engine.play import CARDS
from shengji_env.engine.rule_sets import RuleSet, rule_set
from shengji_env.engine.state import STATE_DTYPE, Rules, State
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE
from shengji_env.players.networks.selfplay.choices import (
    WIDE,
    SelfplayMemory,
    find_choices,
    list_rows,
    make_selfplay_memory,
    value_choices,
)
from shengji_env.players.networks.selfplay.decision import MAX_CHOICES
from shengji_env.players.networks.selfplay.selfplay_inputs import ACTION_GROUP
from shengji_env.players.networks.selfplay.selfplay_network import LEVEL, blank_network
from shengji_env.players.networks.selfplay.selfplay_player import SelfplayPlayer
from shengji_env.support.announcing import part
from shengji_table.valuing.reviewed_decisions import Choice
from shengji_table.valuing.risky_throws import RiskyThrows, is_risky

POINTS_WEIGHT = 0.005
"""Levels that a point counts for in playouts and penalties."""
NETWORK_ERROR = 0.15
"""Levels; standard error of what `champion` says that one candidate leads another by (research/trials/reviews.md)."""


class NetworkValuer:
    """Values with the network of a player.

    Args:
        player: the player.
        rules: the rules.
    """

    def __init__(self, player: SelfplayPlayer, rules: RuleSet) -> None:
        compile_values()
        self.name = player.name
        self._memory = make_selfplay_memory(player.file.network, WIDE, rules)
        self._rules = rules.record()
        self._throws = RiskyThrows(rules, POINTS_WEIGHT)

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate is worth, (C,), in levels."""
        values = self.value_as_found(choice)
        for index in range(choice.num_found, choice.number):
            if is_risky(choice, index):
                values[index] = self._throws.value(choice, index, partial(self._values_of_leads, choice))
        return values

    def errors(self, choice: Choice) -> NDArray[np.float64]:
        """Return the standard errors of leads, (C,): those of the network, measured once."""
        return np.full(choice.number, NETWORK_ERROR)

    def value_as_found(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate would be worth, (C,), if every throw stood."""
        return self._values(choice, *choice.candidates)

    def _values(self, choice: Choice, actions: NDArray[Any], cards: NDArray[Any]) -> NDArray[np.float64]:
        values = np.zeros(len(actions), np.int64)
        for first in range(0, len(actions), MAX_CHOICES):
            some = slice(first, first + MAX_CHOICES)
            _value_given(choice.seen[0], self._rules[0], self._memory, actions[some], cards[some], values[some])
        return values / LEVEL

    def _values_of_leads(self, choice: Choice, leads: list[NDArray[np.int8]]) -> NDArray[np.float64]:
        like = choice.candidates
        return self._values(choice, np.full(len(leads), CARDS, like.actions.dtype), np.array(leads, like.cards.dtype))


@jit
def _value_given(
    s: State, r: Rules, memory: SelfplayMemory, actions: NDArray[Any], cards: NDArray[Any], values: NDArray[np.int64]
) -> None:
    """Value the candidates of the decision that begins at a table, instead of the policy's own choices."""
    d = memory.decision[0]
    find_choices(s, r, memory.works[0], memory)
    if d.group == ACTION_GROUP:
        value_choices(memory)
        for index in range(len(actions)):
            for own in range(d.number):
                if d.actions[own] == actions[index]:
                    values[index] = d.values[own]
    else:
        d.number = len(actions)
        d.actions[: d.number], d.cards[: d.number] = actions, cards
        list_rows(s, r, memory.works[0], d, memory.network.widths[1] > 0)
        value_choices(memory)
        values[:] = d.values[: d.number]


@part("champion-values", "the champion's values: reviews, compare")
def compile_values() -> None:
    """Compile what values the candidates of a decision."""
    rules, memory = rule_set().record(), make_selfplay_memory(blank_network(), WIDE, None)
    states, found = np.zeros(1, STATE_DTYPE), np.zeros(1, CANDIDATE_LIST_DTYPE)
    actions, cards = found["actions"][0, :1], found["cards"][0, :1]
    compile_for(_value_given, states[0], rules[0], memory, actions, cards, np.zeros(1, np.int64))
