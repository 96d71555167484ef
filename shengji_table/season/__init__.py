"""A season: the same deals for everybody, and what players made of them in the same seat. How strong is a person?

| where | what |
|---|---|
| `season.py` | a season and its file; one of its deals, set up and played |
| `verdict.py` | what somebody made beside the players: differences, what the page shows, the file to keep |
| `checking.py` | such files, checked by replay, and put together |
| ``season_3.json`` | the season that comes with the package (``python -m tools.write_season``) |

Source: docs/humans.md.
"""

from shengji_table.season.season import Season, shipped_season

__all__ = ["Season", "shipped_season"]
