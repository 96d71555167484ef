"""A bench for forms: what a network can hold of a strong player's values, by what it reads and how large it is.

| module | what |
|---|---|
| `labels` | compiled: rounds of the player, and its values of the candidates |
| `forms` | the forms |
| `form_player` | a form at the table |
| `bench` | forms are fitted to the values as they come, judged by decisions that they have not seen, timed, and play |

``python -m research.forms``.
"""
