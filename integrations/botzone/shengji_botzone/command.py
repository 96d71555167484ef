"""``shengji botzone``: programs written for Botzone's Tractor as players here, and players of ours there."""

import argparse
import gc
import os
import secrets
import sys

from shengji_env.cli.option_types import number, whole_number
from shengji_env.cli.parser import OnceParser

DESCRIPTION = """\
Botzone is where programs play the game Tractor, which is Shengji with two decks. docs/botzone.md says what differs.
"""
EPILOG = """\
examples:
  shengji arena 'exec:shengji botzone run bots/who?name=who' heuristic --deals 10 --start first
  shengji botzone play heuristic --url https://www.botzone.org.cn/api/USER/KEY/localai
"""
_RUN = """\
Let a program that was written for Botzone's Tractor speak the protocol of docs/protocol.md, so that it can play in the
arena. It is started for each turn, with USER=root, as there; one that asks to be kept running is. One that reads its
input to the end waits for it half the time in its first turn, and not at all after that.
"""
_RUN_EPILOG = """\
what is run:
  a folder     its __main__.py, main.py, or only file of Python or only executable, in that folder
  a file       by this Python, if it is .py, .pyz or .zip; otherwise itself
  a command    as it stands: node bot.js

faults:
  An answer that comes late, is no response, or names cards that are not held ends the program: the arena counts the
  deal as lost, and says why. A call that is no bid under our rules counts as none, and as a decision that is not its
  own. Programs that are slow to start need more --seconds where many tables play at once, or --batch-size 1 of the
  arena.

examples:
  shengji arena 'exec:shengji botzone run docs/bots/botzone_simple.py?name=simple' greedy --deals 10
  shengji arena 'exec:shengji botzone run --seconds 20 node bot.js?name=js' heuristic --deals 10 --start first
  shengji arena 'exec:shengji botzone run --preload numpy bots/who?name=who' heuristic --deals 100 --start first
"""
_PLAY = """\
Let a player play on Botzone by its Local AI: requests are fetched from there and answered from here, and nothing is
uploaded. Your account's settings there show the address, which is a secret. Start matches there, with the Local AI in
one of the seats. It plays until Ctrl-C.
"""
_PLAY_EPILOG = """\
examples:
  shengji botzone play heuristic --url https://www.botzone.org.cn/api/USER/KEY/localai
  shengji botzone play champion --url https://www.botzone.org.cn/api/USER/KEY/localai --matches 20
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    form = argparse.RawDescriptionHelpFormatter
    kinds = parser.add_subparsers(dest="what", required=True, metavar="run|play", parser_class=OnceParser)
    there = kinds.add_parser(
        "run", help="a program of Botzone's, as one that speaks our protocol", description=_RUN, epilog=_RUN_EPILOG,
        formatter_class=form,
    )  # fmt: skip
    there.add_argument(
        "--seconds", type=number, metavar="S", help="seconds for an answer (6; 4 kept running, as for Python there)"
    )
    there.add_argument(
        "--preload", metavar="MODULES", default="",
        help="modules, with commas, that a file of Python finds imported: it starts many times as fast",
    )  # fmt: skip
    there.add_argument("program", metavar="FOLDER|FILE|COMMAND", help="the program (below)")
    there.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="its arguments")
    ours = kinds.add_parser(
        "play", help="a player of ours on Botzone, by its Local AI", description=_PLAY, epilog=_PLAY_EPILOG,
        formatter_class=form,
    )  # fmt: skip
    ours.add_argument("player", metavar="PLAYER", help="a player, as `shengji arena --help` lists them")
    ours.add_argument("--url", required=True, metavar="URL", help="the secret address of the Local AI")
    ours.add_argument("--matches", type=whole_number, metavar="N", help="stop once N matches have ended")
    ours.add_argument("--seed", type=whole_number, metavar="S", help="seed of its random words (default: drawn)")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    if arguments.what == "run":
        _run(arguments)
    else:
        _play(arguments)


def _run(arguments: argparse.Namespace) -> None:
    from shengji_botzone.running import BotzoneBot
    from shengji_env.errors import ShengjiError
    from shengji_env.players.exec.speaking import speak

    if arguments.seconds is not None and not 0 < arguments.seconds < float("inf"):
        raise ShengjiError(f"--seconds {arguments.seconds:g} must be above 0, and finite")
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    bot = BotzoneBot(
        [arguments.program, *arguments.arguments], note=_note, seconds=arguments.seconds,
        preload=[name for name in arguments.preload.split(",") if name],
    )  # fmt: skip
    try:
        speak(bot.handle, sys.stdin.buffer, output)
    finally:
        bot.end()
        gc.freeze()  # as in `shengji bot`


def _note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr, flush=True)


def _play(arguments: argparse.Namespace) -> None:
    from shengji_botzone.local_ai import LocalAi
    from shengji_env.players.registry import make_player
    from shengji_env.support.arguments import check_seed

    seed = secrets.randbits(63) if arguments.seed is None else check_seed(arguments.seed)
    player = make_player(arguments.player)
    LocalAi(player, arguments.url, seed=seed, say=lambda line: print(line, flush=True)).play(arguments.matches)
