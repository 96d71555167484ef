"""Botzone's game Tractor: its programs as players here, and our players there.

| where | what |
|---|---|
| `wire.py` | its cards, requests and responses |
| `seat_requests.py` | what a seat hears in our protocol, as the requests that Botzone would have sent |
| `bot_program.py` | a program of Botzone's: found, started, asked, ended |
| `running.py` | such a program as one that speaks our protocol: ``shengji botzone run`` |
| `match_seat.py` | a seat of a match there: requests as messages of our protocol, a player's answers as ids |
| `local_ai.py` | its Local AI: matches fetched and answered, ``shengji botzone play`` |
| `command.py` | the command ``shengji botzone``, which the entry point BOTZONE adds |

Both ways translate between two protocols, and neither knows how cards are played. Source: docs/botzone.md.
"""

from shengji_env.cli.added_commands import AddedCommand, Command


def _load() -> Command:
    from shengji_botzone import command

    return command


BOTZONE = AddedCommand("programs that play", "programs of botzone.org.cn at our tables, our players at its", _load)
