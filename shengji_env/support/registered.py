"""What packages beside this one add to it, by the entry points of Python distributions.

| group | an entry point's name | what it loads |
|---|---|---|
| ``shengji_env.commands`` | the command's: ``serve`` | `shengji_env.cli.added_commands.AddedCommand` |
| ``shengji_env.tracks`` | the track's: ``decisions`` | `shengji_env.arena.track.Track` |
| ``shengji_env.parts`` | the part's: ``reviewing`` | `shengji_env.support.announcing.Part`: kernels to compile ahead |

A checkout on the path says what it adds in its own ``pyproject.toml``, installed or not: that file is newer than the
metadata of an editable installation.
"""

import tomllib
import warnings
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

_PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def registered(group: str) -> dict[str, Any]:
    """Return what the entry points of a group load, by name; what cannot be loaded is left out, with a warning."""
    found = {each.name: each for each in entry_points(group=group)}
    found |= {name: EntryPoint(name, value, group) for name, value in _of_checkout().get(group, {}).items()}
    loaded = {}
    for name, entry in found.items():
        try:
            loaded[name] = entry.load()
        except Exception as error:  # noqa: BLE001  # another package's code may raise anything
            warnings.warn(f"{name!r} of {group} is left out, as {entry.value} fails: {error!r}", stacklevel=2)
    return loaded


@cache
def _of_checkout() -> Mapping[str, Mapping[str, str]]:
    """Return the entry points of the checkout that this package lies in, by group; none if it lies elsewhere."""
    try:
        project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    except (OSError, ValueError, KeyError):
        return {}
    return project.get("entry-points", {}) if project.get("name") == "shengji-env" else {}
