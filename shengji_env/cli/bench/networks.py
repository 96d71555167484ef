"""Cases about networks as players: how fast one decides, in batches and alone.

The networks have the widths that training gives them (`configs/`), the value network those of the champion, and random
weights: what they prefer does not matter.
"""

import itertools
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shengji_env.cli.bench.ours import spread_tables
from shengji_env.cli.bench.timing import Case, Group, Trial, counted, rate
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import DEFAULT_RULES, rule_set
from shengji_env.players.decisions import Decisions
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.champion_player import named_weights
from shengji_env.players.networks.champion.compiled_network import weight_shapes, widths_of
from shengji_env.players.networks.champion.value_file import ValueFile
from shengji_env.players.networks.policy import LayerStack, PolicyPlayer, SuitNetwork
from shengji_env.players.networks.policy.suit_network import Widths, layer_sizes
from shengji_env.players.player import Player
from shengji_env.tables.observation import OBSERVATION_SIZE

NETWORK_UNITS = ("decisions/s", "ms/decision")
_LAYERS = (OBSERVATION_SIZE, 256, 128, NUM_ACTIONS)
_SUIT_WIDTHS = Widths(96, 128, 256, 128, 64)
_MANY = 1024
_SEED = 0
_NOTE = "decisions with more than one legal action; each card of a play is one"


def _value_network(words: np.random.Generator) -> Player:
    rules = rule_set(DEFAULT_RULES)
    widths = widths_of(named_weights("champion", rules))
    weights = {name: _random(words, *shape) for name, shape in weight_shapes(*widths).items()}
    return ValuePlayer(ValueFile(weights, rules, {}), name="value network")


def _policy_of_layers(words: np.random.Generator) -> Player:
    layers = tuple((_random(words, *sizes), _random(words, sizes[1])) for sizes in itertools.pairwise(_LAYERS))
    return PolicyPlayer(LayerStack(layers), {}, name="policy of layers")


def _policy_of_suits(words: np.random.Generator) -> Player:
    arrays: dict[str, NDArray[np.float32]] = {}
    for name, (inputs, outputs) in layer_sizes(_SUIT_WIDTHS).items():
        arrays |= {f"{name}_w": _random(words, inputs, outputs), f"{name}_b": _random(words, outputs)}
    return PolicyPlayer(SuitNetwork(arrays), {}, name="policy of suits")


def _random(words: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    weights: NDArray[np.float32] = (words.normal(size=shape) / shape[0] ** 0.5).astype(np.float32)
    return weights


NETWORKS: Mapping[str, Callable[[np.random.Generator], Player]] = {
    f"value network, {DEFAULT_RULES}": _value_network,
    f"policy network of layers, {DEFAULT_RULES}": _policy_of_layers,
    f"policy network of suits, {DEFAULT_RULES}": _policy_of_suits,
}


def cases() -> list[Case]:
    """Return all cases about networks."""
    return [
        Case(f"{name}, {how}", Group.PLAYERS, partial(_decide, make, size), NETWORK_UNITS, note=_NOTE)
        for name, make in NETWORKS.items()
        for how, size in ((f"N={_MANY:,}", _MANY), ("alone", 1))
    ]


def _decide(make: Callable[[np.random.Generator], Player], size: int) -> Trial:
    """Decide for `size` tables at once, out of many that are spread over the course of a round."""
    env = spread_tables(_MANY)
    words = np.random.default_rng(_SEED)
    player = make(words)
    parts = np.split(words.permutation(_MANY), _MANY // size)
    decisions = itertools.cycle([Decisions.at(env.tables, part) for part in parts])
    player.decide(next(decisions))

    def measure(seconds: float) -> tuple[float, ...]:
        speed = rate(counted(lambda: player.decide(next(decisions)), size), seconds)
        return speed, 1000 / speed

    return Trial(measure)
