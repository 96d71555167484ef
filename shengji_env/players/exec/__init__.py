"""Other programs as players, and players as programs: they speak JSON lines on standard input and output.

| where | what |
|---|---|
| `messages.py` | every message, as a frozen dataclass |
| `hearing.py` | what a seat is told of a round: nothing that it may not know |
| `process.py`, `guard.py` | a program's process: started, limited, read from, ended |
| `company.py` | the processes of one program: which seat gets which, and all of them asked at once |
| `exec_player.py`, `exec_answers.py` | a program as a player, ``exec:COMMAND``; what it is asked and answers |
| `speaking.py` | any player as a program: ``shengji bot PLAYER`` |
| `seat_table.py` | a table as one seat knows it, made from what the seat is told |

`arena/program_check.py` says what a program does wrong. Source: docs/protocol.md.
"""
