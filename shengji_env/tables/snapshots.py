"""Snapshots: everything that the next steps of some tables depend on, saved and put back.

Compiled code trusts what it is given: a wrong count could make it write beyond an array. So what a snapshot holds can
be neither altered nor made from outside: it is bytes, which this module keeps for the object that `save` handed out,
for as long as that lives.

Source: docs/environments/batch.md.
"""

from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import numpy as np

from shengji_env.errors import ShengjiError, show
from shengji_env.tables.tables import Tables

SAVED = (
    "states", "progress", "shared", "masks", "seats", "phases", "rewards", "terminated", "observations", "logs",
    "plays",
)  # fmt: skip
_FOR_FILES = "states that go into a file are records, or texts of a Position"


class Snapshot:
    """What an environment's `save` returns, for `load`; it never changes, and stays in its process."""

    __slots__ = ("__weakref__",)

    def __reduce__(self) -> NoReturn:
        """Refuse to be copied or pickled: a copy would hold nothing.

        Raises:
            ShengjiError: always.
        """
        raise ShengjiError(f"a snapshot cannot be copied or pickled: load it as often as you like; {_FOR_FILES}")


_saved: WeakKeyDictionary[Snapshot, dict[str, bytes]] = WeakKeyDictionary()


def take_snapshot(tables: Tables) -> Snapshot:
    """Save everything that the next steps depend on."""
    snapshot = Snapshot()
    _saved[snapshot] = {name: getattr(tables, name).tobytes() for name in SAVED}
    return snapshot


def put_back(tables: Tables, snapshot: Snapshot) -> None:
    """Restore what `take_snapshot` saved.

    Raises:
        ShengjiError: it is no snapshot of this process, or one of another number of tables, other rules or arguments;
            nothing has changed.
    """
    saved = _saved.get(snapshot) if isinstance(snapshot, Snapshot) else None
    if saved is None:
        raise ShengjiError(
            f"load() takes only what save() has returned in this process, not {show(snapshot)}; {_FOR_FILES}"
        )
    _check_arguments(tables, saved)
    for name, words in saved.items():
        # As bytes: NumPy would copy records field by field, which takes four times as long.
        getattr(tables, name).reshape(-1).view(np.uint8)[:] = np.frombuffer(words, np.uint8)


def _check_arguments(tables: Tables, saved: dict[str, bytes]) -> None:
    shared: Any = np.frombuffer(saved["shared"], tables.shared.dtype)
    for name in shared.dtype.names:
        if name != "seed" and shared[name].tobytes() != tables.shared[name].tobytes():
            raise ShengjiError(f"the snapshot belongs to an environment made with other {name}")
    for name, argument in (("states", "num_envs"), ("plays", "history")):
        if len(saved[name]) != getattr(tables, name).nbytes:
            raise ShengjiError(f"the snapshot belongs to an environment made with another {argument}")
