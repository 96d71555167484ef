"""Cases about value networks: how fast one decides, in batches and alone.

The network has the widths that training gives it (`configs/`) and random weights: what it prefers does not matter.
"""

import time
from functools import partial
from typing import Any

import numpy as np

from shengji_env.bench.ours import choice_of, pace_of, spread
from shengji_env.bench.timing import Case, Group, Trial
from shengji_env.engine.rule_sets import DEFAULT_RULES, rule_set
from shengji_env.players.champion import ValuePlayer
from shengji_env.players.champion.network import weight_shapes
from shengji_env.players.decisions import Decisions
from shengji_env.vector import ShengjiVectorEnv

NETWORK = f"value network, {DEFAULT_RULES}"
NETWORK_UNITS = ("decisions/s", "ms/decision")
_WIDTHS = (96, 128, 256, 128)
_MANY = 1024
_SEED = 0
_NOTE = "decisions with more than one legal action; each card of a play is one"


def cases() -> list[Case]:
    """Return all cases about value networks."""
    return [
        Case(name, Group.PLAYERS, partial(_decide, size), NETWORK_UNITS, note=_NOTE)
        for name, size in ((f"{NETWORK}, N={_MANY:,}", _MANY), (f"{NETWORK}, alone", 1))
    ]


def _decide(size: int) -> Trial:
    """Decide for `size` tables at once, out of many that are spread over the course of a round."""
    heuristic = choice_of("heuristic")
    env = ShengjiVectorEnv(_MANY, DEFAULT_RULES, seed=_SEED, skip_forced=True)
    spread(env, heuristic, round(pace_of(DEFAULT_RULES, heuristic, skip_forced=True).steps))
    words = np.random.default_rng(_SEED)
    weights: dict[str, Any] = {
        name: (words.normal(size=shape) / shape[0] ** 0.5).astype(np.float32)
        for name, shape in weight_shapes(*_WIDTHS).items()
    }
    player = ValuePlayer({rule_set(DEFAULT_RULES).fingerprint: weights}, name=NETWORK)
    parts = np.split(words.permutation(_MANY), _MANY // size)
    player.decide(Decisions.at(env.tables, parts[0]))

    def measure(seconds: float) -> tuple[float, ...]:
        spent, done = 0.0, 0
        while spent < seconds:
            decisions = Decisions.at(env.tables, parts[done // size % len(parts)])
            began = time.perf_counter()
            player.decide(decisions)
            spent += time.perf_counter() - began
            done += size
        return done / spent, 1000 * spent / done

    return Trial(measure)
