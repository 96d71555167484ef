"""Players that take the candidate which a network values most; torch is not needed."""

import functools
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import RuleSet, rule_set
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.errors import PlayerError, show
from shengji_env.players.compiled import announce
from shengji_env.players.decisions import Decisions
from shengji_env.players.networks.champion.choosing import Chooser, choose_actions, make_chooser, make_evaluator
from shengji_env.players.networks.champion.compiled_network import Weights, blank_network, network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.networks.champion.seated_champion import seated_champion
from shengji_env.players.networks.champion.value_file import VALUES_FILE, ValueFile, read_values
from shengji_env.players.networks.network_file import file_at
from shengji_env.players.partners import all_players
from shengji_env.players.player import Player
from shengji_env.players.seated import Seated
from shengji_env.tables.own_arrays import with_own_arrays

_PHASES = {phase.name.lower(): phase for phase in Phase if phase != Phase.OVER}
_ALL = "+".join(_PHASES)
CHAMPION = "champion"
CHAMPION_FILE = "champion.npz"
"""The network that comes with the package."""


class ValuePlayer(Player):
    """A player that takes the candidate with the highest value.

    A decision is a function of what the seat to move may know. A play is decided anew at each of its cards, always to
    the same result.

    Args:
        file: the network, and the rules that it has learned.
        name: its name in reports.
        phases: the phases that the network decides, by name, with "+" between them, such as "bury+lead"; in the others
            the first candidate is taken, which is the heuristic player's.
    """

    def __init__(self, file: ValueFile, *, name: str, phases: str = _ALL) -> None:
        # In the text of a player "+" stands for a space, as in every query.
        words = phases.replace(" ", "+").split("+") if isinstance(phases, str) else []
        if not words or not set(words) <= set(_PHASES):
            raise PlayerError(f"phases={show(phases)} must be phases with + between them, out of {', '.join(_PHASES)}")
        self.name = name if set(words) == set(_PHASES) else f"{name}?phases={'+'.join(words)}"
        self._file = file
        self._decides = np.isin(np.arange(len(Phase)), [_PHASES[word] for word in words])
        self._rules: RuleSet | None = None
        self._chooser: Chooser | None = None
        announce("champion", compile_champion)

    @staticmethod
    def load(path: Path | str, *, phases: str = _ALL) -> "ValuePlayer":
        """Read a ``values.npz`` file, or the one in a run's folder.

        Raises:
            PlayerError: there is no such file, it is damaged, or it is not compatible.
        """
        return ValuePlayer(named_file(f"values:{path}"), name=f"values:{path}", phases=phases)

    @staticmethod
    def champion(phases: str = _ALL) -> "ValuePlayer":
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

    def __getstate__(self) -> dict[str, Any]:
        """Without what belongs to the rules: a copy makes its own, since parts of it share memory."""
        return {**self.__dict__, "_rules": None, "_chooser": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(with_own_arrays(state))

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,).

        Raises:
            PlayerError: it has not learned the rules.
        """
        if self._chooser is None or decisions.rules is not self._rules:
            self._chooser = self._make_chooser(decisions.rules)
            self._rules = decisions.rules
        masks = decisions.action_mask
        chosen: NDArray[np.int64] = masks.argmax(axis=1).astype(np.int64)
        open_rows = np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1)
        if len(open_rows):
            chosen[open_rows] = choose_actions(decisions.states[open_rows], masks[open_rows], self._chooser)
        return chosen

    def seated(self, rules: RuleSet) -> Seated | None:
        """Return how it answers inside the step of environments; None for subclasses, which may do otherwise.

        Raises:
            PlayerError: it has not learned the rules.
        """
        return seated_champion(self._make_chooser(rules), rules) if type(self) is ValuePlayer else None

    def _make_chooser(self, rules: RuleSet) -> Chooser:
        """Return what decides under the rules."""
        network = network_of(for_rules(self.weights(rules), features_of(rules)))
        return make_chooser(make_evaluator(network), self._decides, rules)


def check_learned(players: Iterable[Player], rules: RuleSet) -> None:
    """Refuse players whose networks have not learned some rules.

    Raises:
        PlayerError: there is one.
    """
    for player in all_players(players):
        if isinstance(player, ValuePlayer):
            player.weights(rules)


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
    folder = resources.files("shengji_env.players.networks.champion")
    with resources.as_file(folder / CHAMPION_FILE) as path:
        return read_values(path)


def compile_champion() -> None:
    """Compile everything that a decision needs, or load it from the cache."""
    chooser = make_chooser(make_evaluator(blank_network()), np.zeros(len(Phase), np.bool_), rule_set())
    choose_actions(np.zeros(0, STATE_DTYPE), np.zeros((0, NUM_ACTIONS), np.int8), chooser)
