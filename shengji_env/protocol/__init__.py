"""The protocol of players that are processes of their own: JSON lines on standard input and output.

| where | what |
|---|---|
| `messages.py` | every message, as a frozen dataclass |
| `wire.py` | dataclasses to JSON and back; the play server uses it too |
| `hearing.py` | what a seat is told of a round: nothing that it may not know |
| `process.py`, `guard.py` | a bot's process: started, limited, listened to, ended |
| `company.py` | the processes of one bot: which seat gets which, and all of them asked at once |

`players/exec_player.py` makes a player of a command, `bots/` makes a process of a player.

Source: docs/protocol.md.
"""
