"""The messages of docs/web.md: what the browser, or a program in its place, sends and gets."""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import get_args

from shengji_env.render.fields import fields_table
from shengji_env.support.wire import Message
from shengji_env.web import messages
from tools.markdown import table


def _messages(kinds: tuple[type[Message], ...]) -> str:
    """Return the table of some messages: the type of each, its other fields, its meaning."""
    rows = [(f"`{kind.type}`", _fields(kind), (kind.__doc__ or "").rstrip(".")) for kind in kinds]
    return table(("`type`", "other fields", "meaning"), rows, texts=(0, 1, 2))


def _fields(kind: type[Message]) -> str:
    names = [f"`{each.name}`" for each in dataclasses.fields(kind)]  # type: ignore[arg-type]  # all are dataclasses
    return ", ".join(names) or "–"


TABLES: Mapping[str, Callable[[], str]] = {
    "sent": functools.partial(_messages, get_args(messages.Message)),
    "heard": functools.partial(_messages, get_args(messages.Reply)),
    "state": functools.partial(fields_table, messages.TableState),
    "ask": functools.partial(fields_table, messages.Ask),
}
"""What writes the tables, by their names."""
