"""The commands of the table: the entry points ``shengji_env.commands`` name what stands here.

`play` and `replay` are for the terminal, `serve` for the browser; `puzzles` finds and solves puzzles, `compare` lays
two players side by side, `people` says how strong people are.
"""

from functools import partial
from importlib import import_module

from shengji_env.cli.added_commands import AddedCommand


def _added(name: str, group: str, what: str) -> AddedCommand:
    return AddedCommand(group, what, partial(import_module, f"{__name__}.{name}"))


PLAY = _added("play", "play and watch", "sit at a table, or watch one")
SERVE = _added("serve", "play and watch", "play in the browser")
REPLAY = _added("replay", "play and watch", "check a record and print its rounds")
PUZZLES = _added("puzzles", "play and watch", "decisions with one best play: find some, or solve them")
COMPARE = _added("compare", "compare players", "two players on the same deals, side by side")
PEOPLE = _added("people", "compare players", "how strong people are who have played the season's deals")
