"""Rounds of a policy with itself, in which decisions are labelled with what becomes of their choices.

| module | what |
|---|---|
| `situations` | how a round stands between two tricks, for a critic that sees all hands |
| `label_kernels` | compiled: rounds, and labels by the policy's own playouts |
| `label_blocks` | the rounds of one generation, block by block, by threads |
"""
