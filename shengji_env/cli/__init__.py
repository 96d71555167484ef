"""The command line: ``shengji COMMAND``, one module for each command.

| command | what it does |
|---|---|
| `arena` | players against each other on duplicate deals |
| `crossplay` | players as partners of each other: with a copy of themselves, and with strangers |
| `scale` | how strong a player is, with few deals |
| `play` | a table to play at, or to watch |
| `serve` | the same in the browser, for several people |
| `replay` | a record, checked ply by ply and printed |
| `compare` | two players on the same deals, where they first differ |
| `rules` | a rule set explained, or saved under a name |
| `bot` | a player as a process that speaks the protocol |
| `botzone` | programs of Botzone's at our tables, our players at its |
| `protocol` | the messages of the protocol; the check of a program that speaks it |
| `collect` | rounds to learn from, as records |
| `rollouts` | labelled decisions for learners |
| `puzzles` | decisions with one best play: found, or solved |
| `beliefs` | how well somebody knows where hidden cards are |
| `solve` | what players lose in small games to opponents who know them |
| `track` | one number in a frozen task, to be compared between papers |
| `bench` | speed, compared with other libraries |
| `selftest` | seeded games, which must come out here as everywhere |
| `warm-up` | everything compiled in advance |

What they share: `commands.py` (players, workers), `saved_rules.py` (rule sets that have been given a name), `parser.py`
and `option_types.py` (options), `progress.py` and `arena_display.py` (what is shown), `exit_codes.py` (errors, exit
codes), `ending.py` (Ctrl-C while something is computed), `compiled_parts.py` (what `warm_up.py` compiles).

An error is one line on standard error and exit code 2; an interrupted command ends with 130 (`exit_codes.py`). A
command may have more exit codes, which its help names.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shengji_env import __version__
from shengji_env.cli.ending import Ending
from shengji_env.cli.exit_codes import EXIT_INTERRUPTED, run_command
from shengji_env.cli.parser import OnceParser

if TYPE_CHECKING:
    from shengji_env.cli.commands import Command


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code. If the process is the command's, Ctrl-C ends it in time."""
    if argv is None:
        Ending("shengji", EXIT_INTERRUPTED).listen()
    return run_command("shengji", lambda: _run(argv))


def _run(argv: Sequence[str] | None) -> int | None:
    arguments = _parser().parse_args(argv)
    code: int | None = arguments.run(arguments)
    return code


def _parser() -> argparse.ArgumentParser:
    # Imported here, where Ctrl-C is handled, since it takes a second.
    from shengji_env.cli import (
        arena,
        beliefs,
        bench,
        bot,
        botzone,
        collect,
        compare,
        crossplay,
        play,
        protocol,
        puzzles,
        replay,
        rollouts,
        rules,
        scale,
        selftest,
        serve,
        solve,
        track,
        warm_up,
    )

    modules: Mapping[str, Command] = {
        "arena": arena, "crossplay": crossplay, "scale": scale, "play": play, "serve": serve,
        "replay": replay,
        "compare": compare, "rules": rules, "bot": bot, "botzone": botzone, "protocol": protocol, "collect": collect,
        "rollouts": rollouts, "puzzles": puzzles, "beliefs": beliefs, "solve": solve, "track": track, "bench": bench,
        "selftest": selftest, "warm-up": warm_up,
    }  # fmt: skip
    description = "Shengji (升级, Tractor): players, records, rules, speed."
    parser = OnceParser(prog="shengji", description=description)
    parser.add_argument("--version", action="version", version=f"shengji {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, module in modules.items():
        command = commands.add_parser(
            name, help=module.HELP, description=module.DESCRIPTION, epilog=module.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
