"""The command line: ``shengji COMMAND``, one module for each command.

| command | what it does |
|---|---|
| `play` | a table to play at, or to watch |
| `serve` | the same in the browser, for several people |
| `replay` | a record, checked ply by ply and printed |
| `puzzles` | decisions with one best play: found, or solved |
| `rules` | a rule set explained, or saved under a name |
| `arena` | players against each other on duplicate deals |
| `scale` | how strong a player is, with few deals |
| `crossplay` | players as partners of each other: with a copy of themselves, and with strangers |
| `compare` | two players on the same deals, where they first differ |
| `collect` | rounds to learn from, as records |
| `rollouts` | labelled decisions for learners |
| `bot` | a player as a process that speaks the protocol |
| `protocol` | the messages of the protocol; the check of a program that speaks it |
| `botzone` | programs of Botzone's at our tables, our players at its |
| `warm-up` | everything compiled in advance |
| `selftest` | seeded games, which must come out here as everywhere |
| `track` | one number in a frozen task, to be compared between papers |
| `beliefs` | how well somebody knows where hidden cards are |
| `solve` | what players lose in small games to opponents who know them |
| `bench` | speed, compared with other libraries |

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

    groups: Mapping[str, Mapping[str, Command]] = {
        "play and watch": {"play": play, "serve": serve, "replay": replay, "puzzles": puzzles, "rules": rules},
        "compare players": {"arena": arena, "scale": scale, "crossplay": crossplay, "compare": compare},
        "learn": {"collect": collect, "rollouts": rollouts},
        "programs that play": {"bot": bot, "protocol": protocol, "botzone": botzone},
        "this installation": {"warm-up": warm_up, "selftest": selftest},
        "measure": {"track": track, "beliefs": beliefs, "solve": solve, "bench": bench},
    }
    raw = argparse.RawDescriptionHelpFormatter
    parser = OnceParser(
        prog="shengji", usage="%(prog)s [-h] [--version] COMMAND ...", formatter_class=raw,
        description="Shengji (升级, Tractor): players, records, rules, speed.", epilog=_listed(groups),
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"shengji {__version__}")
    commands = parser.add_subparsers(prog="shengji", required=True, metavar="COMMAND", help=argparse.SUPPRESS)
    for name, module in (pair for group in groups.values() for pair in group.items()):
        command = commands.add_parser(name, description=module.DESCRIPTION, epilog=module.EPILOG, formatter_class=raw)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def _listed(groups: Mapping[str, Mapping[str, "Command"]]) -> str:
    """Return what the commands do, in groups: argparse has none for commands."""
    parts = {title: (f"  {name:11}{each.HELP}" for name, each in group.items()) for title, group in groups.items()}
    return "\n\n".join("\n".join([f"{title}:", *lines]) for title, lines in parts.items())
