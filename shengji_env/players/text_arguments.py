"""The arguments in a text that names a player: what follows its ``?``, as ``name=value&name=value``."""

from urllib.parse import parse_qsl

from shengji_env.errors import PlayerError, show


def read_arguments(text: str, query: str) -> dict[str, bool | int | float | str]:
    """Read the arguments of a text, ``name=value&name=value``; each is given once, and is not empty.

    Those that are texts stand where the text stands: in a file, if it is a `FileText`.

    Raises:
        PlayerError: they cannot be read.
    """
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        raise PlayerError(f"the arguments of {show(text)} cannot be read; write ?name=value&name=value") from None
    names = [name for name, _ in pairs]
    for name, value in pairs:
        if names.count(name) > 1:
            raise PlayerError(f"{show(text)} says {show(name)} twice; say it once")
        if not name or not value:
            raise PlayerError(f"an argument of {show(text)} is empty: {show(f'{name}={value}')}; write name=value")
    return {name: _value(value, type(text)) for name, value in pairs}


def _value(text: str, source: type[str]) -> bool | int | float | str:
    """Read a value by its form: true or false, a whole number, a number, otherwise the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return source(text)
