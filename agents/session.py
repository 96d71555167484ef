"""Everything that changes while a run learns, and how it is saved to a checkpoint and restored, bit for bit."""

import contextlib
import dataclasses
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.checkpoint import Checkpoint, check_compatibility, compatibility_of, library_versions, part_of
from agents.config_files import config_from, load_config
from agents.kinds import kind_of
from agents.learner_protocol import Learner, LearnerState
from agents.run_config import Config
from agents.run_progress import RunProgress
from agents.toml_text import brief, toml_value
from shengji_env.errors import CheckpointError, ConfigError, ShengjiError
from shengji_env.support.text_files import as_file_texts


@dataclass
class Session:
    """A learner and what it has done.

    Attributes:
        config: The resolved config.
        learner: The learner, of the kind that the config names.
        progress: What has been done so far.
    """

    config: Config
    learner: Learner
    progress: RunProgress

    @property
    def libraries(self) -> dict[str, str]:
        """Versions of the libraries that affect the run's numbers."""
        return library_versions(kind_of(self.config).libraries)

    @property
    def about(self) -> dict[str, Any]:
        """The learner's kind, and what it says of itself."""
        return {"kind": self.config.learner.kind, **self.learner.about}


def new_session(config: Config) -> Session:
    """Make a fresh learner."""
    return Session(config, kind_of(config).load().fresh(config), RunProgress())


def capture(session: Session) -> Checkpoint:
    """Return the session as a checkpoint."""
    state = session.learner.save()
    meta = {
        "world": compatibility_of(session.config),
        "config": session.config.to_json(),
        "seed": session.config.run.seed,
        "libraries": session.libraries,
        "progress": session.progress.to_json(),
        "learner": state.meta,
    }
    return Checkpoint(meta, state.model, state.arrays)


def config_of(checkpoint: Checkpoint, path: Path, *, trusts_file: bool = False) -> Config:
    """Return the config that a checkpoint was made with; code that it names may run only if the file is trusted.

    Raises:
        CheckpointError: This version has other keys.
    """
    with _naming(path):
        tables = part_of(checkpoint.meta, "config", dict)
        try:
            return config_from(tables if trusts_file else as_file_texts(tables), source="its config")
        except ConfigError as error:
            raise CheckpointError(f"it was written by another version: {error}") from None


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Add the checkpoint's path to the errors of the block."""
    try:
        yield
    except (ShengjiError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be resumed: {error}") from None


def check_settled(saved: Config, config: Config) -> None:
    """Refuse to resume with another value of a key that is `settled`.

    Raises:
        ConfigError: A value differs; the message names the first such key.
    """
    before, after = saved.to_json(), config.to_json()
    for table in dataclasses.fields(saved):
        for key in dataclasses.fields(getattr(saved, table.name)):
            here, wanted = (values[table.name][key.name] for values in (before, after))
            if key.metadata.get("settled") and here != wanted:
                raise ConfigError(
                    f"{table.name}.{key.name} is settled when a run starts: it is {here!r} here; "
                    f"start another run for {wanted!r}"
                )


def check_unedited(path: Path, saved: Config, config: Config) -> None:
    """Refuse to resume where the run's config file says what neither the checkpoint nor the command does.

    Raises:
        ConfigError: It does; the message names each such key.
    """
    if not path.is_file():
        return
    written, before, wanted = map(_values_of, (load_config(path), saved, config))
    edited = {key: value for key, value in written.items() if value not in (before.get(key), wanted.get(key))}
    if edited:
        said = "; ".join(
            f"{key} = {brief(value)}, in the checkpoint {brief(before.get(key))}" for key, value in edited.items()
        )
        options = " ".join(f"--set {shlex.quote(f'{key}={toml_value(value)}')}" for key, value in edited.items())
        raise ConfigError(
            f"{path} was edited, but a run is resumed by its checkpoint: {said}; add {options}, or undo the edit"
        )


def _values_of(config: Config) -> dict[str, Any]:
    """Return a config's values by ``table.key``."""
    return {f"{table}.{key}": value for table, values in config.to_json().items() for key, value in values.items()}


def restored(checkpoint: Checkpoint, config: Config, path: Path) -> Session:
    """Restore the session that `capture` saved, to continue under ``config``.

    Raises:
        CheckpointError: ``config`` is not compatible with the checkpoint, or `capture` could not have written
            a part of the checkpoint.
    """
    meta = checkpoint.meta
    with _naming(path):
        compatibility, state = part_of(meta, "world", dict), part_of(meta, "learner", dict)
        progress = RunProgress.from_json(part_of(meta, "progress", dict))
    check_compatibility(compatibility, compatibility_of(config), path)
    with _naming(path):
        learner = kind_of(config).load().restored(config, LearnerState(state, checkpoint.model, checkpoint.arrays))
    return Session(config, learner, progress)
