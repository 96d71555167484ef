"""What rollouts are made of: one frozen value, checked when it is made. Its JSON form is in every shard.

Players are known by their names (`named_players`). Settings that were read from a shard name networks and code but do
not have them: `generate` needs settings that were made from the players' texts.
"""

import copy
import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.named_players import (
    MAX_OPPONENTS,
    USUAL,
    checked_shares,
    is_name,
    is_network,
    named_player,
)
from shengji_env.engine.compile import record_type
from shengji_env.engine.drawn_rules import drawn_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules, rule_set
from shengji_env.errors import ShengjiError, show
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_list import MAX_FOUND
from shengji_env.players.networks.champion.champion_player import named_weights
from shengji_env.players.networks.champion.compiled_network import Weights, check_weights
from shengji_env.players.networks.champion.conditioning import reads_rules
from shengji_env.players.networks.champion.value_file import weights_digest
from shengji_env.players.player import Player
from shengji_env.players.playing import HEURISTIC
from shengji_env.support.arguments import check_number
from shengji_env.support.settings import any_seed, between, check_fields, settled, shares

POLICIES = (HEURISTIC, "champion", "values:PATH")
OTHERS = ("policy", "greedy", "heuristic with noise")
"""Who may sit in the seats that do not explore, opponents apart."""
MAX_NOISE = 8
"""Most noise levels."""
BLOCK = 25
"""Rounds that are played by the same rules, one after another, where rules are drawn."""
MAX_NETWORK_TRICKS = 1000
"""Most tricks that a network plays on for; more than any round has."""
_OPTIONAL: Mapping[str, Any] = {"playouts": HEURISTIC, "opponents": {}, "draws_rules": False}
"""What a shard names only if it is something else."""
_SHARES = ("others_share", "others_noise", "label_share")
_NETWORK = re.compile(r"network:[0-9a-f]{32}")
_MOST_SEATED = len(USUAL) + MAX_OPPONENTS
_ANY_RULES = "one_deck", "four_deck"
"""Whoever plays these plays all rules."""

SETTINGS_DTYPE = record_type(
    [
        ("seed", np.uint64),
        ("most", np.int64),
        ("network_tricks", np.int64),  # 0: the policy is not a network
        ("plays_on_alike", np.int64),  # 1: `heuristic` is the policy, and plays playouts
        ("num_noise", np.int64),
        ("noise", np.float64, (MAX_NOISE,)),
        ("others_share", np.float64),
        ("others_noise", np.float64),
        ("num_opponents", np.int64),
        ("opponents", np.float64, (_MOST_SEATED,)),  # share of each with those before it, in their order
        ("opponents_tricks", np.int64, (_MOST_SEATED,)),  # tricks that each plays on for
        ("label_share", np.float64),
    ]
)
"""The settings as compiled code reads them; the rules have a record of their own."""


@dataclass(frozen=True, kw_only=True)
class RolloutOptions:
    """What users choose of rollouts: in Python, on the command line, and in the configs of training runs."""

    policy: str = settled(HEURISTIC)
    """Who plays on once a candidate has been played, and sits in the seats without noise: heuristic, champion or
    values:PATH."""
    network_tricks: int = settled(between(1, 1, MAX_NETWORK_TRICKS))
    """Tricks that a network plays on for, that of the candidate included, before `playouts` do."""
    playouts: str = settled(HEURISTIC)
    """Who plays on to the end of the round after that: heuristic, distilled, or another player with a policy."""
    opponents: Mapping[str, float] = settled(shares())
    """Shares of the remaining rounds, above 0 and at most 1 together, in which a player with a policy sits in both
    opponents' seats: greedy = 0.25, "values:PATH" = 0.1. It plays on there, a value network for network_tricks."""
    others_share: float = settled(between(0.2, 0, 1))
    """Share of the rounds, before the others are shared out, with greedy or heuristic with noise in the seats that do
    not explore; they do not play on."""


@dataclass(frozen=True, kw_only=True)
class RolloutSettings(RolloutOptions):
    """Everything that rollouts depend on. Networks and other players, named by their texts, become names with digests.

    Raises:
        ShengjiError: a value is invalid.
    """

    rules: RuleSet = field(default_factory=rule_set)
    """The rules; also given as their text."""
    draws_rules: bool = False
    """Whether every BLOCK rounds have rules of their own, drawn by `engine.drawn_rules`, in place of `rules`."""
    seed: int = any_seed()
    """Seed of deals, starts, noise, and rules that are drawn."""
    candidates: int = between(DEFAULT_CANDIDATES, 2, MAX_FOUND)
    """Most candidates of a decision, from 2."""
    noise: tuple[float, ...] = (0.0, 0.1, 0.25)
    """How often the exploring seat takes another candidate than the policy's: each round draws one of these."""
    label_share: float = between(1.0, 0, 1)
    """Share of the exploring seat's decisions that are labelled, 0 to 1."""
    others_noise: float = between(0.1, 0, 1)
    """How often `heuristic` with noise takes another candidate, 0 to 1."""
    weights: Weights | None = field(default=None, compare=False, repr=False)
    """The policy's, if it is a network and at hand; taken from its file."""
    players: Mapping[str, Player] = field(default_factory=dict, compare=False, repr=False)
    """Players of playouts and opponents that are at hand, by name; made of their texts."""

    def __post_init__(self) -> None:
        """Check all fields."""
        check_fields(self)
        self._set(rules=as_rules(self.rules))
        if self.draws_rules and self.rules != rule_set():
            raise ShengjiError(f"draws_rules=True draws all rules, so rules={self.rules} has no use; leave it out")
        policy, weights = _network(self.policy, self.weights, self.rules)
        if self.draws_rules and weights is not None and not reads_rules(weights):
            raise ShengjiError(f"draws_rules=True needs a network that plays all rules; {show(policy)} is for one")
        self._set(policy=policy, weights=weights)
        self._name_players()
        if self.network_tricks > 1 and not self.has_network:
            raise ShengjiError(f"network_tricks={self.network_tricks} needs a network to play them; policy is {policy}")
        if not isinstance(self.noise, tuple | list) or not 1 <= len(self.noise) <= MAX_NOISE:
            raise ShengjiError(f"noise={show(self.noise)} must be 1 to {MAX_NOISE} numbers from 0 to 1")
        self._set(noise=tuple(check_number("noise", value, 0, 1) for value in self.noise))

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _name_players(self) -> None:
        """Name the players of playouts and the opponents, and keep those that are at hand."""
        rules = [self.rules, *(map(rule_set, _ANY_RULES) if self.draws_rules else ())]
        players = dict(self.players)

        def name_of(what: str, text: Any) -> str:
            if is_name(text):
                return str(text)
            name, players[name] = named_player(what, text, rules)
            return name

        playouts = name_of("playouts", self.playouts)
        shares = checked_shares(self.opponents)
        named = {name_of("opponents", text): share for text, share in shares.items()}
        if len(named) < len(shares):
            raise ShengjiError(f"opponents={show(shares)}: two of them are the same player")
        places = {name: place for place, name in enumerate(USUAL)}
        order = sorted(named, key=lambda name: (places.get(name, len(places)), name))
        at_hand = {name: players[name] for name in (playouts, *order) if name in players}
        self._set(playouts=playouts, opponents={name: named[name] for name in order}, players=at_hand)

    @property
    def is_network(self) -> bool:
        """Whether the policy is a network."""
        return self.policy != HEURISTIC

    @property
    def has_network(self) -> bool:
        """Whether a value network plays, for `network_tricks`."""
        return self.is_network or any(map(is_network, self.opponents))

    @property
    def seated(self) -> tuple[str, ...]:
        """Names of all players for the opponents' seats, by the order in which they are drawn; USUAL come first."""
        return *USUAL, *(name for name in self.opponents if name not in USUAL)

    @property
    def others(self) -> tuple[str, ...]:
        """Who may sit in the seats that do not explore; a shard holds their index in it."""
        return *OTHERS, *(f"{name} opponents" for name in self.seated)

    def rules_of(self, number: int) -> RuleSet:
        """Return the rules of a round."""
        return drawn_rules(self.seed, number // BLOCK) if self.draws_rules else self.rules

    def for_round(self, number: int) -> "RolloutSettings":
        """Return the settings of a round, and of its block: with its rules, and nothing drawn."""
        if not self.draws_rules:
            return self
        settings = copy.copy(self)
        settings._set(rules=self.rules_of(number), draws_rules=False)
        return settings

    def check_weights(self) -> None:
        """Refuse settings that name a network as the policy and do not have it.

        Raises:
            ShengjiError: they do.
        """
        if self.is_network and self.weights is None:
            raise ShengjiError(f"{self.policy} is not at hand: make the settings with policy values:PATH, its file")

    def player(self, name: str) -> Player:
        """Return a player of playouts or of opponents.

        Raises:
            ShengjiError: it is not at hand.
        """
        if name not in self.players and name not in USUAL:
            raise ShengjiError(f"{name} is not at hand: make the settings with the player's text, such as values:PATH")
        return self.players[name] if name in self.players else USUAL[name]()

    def record(self) -> NDArray[Any]:
        """Return the settings as numbers, shape (1,), SETTINGS_DTYPE."""
        record: NDArray[Any] = np.zeros(1, SETTINGS_DTYPE)
        record["seed"], record["most"], record["num_noise"] = self.seed, self.candidates, len(self.noise)
        record["network_tricks"] = self.network_tricks if self.is_network else 0
        record["plays_on_alike"] = not self.is_network and self.playouts == HEURISTIC
        record["noise"][0, : len(self.noise)] = self.noise
        for name in _SHARES:
            record[name] = getattr(self, name)
        record["num_opponents"] = number = len(self.seated)
        record["opponents"][0, :number] = list(accumulate(self.opponents.get(name, 0.0) for name in self.seated))
        tricks = [self.network_tricks if is_network(name) else MAX_NETWORK_TRICKS for name in self.seated]
        record["opponents_tricks"][0, :number] = tricks
        return record

    def compared(self) -> dict[str, Any]:
        """Return what makes settings equal, in a form that messages can show."""
        compared = {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self) if entry.compare}
        return {**compared, "rules": str(self.rules), "opponents": list(self.opponents.items())}

    def to_json(self) -> dict[str, Any]:
        """Return the form that shards carry; `from_json` reads it back."""
        return {
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "policy": self.policy,
            "noise": list(self.noise),
            "candidates": self.candidates,
            **{name: getattr(self, name) for name in _SHARES},
            **({"network_tricks": self.network_tricks} if self.has_network else {}),
            **{name: getattr(self, name) for name, usual in _OPTIONAL.items() if getattr(self, name) != usual},
        }

    @staticmethod
    def from_json(data: Any) -> "RolloutSettings":
        """Return the settings that `to_json` wrote.

        Raises:
            ShengjiError: they are not settings.
        """
        if not isinstance(data, Mapping):
            raise ShengjiError(f"{show(data)} are not settings of rollouts")
        data = {**_OPTIONAL, **data}
        if data.get("policy") != HEURISTIC and not _is_network_name(policy := data.get("policy")):
            raise ShengjiError(f"policy={show(policy)} is not a policy of a shard: {HEURISTIC}, or network:DIGEST")
        opponents = data["opponents"]
        for name in (data["playouts"], *(opponents if isinstance(opponents, Mapping) else ())):
            if not is_name(name):
                raise ShengjiError(
                    f"{show(name)} is not the name of a player in a shard, such as greedy or network:DIGEST"
                )
        names = {part.name for part in dataclasses.fields(RolloutSettings)} - {"weights", "players"}
        if set(data) | {"network_tricks"} != names:
            raise ShengjiError(f"{show(data)} are not settings of rollouts; they have {', '.join(sorted(names))}")
        return RolloutSettings(**{**data, "rules": RuleSet.from_json(data["rules"])})


def _is_network_name(name: Any) -> bool:
    return isinstance(name, str) and _NETWORK.fullmatch(name) is not None


def _network(policy: Any, weights: Weights | None, rules: RuleSet) -> tuple[str, Weights | None]:
    """Return the name and the weights of a policy."""
    if policy == HEURISTIC:
        return HEURISTIC, None
    if not _is_network_name(policy):
        if not isinstance(policy, str) or (policy != "champion" and not policy.startswith("values:")):
            raise ShengjiError(f"policy={show(policy)} is unknown; it is one of {', '.join(POLICIES)}")
        weights = named_weights(policy, rules)
        return f"network:{weights_digest(weights)}", weights
    if weights is not None:
        check_weights(weights)
        if policy != f"network:{weights_digest(weights)}":
            raise ShengjiError(f"the weights given are not those of {policy}")
    return policy, weights


def default_settings() -> RolloutSettings:
    """Return the settings of the default rules, for compiling."""
    return RolloutSettings(rules=rule_set(DEFAULT_RULES))
