"""Writes the season that comes with the package: what players make of its deals (``python -m tools.write_season``)."""

import json
from dataclasses import replace
from pathlib import Path

from shengji_table.season.season import SHIPPED, Season, made_by

PLAYERS = ("heuristic", "champion")
NUM_DEALS = 120
SEASON = Season("two_deck", 20_260_003, "champion", 12, {})


def main() -> None:
    """Write the file."""
    season = replace(SEASON, made={player: made_by(SEASON, player, range(NUM_DEALS)) for player in PLAYERS})
    path = Path("shengji_table/season") / SHIPPED
    path.write_text(json.dumps(season.to_json()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
