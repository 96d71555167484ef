"""The player `distilled`: the network leads and follows with one card, everything else is done as by `heuristic`."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State
from shengji_env.players.compiled import Sight, make_sight
from shengji_env.players.fast_player import FastPlayer, policy_part
from shengji_env.players.heuristic import next_in_sight
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
    look_at,
)
from shengji_env.players.networks.network_file import file_at
from shengji_env.tables.policies import Policy
from shengji_env.tables.raw_arrays import reading


class _Memory(NamedTuple):
    """What deciding needs besides the table."""

    network: DistilledNetwork
    looks: NDArray[Any]
    """(1,) DISTILLED_DTYPE."""
    sight: Sight
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
        return Policy("distilled", next_distilled, _make_memory(self.network, rules), uses_key=False)


def _make_memory(network: DistilledNetwork, rules: RuleSet | None = None) -> _Memory:
    return _Memory(network, np.zeros(1, DISTILLED_DTYPE), make_sight(HEURISTIC_DTYPE, rules))


_memory_at = reading(lambda: _make_memory(NO_NETWORK))


@jit
def next_distilled(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: Any) -> int:
    """Return the network's action at a table, or the heuristic player's, as `tables.policies` says."""
    own = _memory_at(memory)
    if not is_for_network(s):
        sight = own.sight
        return next_in_sight(s, r, slots, others, is_new, sight.seen[0], sight.masks[0], sight.plans[0])
    if is_new:
        look_at(s, own.looks[0])
    return int(choose_card(s, slots, others != 0, own.looks[0], own.network))


_compile = policy_part("distilled", "the distilled player", next_distilled)
