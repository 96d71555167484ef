"""``shengji rules [RULES] [--save NAME]``: a rule set explained, or saved under a name."""

import argparse
import sys

from shengji_env.cli.commands import add_language
from shengji_env.cli.saved_rules import named_rules, read_saved, rules_folder, save_rules, saved_names
from shengji_env.errors import RuleSetError, ShengjiError
from shengji_env.render import explain_rules, list_rules

DESCRIPTION = "Explain a rule set as one would at the table; without one, list the presets and what has been saved."
EPILOG = """\
What is saved has its name on all command lines of shengji, also with options overridden in brackets. It is a file of
that name in $XDG_CONFIG_HOME/shengji_env/rules, by default ~/.config/shengji_env/rules (on Windows in %APPDATA%): to
give the rules to somebody, copy it; to forget them, delete it. Records and results hold the options, not the name.

examples:
  shengji rules
  shengji rules three_deck --language zh
  shengji rules 'two_deck(failed_throw=next_seat_chooses, kitty=12)'
  shengji rules --save 'our club' 'two_deck(failed_throw=next_seat_chooses, kitty=12)'
  shengji serve --rules 'our club'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "rules", metavar="RULES", nargs="?", help="a preset or a saved name, options overridden in brackets"
    )
    add_language(parser, "the explanation")
    parser.add_argument("--save", metavar="NAME", help="save it under this name, for --rules NAME")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    if arguments.rules is not None:
        rules = named_rules(arguments.rules)
        if arguments.save is not None:
            print(f"saved as {arguments.save!r}: {save_rules(arguments.save, rules)}", file=sys.stderr)
        print(explain_rules(rules, arguments.language))
    elif arguments.save is not None:
        raise ShengjiError(
            f"--save {arguments.save!r}: which rules? shengji rules --save NAME 'two_deck(throws=False)'"
        )
    else:
        print("\n".join([list_rules(), *_list_saved()]))


def _list_saved() -> list[str]:
    """Return a line for each saved rule set, after a heading."""
    lines = [f"  {name}: {_said(name)}" for name in saved_names()]
    return ["", f"saved, in {rules_folder()}:", *lines] if lines else []


def _said(name: str) -> str:
    try:
        return str(read_saved(name))
    except RuleSetError as error:
        return str(error)
