"""All of a run that changes while it learns, and how it goes into a checkpoint and back, bit for bit."""

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from agents.checkpoint import Checkpoint, check_world, library_versions, world_of
from agents.config import Config, config_from
from agents.learner import buffer_of, make_learner, make_tables, resolve_precision
from agents.progress import Progress
from agents.vec_env import TableVecEnv
from shengji_env.errors import CheckpointError, ConfigError

NOT_SAVED = ("_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer", "policy_kwargs")
"""Attributes of the learner that are made anew on resuming."""
SETTLED = ("run.seed", "environment.reward", "environment.shaping", "network.precision")
"""Keys that a run settles when it starts: the checkpoint holds what came of them."""


@dataclass
class Session:
    """A learner at its tables.

    Attributes:
        config: The resolved config.
        precision: The hidden layers' arithmetic that the run settled on.
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
    """Fresh tables and a fresh network; ``precision`` overrides what the config says."""
    settled = precision or resolve_precision(config)
    env = make_tables(config)
    return Session(config, settled, env, make_learner(config, env, settled), Progress())


def connect(session: Session, folder: Path, callback: BaseCallback) -> BaseCallback:
    """Give the learner its TensorBoard folder and callback; the callback is what `collect_rollouts` wants."""
    learner = session.learner
    learner.set_logger(configure(str(folder), ["tensorboard"]))
    learner._last_obs = session.env.observe()
    learner._last_episode_starts = np.ones(session.env.num_envs, np.bool_)
    _, connected = learner._setup_learn(1, callback, reset_num_timesteps=False)
    return connected


def capture(session: Session) -> Checkpoint:
    """The session as a checkpoint."""
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
    arrays = {"torch_generator": torch.get_rng_state().numpy(), **session.env.save()}
    return Checkpoint(meta, archive.getvalue(), arrays)


def config_of(checkpoint: Checkpoint, path: Path) -> Config:
    """The config that a checkpoint was made with.

    Raises:
        CheckpointError: This version knows other keys.
    """
    try:
        return config_from(checkpoint.meta["config"], source=str(path))
    except ConfigError as error:
        raise CheckpointError(f"{path} was written by another version: {error}") from None


def check_settled(saved: Config, config: Config) -> None:
    """Refuse to go on with another value of a key in `SETTLED`.

    Raises:
        ConfigError: It names the first such key.
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
    """The session that `capture` saw, going on under ``config``.

    Raises:
        CheckpointError: ``config`` describes another world than the checkpoint's.
    """
    check_world(checkpoint.meta["world"], world_of(config), path)
    session = new_session(config, checkpoint.meta["precision"])
    session.learner.set_parameters(io.BytesIO(checkpoint.model), device="cpu")  # type: ignore[arg-type]  # SB3 opens it
    session.progress = Progress.from_json(checkpoint.meta["progress"])
    session.env.load(checkpoint.arrays)
    buffer_of(session.learner).generator.bit_generator.state = checkpoint.meta["shuffler"]
    torch.set_rng_state(torch.from_numpy(checkpoint.arrays["torch_generator"]))
    return session
