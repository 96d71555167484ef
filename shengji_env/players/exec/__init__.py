"""Other programs as players, and players as programs: they speak JSON lines on standard input and output.

| where | what |
|---|---|
| `bot_messages.py` | every message, as a frozen dataclass |
| `deal_feed.py` | what a seat is told of a round: nothing that it may not know |
| `bot_process.py`, `watchdog.py` | a program's process: started, limited, read from, ended |
| `process_pool.py` | the processes of one program: which seat gets which, and all of them asked at once |
| `exec_player.py`, `exec_answers.py` | a program as a player, ``exec:COMMAND``; what it is asked and answers |
| `in_words.py` | what a program is told that asks for words |
| `speaking.py` | any player as a program: ``shengji bot PLAYER`` |
| `seat_table.py` | a table as one seat knows it, made from what the seat is told |

`arena/program_check.py` says what a program does wrong. Source: docs/protocol.md.
"""
