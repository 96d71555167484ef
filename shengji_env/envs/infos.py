"""What a round came to, as plain values: for the `infos` of an environment, for records and for people."""

from typing import Any

import numpy as np

from shengji_env.engine.cards import RANKS
from shengji_env.engine.state import NOBODY, Winner

_WINNERS = {Winner.DECLARERS: "declarers", Winner.ATTACKERS: "attackers", Winner.DRAW: None}


def result_info(result: np.void) -> dict[str, Any]:
    """A RESULT_DTYPE value as a dictionary: ranks as text, nobody as None.

    `winner` is ``"declarers"``, ``"attackers"``, or None for a draw.
    """
    return {
        "attackers_points": int(result["attackers_points"]),
        "kitty_points": int(result["kitty_points"]),
        "kitty_multiplier": int(result["kitty_multiplier"]),
        "winner": _WINNERS[Winner(int(result["winner"]))],
        "levels": int(result["levels"]),
        "levels_nominal": int(result["levels_nominal"]),
        "declarer": _or_none(int(result["declarer"])),
        "next_declarer": _or_none(int(result["next_declarer"])),
        "new_levels": [RANKS[level] for level in result["new_levels"].tolist()],
        "match_over": bool(result["match_over"]),
        "match_winner": _or_none(int(result["match_winner"])),
    }


def _or_none(number: int) -> int | None:
    return None if number == NOBODY else number
