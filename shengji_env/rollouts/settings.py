"""What rollouts are made of: one frozen value, checked when it is made. Its JSON form stands in every shard."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import record_type
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules, rule_set
from shengji_env.envs.arguments import check_choice, check_index, check_seed
from shengji_env.errors import ShengjiError, show
from shengji_env.players.candidates import DEFAULT_MOST
from shengji_env.players.candidates.found import MAX_FOUND

Policy = Literal["heuristic"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
OTHERS = ("heuristic", "greedy", "heuristic with noise")
"""Who may sit in the seats that do not explore; a shard holds their place here. The first is the policy."""
MAX_NOISE = 8
"""Most noise levels."""

SETTINGS_DTYPE = record_type(
    [
        ("seed", np.uint64),
        ("most", np.int64),
        ("num_noise", np.int64),
        ("noise", np.float64, (MAX_NOISE,)),
        ("others_share", np.float64),
        ("others_noise", np.float64),
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
    seed: int = 0
    """Seed of deals, starts and noise."""
    policy: Policy = "heuristic"
    """Who plays on in all four seats once a candidate has been played, and who sits in the seats without noise."""
    candidates: int = DEFAULT_MOST
    """Most candidates of a decision, from 2."""
    noise: tuple[float, ...] = (0.0, 0.1, 0.25)
    """How often the exploring seat takes another candidate than the policy's: each round draws one of these."""
    label_share: float = 1.0
    """Share of the exploring seat's decisions that are labelled, 0 to 1."""
    others_share: float = 0.2
    """Share of the rounds in which `greedy` or `heuristic` with noise sits in the other seats, 0 to 1."""
    others_noise: float = 0.1
    """How often `heuristic` with noise takes another candidate, 0 to 1."""

    def __post_init__(self) -> None:
        """Check all fields."""
        object.__setattr__(self, "rules", as_rules(self.rules))
        object.__setattr__(self, "seed", check_seed(self.seed))
        check_choice("policy", self.policy, POLICIES)
        object.__setattr__(self, "candidates", check_index("candidates", self.candidates, 2, MAX_FOUND))
        if not isinstance(self.noise, tuple | list) or not 1 <= len(self.noise) <= MAX_NOISE:
            raise ShengjiError(f"noise={show(self.noise)} must be 1 to {MAX_NOISE} numbers from 0 to 1")
        object.__setattr__(self, "noise", tuple(_share("noise", value) for value in self.noise))
        for name in ("label_share", "others_share", "others_noise"):
            object.__setattr__(self, name, _share(name, getattr(self, name)))

    def record(self) -> NDArray[Any]:
        """Return the settings as numbers, shape (1,), SETTINGS_DTYPE."""
        record: NDArray[Any] = np.zeros(1, SETTINGS_DTYPE)
        record["seed"], record["most"], record["num_noise"] = self.seed, self.candidates, len(self.noise)
        record["noise"][0, : len(self.noise)] = self.noise
        for name in ("others_share", "others_noise", "label_share"):
            record[name] = getattr(self, name)
        return record

    def to_json(self) -> dict[str, Any]:
        """Return the form that shards carry; `from_json` reads it back."""
        numbers = ("candidates", "label_share", "others_share", "others_noise")
        return {
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "policy": self.policy,
            "noise": list(self.noise),
            **{name: getattr(self, name) for name in numbers},
        }

    @staticmethod
    def from_json(data: Any) -> "RolloutSettings":
        """Return the settings that `to_json` wrote.

        Raises:
            ShengjiError: they are no settings.
        """
        names = set(RolloutSettings.__dataclass_fields__)
        if not isinstance(data, Mapping) or set(data) != names:
            raise ShengjiError(f"{show(data)} are no settings of rollouts; they have {', '.join(sorted(names))}")
        return RolloutSettings(**{**data, "rules": RuleSet.from_json(data["rules"])})


def _share(name: str, value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= 1:
        raise ShengjiError(f"{name}={show(value)} must be a number from 0 to 1")
    return float(value)


def default_settings() -> RolloutSettings:
    """Return the settings of the default rules, for compiling."""
    return RolloutSettings(rules=rule_set(DEFAULT_RULES))
