"""Records: rounds and matches as JSON lines, written and read back.

| where | what |
|---|---|
| `writing.py` | the header, and a line for each finished round |
| `reading.py` | `RecordReader`: every decision made again, every value compared |
| `replaying.py`, `abandoned_deals.py` | one decision of a record, made again; the deals that rebellions ended |
| `transcript.py` | a round played through the engine, and its record |
| `replays.py` | a record as something to look at: views play by play, the replay page |
| `lost_deals.py` | deals that players' faults have broken off |
| `importing.py` | rounds from elsewhere, given by their deal and turns, as records |

Source: docs/records.md.
"""

from shengji_env.records.importing import GivenRound, as_record, deal_of, import_rounds
from shengji_env.records.reading import RecordReader, ReplayedRound
from shengji_env.records.writing import RECORD_FORMAT, finished_round, record_header, record_line, round_so_far
from shengji_env.render.round_record import Round

__all__ = [
    "RECORD_FORMAT",
    "GivenRound",
    "RecordReader",
    "ReplayedRound",
    "Round",
    "as_record",
    "deal_of",
    "finished_round",
    "import_rounds",
    "record_header",
    "record_line",
    "round_so_far",
]
