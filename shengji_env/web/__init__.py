"""The play server: people in browsers at a table with players of the arena.

| module | what |
|---|---|
| `board.py`, `opening.py` | the engine's side of a table; what is shown while cards are drawn and bids made |
| `evening.py` | what is kept: the record, and a private file from which a killed server resumes |
| `pace.py`, `table.py` | how fast things happen; one table: what each viewer sees, how each seat is asked |
| `round_loop.py`, `bidding.py` | round after round at a table; its opening |
| `persons.py` | who sits at a table or watches it, connected or not |
| `asking.py`, `hearing.py` | what a person is asked, how an answer is read; what is done with messages, hints too |
| `replays.py` | replay pages of rounds that have ended |
| `messages.py` | what goes over the wire |
| `links.py`, `mailbox.py`, `visits.py` | one link a seat; what waits to be sent; one browser's connection |
| `guard.py`, `app.py`, `server.py` | hosts, origins and headers; the routes; the process |
| `page/` | the page: ES modules, which share the replay page's drawing |

Only `app.py`, `guard.py`, `visits.py` and `server.py` need the extra ``[web]``.

Source: docs/web.md.
"""
