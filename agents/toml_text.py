"""Values as TOML text, for files and for messages."""

import json
from collections.abc import Mapping
from typing import Any

MAX_SHOWN = 60
"""Most characters of a refused value that an error repeats."""


def toml_value(value: Any) -> str:
    """Return a text, number, flag, or list or table of them as TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_value(key)} = {toml_value(each)}" for key, each in value.items()) + "}"
    return str(value)


def brief(value: Any) -> str:
    """Write a refused value on one line, cut off if it is long."""
    try:
        text = toml_value(value)
    except ValueError:
        return "a number of too many digits"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
