"""The result of a round as plain values: for the `infos` of an environment, for records and for people.

Each value of infos always has the same type, since vector environments stack them into arrays; records say null for
nobody.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from shengji_env.engine.cards import RANKS
from shengji_env.engine.state import NOBODY, Winner

_DRAW = Winner.DRAW.name.lower()
_NOTHING = {"winner": _DRAW, "declarer": NOBODY, "next_declarer": NOBODY, "match_winner": NOBODY}
"""Values of infos for which records say null."""


def result_info(result: np.void) -> dict[str, Any]:
    """Return a RESULT_DTYPE value as a dictionary: ranks as text, nobody as -1.

    `winner` is ``"declarers"``, ``"attackers"`` or ``"draw"``.
    """
    values = dict(zip(result.dtype.names or (), result.item(), strict=True))  # faster than field by field
    return {
        "attackers_points": values["attackers_points"],
        "kitty_points": values["kitty_points"],
        "kitty_multiplier": values["kitty_multiplier"],
        "winner": Winner(values["winner"]).name.lower(),
        "levels": values["levels"],
        "levels_nominal": values["levels_nominal"],
        "levels_lost": values["levels_lost"],
        "declarer": values["declarer"],
        "next_declarer": values["next_declarer"],
        "new_levels": [RANKS[level] for level in values["new_levels"].tolist()],
        "match_over": bool(values["match_over"]),
        "match_winner": values["match_winner"],
    }


def with_nulls(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `result_info` returns as records write it: None for nobody and for a draw, no levels lost if none."""
    named = {name: value for name, value in info.items() if name != "levels_lost" or value}
    return {name: None if value == _NOTHING.get(name, ...) else value for name, value in named.items()}
