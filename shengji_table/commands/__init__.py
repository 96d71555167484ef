"""The commands of the table, as ``shengji`` lists them: `serve.py` plays in the browser, `puzzles.py` is of puzzles.

`people.py` says how strong people are. The entry points ``shengji_env.commands`` of ``pyproject.toml`` name SERVE,
PUZZLES and PEOPLE.
"""

from shengji_env.cli.added_commands import AddedCommand, Command


def _load_serve() -> Command:
    from shengji_table.commands import serve

    return serve


def _load_puzzles() -> Command:
    from shengji_table.commands import puzzles

    return puzzles


def _load_people() -> Command:
    from shengji_table.commands import people

    return people


SERVE = AddedCommand("play and watch", "play in the browser", _load_serve)
PUZZLES = AddedCommand("play and watch", "decisions with one best play: find some, or solve them", _load_puzzles)
PEOPLE = AddedCommand("compare players", "how strong people are who have played the season's deals", _load_people)
