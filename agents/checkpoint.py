"""The checkpoint, one file from which a run is resumed: written next to the old one, flushed, then renamed over it.

| member        | what it holds                                                                            |
|---------------|------------------------------------------------------------------------------------------|
| `meta.json`   | format, compatibility, config, library versions, progress, the learner's values          |
| `model.zip`   | the learner's network and optimiser, in its own format; nothing is unpickled             |
| `arrays.npz`  | the learner's arrays, such as tables and random generators                               |

Its **compatibility**, `world` in the file, is everything that gives the network's numbers their meaning: rules,
observation layout, action table, sizes. A checkpoint with another one is refused, and the error lists the differences.
Rules are the same if their fingerprints are.
"""

import io
import json
import platform
import reprlib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.run_config import Config
from shengji_env.engine.actions import ACTIONS_VERSION, NUM_ACTIONS
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import CheckpointError, ShengjiError
from shengji_env.support.archives import read_archive, read_arrays
from shengji_env.support.settings import UNLIMITED
from shengji_env.support.text_files import parse_json
from shengji_env.support.whole_files import write_whole
from shengji_env.tables.observation import LAYOUT_VERSION, OBSERVATION_SIZE

T = TypeVar("T")

CHECKPOINT_FORMAT = "shengji-checkpoint/2"
CHECKPOINT_NAME = "checkpoint.zip"
LIBRARIES = ("numpy", "numba", "torch", "gymnasium")
"""Distributions that affect the numbers of every run."""


@dataclass(frozen=True)
class Checkpoint:
    """The contents of a checkpoint file.

    Attributes:
        meta: The contents of ``meta.json``.
        model: The learner's network and optimiser.
        arrays: The learner's arrays by name.
    """

    meta: dict[str, Any]
    model: bytes
    arrays: dict[str, NDArray[Any]]


def compatibility_of(config: Config) -> dict[str, Any]:
    """Return everything that must be equal for a network to have the same meaning."""
    return {
        "rules": config.environment.rules,
        "rules_fingerprint": parse_rules(config.environment.rules).fingerprint,
        "observation_layout": LAYOUT_VERSION,
        "observation_size": OBSERVATION_SIZE,
        "action_table": ACTIONS_VERSION,
        "num_actions": NUM_ACTIONS,
        "learner": config.learner.kind,
        **config.compatibility(),
    }


def library_versions(more: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python and of the libraries that affect a run's numbers; ``more`` are the learner's."""
    return {"python": platform.python_version()} | {name: version(name) for name in (*LIBRARIES, *more)}


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write the file so that at any moment ``path`` is either the complete old or the complete new checkpoint."""
    meta = {"format": CHECKPOINT_FORMAT, **checkpoint.meta}
    arrays = io.BytesIO()
    np.savez(arrays, **checkpoint.arrays)  # type: ignore[arg-type]  # numpy types its keyword arguments as flags
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("meta.json", json.dumps(meta))
        archive.writestr("model.zip", checkpoint.model)
        archive.writestr("arrays.npz", arrays.getvalue())
    write_whole(path, packed.getvalue())


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint file; the contents of its parts are checked where they are used.

    Raises:
        CheckpointError: The file is missing, damaged or of another format.
    """
    if not path.is_file():
        raise CheckpointError(f"no checkpoint at {path}")
    try:
        with path.open("rb") as file:
            members = read_archive(file)
        meta, model = parse_json(members["meta.json"], ShengjiError, takes_nan=True), members["model.zip"]
        arrays = read_arrays(io.BytesIO(members["arrays.npz"]))
        if not isinstance(meta, dict):
            raise ShengjiError("its meta.json is not an object")
    except KeyError as error:
        raise CheckpointError(f"{path} is damaged or not a checkpoint: it has no {error}") from None
    except (ShengjiError, OSError) as error:
        raise CheckpointError(f"{path} is damaged or not a checkpoint: {error}") from None
    if meta.get("format") != CHECKPOINT_FORMAT:
        found = reprlib.repr(meta.get("format"))
        raise CheckpointError(f"{path} has format {found}, this version reads {CHECKPOINT_FORMAT!r}")
    return Checkpoint(meta, model, arrays)


def check_finite(values: Mapping[str, Any]) -> None:
    """Refuse to go on with arrays and numbers of a learner that has diverged, before they are saved or exported.

    Raises:
        ShengjiError: One of them is not finite.
    """
    for name, value in values.items():
        array = np.asarray(value)
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ShengjiError(
                f"what is learned is no longer finite ({name}): the run is stopped, and what was saved before stays; "
                "resume it with a smaller learning rate"
            )


def part_of(meta: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return a value of ``meta.json``.

    Raises:
        CheckpointError: It is missing or of another type.
    """
    value = meta.get(name)
    if not isinstance(value, kind):
        raise CheckpointError(f"{name} in its meta.json is {reprlib.repr(value)}, not a {kind.__name__}")
    return value


def count_of(meta: Mapping[str, Any], name: str) -> int:
    """Return a counter of ``meta.json``.

    Raises:
        CheckpointError: It is missing, not a whole number, negative, or beyond any use.
    """
    count = part_of(meta, name, int)
    if isinstance(count, bool) or not 0 <= count < UNLIMITED:
        raise CheckpointError(f"{name} in its meta.json is {reprlib.repr(count)}, not from 0 to {UNLIMITED:.0f}")
    return count


def check_compatibility(saved: Mapping[str, Any], present: Mapping[str, Any], path: Path) -> None:
    """Refuse a checkpoint whose network means something else here.

    Raises:
        CheckpointError: Something differs; the message names each difference.
    """
    keys = dict.fromkeys([*saved, *present])
    if saved.get("rules_fingerprint") == present.get("rules_fingerprint"):
        keys.pop("rules", None)
    differences = [
        f"{key}: {_in_short(saved.get(key))} in the checkpoint, {_in_short(present.get(key))} here"
        for key in keys
        if saved.get(key) != present.get(key)
    ]
    if differences:
        raise CheckpointError(f"{path} is not compatible: " + "; ".join(differences))


def _in_short(value: Any) -> str:
    shown = reprlib.Repr()
    shown.maxstring = 200
    return shown.repr(value)
