"""``shengji protocol``: the messages of the protocol of docs/protocol.md, and the check of a program that speaks it."""

import argparse
from dataclasses import fields
from typing import get_args

from shengji_env.arena.limits import MAX_DEALS
from shengji_env.cli.option_types import whole_number
from shengji_env.cli.saved_rules import named_rules
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players.exec.bot_messages import PROTOCOL, FromBot, ToBot
from shengji_env.players.exec.exec_player import ExecPlayer
from shengji_env.players.registry import make_player
from shengji_env.support.arguments import check_index, check_seed

EXIT_FAULTS = 1
DESCRIPTION = """\
Without options, list the messages of the protocol that programs in any language speak to play here. With --check, play
test rounds with such a program, and say what it does wrong.
"""
EPILOG = f"""\
exit code:
  0   all is well
  {EXIT_FAULTS}   the program does something wrong
  2   an error

examples:
  shengji protocol
  shengji protocol --check 'python3 my_bot.py'
  shengji protocol --check './my_bot?seconds=2' --rules two_deck --deals 20
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--check", metavar="COMMAND", help="what starts the program, with arguments as after exec:")
    parser.add_argument("--rules", metavar="P", action="append", help="a rule set to play under; may be repeated")
    parser.add_argument("--deals", type=whole_number, metavar="N", help="deals under each rule set (4)")
    parser.add_argument("--seed", type=whole_number, metavar="S", help="seed of the deals (0)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    if arguments.check is None:
        if (arguments.rules, arguments.deals, arguments.seed) != (None, None, None):
            raise ShengjiError("--rules, --deals and --seed say how a program is checked: give --check COMMAND too")
        print(_messages())
        return 0
    from shengji_env.arena.program_check import CHECKED, check_bot

    text = arguments.check
    bot = make_player(text if text.startswith(("exec:", "exec-shell:")) else f"exec:{text}")
    if not isinstance(bot, ExecPlayer):
        raise PlayerError(f"{text!r} is not a command")
    rules = tuple(named_rules(text) for text in arguments.rules or CHECKED)
    deals = check_index("--deals", 4 if arguments.deals is None else arguments.deals, 1, MAX_DEALS)
    seed, num_faults = check_seed(arguments.seed or 0), 0
    for finding in check_bot(bot, rules, deals=deals, seed=seed):
        num_faults += finding.is_fault
        print(f"{'WRONG' if finding.is_fault else 'ok   '}  {finding.text}", flush=True)
    print("It keeps to the protocol." if not num_faults else f"{num_faults} things are wrong.")
    return EXIT_FAULTS if num_faults else 0


def _messages() -> str:
    """Return all messages with their fields, one a line."""
    lines = [f"Protocol {PROTOCOL}: JSON objects, one a line. docs/protocol.md explains them.", "", "to the program:"]
    for kinds, title in ((get_args(ToBot), ""), (get_args(FromBot), "from the program:")):
        lines += ["", title] if title else []
        lines += [f"  {kind.type:<7} {', '.join(field.name for field in fields(kind)) or '-'}" for kind in kinds]
    return "\n".join(lines)
