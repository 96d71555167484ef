"""Support: what has nothing to do with cards.

| where | what |
|---|---|
| `text_files.py`, `archives.py` | files from others, read within limits and with clear errors |
| `whole_files.py` | output, written whole or not at all |
| `wire.py` | dataclasses to JSON and back |
| `arguments.py`, `settings.py` | arguments from users, checked; settings whose fields say what they may be |
| `ledger.py` | what must be the same where work goes on |
| `announcing.py` | the parts of compiled code, and the note that one is compiled |
| `programs.py` | what a user is told whose program cannot be started |
| `extras.py` | what a user is told who lacks an optional library |
| `registered.py` | what other packages add: commands, tracks, reasons |
| `cores.py` | the processor cores that this process may use |
| `workers/` | tasks on all cores or on Ray; folders of files that they fill |
"""
