"""The player `distilled`: the network leads and follows with one card, everything else is done as by `heuristic`."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.play import next_card
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State, Workspace
from shengji_env.players.compiled import RuleMemory, make_rule_memory
from shengji_env.players.fast_player import FastPlayer, policy_part
from shengji_env.players.heuristic import next_from_seen
from shengji_env.players.heuristic.counting import HEURISTIC_DTYPE
from shengji_env.players.networks.distilled.distilled_file import (
    DISTILLED_FILE,
    distilled_digest,
    read_distilled,
    shipped_network,
)
from shengji_env.players.networks.distilled.distilled_network import (
    DISTILLED_DTYPE,
    NO_NETWORK,
    DistilledNetwork,
    choose_card,
    is_for_network,
    log_chance,
    look_at,
)
from shengji_env.players.networks.network_file import file_at
from shengji_env.tables.policies import Policy
from shengji_env.tables.raw_arrays import reading

_SURPRISE = -1.5
"""Logarithm of how much less likely than the heuristic player's another follow of several cards is."""


class _Memory(NamedTuple):
    """What deciding needs besides the table."""

    network: DistilledNetwork
    scratch: NDArray[Any]
    """(1,) DISTILLED_DTYPE."""
    heuristic: RuleMemory
    """That of `heuristic`."""


class DistilledPlayer(FastPlayer):
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
        _compile()

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digest of its network."""
        return (distilled_digest(self.network), *super().identity(rules))

    def policy(self, rules: RuleSet) -> Policy:
        """Return its policy."""
        memory = _make_memory(self.network, rules)
        return Policy("distilled", next_distilled, memory, uses_key=False, replay=replay_distilled)


def _make_memory(network: DistilledNetwork, rules: RuleSet | None = None) -> _Memory:
    return _Memory(network, np.zeros(1, DISTILLED_DTYPE), make_rule_memory(HEURISTIC_DTYPE, rules))


_memory_at = reading(lambda: _make_memory(NO_NETWORK))


@jit
def next_distilled(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: Any) -> int:
    """Return the network's action at a table, or the heuristic player's, as `tables.policies` says."""
    policy = _memory_at(memory)
    if not is_for_network(s):
        rule = policy.heuristic
        return next_from_seen(s, r, slots, others, is_new, rule.seen[0], rule.masks[0], rule.plans[0])
    if is_new:
        look_at(s, policy.scratch[0])
    return int(choose_card(s, slots, others != 0, policy.scratch[0], policy.network))


@jit
def replay_distilled(s: State, r: Rules, w: Workspace, cards: NDArray[Any], memory: Any) -> float:
    """Make a play again, as `tables.policies` says.

    What the network decides has a probability: a softmax of what it says of the legal cards, card by card. Of follows
    of several cards, the heuristic player's counts as so much likelier than others.
    """
    policy = _memory_at(memory)
    rule, by_network, is_new, total = policy.heuristic, is_for_network(s), True, 0.0
    while True:
        slots, others = legal_actions(s, r, w)
        action = next_card(s.taken, slots, cards)
        if action == DONE and others == 0:  # the deal does not allow the play
            return total
        if slots != 0 and (others != 0 or slots & (slots - 1) != 0) and (by_network or total == 0.0):
            if by_network:
                if is_new:
                    look_at(s, policy.scratch[0])
                total += log_chance(s, slots, others != 0, policy.scratch[0], policy.network, action)
            elif action != next_from_seen(s, r, slots, others, is_new, rule.seen[0], rule.masks[0], rule.plans[0]):
                total = _SURPRISE
            is_new = False
        apply_action(s, r, w, SAME_CARDS, action)
        if s.taken_size == 0:
            return total


_compile = policy_part("distilled", "the distilled player", next_distilled)
