"""RLCard's card games, through the loop of its own environments.

Every step of these environments makes the next player's observation and a dictionary of its legal actions. That
dictionary counts as the mask, since there is no other form.
"""

import importlib
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tools.bench.timing import Case, Group, Trial, trial_of_rounds

_BRIDGE_FIRST_CARD = 39
_MAHJONG_TILES = 34


def _played_in_doudizhu(actions: Sequence[int]) -> int:
    texts = importlib.import_module("rlcard.games.doudizhu.utils").ID_2_ACTION
    return sum(len(texts[action]) for action in actions if texts[action] != "pass")


GAMES: dict[str, Callable[[Sequence[int]], int]] = {
    "bridge": lambda actions: sum(action >= _BRIDGE_FIRST_CARD for action in actions),
    "doudizhu": _played_in_doudizhu,
    "mahjong": lambda actions: sum(action < _MAHJONG_TILES for action in actions),
}
"""Games, and functions that count the cards (in mahjong, tiles put down) that actions play."""


def cases() -> list[Case]:
    """Return all cases of RLCard."""
    return [Case(f"RLCard {name}", Group.PEERS, partial(_stepping, name), needs=("rlcard",)) for name in GAMES]


def _stepping(name: str) -> Trial:
    env = importlib.import_module("rlcard").make(name, {"seed": 0})
    return trial_of_rounds(partial(_play_round, env, random.Random(0).random), GAMES[name])


def _play_round(env: Any, draw: Callable[[], float]) -> list[int]:
    """Play a round with random legal actions; return them."""
    actions: list[int] = []
    seen, _ = env.reset()
    while not env.is_over():
        legal = list(seen["legal_actions"])
        action = legal[int(draw() * len(legal))]
        actions.append(action)
        seen, _ = env.step(action)
    return actions
