"""A bench for forms: what a network can hold of a strong player's values, by what it reads and how large it is.

| module | what |
|---|---|
| `labels` | compiled: rounds of the player, and its values of the candidates |
| `reading` | what forms read of decisions |
| `forms` | the forms |
| `fitting` | forms are fitted to the values as they come, and judged by decisions that they have not seen |
| `form_player` | a form at the table |
| `bench` | all of it, and what was found |

``python -m research.forms``.
"""
