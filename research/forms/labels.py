"""Compiled code: rounds that a network plays with itself, with noise, and what it values its candidates at.

There are no playouts: labels are the network's own values, so nothing but the form limits who learns them. Decisions
about cards are labelled; bids, names, forced components and rebellions are the network's own.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.labelling import Turn, make_walk, walk_all
from shengji_env.datasets.selfplay.label_kernels import (
    COUNTED,
    LabelArrays,
    LabelSettings,
    add_choice,
    add_decision,
    draw,
    make_labels,
)
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.deal import later_key, random_below
from shengji_env.engine.play import make_play
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Rules, State, Workspace
from shengji_env.errors import PlayerError
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.networks.selfplay import CHAMPION, SelfplayPlayer
from shengji_env.players.networks.selfplay.choices import (
    CANDIDATES,
    SelfplayMemory,
    best_choice,
    choice_of,
    find_choices,
    make_selfplay_memory,
    value_choices,
)
from shengji_env.players.networks.selfplay.integer_rows import LANES
from shengji_env.players.networks.selfplay.selfplay_inputs import ACTION_GROUP, NUM_GROUPS
from shengji_env.players.networks.selfplay.selfplay_network import LEVEL, NetworkShape, SelfplayNetwork, blank_network
from shengji_env.players.registry import make_player

TEMPERATURES = np.array([0.0, 0.05, 0.15])
"""Of the noise in self-play's rounds (`configs/selfplay.toml`), in levels, of which each round draws one."""
_DECISIONS_A_ROUND = 104
"""No round of cards has more of them."""
_READS_ALL = NetworkShape(suit=LANES, chances=1)
"""A form that reads all that there is, so that it is listed."""
_WORDS = 256
_CHOICES = 2


class Labeller(NamedTuple):
    """What rounds are made with."""

    states: NDArray[Any]
    """(1,) STATE_DTYPE."""
    rules: NDArray[Any]
    """(1,) RULES_DTYPE."""
    works: NDArray[Any]
    """(1,) WORKSPACE_DTYPE."""
    memory: SelfplayMemory
    """Candidates, and the rows that self-play reads of them."""
    teacher: SelfplayMemory
    """The network whose values are labels."""
    rule_rows: NDArray[np.int16]
    """(NUM_GROUPS, 0) no rows of the rules."""


def make_labeller(player: str, rules: RuleSet, policy: SelfplayNetwork | None = None) -> Labeller:
    """Make what rounds of `champion` or ``selfplay:PATH`` are made with; `policy` matters to `decide_all` alone.

    Raises:
        PlayerError: it is not such a player, or its file cannot be read.
    """
    teacher = make_player(player)
    if not isinstance(teacher, SelfplayPlayer):
        raise PlayerError(f"{player} has no network of self-play; name {CHAMPION} or selfplay:PATH")
    memory = make_selfplay_memory(policy or blank_network(_READS_ALL), CANDIDATES, rules)
    return Labeller(
        np.zeros(1, STATE_DTYPE), rules.record(), np.zeros(1, WORKSPACE_DTYPE), memory,
        make_selfplay_memory(teacher.file.network, CANDIDATES, rules), np.zeros((NUM_GROUPS, 0), np.int16),
    )  # fmt: skip


def label_rounds(labeller: Labeller, seed: int, first: int, end: int) -> LabelArrays:
    """Return the labelled decisions of rounds first..end-1."""
    settings = LabelSettings(np.zeros(NUM_GROUPS), np.zeros(1), np.zeros(1), DEFAULT_CANDIDATES, np.zeros(1), tricks=0)
    labels = make_labels((end - first) * _DECISIONS_A_ROUND, settings, reads_suits=True)
    return walk_all(_label_rounds, labeller, TEMPERATURES, (seed, range(first, end)), labels, COUNTED)


def some_starts(labeller: Labeller, seed: int, rounds: int) -> NDArray[Any]:
    """Return the tables at which decisions about cards begin, (N,) STATE_DTYPE, in so many rounds."""
    starts = _Starts(np.zeros(rounds * _DECISIONS_A_ROUND, STATE_DTYPE), np.zeros(1, np.int64))
    return walk_all(_keep_rounds, labeller, TEMPERATURES, (seed, range(rounds)), starts, {"states": 0}).states


class _Starts(NamedTuple):
    """Tables at which decisions begin, and how many they are."""

    states: NDArray[Any]
    filled: NDArray[np.int64]


@jit_inline
def _label(labeller: Labeller, temperatures: NDArray[np.float64], turn: Turn, labels: LabelArrays) -> int:
    """Make a decision as self-play draws it, and label it if it is about cards."""
    s, r, w, d = labeller.states[0], labeller.rules[0], labeller.works[0], labeller.memory.decision[0]
    chosen, word = 0, turn.word
    if _find_valued(s, r, w, labeller) > 1:
        word += _WORDS
        if d.group != ACTION_GROUP:
            _write_decision(labeller, labels)
        temperature = temperatures[random_below(turn.key, 0, temperatures.size)]
        chosen = draw(d, temperature, later_key(turn.key, word))
    make_play(s, r, w, turn.deals, choice_of(d, chosen))
    return word


@jit_inline
def _keep(labeller: Labeller, temperatures: NDArray[np.float64], turn: Turn, starts: _Starts) -> int:
    """Make a decision without noise, and keep its table if it is about cards."""
    s, r, w, d = labeller.states[0], labeller.rules[0], labeller.works[0], labeller.memory.decision[0]
    chosen = 0
    if _find_valued(s, r, w, labeller) > 1:
        if d.group != ACTION_GROUP:
            starts.states[starts.filled[0]] = s
            starts.filled[0] += 1
        chosen = draw(d, 0.0, turn.key)
    make_play(s, r, w, turn.deals, choice_of(d, chosen))
    return turn.word


_label_rounds, _keep_rounds = make_walk(_label), make_walk(_keep)


@jit
def _find_valued(s: State, r: Rules, w: Workspace, labeller: Labeller) -> int:
    """Find the candidates of the decision that begins at a table, with rows and values; return their number."""
    number = find_choices(s, r, w, labeller.memory)
    if number > 1:
        find_choices(s, r, w, labeller.teacher)
        value_choices(labeller.teacher)
        labeller.memory.decision[0].values[:number] = labeller.teacher.decision[0].values[:number]
    return number


@jit
def _write_decision(labeller: Labeller, labels: LabelArrays) -> None:
    """Write the decision about cards that `_find_valued` has just found."""
    d = labeller.memory.decision[0]
    add_decision(d, labeller.rule_rows, labels)
    for index in range(d.number):
        labels.smooth[labels.filled[_CHOICES]] = d.values[index] / LEVEL
        add_choice(d, index, labels)


@jit
def decide_all(starts: NDArray[Any], labeller: Labeller) -> None:
    """Make some decisions by the network of self-play."""
    for row in range(starts.size):
        best_choice(starts[row], labeller.rules[0], labeller.works[0], labeller.memory)
