"""Cases about a network as a player: how fast the champion decides, in batches and alone."""

import itertools
from functools import partial

import numpy as np

from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.players.decisions import Decisions
from shengji_env.players.registry import make_player
from tools.bench.ours import spread_tables
from tools.bench.timing import Case, Group, Trial, counted, rate

NETWORK = f"champion, {DEFAULT_RULES}"
NETWORK_UNITS = ("decisions/s", "ms/decision")
_MANY = 1024
_SEED = 0
_NOTE = "decisions with more than one legal action; each card of a play is one"


def cases() -> list[Case]:
    """Return all cases about networks."""
    return [
        Case(f"{NETWORK}, {how}", Group.PLAYERS, partial(_decide, size), NETWORK_UNITS, note=_NOTE)
        for how, size in ((f"N={_MANY:,}", _MANY), ("alone", 1))
    ]


def _decide(size: int) -> Trial:
    """Decide for `size` tables at once, out of many that are spread over the course of a round."""
    env, player = spread_tables(_MANY), make_player("champion")
    parts = np.split(np.random.default_rng(_SEED).permutation(_MANY), _MANY // size)
    decisions = itertools.cycle([Decisions.at(env.tables, part) for part in parts])
    player.decide(next(decisions))

    def measure(seconds: float) -> tuple[float, ...]:
        speed = rate(counted(lambda: player.decide(next(decisions)), size), seconds)
        return speed, 1000 / speed

    return Trial(measure)
