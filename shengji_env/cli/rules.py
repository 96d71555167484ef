"""``shengji rules [PRESET]``: a rule set explained."""

import argparse

from shengji_env.cli.commands import Commands
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.render import explain_rules, list_rules

_DESCRIPTION = "Explain a rule set as one would at the table; without one, list the presets."
_EPILOG = """\
examples:
  shengji rules
  shengji rules three_deck
  shengji rules 'two_deck(failed_throw=next_seat_chooses, kitty=12)'
"""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "rules", help="explain a rule set", description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=_run)
    parser.add_argument("rules", metavar="PRESET", nargs="?", help="a preset, options overridden in brackets")


def _run(arguments: argparse.Namespace) -> None:
    print(list_rules() if arguments.rules is None else explain_rules(parse_rules(arguments.rules)))
