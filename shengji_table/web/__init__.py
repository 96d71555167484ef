"""The play server: people in browsers at a table with players of the arena.

| module | what |
|---|---|
| `board.py`, `shown_opening.py` | the engine's side of a table; what is shown while cards are drawn and bids made |
| `shown_offers.py` | overbids and rebellions, as they are shown |
| `session_log.py` | what is kept: the record, and a private file from which a killed server resumes |
| `table_timing.py`, `table.py` | how fast things happen; one table: what each viewer sees, how each seat is asked |
| `seating.py`, `guest_names.py` | seats that guests take; the names that they type |
| `kept_events.py`, `public_steps.py` | the lines of the private file; how many public steps they were |
| `round_loop.py`, `timed_bidding.py` | round after round at a table; its opening |
| `timed_offers.py` | the time for overbids and rebellions |
| `people.py` | who sits at a table or watches it, connected or not |
| `questions.py`, `handling.py` | what a person is asked, how an answer is read; what is done with messages, hints too |
| `extensions.py` | which cards may join those chosen for a play, and why others may not |
| `lesson.py` | the table at which somebody learns the game |
| `puzzle_desk.py`, `puzzle_answers.py` | puzzles: what a seat knows, what an answer is worth; their paths |
| `answer.py`, `answers.py` | what is answered to a browser that asks for a path |
| `ended_rounds.py`, `evening.py`, `replay_pages.py` | rounds that have ended: one, all of a table, their pages |
| `review_code.py` | the compiled code of reviews, made while the first round is played |
| `messages.py` | what goes over the wire |
| `thinking.py` | where players think: in threads, or between messages |
| `page_host.py` | a table in the browser's own page, without a server |
| `refusals.py` | why a message is refused or a connection closed, as codes |
| `links.py`, `outbox.py`, `connections.py` | links; what waits to be sent; one browser's connection |
| `static_files.py` | the files of the pages, which browsers may keep |
| `newcomers.py` | connections that have shown no link yet: how many, and how long |
| `guard.py`, `public_url.py` | hosts, origins and headers; the address that a proxy has |
| `sockets.py`, `app.py`, `server.py` | WebSockets; the application; the process |
| `page/` | the page: ES modules, which share the replay page's drawing |

Only `app.py`, `sockets.py`, `guard.py`, `newcomers.py` and `server.py` need the extra ``[web]``.

Source: docs/web.md.
"""
