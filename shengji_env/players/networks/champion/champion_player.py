"""Players that take the candidate which a network values most; torch is not needed."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, show
from shengji_env.players.candidates.finding import CandidateFinder
from shengji_env.players.networks.champion.choosing import (
    Evaluator,
    compile_champion,
    make_evaluator,
    network_policy,
    value_candidates,
)
from shengji_env.players.networks.champion.compiled_network import network_of
from shengji_env.players.networks.champion.conditioning import Weights, features_of, for_rules
from shengji_env.players.networks.champion.value_file import VALUES_FILE, ValueFile, read_values, weights_digest
from shengji_env.players.networks.distilled import DistilledPlayer
from shengji_env.players.networks.network_file import file_at, shipped
from shengji_env.players.searchable import Prior, Proposals, Proposer, SearchablePlayer
from shengji_env.tables.policies import Policy

_PHASES = {phase.name.lower(): phase for phase in Phase if phase != Phase.OVER}
ALL_PHASES = "+".join(_PHASES)
CHAMPION = "champion"
CHAMPION_FILE = "champion.npz"
"""The network that comes with the package."""


class ValuePlayer(SearchablePlayer):
    """A player that takes the candidate with the highest value.

    A decision is a function of what the seat to move may know. A play is decided anew at each of its cards, always to
    the same result.

    Args:
        file: the network, and the rules that it has learned.
        name: its name in reports.
        phases: the phases that the network decides, by name, with "+" between them, such as "bury+lead"; in the others
            the first candidate is taken, which is the heuristic player's.
    """

    prior = Prior(weight=60.0, growth=0.35, margin=0.2, proposals=4)  # research/trials/replaying.md

    def __init__(self, file: ValueFile, *, name: str, phases: str = ALL_PHASES) -> None:
        self._decides, words = phases_of(phases)
        self.name = name if words == ALL_PHASES else f"{name}?phases={words}"
        self._file = file
        compile_champion()

    @staticmethod
    def load(path: Path | str, *, phases: str = ALL_PHASES) -> "ValuePlayer":
        """Read a ``values.npz`` file, or the one in a run's folder.

        Raises:
            PlayerError: there is no such file, it is damaged, or it is not compatible.
        """
        return ValuePlayer(named_file(f"values:{path}"), name=f"values:{path}", phases=phases)

    @staticmethod
    def champion(phases: str = ALL_PHASES) -> "ValuePlayer":
        """Make the player whose weights come with the package; it plays all rules."""
        return ValuePlayer(named_file(CHAMPION), name=CHAMPION, phases=phases)

    @property
    def learned(self) -> str:
        """The rules that its network has learned, in words."""
        return self._file.learned

    def weights(self, rules: RuleSet) -> Weights:
        """Return the weights with which it plays under some rules (`conditioning.for_rules`).

        Raises:
            PlayerError: it has not learned these rules.
        """
        return self._file.weights_under(rules, self.name)

    def check(self, rules: RuleSet) -> None:
        """Check that it has learned some rules.

        Raises:
            PlayerError: it has not.
        """
        self.weights(rules)

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digest of the weights with which it plays.

        Raises:
            PlayerError: it has not learned the rules.
        """
        return (weights_digest(self.weights(rules)), *super().identity(rules))

    def policy(self, rules: RuleSet) -> Policy:
        """Return its policy.

        Raises:
            PlayerError: it has not learned the rules.
        """
        return network_policy(self._evaluator(rules), self._decides, rules)

    def proposer(self, rules: RuleSet) -> Proposer:
        """Return what finds the candidates, and values them by the network; the first alone where it does not decide.

        Raises:
            PlayerError: it has not learned the rules.
        """
        finder, evaluator = CandidateFinder(rules), self._evaluator(rules)

        def propose(start: NDArray[Any], most: int) -> Proposals:
            actions, cards = finder.find(start, most)
            number = len(actions)
            if number < 2 or not self._decides[start["phase"][0]]:
                return Proposals(Plays(actions[:1], cards[:1]), np.zeros(1))
            values = value_candidates(start[0], finder.scratch[0], finder.found[0], number, evaluator)
            return Proposals(Plays(actions, cards), values.mean(axis=1, dtype=np.float64))

        return propose

    @property
    def playing_on(self) -> DistilledPlayer:
        """The player that it has taught, which is quicker."""
        return DistilledPlayer()

    def _evaluator(self, rules: RuleSet) -> Evaluator:
        return make_evaluator(network_of(for_rules(self.weights(rules), features_of(rules))))


def phases_of(phases: str) -> tuple[NDArray[np.bool_], str]:
    """Return where a network decides, (phases,), and the same in words.

    Raises:
        PlayerError: these are not phases with "+" between them.
    """
    # In the text of a player "+" stands for a space, as in every query.
    words = phases.replace(" ", "+").split("+") if isinstance(phases, str) else []
    if not words or not set(words) <= set(_PHASES):
        raise PlayerError(f"phases={show(phases)} must be phases with + between them, out of {', '.join(_PHASES)}")
    decides = np.isin(np.arange(len(Phase)), [_PHASES[word] for word in words])
    return decides, ALL_PHASES if set(words) == set(_PHASES) else "+".join(words)


def named_weights(player: str, rules: RuleSet) -> Weights:
    """Return the weights with which `champion` or ``values:PATH`` plays under some rules (`conditioning.for_rules`).

    Raises:
        PlayerError: it is not such a player, it has not learned the rules, or its file cannot be read.
    """
    return named_file(player).weights_under(rules, player)


def named_file(player: str) -> ValueFile:
    """Read the network of `champion` or of ``values:PATH``, a file or a run's folder.

    Raises:
        PlayerError: it is not such a player, or its file cannot be read.
    """
    kind, _, path = player.partition(":")
    if player != CHAMPION and (kind != "values" or not path):
        raise PlayerError(f"{show(player)} is not a network; write {CHAMPION} or values:PATH")
    if player == CHAMPION:
        return _champion()
    return read_values(file_at(path, VALUES_FILE, "value network"))


@functools.cache
def _champion() -> ValueFile:
    """Read the network that comes with the package."""
    return shipped("shengji_env.players.networks.champion", CHAMPION_FILE, read_values)
