"""Records: rounds and matches as JSON lines, written and read back.

| where | what |
|---|---|
| `writing.py` | the header, and a line for each finished round |
| `reading.py` | `RecordReader`: every decision made again, every figure compared |
| `replaying.py` | one decision of a record, made again |
| `transcript.py` | a round played through the engine, and its record |

Source: docs/environment.md.
"""

from shengji_env.records.reading import RecordReader, ReplayedRound
from shengji_env.records.transcript import Round
from shengji_env.records.writing import RECORD_FORMAT, finished_round, record_header, record_line, round_so_far

__all__ = [
    "RECORD_FORMAT",
    "RecordReader",
    "ReplayedRound",
    "Round",
    "finished_round",
    "record_header",
    "record_line",
    "round_so_far",
]
