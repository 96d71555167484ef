"""Everything that changes while a run learns, and how it is saved to a checkpoint and restored, bit for bit."""

import contextlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from agents.checkpoint import Checkpoint, check_world, library_versions, part_of, world_of
from agents.config import Config, config_from
from agents.learner import buffer_of, make_learner, make_tables, resolve_precision
from agents.progress import Progress
from agents.vec_env import TableVecEnv
from agents.weights import check_size, load_weights
from shengji_env.errors import CheckpointError, ConfigError, ShengjiError

NOT_SAVED = ("_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer", "policy_kwargs")
"""Attributes of the learner that are recreated on resuming."""
TORCH_GENERATOR = "torch_generator"
"""Name of the array that holds the state of torch's generator."""
PRECISIONS = ("float32", "bfloat16")
SETTLED = ("run.seed", "environment.reward", "environment.shaping", "network.precision")
"""Keys that are fixed when a run starts, since the checkpoint contains their effects."""


@dataclass
class Session:
    """A learner with its tables.

    Attributes:
        config: The resolved config.
        precision: The arithmetic of the hidden layers, chosen when the run started.
        env: The tables.
        learner: MaskablePPO.
        progress: What has been done so far.
    """

    config: Config
    precision: str
    env: TableVecEnv
    learner: MaskablePPO
    progress: Progress


def new_session(config: Config, precision: str = "") -> Session:
    """Make fresh tables and a fresh network; ``precision`` overrides the config."""
    settled = precision or resolve_precision(config)
    env = make_tables(config)
    return Session(config, settled, env, make_learner(config, env, settled), Progress())


def connect(session: Session, folder: Path, callback: BaseCallback) -> BaseCallback:
    """Give the learner its TensorBoard folder and callback; return the callback for `collect_rollouts`."""
    learner = session.learner
    learner.set_logger(configure(str(folder), ["tensorboard"]))
    learner._last_obs = session.env.observe()
    learner._last_episode_starts = np.ones(session.env.num_envs, np.bool_)
    _, connected = learner._setup_learn(1, callback, reset_num_timesteps=False)
    return connected


def capture(session: Session) -> Checkpoint:
    """Return the session as a checkpoint."""
    archive = io.BytesIO()
    session.learner.save(archive, exclude=NOT_SAVED)
    meta = {
        "world": world_of(session.config),
        "config": session.config.to_json(),
        "precision": session.precision,
        "seed": session.config.run.seed,
        "libraries": library_versions(),
        "progress": session.progress.to_json(),
        "shuffler": buffer_of(session.learner).generator.bit_generator.state,
    }
    arrays = {TORCH_GENERATOR: torch.get_rng_state().numpy(), **session.env.save()}
    return Checkpoint(meta, archive.getvalue(), arrays)


def config_of(checkpoint: Checkpoint, path: Path) -> Config:
    """Return the config that a checkpoint was made with.

    Raises:
        CheckpointError: This version has other keys.
    """
    with _naming(path):
        tables = part_of(checkpoint.meta, "config", dict)
        try:
            return config_from(tables, source="its config")
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
    """Refuse to resume with another value of a key in `SETTLED`.

    Raises:
        ConfigError: A value differs; the message names the first such key.
    """
    before, after = saved.to_json(), config.to_json()
    for key in SETTLED:
        table, _, name = key.partition(".")
        if after[table][name] != before[table][name]:
            raise ConfigError(
                f"{key} is settled when a run starts: it is {before[table][name]!r} here; "
                f"start another run for {after[table][name]!r}"
            )


def restored(checkpoint: Checkpoint, config: Config, path: Path) -> Session:
    """Restore the session that `capture` saved, to continue under ``config``.

    Raises:
        CheckpointError: ``config`` describes another world than the checkpoint's, or `capture` could not have written
            a part of the checkpoint.
    """
    meta = checkpoint.meta
    with _naming(path):
        world, precision = part_of(meta, "world", dict), part_of(meta, "precision", str)
        progress = Progress.from_json(part_of(meta, "progress", dict))
        check_size(checkpoint.model, config)
        if precision not in PRECISIONS:
            raise CheckpointError(f"precision in its meta.json is {precision[:20]!r}, not {' or '.join(PRECISIONS)}")
    check_world(world, world_of(config), path)
    session = new_session(config, precision)
    session.progress = progress
    with _naming(path):
        load_weights(checkpoint.model, session.learner)
        _load_arrays(checkpoint, session)
    return session


def _load_arrays(checkpoint: Checkpoint, session: Session) -> None:
    """Restore tables and generators to what `capture` saved."""
    arrays = dict(checkpoint.arrays)
    torch_state = arrays.pop(TORCH_GENERATOR, None)
    session.env.load(arrays)
    _set_shuffler(buffer_of(session.learner).generator.bit_generator, part_of(checkpoint.meta, "shuffler", dict))
    if torch_state is None or torch_state.dtype != np.uint8 or torch_state.ndim != 1:
        raise CheckpointError(f"its {TORCH_GENERATOR} is missing or no row of bytes")
    try:
        torch.set_rng_state(torch.from_numpy(torch_state))
    except (RuntimeError, TypeError) as error:
        raise CheckpointError(f"its {TORCH_GENERATOR} is no state of torch's generator") from error


def _set_shuffler(shuffler: np.random.BitGenerator, state: Mapping[str, Any]) -> None:
    with contextlib.suppress(TypeError, ValueError, KeyError, OverflowError):
        shuffler.state = state
    if shuffler.state != state:
        raise CheckpointError(f"shuffler in its meta.json is no state of {type(shuffler).__name__}")
