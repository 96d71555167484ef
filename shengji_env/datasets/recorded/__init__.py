"""Offline learning: rounds of any players kept as records, and records read as arrays.

| where | what |
|---|---|
| `collection.py`, `collecting.py` | who plays which rounds; a folder of records, played by any number of workers |
| `decoding.py`, `recorded_arrays.py` | a record's texts as numbers |
| `sample_making.py` | compiled: rounds played again, what each seat saw and did written out |
| `loading.py`, `samples.py` | a stream of decisions as arrays, split by deals, in batches, shuffled |

>>> from shengji_env.datasets.recorded import RecordedRounds
>>> for batch in RecordedRounds("rounds/trial").batches(1024, seed=1):
...     batch.observation, batch.action_mask, batch.action, batch.returns

Source: docs/offline.md.
"""

from shengji_env.datasets.recorded.collecting import collect
from shengji_env.datasets.recorded.collection import Collection
from shengji_env.datasets.recorded.loading import RecordedRounds
from shengji_env.datasets.recorded.samples import Samples

__all__ = ["Collection", "RecordedRounds", "Samples", "collect"]
