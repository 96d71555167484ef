"""PettingZoo's classic games, through the same loop as our AEC environment."""

import importlib
import random
from functools import partial

from tools.bench.ours import play_aec_round
from tools.bench.timing import Case, Group, Trial, trial_of_rounds

GAMES: dict[str, tuple[str, ...]] = {"connect_four_v3": ("pygame",), "hanabi_v5": ("pygame", "shimmy", "pyspiel")}
"""Games, and the modules that each needs in addition to PettingZoo."""


def cases() -> list[Case]:
    """Return all cases of PettingZoo."""
    return [
        Case(f"PettingZoo {game}, {form}", Group.PEERS, partial(_stepping, game, form), needs=needs)
        for game, needs in GAMES.items()
        for form in ("raw_env", "env")
    ]


def _stepping(game: str, form: str) -> Trial:
    env = getattr(importlib.import_module(f"pettingzoo.classic.{game}"), form)()
    env.reset(seed=0)
    return trial_of_rounds(partial(play_aec_round, env, random.Random(0).random), None)
