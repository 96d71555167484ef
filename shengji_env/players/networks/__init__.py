"""Trained networks as players, run by compiled NumPy code: no torch is needed.

| where | what |
|---|---|
| `champion/` | networks that value candidate plays: `champion`, whose files are here, and ``values:PATH`` |
| `distilled/` | a small network of integers, taught by the champion: `distilled`, a playout policy |
| `selfplay/` | small networks of integers that have learned by playing with themselves: ``selfplay:PATH`` |
| `policy/` | networks that give each action a probability: ``policy:PATH`` |
| `sight.py` | what networks of integers read of a table |
| `integer_rows.py` | rows of 16-bit integers: sums and products |
| `network_file.py` | their files, read; what all check of a header |
"""
