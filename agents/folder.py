"""The folder of a run (default ``runs/<name>-<timestamp>``), the same for every learner.

| file                              | what it is                                              |
|-----------------------------------|---------------------------------------------------------|
| `config.toml`                     | the resolved config; to resume, the checkpoint's counts |
| `run.json`                        | compatibility, seed, library versions, the learner      |
| `checkpoint.zip`                  | the latest checkpoint (`agents.checkpoint`)             |
| `selfplay.npz` or `policy.npz`    | the latest network, as the learner exports it           |
| `tensorboard/`                    | curves for TensorBoard                                  |
| `result.json, learning_curve.png` | written at the end (`agents.report`)                    |
| `.lock`                           | locked by the process that works on the run             |
"""

import json
from contextlib import AbstractContextManager
from pathlib import Path

from agents.checkpoint import CHECKPOINT_NAME, compatibility_of
from agents.config_files import to_toml
from agents.session import Session
from shengji_env.errors import ConfigError
from shengji_env.support.whole_files import lock_folder, write_whole

CONFIG_NAME = "config.toml"
ABOUT_NAME = "run.json"
CURVES_NAME = "tensorboard"
RESULT_NAME = "result.json"
CURVE_NAME = "learning_curve.png"


def checkpoint_of(folder: Path) -> Path:
    """Return the path of a run's checkpoint."""
    return folder / CHECKPOINT_NAME


def take_new(folder: Path) -> AbstractContextManager[object]:
    """Make a folder if it does not exist, and lock it for a new run; leaving the context releases it.

    Raises:
        ConfigError: The folder cannot be made.
        ShengjiError: Another process uses the folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return lock_folder(folder)
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error.strerror}") from None


def check_unused(folder: Path) -> None:
    """Refuse a folder that already holds a run, or a config of something else, which would be lost.

    Raises:
        ConfigError: It does.
    """
    if checkpoint_of(folder).exists():
        raise ConfigError(f"{folder} already holds a run; continue it with --resume {folder}")
    if (folder / CONFIG_NAME).is_file():
        raise ConfigError(f"{folder / CONFIG_NAME} is there already, and would be lost; choose another folder")


def describe(folder: Path, session: Session) -> None:
    """Write the files that describe the run."""
    about = {
        "world": compatibility_of(session.config),
        "seed": session.config.run.seed,
        "libraries": session.libraries,
        "learner": session.about,
    }
    write_whole(folder / CONFIG_NAME, to_toml(session.config).encode())
    write_whole(folder / ABOUT_NAME, json.dumps(about, indent=2).encode())
