"""Any player as a process that speaks the protocol of docs/protocol.md, and the check of such processes.

| where | what |
|---|---|
| `seat_table.py` | a table as one seat knows it, made from what the seat hears |
| `speaking.py` | a player at that table, on standard input and output: ``shengji bot PLAYER`` |
| `checking.py` | rounds with a bot, and what it does wrong: ``shengji protocol --check COMMAND`` |
"""
