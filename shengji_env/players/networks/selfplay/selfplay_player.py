"""The players of networks that have learned by playing with themselves: `champion`, ``selfplay:PATH``."""

import math
from functools import cache
from importlib import resources
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
from shengji_env.players.networks.network_file import file_at
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
from shengji_env.players.searchable import Prior, Proposals, Proposer, SearchablePlayer
from shengji_env.players.whole_plays import begin_decisions, next_legal
from shengji_env.tables.policies import Policies, Policy
from shengji_env.tables.raw_arrays import reading

CHAMPION = "champion"
"""The player whose networks come with the package."""
POLICY, PLAYOUTS = PARTS = ("policy", "playouts")
"""Which network of a file plays."""
TEMPERATURE = 0.035
"""Levels by which a choice is better where it is taken to be e times as likely."""
DOUBT = 0.05
"""Share of plays that are taken to be any choice, however bad."""


class SelfplayPlayer(SearchablePlayer):
    """A player that takes the choice which its network values most, in every decision.

    Args:
        file: the networks, and who proposes their choices.
        name: its name in reports.
        part: policy, or playouts, the smaller network.

    Raises:
        PlayerError: there is no such part, also in the file.
    """

    prior = Prior(weight=60.0, growth=0.2, margin=0.15, proposals=2)  # research/trials/searching_selfplay.md

    def __init__(self, file: SelfplayFile, *, name: str, part: str = POLICY) -> None:
        if part not in PARTS:
            raise PlayerError(f"part={show(part)} must be one of {', '.join(PARTS)}")
        if part == PLAYOUTS:
            if file.playouts is None:
                raise PlayerError(f"part={part}: {name} has no smaller network for playouts")
            file = SelfplayFile(file.playouts, file.proposals, file.made)
        self._options = [f"part={part}"] * (part != POLICY)
        self.name, self.file = "?".join([name, *self._options]), file
        compile_selfplay()

    @staticmethod
    def champion(*, part: str = POLICY) -> "SelfplayPlayer":
        """Return the player whose networks come with the package (docs/champion.md)."""
        return SelfplayPlayer(_shipped(), name=CHAMPION, part=part)

    @staticmethod
    def load(path: Path | str, *, part: str = POLICY) -> "SelfplayPlayer":
        """Read a ``selfplay.npz`` file, or the one in a run's folder.

        Raises:
            PlayerError: there is no such file, it is damaged, or it is not compatible; or as of the class.
        """
        file = read_selfplay(file_at(path, SELFPLAY_FILE, "network of self-play"))
        return SelfplayPlayer(file, name=f"selfplay:{path}", part=part)

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digest of its networks, and which part of them plays."""
        return (selfplay_digest(self.file), *self._options)

    def policy(self, rules: RuleSet) -> Policy:
        """Return its policy."""
        return _policy_of(self._memory(rules))

    def proposer(self, rules: RuleSet) -> Proposer:
        """Return what asks its policy, and takes the best of the choices that this has valued."""
        memory, record = self._memory(rules), rules.record()
        policies, chosen = Policies((_policy_of(memory),)), np.zeros(1, np.int64)
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
        """The smaller network, if there is one."""
        return self if self.file.playouts is None else SelfplayPlayer(self.file, name=self.name, part=PLAYOUTS)

    def _memory(self, rules: RuleSet) -> SelfplayMemory:
        return make_selfplay_memory(self.file.network, self.file.proposals, rules)


@cache
def _shipped() -> SelfplayFile:
    """Read the file of the package, once in a process: to unpack it takes longer than to play a round."""
    with resources.as_file(resources.files(__package__) / SELFPLAY_FILE) as path:
        return read_selfplay(path)


def _policy_of(memory: SelfplayMemory) -> Policy:
    return Policy(CHAMPION, next_selfplay, memory, uses_key=False, replay=replay_selfplay)


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


compile_selfplay = policy_part("champion", "the champion player: selfplay:PATH, too", next_selfplay)
