"""Train an agent: ``train.py [CONFIG] [--set table.key=value ...] [--out DIR] | --resume RUN``.

The config has all settings (``--keys`` lists and explains them). Ctrl-C saves and stops; ``--resume`` continues. At the
end the run's folder holds the network, such as ``selfplay.npz``, ``result.json`` and the learning curve. A run of
MaskablePPO is handed over to `agents.sb3_single_file`.
"""

import argparse
import importlib.util
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shengji_env.cli.exit_codes import EXIT_INTERRUPTED, run_command
from shengji_env.cli.option_types import file_path
from shengji_env.cli.parser import OnceParser
from shengji_env.errors import ShengjiError

if TYPE_CHECKING:
    from agents.ppo_config import PPOConfig
    from agents.run_config import Config

ROOT = Path(__file__).resolve().parent
DEFAULT_CONFIG = ROOT / "configs" / "selfplay.toml"
NEEDED = ("torch", "matplotlib", "tensorboard")
NEEDED_BY_PPO = ("torch", "stable_baselines3", "sb3_contrib")
"""Modules of the [train] extra that a run of a learner needs."""
EPILOG = """examples:
  python train.py                                         self-play from nothing
  python train.py --set selfplay.rounds=100_000           a shorter run
  python train.py configs/ppo.toml                        self-play by MaskablePPO
  python train.py --resume runs/selfplay-20250101-120000
  python train.py --resume RUN --set selfplay.rounds=500_000  resume, for more rounds than were asked for
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 0 done, 2 bad input or a disk error, 130 stopped by the user."""
    return run_command("train.py", lambda: _run(arguments), interrupted="what a checkpoint holds stays")


def _run(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _train(options)
    except ModuleNotFoundError as error:
        how = "pip install -c constraints.txt -e '.[train]'"
        raise ShengjiError(f"{error}; training needs the [train] extra: {how}") from error


def _check_installed(modules: Sequence[str]) -> None:
    """Check that modules are installed now, not when the first picture is drawn."""
    for name in modules:
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="train.py",
        description="Train an agent. The config names the kind of learner: by default one that starts from random "
        "weights and learns from rounds with itself.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("config", nargs="?", type=file_path, help="TOML file (default: configs/selfplay.toml)")
    parser.add_argument("--set", action="append", default=[], metavar="TABLE.KEY=VALUE", dest="overrides",
                        help="change one key of the config; may be repeated")  # fmt: skip
    parser.add_argument("--out", type=file_path, help="the run's folder (default: runs/<name>-<timestamp>)")
    parser.add_argument("--resume", type=file_path, metavar="RUN", help="resume the run in this folder")
    parser.add_argument("--trust-file", action="store_true",
                        help="run programs and code of modules that the config, or RUN, names as players")  # fmt: skip
    parser.add_argument("--keys", action="store_true", help="list every key of the config with its meaning, and stop")
    return parser


def _train(options: argparse.Namespace) -> int:
    from agents.config_files import describe_keys, load_config
    from agents.ppo_config import PPOConfig
    from shengji_env.errors import ConfigError

    if options.keys:
        print(describe_keys())
        return 0
    if options.resume and (options.config or options.out):
        raise ConfigError("--resume takes config and folder from the run; give neither CONFIG nor --out with it")
    path, trusts_file = options.config or DEFAULT_CONFIG, options.trust_file
    config: Config | None  # None: `TrainingRun.resume` reads it
    if options.resume:
        config = _resumed_ppo(options.resume, options.overrides)
    else:
        config = load_config(path, options.overrides, trusts_file=trusts_file)
    _check_installed(NEEDED_BY_PPO if isinstance(config, PPOConfig) else NEEDED)
    if isinstance(config, PPOConfig):
        return _hand_over(config, options)
    from agents.display import Display
    from agents.interrupt import InterruptFlag
    from agents.run import TrainingRun

    with InterruptFlag() as flag, Display() as display:
        if config is None:
            run = TrainingRun.resume(options.resume, options.overrides, display, flag, trusts_file=trusts_file)
        else:
            run = TrainingRun.start(config, _new_folder(config, options), display, flag)
        with run:
            display.line(f"run {run.folder}")
            finished = run.learn() and run.finish()
    return _ended(run.folder, is_finished=finished, trusts_file=trusts_file)


def _new_folder(config: "Config", options: argparse.Namespace) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return options.out or Path("runs") / f"{config.run.name}-{stamp}"


def _ended(folder: Path, *, is_finished: bool, trusts_file: bool = False) -> int:
    """Say how a run that was stopped is resumed; return the exit status."""
    from agents.command_lines import resume_command

    if not is_finished:
        command = resume_command(Path(__file__), folder, trusts_file=trusts_file)
        print(f"stopped and saved; resume with: {command}")
    return 0 if is_finished else EXIT_INTERRUPTED


def _resumed_ppo(folder: Path, overrides: Sequence[str]) -> "PPOConfig | None":
    """Return the config of a run of MaskablePPO, from its checkpoint; None if another learner's run is there."""
    from agents.checkpoint import read_checkpoint
    from agents.config_files import override
    from agents.folder import checkpoint_of
    from agents.ppo_config import PPOConfig
    from agents.session import config_of

    saved = config_of(read_checkpoint(checkpoint_of(folder)), checkpoint_of(folder))
    config = override(saved, overrides) if isinstance(saved, PPOConfig) else None
    return config if isinstance(config, PPOConfig) else None


def _hand_over(config: "PPOConfig", options: argparse.Namespace) -> int:
    """Let `agents.sb3_single_file` learn."""
    from agents.folder import check_unused
    from agents.sb3_single_file import Args, train

    folder = options.resume or _new_folder(config, options)
    if not options.resume:
        check_unused(folder)
    args = Args(
        rules=config.environment.rules, seed=config.run.seed, steps=config.training.steps,
        watched_deals=config.evaluation.deals, deals=config.evaluation.final_deals, out=str(folder),
    )  # fmt: skip
    print(f"run {folder}", flush=True)
    return _ended(folder, is_finished=train(args))


if __name__ == "__main__":
    sys.exit(main())
