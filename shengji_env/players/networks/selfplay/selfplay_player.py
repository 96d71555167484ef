"""The player of networks that have learned by playing with themselves: ``selfplay:PATH``, and its policy."""

from pathlib import Path

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State
from shengji_env.errors import PlayerError, show
from shengji_env.players.fast_player import FastPlayer, policy_part
from shengji_env.players.networks.champion.champion_player import ALL_PHASES, phases_of
from shengji_env.players.networks.champion.compiled_network import network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.networks.network_file import file_at, shipped
from shengji_env.players.networks.selfplay.choices import choice_of, choose, example_memory, make_selfplay_memory
from shengji_env.players.networks.selfplay.selfplay_file import (
    SELFPLAY_FILE,
    SelfplayFile,
    read_selfplay,
    selfplay_digest,
)
from shengji_env.players.networks.selfplay.valuing import compile_selfplay_values, valued_policy
from shengji_env.players.whole_plays import begin_decisions, next_legal
from shengji_env.tables.policies import Policy
from shengji_env.tables.raw_arrays import reading

WHOLE, POLICY = PARTS = ("whole", "policy")
"""Which part of a file plays."""


class SelfplayPlayer(FastPlayer):
    """A player that takes the choice which its networks value most, in every decision.

    Args:
        file: the networks, and who proposes their choices.
        name: its name in reports.
        part: whole, with the value network if there is one; policy, without.
        phases: where the value network decides, as of `ValuePlayer`; in the others the policy does alone.

    Raises:
        PlayerError: there is no such part, no such phase, or no value network for `phases`.
    """

    def __init__(self, file: SelfplayFile, *, name: str, part: str = WHOLE, phases: str = ALL_PHASES) -> None:
        if part not in PARTS:
            raise PlayerError(f"part={show(part)} must be one of {', '.join(PARTS)}")
        self._decides, words = phases_of(phases)
        self._values = file.values if part == WHOLE else None
        if phases != ALL_PHASES and self._values is None:
            raise PlayerError(f"phases={show(phases)} is about a value network, and none plays")
        self._options = [f"part={part}"] * (part != WHOLE) + [f"phases={words}"] * (words != ALL_PHASES)
        self.name, self.file = f"{name}?{'&'.join(self._options)}" if self._options else name, file
        if self._values is None:
            compile_selfplay()
        else:
            compile_selfplay_values()

    @staticmethod
    def shipped() -> "SelfplayPlayer":
        """Return the policy that comes with the package (docs/selfplay.md)."""
        file = shipped("shengji_env.players.networks.selfplay", SELFPLAY_FILE, read_selfplay)
        return SelfplayPlayer(file, name="selfplay")

    @staticmethod
    def load(path: Path | str, *, part: str = WHOLE, phases: str = ALL_PHASES) -> "SelfplayPlayer":
        """Read a ``selfplay.npz`` file, or the one in a run's folder.

        Raises:
            PlayerError: there is no such file, it is damaged, or it is not compatible; or as of the class.
        """
        file = read_selfplay(file_at(path, SELFPLAY_FILE, "network of self-play"))
        return SelfplayPlayer(file, name=f"selfplay:{path}", part=part, phases=phases)

    def check(self, rules: RuleSet) -> None:
        """Check that its value network has learned some rules.

        Raises:
            PlayerError: it has not; `part=policy` plays any.
        """
        if self._values is not None:
            self._values.weights_under(rules, self.name)

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digest of its networks, and which part of them plays."""
        return (selfplay_digest(self.file), *self._options)

    def policy(self, rules: RuleSet) -> Policy:
        """Return its policy.

        Raises:
            PlayerError: its value network has not learned the rules.
        """
        memory = make_selfplay_memory(self.file.network, self.file.proposals, rules)
        if self._values is None:
            return Policy("selfplay", next_selfplay, memory, uses_key=False)
        weights = self._values.weights_under(rules, self.name)
        return valued_policy(memory, network_of(for_rules(weights, features_of(rules))), self._decides, rules)


_memory_at = reading(example_memory)


@jit
def next_selfplay(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: int) -> int:
    """Return the next action of the choice that the network values most, as `tables.policies` says."""
    policy = _memory_at(memory)
    if is_new:
        policy.seen[0] = s
        begin_decisions(policy.seen)
        policy.best[0] = choose(policy.seen[0], r, policy.works[0], policy)
    return int(next_legal(choice_of(policy.decision[0], policy.best[0]), s.taken, slots, others))


compile_selfplay = policy_part("selfplay", "the selfplay player: selfplay:PATH", next_selfplay)
