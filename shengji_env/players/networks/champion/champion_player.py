"""Players that take the candidate which a network values most; torch is not needed."""

import functools
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, rule_set
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.errors import PlayerError, show
from shengji_env.players.candidates import ALL_RULES
from shengji_env.players.compiled import announce
from shengji_env.players.decisions import Decisions
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.champion.choosing import Chooser, choose_actions, make_chooser, make_evaluator
from shengji_env.players.networks.champion.compiled_network import Weights, blank_network, network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.networks.champion.rule_notes import learned_presets, note_on_champion, warn_once
from shengji_env.players.networks.champion.seated_champion import seated_champion
from shengji_env.players.networks.champion.value_file import VALUES_FILE, read_values
from shengji_env.players.networks.network_file import file_at
from shengji_env.players.player import Player
from shengji_env.players.seated import Seated
from shengji_env.render.text import plural
from shengji_env.tables.own_arrays import with_own_arrays

_PHASES = {phase.name.lower(): phase for phase in Phase if phase != Phase.OVER}
_ALL = "+".join(_PHASES)


class ValuePlayer(Player):
    """A player that takes the candidate with the highest value.

    A decision is a function of what the seat to move may know. A play is decided anew at each of its cards, always to
    the same result.

    Args:
        networks: the weights (`compiled_network.weight_shapes`) for each rule set, by its fingerprint; those of a
            network that plays all rules by ALL_RULES.
        name: its name in reports.
        learned: the rules that the networks have learned, in words.
        phases: the phases that the network decides, by name, with "+" between them, such as "bury+lead"; in the others,
            and where the rules that it has learned had no such decision (overbids, rebellions), the first candidate is
            taken, which is the heuristic player's.
        otherwise: who plays under other rules; None: they are refused.
        stated_rules: the rules that the network reads as those played, whichever are played, with as many decks; its
            name says so. None: those that are played.
    """

    def __init__(
        self,
        networks: Mapping[str, Weights],
        *,
        name: str,
        learned: str = "others",
        phases: str = _ALL,
        otherwise: Player | None = None,
        stated_rules: RuleSet | None = None,
    ) -> None:
        # In the text of a player "+" stands for a space, as in every query.
        words = phases.replace(" ", "+").split("+") if isinstance(phases, str) else []
        if not words or not set(words) <= set(_PHASES):
            raise PlayerError(f"phases={show(phases)} must be phases with + between them, out of {', '.join(_PHASES)}")
        named = {"rules": stated_rules and str(stated_rules), "phases": set(words) != set(_PHASES) and "+".join(words)}
        query = "&".join(f"{argument}={value}" for argument, value in named.items() if value)
        self.name = f"{name}?{query}" if query else name
        self._networks, self._otherwise, self._stated_rules = networks, otherwise, stated_rules
        self.learned = learned
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
        networks, learned = _network_at(path)
        return ValuePlayer(networks, name=f"values:{path}", learned=learned, phases=phases)

    @staticmethod
    def champion(phases: str = _ALL, rules: str | None = None) -> "ValuePlayer":
        """Make the player whose weights come with the package; other rules are played by `heuristic`.

        Args:
            phases: the phases that the network decides.
            rules: a preset, whose network plays under any rules with as many decks; None: each under its own rules.

        Raises:
            PlayerError: there is no network of that preset.
        """
        champion = functools.partial(ValuePlayer, _champions(), name="champion", learned="presets", phases=phases)
        if rules is None:
            return champion(otherwise=HeuristicPlayer())
        if rules not in learned_presets():
            known = ", ".join(learned_presets())
            raise PlayerError(f"rules={show(rules)} is not a preset with a network; there are {known}")
        return champion(stated_rules=RULE_SETS[rules])

    def weights(self, rules: RuleSet) -> Weights | None:
        """Return the weights with which it plays under some rules; None: another player decides in its place.

        Raises:
            PlayerError: it has no network for the rules, and nobody decides in its place.
        """
        stated = self._stated_rules or rules
        if stated.decks != rules.decks:
            fitting = [preset for preset in learned_presets() if RULE_SETS[preset].decks == rules.decks]
            raise PlayerError(
                f"{self.name} cannot play {rules}, which has {plural(rules.decks, 'deck')}: its network has learned "
                f"rounds with {plural(stated.decks, 'deck')}; champion?rules=PRESET may name {', '.join(fitting)} here"
            )
        weights = weights_among(self._networks, stated)
        if weights is None and self._otherwise is None:
            raise PlayerError(f"{self.name} has not learned to play {rules}: it has learned {self.learned}")
        return weights

    def note_on(self, rules: RuleSet) -> str:
        """Say who plays in its place under some rules; nothing if it plays itself.

        Raises:
            PlayerError: it has no network for the rules, and nobody decides in its place.
        """
        return "" if self.weights(rules) is not None else note_on_champion(rules)

    def __getstate__(self) -> dict[str, Any]:
        """Without what belongs to the rules: a copy makes its own, since parts of it share memory."""
        return {**self.__dict__, "_rules": None, "_chooser": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(with_own_arrays(state))

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,); warn, once for each rule set and process, if another player decides.

        Raises:
            PlayerError: it has no network for the rules.
        """
        if decisions.rules is not self._rules:
            self._prepare(decisions.rules)
        if self._chooser is None:
            assert self._otherwise is not None
            return self._otherwise.decide(decisions)
        masks = decisions.action_mask
        chosen: NDArray[np.int64] = masks.argmax(axis=1).astype(np.int64)
        open_rows = np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1)
        if len(open_rows):
            chosen[open_rows] = choose_actions(decisions.states[open_rows], masks[open_rows], self._chooser)
        return chosen

    def seated(self, rules: RuleSet) -> Seated | None:
        """Return how it answers inside the step of environments; None for subclasses, which may do otherwise.

        It warns as `decide` does.

        Raises:
            PlayerError: it has no network for the rules.
        """
        if type(self) is not ValuePlayer:
            return None
        chooser = self._make_chooser(rules)
        if chooser is None:
            assert self._otherwise is not None
            return self._otherwise.seated(rules)
        return seated_champion(chooser, rules)

    def _prepare(self, rules: RuleSet) -> None:
        """Take the network for the rules."""
        self._chooser = self._make_chooser(rules)
        self._rules = rules

    def _make_chooser(self, rules: RuleSet) -> Chooser | None:
        """Return what decides under the rules; None, with a warning, if another player does."""
        warn_unlearned([self], rules)
        weights = self.weights(rules)
        if weights is None:
            return None
        network = network_of(for_rules(weights, features_of(self._stated_rules or rules)))
        evaluator = make_evaluator(network, self._stated_rules)
        return make_chooser(evaluator, self._decides, rules, learned=self._stated_rules)


def notes_on(players: Iterable[Player], rules: RuleSet) -> tuple[str, ...]:
    """Say, once each, which players have no network for some rules, and who plays in their place.

    Raises:
        PlayerError: one of them refuses to play under these rules.
    """
    notes = [player.note_on(rules) for player in players if isinstance(player, ValuePlayer)]
    return tuple(dict.fromkeys(note for note in notes if note))


def unlearned_names(players: Iterable[Player], rules: RuleSet) -> tuple[str, ...]:
    """Return the names, once each, of players that have no network for some rules, and in whose place another decides.

    Raises:
        PlayerError: one of them refuses to play under these rules.
    """
    return tuple(dict.fromkeys(player.name for player in players if notes_on([player], rules)))


def warn_unlearned(players: Iterable[Player], rules: RuleSet) -> None:
    """Warn of players that have no network for some rules, unless this process has done so before.

    Raises:
        PlayerError: one of them refuses to play under these rules.
    """
    for note in notes_on(players, rules):
        warn_once(rules, note)


def named_weights(player: str, rules: RuleSet) -> Weights:
    """Return the weights with which `champion` or ``values:PATH`` plays under some rules (`conditioning.for_rules`).

    Raises:
        PlayerError: it is not such a player, it has no network for the rules, or its file cannot be read.
    """
    kind, colon, path = player.partition(":")
    if not (player == "champion" or (kind == "values" and colon)):
        raise PlayerError(f"{show(player)} is not a network; write champion or values:PATH")
    networks, learned = _network_at(path) if colon else (_champions(), "presets")
    weights = weights_among(networks, rules)
    if weights is None:
        raise PlayerError(f"{player} has not learned to play {rules}: it has learned {learned}")
    return weights


def weights_among(networks: Mapping[str, Weights], rules: RuleSet) -> Weights | None:
    """Return the weights for some rules, or for all; None: there are none."""
    return networks.get(rules.fingerprint) or networks.get(ALL_RULES)


def _network_at(path: Path | str) -> tuple[dict[str, Weights], str]:
    """Read the network of a file, or of a run's folder, by the fingerprint of its rules; and their names."""
    read = read_values(file_at(path, VALUES_FILE, "value network"))
    if read.rules is None:
        return {ALL_RULES: read.weights}, "all rules"
    return {read.rules.fingerprint: read.weights}, str(read.rules)


@functools.cache
def _champions() -> dict[str, Weights]:
    """Read the networks that come with the package, by the fingerprints of their rules."""
    folder = resources.files("shengji_env.players.networks.champion")
    networks: dict[str, Weights] = {}
    for preset in learned_presets():
        with resources.as_file(folder / f"{preset}.npz") as path:
            networks |= _network_at(path)[0]
    return networks


def compile_champion() -> None:
    """Compile everything that a decision needs, or load it from the cache."""
    chooser = make_chooser(make_evaluator(blank_network()), np.zeros(len(Phase), np.bool_), rule_set())
    choose_actions(np.zeros(0, STATE_DTYPE), np.zeros((0, NUM_ACTIONS), np.int8), chooser)
