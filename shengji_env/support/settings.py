"""Settings as frozen dataclasses: what a field may be is declared with it, and checked in one place.

| function | declares |
|---|---|
| `between` | a number, or none, and its range |
| `any_seed` | a seed of deals, 0 to 2**64 - 1 |
| `one_of` | a text from a fixed set |
| `shares` | players, by their texts, and shares |
| `settled` | any of these as fixed when a training run starts |

`check_fields` checks fields that are so declared, and flags; a dataclass calls it in ``__post_init__``. Configs of
training runs declare their keys in the same way; they are checked when their file is read (`agents.config_files`).
"""

import dataclasses
from dataclasses import field
from typing import Any

from shengji_env.support.arguments import check_choice, check_flag, check_index, check_number, check_seed

UNLIMITED = 1e12
"""Upper end of ranges that are unlimited in practice."""


def between(default: float | None, low: float, high: float = UNLIMITED, *, why: str = "") -> Any:
    """Declare a number with its range, both ends included; `why` says why a whole one may not be less."""
    return field(default=default, metadata={"low": low, "high": high, "why": why})


def any_seed(default: int = 0) -> Any:
    """Declare a seed of deals and random words."""
    return field(default=default, metadata={"is_seed": True})


def one_of(default: str, *options: str) -> Any:
    """Declare a text from a fixed set."""
    return field(default=default, metadata={"options": options})


def shares(**default: float) -> Any:
    """Declare a table of players, by their texts, and shares."""
    return field(default_factory=lambda: dict(default))


def settled(declared: Any) -> Any:
    """Declare a key that is fixed when a run starts, since its checkpoint contains the key's effects.

    Args:
        declared: The key's default, or what one of the functions above returned.
    """
    entry = declared if isinstance(declared, dataclasses.Field) else field(default=declared)
    metadata = {**entry.metadata, "settled": True}
    return field(default=entry.default, default_factory=entry.default_factory, metadata=metadata)


def check_fields(settings: Any) -> None:
    """Check what is declared of a dataclass's fields; numbers and flags of NumPy become Python's, which JSON knows.

    Raises:
        ShengjiError: a value is invalid; the message names the field.
    """
    for entry in dataclasses.fields(settings):
        object.__setattr__(settings, entry.name, _checked(entry, getattr(settings, entry.name)))


def _checked(entry: "dataclasses.Field[Any]", value: Any) -> Any:
    declared = entry.metadata
    if entry.type is bool:
        return check_flag(entry.name, value)
    if "options" in declared:
        return check_choice(entry.name, value, declared["options"])
    if declared.get("is_seed"):
        return check_seed(value)
    if "low" not in declared or (value is None and entry.default is None):
        return value
    if entry.type is float:
        return check_number(entry.name, value, declared["low"], declared["high"])
    return check_index(entry.name, value, declared["low"], declared["high"], why=declared["why"])
