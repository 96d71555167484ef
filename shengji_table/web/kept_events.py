"""What happens at a table and is kept, so that a server that was killed goes on: one line of JSON each.

| line | event |
|---|---|
| ``[31, 31]`` | a decision of whoever sits there, as its actions |
| ``{"actions": [31, 31], "by": "heuristic"}`` | a decision that a substitute has made |
| ``{"taken": 0, "name": "Ann", "secret": "…"}`` | a person has taken a seat |
| ``{"came": 0}`` | the person of a seat has come for the first time |
| ``{"released": 0}`` | the seat of a person has been freed |
| ``{"substituted": 0, "on": true}`` | a player decides for a seat from now on; false: no longer |
"""

import json
from dataclasses import dataclass
from typing import Any

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.errors import RecordError, show
from shengji_table.web.guest_names import GuestError, read_name

LEAST_SECRET = 16
"""Fewest characters of a secret."""


@dataclass(frozen=True)
class Decided:
    """A decision was made."""

    actions: list[int]
    by: str = ""
    """The substitute that made it; no text: whoever sits there."""


@dataclass(frozen=True)
class Taken:
    """A person has taken a seat."""

    seat: int
    name: str
    """The name that was typed; no text: the one that the seat had."""
    secret: str


@dataclass(frozen=True)
class Came:
    """The person of a seat has come for the first time."""

    seat: int


@dataclass(frozen=True)
class Released:
    """The seat of a person has been freed."""

    seat: int


@dataclass(frozen=True)
class Substituted:
    """A player decides for a seat from now on, or no longer."""

    seat: int
    is_on: bool


PersonEvent = Taken | Came | Released | Substituted
Event = Decided | PersonEvent


def line_of_event(event: Event) -> str:
    """Return an event as a line."""
    value: Any
    if isinstance(event, Decided):
        value = {"actions": event.actions, "by": event.by} if event.by else event.actions
    elif isinstance(event, Taken):
        value = {"taken": event.seat, "name": event.name, "secret": event.secret}
    elif isinstance(event, Came):
        value = {"came": event.seat}
    elif isinstance(event, Released):
        value = {"released": event.seat}
    else:
        value = {"substituted": event.seat, "on": event.is_on}
    return json.dumps(value, ensure_ascii=False) + "\n"


def event_of_line(value: Any) -> Event:
    """Return the event that a line holds, given its JSON value.

    Raises:
        RecordError: it holds none.
    """
    if isinstance(value, list):
        return Decided(_actions(value))
    keys = set(value) if isinstance(value, dict) else set()
    if keys == {"actions", "by"} and isinstance(value["by"], str) and value["by"]:
        return Decided(_actions(value["actions"]), value["by"])
    if keys == {"taken", "name", "secret"}:
        return Taken(_seat(value["taken"]), _name(value["name"]), _secret(value["secret"]))
    if keys == {"came"}:
        return Came(_seat(value["came"]))
    if keys == {"released"}:
        return Released(_seat(value["released"]))
    if keys == {"substituted", "on"} and isinstance(value["on"], bool):
        return Substituted(_seat(value["substituted"]), value["on"])
    raise RecordError(f"{show(value)} is nothing that happens at a table")


def _actions(value: Any) -> list[int]:
    if not isinstance(value, list) or not value or not all(type(action) is int for action in value):
        raise RecordError("a decision is a list of actions")
    return value


def _seat(value: Any) -> int:
    if type(value) is not int or value not in range(NUM_SEATS):
        raise RecordError(f"{show(value)} is no seat")
    return value


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise RecordError(f"{show(value)} is no name")
    try:
        return read_name(value) if value else ""
    except GuestError as error:
        raise RecordError(f"{show(value)} is no name: {error}") from error


def _secret(value: Any) -> str:
    if not isinstance(value, str) or len(value) < LEAST_SECRET or not value.isascii():
        raise RecordError("a seat's secret is damaged")
    return value
