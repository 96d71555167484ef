"""Datasets: rounds to learn from.

| where | what |
|---|---|
| `labelling.py` | compiled: one labeller for the next two |
| `rollouts/` | labelled decisions: what becomes of a round after each candidate |
| `selfplay/` | the same as a policy plays with itself and plays on by itself |
| `recorded/` | rounds of any players kept as records, and records read as arrays |
"""
