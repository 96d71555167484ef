"""Configs as TOML files: read, overridden from the command line, written, and explained.

``python train.py --keys`` prints the lines under the fields, so the help always matches the code. An unknown key, a
value of the wrong type or out of range, and a missing file each raise a `ConfigError` of one line.
"""

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from agents.kinds import GONE, KINDS
from agents.run_config import Config
from agents.toml_text import brief, toml_value
from shengji_env.errors import ConfigError, ShengjiError
from shengji_env.render.fields import field_docs
from shengji_env.support.arguments import is_number
from shengji_env.support.settings import UNLIMITED
from shengji_env.support.text_files import as_file_texts, parse_toml, read_text

T = TypeVar("T")


def load_config(path: Path, overrides: Sequence[str] = (), *, trusts_file: bool = False) -> Config:
    """Read a TOML file and put ``table.key=value`` overrides on top.

    Args:
        path: The file.
        overrides: What was typed.
        trusts_file: Whether code that the file names may run.

    Raises:
        ConfigError: The file is missing or not TOML, or a key or value is impossible.
    """
    text = read_text(path, ConfigError)
    try:
        tables = parse_toml(text, ConfigError)
    except ConfigError as error:
        raise ConfigError(f"{path} is {error}") from None
    return override(config_from(tables if trusts_file else as_file_texts(tables), source=str(path)), overrides)


def config_from(tables: Mapping[str, Any], *, source: str = "config") -> Config:
    """Make the config that nested dictionaries describe; missing keys keep their defaults.

    Returns:
        The `Config` of the kind of learner that ``learner.kind`` names.
    """
    kind = _kind_named(tables, source)
    known = {entry.name: type(getattr(kind, entry.name)) for entry in dataclasses.fields(kind)}
    parts: dict[str, Any] = {}
    for name, table in tables.items():
        if name not in known:
            hint = _kinds_with(name) or _suggestion(name, list(known))
            raise ConfigError(f"{source}: unknown table [{name}]{hint}; known: {', '.join(known)}")
        if not isinstance(table, Mapping):
            raise ConfigError(f"{source}: {name} must be a table, [{name}]")
        parts[name] = _table_from(known[name], name, table, source)
    config = kind(**parts)
    try:
        config.check()
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None
    return config


def override(config: Config, assignments: Sequence[str]) -> Config:
    """Return the config with ``table.key=value`` texts applied; values are TOML, bare words count as text."""
    tables = config.to_json()
    for assignment in assignments:
        target, equals, text = assignment.partition("=")
        table, dot, key = target.strip().partition(".")
        if not equals or not dot:
            raise ConfigError(f"--set {assignment}: expected table.key=value, such as training.seconds=60")
        tables.setdefault(table, {})[key] = _value_from(text.strip())
    kind, chosen = tables["learner"]["kind"], config.learner.kind
    if isinstance(kind, str) and kind in KINDS and kind != chosen:
        raise ConfigError(
            f"--set learner.kind={kind}: the kind of learner is chosen in the config's file, here {chosen}"
        )
    return config_from(tables, source="--set" if assignments else "config")


def describe_keys() -> str:
    """Return every key with its default and its line of documentation, as text for the terminal."""
    kinds = "; ".join(f"{name}, {kind.help}" for name, kind in KINDS.items())
    lines, described = [f"Kinds of learners: {kinds}.", "", "For every kind:"], set()
    configs: dict[str, type[Config]] = {"": Config, **{name: kind.config for name, kind in KINDS.items()}}
    for name, config in configs.items():
        if name:
            lines += ["", f'For learner.kind = "{name}":']
        for entry in dataclasses.fields(config):
            table = type(getattr(config, entry.name))
            if (entry.name, table) not in described:
                described.add((entry.name, table))
                lines += _describe_table(entry.name, table)
    return "\n".join(lines)


def to_toml(config: Config) -> str:
    """Return the config as TOML text, readable by `load_config`."""
    lines = []
    for name, table in config.to_json().items():
        lines.append(f"[{name}]")
        lines += [f"{key} = {toml_value(value)}" for key, value in table.items()]
        lines.append("")
    return "\n".join(lines)


def _describe_table(name: str, table: type[Any]) -> list[str]:
    docs = field_docs(table)
    lines = [f"\n[{name}]  {(table.__doc__ or '').partition(': ')[2]}"]
    for key in dataclasses.fields(table):
        options = key.metadata.get("options")
        meaning = docs[key.name] + (f" One of: {', '.join(options)}." if options else "")
        lines.append(f"  {key.name} = {toml_value(getattr(table(), key.name))}\n      {meaning}")
    return lines


def _kind_named(tables: Mapping[str, Any], source: str) -> type[Config]:
    """Return the config's type for the kind that it names; what is not a table is refused later."""
    table = tables.get("learner")
    name = table.get("kind", Config.learner.kind) if isinstance(table, Mapping) else Config.learner.kind
    if not isinstance(name, str) or name not in KINDS:
        gone = f"; {GONE[name]}" if isinstance(name, str) and name in GONE else ""
        raise ConfigError(f"{source}: learner.kind = {brief(name)}: must be one of {', '.join(KINDS)}{gone}")
    return KINDS[name].config


def _table_from(kind: type[T], name: str, table: Mapping[str, Any], source: str) -> T:
    known = {entry.name: entry for entry in dataclasses.fields(kind)}  # type: ignore[arg-type]  # always a dataclass
    values = {}
    for key, value in table.items():
        if key not in known:
            hint = _suggestion(key, list(known))
            raise ConfigError(f"{source}: unknown key {name}.{key}{hint}; known: {', '.join(known)}")
        try:
            values[key] = _checked(known[key], value)
        except ShengjiError as error:
            raise ConfigError(f"{source}: {name}.{key} = {brief(value)}: {error}") from None
    return kind(**values)


def _checked(entry: "dataclasses.Field[Any]", value: Any) -> Any:
    """Return the value in the field's type, or raise a `ConfigError` that says which values are valid."""
    if entry.type is str or "options" in entry.metadata:
        return _checked_text(entry, value)
    if entry.type is int and not (is_number(value) and (isinstance(value, int) or value.is_integer())):
        raise ConfigError("must be a whole number")
    if not is_number(value):
        raise ConfigError("must be a number")
    low, high = entry.metadata["low"], entry.metadata["high"]
    if not low <= value <= high:
        is_open = high == UNLIMITED and not value > high
        raise ConfigError(
            f"must be {_bound(low)} or more" if is_open else f"must lie in {_bound(low)} to {_bound(high)}"
        )
    return int(value) if entry.type is int else float(value)


def _bound(value: float) -> str:
    """Write an end of a range, with all digits of a whole number."""
    return str(int(value)) if float(value).is_integer() and value < UNLIMITED else f"{value:g}"


def _checked_text(entry: "dataclasses.Field[Any]", value: Any) -> str:
    options = entry.metadata.get("options")
    if not isinstance(value, str) or not value:
        raise ConfigError("must be a text")
    if options and value not in options:
        raise ConfigError(f"must be one of {', '.join(options)}")
    return value


def _value_from(text: str) -> Any:
    """Read a TOML value; a text that is not exactly one value is returned as it is."""
    try:
        parsed = parse_toml(f"value = {text}", ConfigError)
    except ConfigError:
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _kinds_with(table: str) -> str:
    """Say which kinds of learners have a table, if any has."""
    tables = {name: [entry.name for entry in dataclasses.fields(kind.config)] for name, kind in KINDS.items()}
    kinds = [f'"{name}"' for name, those in tables.items() if table in those]
    return f" (it belongs to [learner] kind = {' or '.join(kinds)})" if kinds else ""


def _suggestion(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
