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
    return {
        "attackers_points": int(result["attackers_points"]),
        "kitty_points": int(result["kitty_points"]),
        "kitty_multiplier": int(result["kitty_multiplier"]),
        "winner": Winner(int(result["winner"])).name.lower(),
        "levels": int(result["levels"]),
        "levels_nominal": int(result["levels_nominal"]),
        "declarer": int(result["declarer"]),
        "next_declarer": int(result["next_declarer"]),
        "new_levels": [RANKS[level] for level in result["new_levels"].tolist()],
        "match_over": bool(result["match_over"]),
        "match_winner": int(result["match_winner"]),
    }


def with_nulls(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `result_info` returns as records write it: None for nobody and for a draw."""
    return {name: None if value == _NOTHING.get(name, ...) else value for name, value in info.items()}
