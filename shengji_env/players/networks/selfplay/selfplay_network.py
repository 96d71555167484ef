"""The network: what each choice of a decision is worth, in sums of rows of integers.

A choice's hidden units are the rows that it has in common with the decision's other choices, plus its own; its value is
their product, negative ones as 0, with the output row of its kind of decision. Values mean something only relative to
those of the decision's other choices.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.networks.distilled.integer_rows import make_row_functions
from shengji_env.players.networks.selfplay.decision import Decision
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS, NUM_ROWS, rule_rows

WIDTH = 128
"""Hidden units."""
SCALE = 256
"""What the integers of weights count as 1."""
UNITS_PER_LEVEL = 8
"""Values of 1 in a level."""
LEVEL = SCALE * SCALE * UNITS_PER_LEVEL
"""What the integers of values count as a level."""
NO_OUTPUT = NUM_GROUPS
"""The output row of zeros."""
_COMMON, _WHOLE, _RULES = range(3)
sum_rows, product = make_row_functions(WIDTH)
NUM_SUMS = _RULES + NUM_GROUPS
"""Sums: what choices have in common, a choice, the rules in each kind of decision."""


class SelfplayNetwork(NamedTuple):
    """The weights, flat as in `integer_rows`."""

    rows: NDArray[np.int16]
    """(NUM_ROWS · WIDTH,)"""
    outputs: NDArray[np.int16]
    """((NUM_GROUPS + 1) · WIDTH,) a row for each kind of decision, and zeros."""


def blank_network() -> SelfplayNetwork:
    """Return a network that values all choices alike."""
    return SelfplayNetwork(np.zeros(NUM_ROWS * WIDTH, np.int16), np.zeros((NUM_GROUPS + 1) * WIDTH, np.int16))


def sums_of_rules(network: SelfplayNetwork, rules: RuleSet | None) -> NDArray[np.int16]:
    """Return the memory of sums, (NUM_SUMS · WIDTH,), with those of the rules; None: of no rules."""
    sums = np.zeros((NUM_SUMS, WIDTH), np.int16)
    if rules is not None:
        sums[_RULES:] = network.rows.reshape(-1, WIDTH)[rule_rows(rules)].sum(axis=1, dtype=np.int16)
    return sums.ravel()


@jit
def sum_common(d: Decision, network: SelfplayNetwork, sums: NDArray[np.int16]) -> None:
    """Sum up what the choices of the decision have in common."""
    sum_rows(sums, _COMMON, _RULES + d.group, network.rows, d.common, d.num_common)


@jit
def value_of_choice(d: Decision, network: SelfplayNetwork, sums: NDArray[np.int16], index: int) -> int:
    """Return what a choice is worth, whose rows have been listed."""
    sum_rows(sums, _WHOLE, _COMMON, network.rows, d.rows[index], d.num_rows[index])
    return int(product(sums, _WHOLE, network.outputs, d.group, NO_OUTPUT))
