"""Values of a policy that has learned by playing with itself: of any candidates, in little time, without playouts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.review.reviewed_decisions import Choice
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State
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
from shengji_env.players.networks.selfplay.selfplay_network import LEVEL
from shengji_env.players.networks.selfplay.selfplay_player import SelfplayPlayer


class SelfplayValuer:
    """Values with the policy of a player.

    Args:
        player: the player.
        rules: the rules.
    """

    def __init__(self, player: SelfplayPlayer, rules: RuleSet) -> None:
        self.name = player.name
        self._memory = make_selfplay_memory(player.file.network, WIDE, rules)
        self._rules = rules.record()

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate is worth, (C,), in levels."""
        actions, cards = choice.candidates
        values = np.zeros(choice.number, np.int64)
        for first in range(0, choice.number, MAX_CHOICES):
            some = slice(first, first + MAX_CHOICES)
            _value_given(choice.seen[0], self._rules[0], self._memory, actions[some], cards[some], values[some])
        return values / LEVEL

    def errors(self, choice: Choice) -> NDArray[np.float64]:
        """Return nothing, (C,): nobody has measured how wrong its values are."""
        return np.zeros(choice.number)


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


def policy_values(rules: RuleSet) -> SelfplayValuer:
    """Return the valuer of the policy that comes with the package."""
    return SelfplayValuer(SelfplayPlayer.shipped(), rules)
