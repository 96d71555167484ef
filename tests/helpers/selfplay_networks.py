"""Networks of self-play with random weights, and their files."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals
from shengji_env.engine.opening import begin_first
from shengji_env.engine.play import make_play
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.players.networks.selfplay.choices import (
    WIDE,
    SelfplayMemory,
    best_choice,
    choice_of,
    make_selfplay_memory,
)
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, SelfplayFile, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_network import (
    DEFAULT_SHAPE,
    NetworkShape,
    SelfplayNetwork,
    blank_network,
    network_of_parts,
)

_SIZES = {"codes": 2000, "second": 2000}
"""Of weights that products multiply."""


SMALL_SHAPE = NetworkShape(32)


def random_network(seed: int = 0, shape: NetworkShape = DEFAULT_SHAPE) -> SelfplayNetwork:
    generator, blank = np.random.default_rng(seed), blank_network(shape)
    parts = {name: generator.normal(0, _SIZES.get(name, 12), len(part)) for name, part in blank.parts.items()}
    parts["outputs"][-shape.units :] = 0
    if shape.last:
        parts["second_outputs"][-shape.last :] = 0
    return network_of_parts(shape, {name: part.astype(np.int16) for name, part in parts.items()})


@jit
def _play(states: NDArray[Any], rules: NDArray[Any], memory: SelfplayMemory, values: NDArray[np.int64]) -> int:
    s, r, w, d, number = states[0], rules[0], memory.works[0], memory.decision[0], 0
    deals = Deals(np.uint64(5), 0)
    begin_first(s, r, w, deals, True)
    while s.phase != Phase.OVER:
        chosen = best_choice(s, r, w, memory)
        for index in range(d.number if d.number > 1 else 0):
            values[number] = d.values[index]
            number += 1
        make_play(s, r, w, deals, choice_of(d, chosen))
    return number


def values_of_a_round(shape: NetworkShape) -> list[int]:
    """What a random network values all choices of a round at."""
    rules, values = as_rules("one_deck"), np.zeros(5000, np.int64)
    memory = make_selfplay_memory(random_network(3, shape), WIDE, rules)
    return values[: _play(np.zeros(1, STATE_DTYPE), rules.record(), memory, values)].tolist()


def write_random(folder: Path, proposals: str = WIDE, shape: NetworkShape = SMALL_SHAPE) -> str:
    """Write a file into a folder; return the text that names its player."""
    write_selfplay(folder / SELFPLAY_FILE, SelfplayFile(random_network(0, shape), proposals))
    return f"selfplay:{folder}"
