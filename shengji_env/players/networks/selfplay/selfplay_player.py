"""The player of networks that have learned by playing with themselves: ``selfplay:PATH``, and its policy."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.play import Plays, take_play
from shengji_env.engine.rows import slots_above
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State, Workspace
from shengji_env.errors import PlayerError, show
from shengji_env.players.fast_player import choose_all, policy_part
from shengji_env.players.networks.champion.champion_player import ALL_PHASES, phases_of
from shengji_env.players.networks.champion.compiled_network import network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.networks.network_file import file_at, shipped
from shengji_env.players.networks.selfplay.choices import (
    SelfplayMemory,
    best_choice,
    choice_of,
    example_memory,
    find_choices,
    make_selfplay_memory,
    value_choices,
)
from shengji_env.players.networks.selfplay.decision import DecisionRecord
from shengji_env.players.networks.selfplay.selfplay_file import (
    SELFPLAY_FILE,
    SelfplayFile,
    read_selfplay,
    selfplay_digest,
)
from shengji_env.players.networks.selfplay.selfplay_network import LEVEL
from shengji_env.players.networks.selfplay.valuing import compile_selfplay_values, valued_policy
from shengji_env.players.searchable import Prior, Proposals, Proposer, SearchablePlayer
from shengji_env.players.whole_plays import begin_decisions, next_legal
from shengji_env.tables.policies import Policies, Policy
from shengji_env.tables.raw_arrays import reading

WHOLE, POLICY, PLAYOUTS = PARTS = ("whole", "policy", "playouts")
"""Which part of a file plays."""
TEMPERATURE = 0.035
"""Levels by which a choice is better where it is taken to be e times as likely."""
DOUBT = 0.05
"""Share of plays that are taken to be any choice, however bad."""


class SelfplayPlayer(SearchablePlayer):
    """A player that takes the choice which its networks value most, in every decision.

    Args:
        file: the networks, and who proposes their choices.
        name: its name in reports.
        part: whole, with the value network if there is one; policy, without; playouts, the smaller network.
        phases: where the value network decides, as of `ValuePlayer`; in the others the policy does alone.

    Raises:
        PlayerError: there is no such part, also in the file, no such phase, or no value network for `phases`.
    """

    prior = Prior(weight=60.0, growth=0.2, margin=0.05, proposals=2)  # research/trials/searching_selfplay.md

    def __init__(self, file: SelfplayFile, *, name: str, part: str = WHOLE, phases: str = ALL_PHASES) -> None:
        if part not in PARTS:
            raise PlayerError(f"part={show(part)} must be one of {', '.join(PARTS)}")
        if part == PLAYOUTS:
            if file.playouts is None:
                raise PlayerError(f"part={part}: {name} has no smaller network for playouts")
            file = SelfplayFile(file.playouts, file.proposals, file.made)
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
        return self._policy(self._memory(rules), rules)

    def proposer(self, rules: RuleSet) -> Proposer:
        """Return what asks its policy, and takes the best of the choices that this has valued.

        Raises:
            PlayerError: its value network has not learned the rules.
        """
        memory, record = self._memory(rules), rules.record()
        policies, chosen = Policies((self._policy(memory, rules),)), np.zeros(1, np.int64)
        mask, key = np.ones((1, NUM_ACTIONS), np.int8), np.zeros(1, np.uint64)

        def propose(start: NDArray[Any], most: int) -> Proposals:
            choose_all(start, record, mask, key, policies.packed, chosen)
            d = memory.decision[0]
            values = d["values"][: d["number"]] / LEVEL
            best = np.argsort(-values, kind="stable")[:most]
            return Proposals(Plays(d["actions"][best], d["cards"][best]), values[best])

        return propose

    @property
    def playing_on(self) -> "SelfplayPlayer":
        """The smaller network, if there is one; otherwise the policy alone."""
        if self._values is None and self.file.playouts is None:
            return self
        part = POLICY if self.file.playouts is None else PLAYOUTS
        return SelfplayPlayer(self.file, name=self.name.partition("?")[0], part=part)

    def _memory(self, rules: RuleSet) -> SelfplayMemory:
        return make_selfplay_memory(self.file.network, self.file.proposals, rules)

    def _policy(self, memory: SelfplayMemory, rules: RuleSet) -> Policy:
        if self._values is None:
            return Policy("selfplay", next_selfplay, memory, uses_key=False, replay=replay_selfplay)
        weights = self._values.weights_under(rules, self.name)
        return valued_policy(memory, network_of(for_rules(weights, features_of(rules))), self._decides, rules)


_memory_at = reading(example_memory)


@jit
def next_selfplay(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: int) -> int:
    """Return the next action of the choice that the network values most, as `tables.policies` says."""
    policy = _memory_at(memory)
    if is_new:
        begun = s
        if s.taken_size > 0:
            policy.seen[0] = s
            begin_decisions(policy.seen)
            begun = policy.seen[0]
        policy.best[0] = best_choice(begun, r, policy.works[0], policy)
    return int(next_legal(choice_of(policy.decision[0], policy.best[0]), s.taken, slots, others))


@jit
def replay_selfplay(s: State, r: Rules, w: Workspace, cards: NDArray[Any], memory: int) -> float:
    """Make a play again, as `tables.policies` says."""
    policy, chance = _memory_at(memory), 1.0
    if find_choices(s, r, w, policy) > 1:
        value_choices(policy)
        chance = chance_of(policy.decision[0], cards)
    take_play(s, r, w, cards, None)
    return math.log(chance)


@jit
def chance_of(d: DecisionRecord, cards: NDArray[Any]) -> float:
    """Return how likely a set of cards is out of two or more choices that have been valued, by a softmax of values."""
    best = d.values[: d.number].max()
    share, total = 0.0, 0.0
    for index in range(d.number):
        weight = math.exp((d.values[index] - best) / (LEVEL * TEMPERATURE))
        total += weight
        if slots_above(d.cards[index], cards) | slots_above(cards, d.cards[index]) == 0:
            share = weight
    return float((1 - DOUBT) * share / total + DOUBT / d.number)


compile_selfplay = policy_part("selfplay", "the selfplay player: selfplay:PATH", next_selfplay)
