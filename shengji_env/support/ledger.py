"""What must be the same where work goes on: the header of what was kept, compared with that of what is asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shengji_env.errors import RecordError, ShengjiError


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return what is not in a header as it should be, in words; empty if all of it is."""
    found, wanted = _flat(found), _flat(wanted)
    differing = [key for key in wanted if found.get(key) != wanted[key]]
    return "; ".join(f"{key} was {found.get(key)!r}, now {wanted[key]!r}" for key in differing)


def refuse_other(
    where: Path,
    what: str,
    found: Mapping[str, Any],
    wanted: Mapping[str, Any],
    *,
    advice: str = "Choose another folder",
    error: type[ShengjiError] = RecordError,
) -> None:
    """Refuse to go on with what was kept of something else.

    Args:
        where: the file or folder.
        what: what is kept there, in a word.
        found: what the header there says.
        wanted: what it should say; it may say more.
        advice: what to do.
        error: the kind of error.

    Raises:
        ShengjiError: the header says something else; the message names each difference.
    """
    if said := differences(found, wanted):
        raise error(f"{where} is of another {what}: {said}. {advice}")


def _flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten nested dictionaries into one, with keys joined by dots."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat
