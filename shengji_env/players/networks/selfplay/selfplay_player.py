"""The player of networks that have learned by playing with themselves: ``selfplay:PATH``, and its policy."""

from pathlib import Path

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State
from shengji_env.players.compiled import announce
from shengji_env.players.fast_player import FastPlayer, compile_asking
from shengji_env.players.networks.network_file import file_at
from shengji_env.players.networks.selfplay.choices import choice_of, choose, example_memory, make_selfplay_memory
from shengji_env.players.networks.selfplay.selfplay_file import (
    SELFPLAY_FILE,
    SelfplayFile,
    read_selfplay,
    selfplay_digest,
)
from shengji_env.players.whole_plays import begin_decisions, next_legal
from shengji_env.tables.policies import Policy, address_of
from shengji_env.tables.raw_arrays import reading


class SelfplayPlayer(FastPlayer):
    """A player that takes the choice which its network values most, in every decision.

    Args:
        file: the network, and who proposes its choices.
        name: its name in reports.
    """

    def __init__(self, file: SelfplayFile, *, name: str) -> None:
        self.name, self.file = name, file
        announce("selfplay", compile_selfplay)

    @staticmethod
    def load(path: Path | str) -> "SelfplayPlayer":
        """Read a ``selfplay.npz`` file, or the one in a run's folder.

        Raises:
            PlayerError: there is no such file, it is damaged, or it is not compatible.
        """
        return SelfplayPlayer(
            read_selfplay(file_at(path, SELFPLAY_FILE, "network of self-play")), name=f"selfplay:{path}"
        )

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digest of its network."""
        return (selfplay_digest(self.file),)

    def policy(self, rules: RuleSet) -> Policy:
        """Return its policy."""
        memory = make_selfplay_memory(self.file.network, self.file.proposals, rules)
        return Policy("selfplay", next_selfplay, memory, uses_key=False)


_memory_at = reading(example_memory)


@jit
def next_selfplay(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: int) -> int:
    """Return the next action of the choice that the network values most, as `tables.policies` says."""
    own = _memory_at(memory)
    if is_new:
        own.seen[0] = s
        begin_decisions(own.seen)
        own.best[0] = choose(own.seen[0], r, own.works[0], own)
    return int(next_legal(choice_of(own.own[0], own.best[0]), s.taken, slots, others))


def compile_selfplay() -> None:
    """Compile everything that a decision needs, or load it from the cache."""
    address_of(next_selfplay)
    compile_asking()
