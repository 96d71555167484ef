"""``shengji rules [PRESET]``: a rule set explained."""

import argparse

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.render import explain_rules, list_rules

HELP = "explain a rule set"
DESCRIPTION = "Explain a rule set as one would at the table; without one, list the presets."
EPILOG = """\
examples:
  shengji rules
  shengji rules three_deck
  shengji rules 'two_deck(failed_throw=next_seat_chooses, kitty=12)'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("rules", metavar="PRESET", nargs="?", help="a preset, options overridden in brackets")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    if arguments.rules is None:
        print(list_rules())
        return
    print(explain_rules(parse_rules(arguments.rules)))
