"""Commands that a person can paste; they name this interpreter's own programs, which may not be on the PATH."""

import os
import shlex
import sys
from pathlib import Path


def python_command() -> str:
    """Return this interpreter, such as ``.venv/bin/python``."""
    return _program(Path(sys.executable)) if sys.executable else "python"


def shengji_command() -> str:
    """Return the ``shengji`` program installed with this interpreter; if there is none, the command of its module."""
    for name in ("shengji", "shengji.exe"):
        script = Path(sys.executable).parent / name
        if script.is_file():
            return _program(script)
    return f"{python_command()} -m shengji_env.cli"


def arena_command(player: str, *, rules: str, num_deals: int) -> str:
    """Return the command that plays a player, named as in the arena, against `heuristic`."""
    player, texts = shlex.quote(player), shlex.quote(rules)
    return f"{shengji_command()} arena {player} heuristic --rules {texts} --deals {num_deals}"


def resume_command(script: Path, folder: Path, *, trusts_file: bool = False) -> str:
    """Return the command that resumes the run in a folder; ``script`` is ``train.py``."""
    trust = " --trust-file" if trusts_file else ""
    return f"{python_command()} {_program(script, prefix='')} --resume {shlex.quote(str(folder))}{trust}"


def _program(path: Path, prefix: str = "./") -> str:
    """Return a file's path for the shell, relative if it is below the working directory; links are not resolved."""
    absolute, here = Path(os.path.abspath(path)), Path.cwd()
    if not absolute.is_relative_to(here):
        return shlex.quote(absolute.as_posix())
    below = absolute.relative_to(here)
    return shlex.quote(below.as_posix() if len(below.parts) > 1 else prefix + below.name)
