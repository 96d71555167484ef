"""Cases about a network as a player: how fast it decides, in batches and alone.

It has the champion's widths and random weights: what it prefers does not matter.
"""

import itertools
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import DEFAULT_RULES, rule_set
from shengji_env.players.decisions import Decisions
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.champion_player import named_weights
from shengji_env.players.networks.champion.compiled_network import weight_shapes, widths_of
from shengji_env.players.networks.champion.value_file import ValueFile
from shengji_env.players.player import Player
from tools.bench.ours import spread_tables
from tools.bench.timing import Case, Group, Trial, counted, rate

NETWORK = f"value network, {DEFAULT_RULES}"
NETWORK_UNITS = ("decisions/s", "ms/decision")
_MANY = 1024
_SEED = 0
_NOTE = "decisions with more than one legal action; each card of a play is one"


def _value_network(words: np.random.Generator) -> Player:
    rules = rule_set(DEFAULT_RULES)
    widths = widths_of(named_weights("champion", rules))
    weights = {name: _random(words, *shape) for name, shape in weight_shapes(*widths).items()}
    return ValuePlayer(ValueFile(weights, rules, {}), name="value network")


def _random(words: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    weights: NDArray[np.float32] = (words.normal(size=shape) / shape[0] ** 0.5).astype(np.float32)
    return weights


def cases() -> list[Case]:
    """Return all cases about networks."""
    return [
        Case(f"{NETWORK}, {how}", Group.PLAYERS, partial(_decide, size), NETWORK_UNITS, note=_NOTE)
        for how, size in ((f"N={_MANY:,}", _MANY), ("alone", 1))
    ]


def _decide(size: int) -> Trial:
    """Decide for `size` tables at once, out of many that are spread over the course of a round."""
    env = spread_tables(_MANY)
    words = np.random.default_rng(_SEED)
    player = _value_network(words)
    parts = np.split(words.permutation(_MANY), _MANY // size)
    decisions = itertools.cycle([Decisions.at(env.tables, part) for part in parts])
    player.decide(next(decisions))

    def measure(seconds: float) -> tuple[float, ...]:
        speed = rate(counted(lambda: player.decide(next(decisions)), size), seconds)
        return speed, 1000 / speed

    return Trial(measure)
