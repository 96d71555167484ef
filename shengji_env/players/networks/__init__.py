"""Trained networks as players, run by compiled NumPy code: no torch is needed.

| where | what |
|---|---|
| `selfplay/` | small networks of integers that learned by playing with themselves: `champion`, ``selfplay:PATH`` |
| `policy/` | networks that give each action a probability: ``policy:PATH`` |
| `network_file.py` | their files, read; what all check of a header |
"""
