"""A seat told in words, English or Chinese, and its answers read: for language models, and whoever reads.

| where | what |
|---|---|
| `telling.py` | the messages of docs/protocol.md as sentences |
| `asking.py` | what is asked: the hand, what is owed, the plays that are offered |
| `answering.py` | what an answer means; why it is refused |
| `words_seat.py` | a seat: what it has been told, its question, its answer |

Everything is made from the messages that a program at the seat gets, so it says nothing that the seat may not know.

Source: docs/environments/words.md.
"""
