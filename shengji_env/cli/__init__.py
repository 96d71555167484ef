"""The command line: ``shengji COMMAND``, one module for each command, imported when it is named.

The modules `rules`, `arena`, `scale`, `crossplay`, `collect`, `rollouts`, `bot`, `protocol`, `warm_up`, `selftest` and
`track` are the commands; `_GROUPS` says what each does. Other packages add more (`added_commands.py`).

What they share: `commands.py` (players, workers), `saved_rules.py` (rule sets that have been given a name), `parser.py`
and `option_types.py` (options), `progress.py` and `arena_display.py` (what is shown), `exit_codes.py` (errors, exit
codes), `ending.py` (Ctrl-C while something is computed), `compiled_parts.py` (what `warm_up.py` compiles).

An error is one line on standard error and exit code 2; an interrupted command ends with 130 (`exit_codes.py`). A
command may have more exit codes, which its help names.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from shengji_env import __version__
from shengji_env.cli.added_commands import AddedCommand, Command
from shengji_env.cli.ending import Ending
from shengji_env.cli.exit_codes import EXIT_INTERRUPTED, run_command
from shengji_env.cli.parser import OnceParser
from shengji_env.support.registered import registered

_GROUPS: Mapping[str, Mapping[str, str]] = {
    "play and watch": {
        "rules": "explain a rule set, or save it under a name",
    },
    "compare players": {
        "arena": "play players against each other on duplicate deals",
        "scale": "how strong a player is, with few deals",
        "crossplay": "play players as partners of each other",
    },
    "learn": {
        "collect": "play rounds to learn from, and keep them as records",
        "rollouts": "make labelled decisions for learners",
    },
    "programs that play": {
        "bot": "a player as a process that speaks the protocol",
        "protocol": "the protocol of programs that play; check one",
    },
    "this installation": {
        "warm-up": "compile everything in advance, as for a container",
        "selftest": "check that seeded games come out here as everywhere",
    },
    "measure": {
        "track": "score a player on a frozen task",
    },
}
"""The commands of this package in groups, each with what it does."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code. If the process is the command's, Ctrl-C ends it in time."""
    if argv is None:
        Ending("shengji", EXIT_INTERRUPTED).listen()
    return run_command("shengji", lambda: _run(argv))


def _run(argv: Sequence[str] | None) -> int | None:
    arguments = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
    code: int | None = arguments.run(arguments)
    return code


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser; of the commands, only the one among the words has its arguments: importing all is slow."""
    raw = argparse.RawDescriptionHelpFormatter
    added: Mapping[str, AddedCommand] = registered("shengji_env.commands")
    groups = {title: dict(group) for title, group in _GROUPS.items()}
    for name, each in added.items():
        groups.setdefault(each.group, {})[name] = each.what
    parser = OnceParser(
        prog="shengji", usage="%(prog)s [-h] [--version] COMMAND ...", formatter_class=raw,
        description="Shengji (升级, Tractor): players, records, rules, speed.", epilog=_listed(groups),
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"shengji {__version__}")
    commands = parser.add_subparsers(prog="shengji", required=True, metavar="COMMAND", help=argparse.SUPPRESS)
    names = [name for group in groups.values() for name in group]
    named = next((word for word in words if word in names), None)
    for name in names:
        command = commands.add_parser(name, formatter_class=raw)
        if name == named:
            module = added[name].load() if name in added else _own_command(name)
            command.description, command.epilog = module.DESCRIPTION, module.EPILOG
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


def _own_command(name: str) -> Command:
    module: Command = import_module(f"{__name__}.{name.replace('-', '_')}")
    return module


def _listed(groups: Mapping[str, Mapping[str, str]]) -> str:
    """Return what the commands do, in groups: argparse has none for commands."""
    parts = {title: (f"  {name:11}{what}" for name, what in sorted(group.items())) for title, group in groups.items()}
    return "\n\n".join("\n".join([f"{title}:", *lines]) for title, lines in parts.items())
