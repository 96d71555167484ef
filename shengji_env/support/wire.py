"""Messages on the wire: one JSON object each, ``type`` says which; in Python each is a frozen dataclass.

The fields of a message that others send are exactly those of its dataclass, of its types; anything else is refused.
Only those of `Message.may_lack` may be left out: then they have their defaults, and with these they are not written.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, ClassVar, TypeVar

from shengji_env.errors import ShengjiError, show
from shengji_env.support.text_files import parse_json

_MAX_NUMBER = 2**31
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=vars)


class Message:
    """The base of messages, each a dataclass; ``type`` is the class's name in lower case, if it gives no other."""

    type: ClassVar[str]
    may_lack: ClassVar[tuple[str, ...]] = ()  # fields that earlier versions do not know

    def __init_subclass__(cls) -> None:
        if "type" not in vars(cls):
            cls.type = cls.__name__.lower()


T = TypeVar("T", bound=Message)


def read_message(text: str, kinds: Mapping[str, type[T]], most_bytes: int, error: type[ShengjiError]) -> T:
    """Read a message.

    Args:
        text: the message.
        kinds: the dataclass of each type; its fields are texts, Booleans, and whole numbers from 0 to 2**31 - 1.
        most_bytes: its greatest length in UTF-8.
        error: what is raised.

    Raises:
        ShengjiError: it is too long, not a JSON object, of no known type, or has other fields or values.
    """
    if len(text.encode("utf-8", "surrogatepass")) > most_bytes:
        raise error(f"a message has at most {most_bytes} bytes")
    value = parse_json(text, error)
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise error("a message is a JSON object with a type")
    name = value.pop("type")
    kind = kinds.get(name)
    if kind is None:
        raise error(f"a message's type is one of {', '.join(kinds)}")
    types = _types(kind)  # type: ignore[arg-type]  # functools.cache wants a Hashable; a class is one
    if not types.keys() - set(kind.may_lack) <= value.keys() <= types.keys():
        raise error(f"{name} has the fields {', '.join(types)}, not {show(', '.join(value))}")
    for name, given in value.items():
        if type(given) is not types[name] or (type(given) is int and not 0 <= given < _MAX_NUMBER):
            raise error(f"{name}={show(given)} is not of its kind")
    return kind(**value)


@cache
def _types(kind: Any) -> dict[str, Any]:
    return {field.name: field.type for field in fields(kind)}


def write_message(message: Message) -> str:
    """Return a message as text, the same for the same message; a dataclass in it becomes an object."""
    told = {"type": message.type, **vars(message)}
    for name in message.may_lack:
        if told[name] == getattr(type(message), name):
            del told[name]
    return _ENCODER.encode(told)
