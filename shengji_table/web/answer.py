"""An answer to a browser that asks for a path, whatever carries it."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class HttpAnswer:
    """An answer: HTML, unless it says otherwise."""

    text: str = ""
    status: int = 200
    media_type: str = "text/html"
    location: str = ""
    """The path to which it leads, with status 303."""
    file: str = ""
    """The name of the file as which it is saved, if it is not shown."""
    policy: str = ""
    """Its content security policy; no text: that of all pages."""


def not_found(text: str) -> HttpAnswer:
    """Return the answer to a path that leads nowhere."""
    return HttpAnswer(text, 404, "text/plain")


def json_answer(value: object) -> HttpAnswer:
    """Return an answer of JSON values."""
    return HttpAnswer(json.dumps(value, ensure_ascii=False), media_type="application/json")


Handler = Callable[..., Awaitable[HttpAnswer]]
"""Answers, given the parts of the path that a pattern names, and the query's fields."""
