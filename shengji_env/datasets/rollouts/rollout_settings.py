"""What rollouts are made of: one frozen value, checked when it is made. Its JSON form is in every shard.

A network is known by the digest of its weights, ``network:DIGEST``, wherever its file lies. Settings that were read
from a shard name the network but do not have it: `generate` needs settings that were made from its file.
"""

import copy
import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from shengji_env.players.networks.distilled.distilled_file import distilled_digest, shipped_network
from shengji_env.players.playing import DISTILLED, HEURISTIC
from shengji_env.support.arguments import check_index, check_seed

NONE = "none"
"""No network of the opponents."""
POLICIES = (HEURISTIC, "champion", "values:PATH")
OTHERS = (
    "policy", "greedy", "heuristic with noise", "greedy opponents", "heuristic opponents", "random opponents",
    "network opponents",
)  # fmt: skip
"""Who may sit in the seats that do not explore; a shard holds their index in it."""
MAX_NOISE = 8
"""Most noise levels."""
BLOCK = 25
"""Rounds that are played by the same rules, one after another, where rules are drawn."""
MAX_NETWORK_TRICKS = 1000
"""Most tricks that a network plays on for; more than any round has."""
_OPTIONAL_SHARES = ("opponents_share", "heuristic_opponents_share", "random_opponents_share", "network_opponents_share")
_OPTIONAL = {
    **dict.fromkeys(_OPTIONAL_SHARES, 0.0), "playouts": HEURISTIC, "network_opponents": NONE, "draws_rules": False,
}  # fmt: skip
"""What a shard names only if it is something else."""
_SHARES = ("others_share", "others_noise", "label_share", *_OPTIONAL_SHARES)
_NETWORK = re.compile(r"network:[0-9a-f]{32}")
_PLAYOUTS = re.compile(rf"{DISTILLED}:[0-9a-f]{{32}}")

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
        ("opponents_share", np.float64),
        ("heuristic_opponents_share", np.float64),
        ("random_opponents_share", np.float64),
        ("network_opponents_share", np.float64),
        ("label_share", np.float64),
    ]
)
"""The settings as compiled code reads them; the rules have a record of their own."""


@dataclass(frozen=True, kw_only=True)
class RolloutSettings:
    """Everything that rollouts depend on.

    Raises:
        ShengjiError: a value is invalid.
    """

    rules: RuleSet = field(default_factory=rule_set)
    """The rules; also given as their text."""
    draws_rules: bool = False
    """Whether every BLOCK rounds have rules of their own, drawn by `engine.drawn_rules`, in place of `rules`."""
    seed: int = 0
    """Seed of deals, starts, noise, and rules that are drawn."""
    policy: str = HEURISTIC
    """Who plays on in all four seats once a candidate has been played, and who sits in the seats without noise:
    `heuristic`, or a network: `champion` or ``values:PATH``, which become ``network:DIGEST``."""
    network_tricks: int = 1
    """Tricks after which `heuristic` plays on instead of a network, from 1, the trick of the candidate included."""
    playouts: str = HEURISTIC
    """Who plays on to the end of the round after that: `heuristic`, or `distilled`, a small network that comes with
    the package and becomes ``distilled:DIGEST``."""
    candidates: int = DEFAULT_CANDIDATES
    """Most candidates of a decision, from 2."""
    noise: tuple[float, ...] = (0.0, 0.1, 0.25)
    """How often the exploring seat takes another candidate than the policy's: each round draws one of these."""
    label_share: float = 1.0
    """Share of the exploring seat's decisions that are labelled, 0 to 1."""
    others_share: float = 0.2
    """Share of the rounds in which `greedy` or `heuristic` with noise sits in the other seats, 0 to 1."""
    others_noise: float = 0.1
    """How often `heuristic` with noise takes another candidate, 0 to 1."""
    opponents_share: float = 0.0
    """Share of the remaining rounds in which `greedy` sits in both opponents' seats, and plays on there, 0 to 1."""
    heuristic_opponents_share: float = 0.0
    """The same share for `heuristic`."""
    random_opponents_share: float = 0.0
    """The same share for `random`."""
    network_opponents_share: float = 0.0
    """The same share for the network that `network_opponents` names; together they are at most 1."""
    network_opponents: str = NONE
    """That network, where the policy is one, too: `champion` or ``values:PATH``, which become ``network:DIGEST``. It
    plays on for as many tricks as the policy."""
    weights: Weights | None = field(default=None, compare=False, repr=False)
    """The policy's, if it is a network and at hand; taken from its file."""
    opponents_weights: Weights | None = field(default=None, compare=False, repr=False)
    """Those of `network_opponents`."""

    def __post_init__(self) -> None:
        """Check all fields."""
        object.__setattr__(self, "rules", as_rules(self.rules))
        if not isinstance(self.draws_rules, bool):
            raise ShengjiError(f"draws_rules={show(self.draws_rules)} must be True or False")
        if self.draws_rules and self.rules != rule_set():
            raise ShengjiError(f"draws_rules=True draws all rules, so rules={self.rules} has no use; leave it out")
        object.__setattr__(self, "seed", check_seed(self.seed))
        policy, weights = _network("policy", self.policy, self.weights, self.rules)
        object.__setattr__(self, "policy", policy)
        object.__setattr__(self, "weights", weights)
        self._take_opponents()
        for name, own in ((self.policy, weights), (self.network_opponents, self.opponents_weights)):
            if self.draws_rules and own is not None and not reads_rules(own):
                raise ShengjiError(f"draws_rules=True needs a network that plays all rules; {show(name)} is for one")
        tricks = check_index("network_tricks", self.network_tricks, 1, MAX_NETWORK_TRICKS)
        object.__setattr__(self, "network_tricks", tricks)
        if tricks > 1 and not self.is_network:
            raise ShengjiError(f"network_tricks={tricks} needs a network to play them; policy is {policy}")
        object.__setattr__(self, "playouts", _named_playouts(self.playouts))
        object.__setattr__(self, "candidates", check_index("candidates", self.candidates, 2, MAX_FOUND))
        if not isinstance(self.noise, tuple | list) or not 1 <= len(self.noise) <= MAX_NOISE:
            raise ShengjiError(f"noise={show(self.noise)} must be 1 to {MAX_NOISE} numbers from 0 to 1")
        object.__setattr__(self, "noise", tuple(_share("noise", value) for value in self.noise))
        for name in _SHARES:
            object.__setattr__(self, name, _share(name, getattr(self, name)))
        if sum(getattr(self, name) for name in _OPTIONAL_SHARES) > 1:
            shares = ", ".join(f"{name}={getattr(self, name):g}" for name in _OPTIONAL_SHARES)
            raise ShengjiError(f"{shares}: together they must be at most 1")

    def _take_opponents(self) -> None:
        """Check the network of the opponents, and take its weights."""
        name = "network_opponents"
        if self.network_opponents == NONE:
            if self.network_opponents_share:
                share = show(self.network_opponents_share)
                raise ShengjiError(f"network_opponents_share={share} needs a network in {name}")
            return
        if self.network_opponents == HEURISTIC:
            raise ShengjiError(f"{name}={HEURISTIC} must be a network; heuristic_opponents_share seats {HEURISTIC}")
        opponents, weights = _network(name, self.network_opponents, self.opponents_weights, self.rules)
        object.__setattr__(self, "network_opponents", opponents)
        object.__setattr__(self, "opponents_weights", weights)

    @property
    def is_network(self) -> bool:
        """Whether the policy is a network."""
        return self.policy != HEURISTIC

    def rules_of(self, number: int) -> RuleSet:
        """Return the rules of a round."""
        return drawn_rules(self.seed, number // BLOCK) if self.draws_rules else self.rules

    def for_round(self, number: int) -> "RolloutSettings":
        """Return the settings of a round, and of its block: with its rules, and nothing drawn."""
        if not self.draws_rules:
            return self
        settings = copy.copy(self)
        object.__setattr__(settings, "rules", self.rules_of(number))
        object.__setattr__(settings, "draws_rules", False)
        return settings

    @property
    def playouts_by(self) -> str:
        """Who plays on to the end of the round, one of PLAYOUTS."""
        return self.playouts.partition(":")[0]

    def check_weights(self) -> None:
        """Refuse settings that name a network and do not have it, or have one for the opponents alone.

        Raises:
            ShengjiError: they do.
        """
        if self.playouts not in (HEURISTIC, shipped := _named_playouts(DISTILLED)):
            raise ShengjiError(f"playouts={self.playouts} are not those of this version, {shipped}")
        networks = (("policy", self.policy, self.weights),
                    ("network_opponents", self.network_opponents, self.opponents_weights))  # fmt: skip
        for name, network, weights in networks:
            if network not in (NONE, HEURISTIC) and weights is None:
                raise ShengjiError(f"{network} is not at hand: make the settings with {name} values:PATH, its file")
        if self.network_opponents != NONE and not self.is_network:
            raise ShengjiError(f"network_opponents={self.network_opponents} need a network as the policy, too")

    def record(self) -> NDArray[Any]:
        """Return the settings as numbers, shape (1,), SETTINGS_DTYPE."""
        record: NDArray[Any] = np.zeros(1, SETTINGS_DTYPE)
        record["seed"], record["most"], record["num_noise"] = self.seed, self.candidates, len(self.noise)
        record["network_tricks"] = self.network_tricks if self.is_network else 0
        record["plays_on_alike"] = not self.is_network and self.playouts == HEURISTIC
        record["noise"][0, : len(self.noise)] = self.noise
        for name in _SHARES:
            record[name] = getattr(self, name)
        return record

    def to_json(self) -> dict[str, Any]:
        """Return the form that shards carry; `from_json` reads it back."""
        return {
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "policy": self.policy,
            "noise": list(self.noise),
            "candidates": self.candidates,
            **{name: getattr(self, name) for name in _SHARES if name not in _OPTIONAL_SHARES},
            **({"network_tricks": self.network_tricks} if self.is_network else {}),
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
        policy = data.get("policy")
        is_network = isinstance(policy, str) and _NETWORK.fullmatch(policy) is not None
        if policy != HEURISTIC and not is_network:
            raise ShengjiError(f"policy={show(policy)} is not a policy of a shard: {HEURISTIC}, or network:DIGEST")
        opponents = data.get("network_opponents", NONE)
        if opponents != NONE and not (isinstance(opponents, str) and _NETWORK.fullmatch(opponents)):
            raise ShengjiError(f"network_opponents={show(opponents)} must be network:DIGEST in a shard")
        names = {part.name for part in dataclasses.fields(RolloutSettings)} - {"weights", "opponents_weights"}
        names -= set() if is_network else {"network_tricks"}
        names -= {name for name, usual in _OPTIONAL.items() if data.get(name, usual) == usual}
        if set(data) != names:
            raise ShengjiError(f"{show(data)} are not settings of rollouts; they have {', '.join(sorted(names))}")
        return RolloutSettings(**{**data, "rules": RuleSet.from_json(data["rules"])})


def _network(name: str, policy: Any, weights: Weights | None, rules: RuleSet) -> tuple[str, Weights | None]:
    """Return the text and the weights of a policy, as the settings' field ``name`` has them."""
    if not isinstance(policy, str):
        raise ShengjiError(f"{name}={show(policy)} is unknown; it is one of {', '.join(POLICIES)}")
    if policy == HEURISTIC:
        return policy, None
    if not _NETWORK.fullmatch(policy):
        if policy != "champion" and not policy.startswith("values:"):
            raise ShengjiError(f"{name}={show(policy)} is unknown; it is one of {', '.join(POLICIES)}")
        weights = named_weights(policy, rules)
        return f"network:{weights_digest(weights)}", weights
    if weights is not None:
        check_weights(weights)
        if policy != f"network:{weights_digest(weights)}":
            raise ShengjiError(f"the weights given are not those of {policy}")
    return policy, weights


def _named_playouts(playouts: Any) -> str:
    """Return the name of who plays playouts, as settings have it."""
    if playouts == DISTILLED:
        return f"{DISTILLED}:{distilled_digest(shipped_network())}"
    if playouts != HEURISTIC and not (isinstance(playouts, str) and _PLAYOUTS.fullmatch(playouts)):
        raise ShengjiError(f"playouts={show(playouts)} must be {HEURISTIC} or {DISTILLED}")
    return str(playouts)


def _share(name: str, value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= 1:
        raise ShengjiError(f"{name}={show(value)} must be a number from 0 to 1")
    return float(value)


def default_settings() -> RolloutSettings:
    """Return the settings of the default rules, for compiling."""
    return RolloutSettings(rules=rule_set(DEFAULT_RULES))
