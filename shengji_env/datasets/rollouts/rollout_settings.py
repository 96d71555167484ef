"""What rollouts are made of: one frozen value, checked when it is made. Its JSON form is in every shard.

Players are known by their names (`named_players`). Settings that were read from a shard name networks and code but do
not have them: `generate` needs settings that were made from the players' texts.
"""

import copy
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.named_players import USUAL, checked_shares, is_name, named_player
from shengji_env.engine.drawn_rules import drawn_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules, rule_set
from shengji_env.errors import ShengjiError, show
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_list import MAX_FOUND
from shengji_env.players.player import Player
from shengji_env.players.playing import HEURISTIC
from shengji_env.support.arguments import check_number
from shengji_env.support.settings import any_seed, between, check_fields, settled, shares

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
_ANY_RULES = "one_deck", "four_deck"
"""Whoever plays these plays all rules."""

POLICY, PLAYOUTS, FIRST_SEATED = range(3)
"""Places of policies: the policy, the player of playouts, those of `RolloutSettings.seated`."""


class RoundSettings(NamedTuple):
    """The settings as compiled code reads them; deals and rules go beside."""

    most: int
    noise: NDArray[np.float64]
    others_share: float
    others_noise: float
    opponents: NDArray[np.float64]
    """Share of each of `seated` with those before it."""
    tricks: NDArray[np.int64]
    """Tricks that each policy plays on for."""
    label_share: float
    plays_on_alike: bool
    """Whether `heuristic` is the policy, and plays playouts."""


@dataclass(frozen=True, kw_only=True)
class RolloutOptions:
    """What users choose of rollouts: in Python, on the command line, and in the configs of training runs."""

    policy: str = settled(HEURISTIC)
    """Who plays on once a candidate has been played, and sits in the seats without noise: heuristic, or another player
    with a policy."""
    network_tricks: int = settled(between(1, 1, MAX_NETWORK_TRICKS))
    """Tricks that a network, or another policy than heuristic, plays on for, that of the candidate included, before
    `playouts` do."""
    playouts: str = settled(HEURISTIC)
    """The playout policy after that, to the end of the round: that of heuristic, or of another player."""
    opponents: Mapping[str, float] = settled(shares())
    """Shares of the remaining rounds, above 0 and at most 1 together, in which a player with a policy sits in both
    opponents' seats: greedy = 0.25, "selfplay:PATH" = 0.1. It plays on there."""
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
    players: Mapping[str, Player] = field(default_factory=dict, compare=False, repr=False)
    """Players that are at hand, by name; made of their texts."""

    def __post_init__(self) -> None:
        """Check all fields."""
        check_fields(self)
        self._set(rules=as_rules(self.rules))
        if self.draws_rules and self.rules != rule_set():
            raise ShengjiError(f"draws_rules=True draws all rules, so rules={self.rules} has no use; leave it out")
        self._name_players()
        if self.network_tricks > 1 and self.policy == HEURISTIC:
            raise ShengjiError(
                f"network_tricks={self.network_tricks} needs a network to play them; policy is heuristic"
            )
        if not isinstance(self.noise, tuple | list) or not 1 <= len(self.noise) <= MAX_NOISE:
            raise ShengjiError(f"noise={show(self.noise)} must be 1 to {MAX_NOISE} numbers from 0 to 1")
        self._set(noise=tuple(check_number("noise", value, 0, 1) for value in self.noise))

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _name_players(self) -> None:
        """Name the policy, the player of playouts and the opponents, and keep those that are at hand."""
        rules = [self.rules, *(map(rule_set, _ANY_RULES) if self.draws_rules else ())]
        players = dict(self.players)

        def name_of(what: str, text: Any) -> str:
            if is_name(text):
                return str(text)
            name, players[name] = named_player(what, text, rules)
            return name

        policy, playouts = name_of("policy", self.policy), name_of("playouts", self.playouts)
        shares = checked_shares(self.opponents)
        named = {name_of("opponents", text): share for text, share in shares.items()}
        if len(named) < len(shares):
            raise ShengjiError(f"opponents={show(shares)}: two of them are the same player")
        places = {name: place for place, name in enumerate(USUAL)}
        order = sorted(named, key=lambda name: (places.get(name, len(places)), name))
        at_hand = {name: players[name] for name in (policy, playouts, *order) if name in players}
        opponents = {name: named[name] for name in order}
        self._set(policy=policy, playouts=playouts, opponents=opponents, players=at_hand)

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

    def player(self, name: str) -> Player:
        """Return the policy, the player of playouts or an opponent.

        Raises:
            ShengjiError: it is not at hand.
        """
        if name not in self.players and name not in USUAL:
            raise ShengjiError(
                f"{name} is not at hand: make the settings with the player's text, such as selfplay:PATH"
            )
        return self.players[name] if name in self.players else USUAL[name]()

    def compiled(self) -> RoundSettings:
        """Return the settings as compiled code reads them."""
        tricks = np.full(FIRST_SEATED + len(self.seated), MAX_NETWORK_TRICKS)
        tricks[POLICY] = self.network_tricks if self.policy != HEURISTIC else 0
        shares = accumulate(self.opponents.get(name, 0.0) for name in self.seated)
        return RoundSettings(
            self.candidates, np.array(self.noise, np.float64), float(self.others_share), float(self.others_noise),
            np.array([*shares], np.float64), tricks, float(self.label_share), self.policy == self.playouts == HEURISTIC,
        )  # fmt: skip

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
            **({"network_tricks": self.network_tricks} if self.policy != HEURISTIC else {}),
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
        opponents = data["opponents"]
        for name in (data.get("policy"), data["playouts"], *(opponents if isinstance(opponents, Mapping) else ())):
            if not is_name(name):
                raise ShengjiError(
                    f"{show(name)} is not the name of a player in a shard, such as greedy or selfplay:DIGEST"
                )
        names = {part.name for part in dataclasses.fields(RolloutSettings)} - {"players"}
        if set(data) | {"network_tricks"} != names:
            raise ShengjiError(f"{show(data)} are not settings of rollouts; they have {', '.join(sorted(names))}")
        return RolloutSettings(**{**data, "rules": RuleSet.from_json(data["rules"])})


def default_settings() -> RolloutSettings:
    """Return the settings of the default rules, for compiling."""
    return RolloutSettings(rules=rule_set(DEFAULT_RULES))
