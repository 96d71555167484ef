"""Datasets: rounds to learn from.

| where | what |
|---|---|
| `rollouts/` | labelled decisions: what becomes of a round after each candidate |
| `recorded/` | rounds of any players kept as records, and records read as arrays |
"""
