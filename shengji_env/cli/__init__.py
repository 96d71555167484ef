"""The command line: ``shengji COMMAND``, a module a command.

| command | what |
|---|---|
| `arena` | players against each other on duplicate deals |
| `play` | a table to sit at, or to watch |
| `replay` | a record, checked ply by ply and printed |
| `rules` | a rule set explained |
| `bench` | speed, beside other libraries |

Errors are one line on standard error and exit code 2; an interrupted command ends with 130. A command may have exit
codes of its own, which its help names.
"""

import argparse
import io
import sys
from collections.abc import Sequence

from shengji_env import __version__
from shengji_env.cli import arena, bench, play, replay, rules
from shengji_env.errors import ShengjiError

_COMMANDS = (arena, play, replay, rules, bench)
_EXIT_ERROR, _EXIT_INTERRUPTED = 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # where the encoding has no suits, they are shown as ?
    arguments = _parser().parse_args(argv)
    try:
        return arguments.run(arguments) or 0
    except KeyboardInterrupt as error:
        print("shengji: interrupted" + (f": {error}" if str(error) else ""), file=sys.stderr)
        return _EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has enough, like `shengji replay FILE | head`.
        sys.stderr.close()
    except (ShengjiError, OSError) as error:
        print(f"shengji: error: {' '.join(str(error).split())}", file=sys.stderr)
        return _EXIT_ERROR
    return 0


def _parser() -> argparse.ArgumentParser:
    description = "Shengji (升级, Tractor): players, records, rules, speed."
    parser = argparse.ArgumentParser(prog="shengji", description=description)
    parser.add_argument("--version", action="version", version=f"shengji {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser
