"""Botzone's game Tractor: its programs as players here, and our players there.

| where | what |
|---|---|
| `wire.py` | its cards, requests and responses |
| `seat_requests.py` | what a seat hears in our protocol, as the requests that Botzone would have sent |
| `bot_program.py` | a program of Botzone's: found, started, asked, ended |
| `running.py` | such a program as one that speaks our protocol: ``shengji botzone run`` |
| `match_seat.py` | a seat of a match there: requests as messages of our protocol, a player's answers as ids |
| `local_ai.py` | its Local AI: matches fetched and answered, ``shengji botzone play`` |

Both ways translate between two protocols, and neither knows how cards are played. Source: docs/botzone.md.
"""
