"""What all tables of an environment have in common: one frozen value, checked when it is made.

Every environment makes one from its arguments; the tables hold it as numbers (`arrays.SHARED_DTYPE`).

| arguments | of |
|---|---|
| `EpisodeArguments` | all environments |
| `TableArguments` | environments of all seats |
| `KeepingArguments` | environments of all seats that can keep what has been played |

Environments take them as ``**settings: Unpack[…]``; `takes_settings` lets their `__init__` show each by name. To add an
argument, add a field to `TableSettings` and to one of these, and name it in the docstrings of the environments that
take it.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar, get_args

from shengji_env.engine.rule_sets import RuleSet, rule_set
from shengji_env.errors import ShengjiError
from shengji_env.support.arguments import MAX_HISTORY
from shengji_env.support.settings import between, check_fields, one_of
from shengji_env.tables.rewards import REWARDS, SHAPINGS, RewardScheme, Shaping

Episode = Literal["round", "match"]
Start = Literal["first", "any"]
EPISODES: tuple[Episode, ...] = ("round", "match")
STARTS: tuple[Start, ...] = ("first", "any")


_Taker = TypeVar("_Taker", bound=Callable[..., object])


class EpisodeArguments(TypedDict, total=False):
    """Fields of `TableSettings` that all environments take."""

    episode: Episode
    reward: RewardScheme
    shaping: Shaping
    skip_forced: bool


class TableArguments(EpisodeArguments, total=False):
    """Fields that environments of all seats take."""

    start: Start


class KeepingArguments(TableArguments, total=False):
    """Fields that environments take which can keep what has been played."""

    record: bool
    history: int


@dataclass(frozen=True, kw_only=True)
class TableSettings:
    """Arguments that environments take, or set themselves; their `rules` may also be a text.

    Raises:
        ShengjiError: a value is invalid, or values do not fit together.
    """

    rules: RuleSet
    """The rules of all rounds; as text a preset's name, or one with options like ``two_deck(throws=False)``."""
    episode: Episode = one_of("round", *EPISODES)
    """What an episode is: ``"round"`` or ``"match"``."""
    start: Start = one_of("first", *STARTS)
    """``"first"``: as a match begins; ``"any"``: levels, declarer and first drawer are drawn (rounds only)."""
    reward: RewardScheme = one_of("levels", *REWARDS)
    """What is paid at a round's end: ``"levels"``, ``"points"`` or ``"win"`` (`rewards.py`)."""
    shaping: Shaping = one_of("none", *SHAPINGS)
    """``"trick_points"``: points are also paid as they are taken, which changes the goal; ``"potential"``: as they are
    taken, and back at the round's end (`rewards.py`)."""
    skip_forced: bool = False
    """Whether decisions with one legal action are made by the environment itself."""
    autoreset: bool = False
    """Whether a finished table begins its next episode in the same call."""
    record: bool = False
    """Whether each round's actions are kept (`tables.logs`), for `records.finished_round`."""
    history: int = between(0, 0, MAX_HISTORY)
    """How many of a round's last plays are kept (`history.py`); 0 keeps none and costs nothing."""

    def __post_init__(self) -> None:
        """Check all fields."""
        check_fields(self)
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


def takes_settings(reader: Callable[..., object]) -> Callable[[_Taker], _Taker]:
    """Let a function that ends in ``**settings: Unpack[…]`` show these arguments one by one, and take no others.

    Args:
        reader: the function that receives them; its parameters have their types and defaults.
    """

    def decorate(function: _Taker) -> _Taker:
        signature = inspect.signature(function)
        *own, settings = signature.parameters.values()
        (arguments,) = get_args(settings.annotation)
        read = inspect.signature(reader).parameters
        shown = signature.replace(parameters=[*own, *(read[name] for name in arguments.__annotations__)])
        names = [name for name in shown.parameters if name != "self"]

        @functools.wraps(function)
        def checked(*given: Any, **named: Any) -> object:
            unknown = [name for name in named if name not in names]
            if unknown:
                caller = function.__qualname__.removesuffix(".__init__")
                known = f"it takes {', '.join(names)}"
                raise TypeError(f"{caller}() got an unexpected keyword argument {unknown[0]!r}; {known}")
            return function(*given, **named)

        decorated: Any = checked
        decorated.__signature__ = shown
        result: _Taker = decorated
        return result

    return decorate


def plain_settings() -> TableSettings:
    """Return the settings of the default rules, for compiling."""
    return TableSettings(rules=rule_set())
