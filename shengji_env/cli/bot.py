"""``shengji bot PLAYER``: a player as a process that speaks the protocol of docs/protocol.md."""

import argparse
import gc
import os
import secrets
import sys

from shengji_env.cli.option_types import whole_number

DESCRIPTION = """\
Let a player speak the protocol of docs/protocol.md on standard input and output, as programs in other languages do:
`exec:shengji bot heuristic` plays move for move like `heuristic`.
"""
EPILOG = """\
examples:
  shengji arena 'exec:shengji bot heuristic' heuristic --deals 10
  shengji bot search:100
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("player", metavar="PLAYER", help="a player, as `shengji arena --help` lists them")
    parser.add_argument(
        "--seed", type=whole_number, default=None, metavar="S", help="seed of its random words (default: drawn)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from shengji_env.players.exec.speaking import Speaker, speak
    from shengji_env.players.registry import make_player
    from shengji_env.support.arguments import check_seed

    seed = secrets.randbits(63) if arguments.seed is None else check_seed(arguments.seed)
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a player prints must not get among the answers
    speak(Speaker(make_player(arguments.player), seed=seed).handle, sys.stdin.buffer, output)
    gc.freeze()  # many bots end at once, within a second; collecting what is compiled takes each a third of one
