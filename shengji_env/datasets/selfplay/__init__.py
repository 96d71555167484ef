"""Rounds of a policy with itself, in which decisions are labelled with what becomes of their choices.

| module | what |
|---|---|
| `label_kernels` | compiled: rounds, and labels by the policy's own playouts |
| `label_blocks` | the rounds of one generation, block by block, by threads |
"""
