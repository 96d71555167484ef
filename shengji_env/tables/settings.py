"""What all tables of an environment have in common: one frozen value, checked when it is made.

Every environment makes one from its arguments; the tables hold it as numbers (`arrays.SHARED_DTYPE`).
"""

from dataclasses import dataclass
from typing import Any, Literal

from shengji_env.engine.rule_sets import RuleSet, rule_set
from shengji_env.errors import ShengjiError
from shengji_env.support.arguments import MAX_HISTORY, check_choice, check_flag, check_index
from shengji_env.tables.rewards import REWARDS, SHAPINGS, RewardScheme, Shaping

Episode = Literal["round", "match"]
Start = Literal["first", "any"]
EPISODES: tuple[Episode, ...] = ("round", "match")
STARTS: tuple[Start, ...] = ("first", "any")


@dataclass(frozen=True, kw_only=True)
class TableSettings:
    """Arguments that environments take, or set themselves; their `rules` may also be a text.

    Raises:
        ShengjiError: a value is invalid, or values do not fit together.
    """

    rules: RuleSet
    """The rules of all rounds; as text a preset's name, or one with options like ``two_deck(throws=False)``."""
    episode: Episode = "round"
    """What an episode is: ``"round"`` or ``"match"``."""
    start: Start = "first"
    """``"first"``: as a match begins; ``"any"``: levels, declarer and first drawer are drawn (rounds only)."""
    reward: RewardScheme = "levels"
    """What is paid at a round's end: ``"levels"``, ``"points"`` or ``"win"`` (`rewards.py`)."""
    shaping: Shaping = "none"
    """``"trick_points"``: points are also paid as they are taken."""
    skip_forced: bool = False
    """Whether decisions with one legal action are made by the environment itself."""
    autoreset: bool = False
    """Whether a finished table begins its next episode in the same call."""
    record: bool = False
    """Whether each round's actions are kept (`tables.logs`), for `records.finished_round`."""
    history: int = 0
    """How many of a round's last plays are kept (`history.py`); 0 keeps none and costs nothing."""

    def __post_init__(self) -> None:
        """Check all fields."""
        check_choice("start", self.start, STARTS)
        check_choice("episode", self.episode, EPISODES)
        check_choice("reward", self.reward, REWARDS)
        check_choice("shaping", self.shaping, SHAPINGS)
        for name in ("skip_forced", "autoreset", "record"):
            check_flag(name, getattr(self, name))
        object.__setattr__(self, "history", check_index("history", self.history, 0, MAX_HISTORY))
        if self.start == "any" and self.episode == "match":
            raise ShengjiError("start='any' draws the start of single rounds; a match begins with start='first'")

    def numbers(self) -> dict[str, Any]:
        """Return the fields of `arrays.SHARED_DTYPE`, all but the seed."""
        return {
            "rules": self.rules.record(),
            "is_match": self.episode == "match",
            "any_start": self.start == "any",
            "reward": REWARDS.index(self.reward),
            "shaping": SHAPINGS.index(self.shaping),
            "skip_forced": self.skip_forced,
            "autoreset": self.autoreset,
            "record": self.record,
        }


def plain_settings() -> TableSettings:
    """Return the settings of the default rules, for compiling."""
    return TableSettings(rules=rule_set())
