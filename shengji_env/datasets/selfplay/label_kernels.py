"""Compiled code: rounds of a policy with itself, and what becomes of the choices of its decisions.

All four seats are played by the policy, or those of one team, each in every other round, and those of the other by an
opponent that does not learn. At sampled decisions of the policy each of a few choices is played in the true deal, and
the round is played to its end: that is the choice's label. Or it is played for a few tricks, and a critic says later
what is to be expected.
"""

from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.labelling import NO_ROOM, Turn, begin_playout, make_walk, outcome_for
from shengji_env.datasets.selfplay.situations import SITUATION_DTYPE, write_situation
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.deal import Deals, later_key, mix, random_below
from shengji_env.engine.play import make_play
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE, WORKSPACE_DTYPE, Phase, Rules, State, Workspace
from shengji_env.players.networks.selfplay.choices import (
    SelfplayMemory,
    best_choice,
    choice_of,
    find_choices,
    make_selfplay_memory,
    value_choices,
)
from shengji_env.players.networks.selfplay.decision import MAX_CHANGE_ROWS, MAX_SUIT_ROWS, DecisionRecord
from shengji_env.players.networks.selfplay.selfplay_inputs import ACTION_GROUP, MAX_COMMON, MAX_ROWS, rule_rows
from shengji_env.players.networks.selfplay.selfplay_network import LEVEL, SelfplayNetwork
from shengji_env.players.playing import play_next
from shengji_env.tables.policies import NO_POLICIES, PackedPolicies

_TEMPERATURE, _WORDS = 0, 256
"""Place of a round's random word of its temperature; words of each decision."""
_LABEL, _PLAYED_OUT, _PLAYOUT, _PICK, _PLAY = 0, 1, 2, 64, 128
_UNIT, _S11, _HALF = 2.0**-53, np.uint64(11), 0.5


class LabelSettings(NamedTuple):
    """How rounds are made and labelled."""

    shares: NDArray[np.float64]
    """(NUM_GROUPS,) the share of the decisions of each kind that are labelled."""
    temperatures: NDArray[np.float64]
    """(T,) one is drawn for each round: decisions are by softmax(value / temperature), in levels; 0: the best."""
    pick_temperature: NDArray[np.float64]
    """(1,) the same of the choices that are labelled, where there are more than `most`."""
    most: int
    """Most choices of a decision that are labelled."""
    played_out: NDArray[np.float64]
    """(1,) the share of the labelled decisions whose choices are played to the end of the round."""
    tricks: int
    """Tricks after each of which it is written how the round stands, for a critic: from the one under way, or to come,
    on; 0: it never is."""


class LabelArrays(NamedTuple):
    """Labelled decisions, D of them with C choices, as they are written; ``filled`` says how far."""

    groups: NDArray[np.int8]
    """(D,) the kind of decision."""
    num_choices: NDArray[np.int16]
    """(D,)"""
    num_common: NDArray[np.int16]
    """(D,) rows that its choices have in common."""
    common: NDArray[np.int16]
    """These rows, of one decision after another."""
    num_rows: NDArray[np.int16]
    """(C,) rows of each choice."""
    rows: NDArray[np.int16]
    """These rows."""
    levels: NDArray[np.int16]
    """(C,) levels, positive for the seat's team; 0 if the round was not played to its end, as the points."""
    points: NDArray[np.int16]
    """(C,) the attackers' points, negative where the seat's team declared."""
    is_over: NDArray[np.int8]
    """(C,) 1 if the round was played to its end."""
    situations: NDArray[Any]
    """(C, `tricks`) SITUATION_DTYPE: how it stood after each of the next tricks; none without them."""
    is_attacker: NDArray[np.int8]
    """(C,) 1 where the seat's team attacked."""
    smooth: NDArray[np.float32]
    """(C,) smoothed levels (`players.smoothing`); not of compiled code. Where the round is not over, nothing."""
    rules: NDArray[np.int8]
    """(D, NUM_RULE_FEATURES) features of the rules, where a critic reads them; not of compiled code."""
    num_suit_rows: NDArray[np.int16]
    """(D, 5) rows of each suit, 0 of single actions; none without an encoder of suits, as the next ones."""
    suit_rows: NDArray[np.int16]
    """These rows."""
    num_change_rows: NDArray[np.int8]
    """(C, 5) rows of what each choice takes from each suit."""
    change_rows: NDArray[np.int16]
    """These rows."""
    filled: NDArray[np.int64]
    """(6,) decisions, rows in common, choices, rows of choices, of suits, of what is taken from them."""


_DECISIONS, _COMMON, _CHOICES, _ROWS, _SUIT_ROWS, _CHANGE_ROWS = range(6)
SUITS = "num_suit_rows", "suit_rows", "num_change_rows", "change_rows"
"""The arrays that an encoder of suits reads."""
_ROWS_OF_SUITS, _ROWS_OF_CHANGES = 200, 12
"""More rows than decisions, and choices, usually have."""
_ARRAYS: dict[str, tuple[Any, ...]] = {
    "groups": (_DECISIONS, np.int8),
    "num_choices": (_DECISIONS, np.int16),
    "num_common": (_DECISIONS, np.int16),
    "rules": (_DECISIONS, np.int8, 0),
    "common": (_COMMON, np.int16),
    "num_rows": (_CHOICES, np.int16),
    "levels": (_CHOICES, np.int16),
    "points": (_CHOICES, np.int16),
    "is_over": (_CHOICES, np.int8),
    "is_attacker": (_CHOICES, np.int8),
    "smooth": (_CHOICES, np.float32),
    "rows": (_ROWS, np.int16),
    "num_suit_rows": (_DECISIONS, np.int16, NUM_EFFECTIVE_SUITS),
    "suit_rows": (_SUIT_ROWS, np.int16),
    "num_change_rows": (_CHOICES, np.int8, NUM_EFFECTIVE_SUITS),
    "change_rows": (_CHANGE_ROWS, np.int16),
}
"""What arrays have an entry for, as `filled` counts it, its type and its size; `situations` depends on settings."""
COUNTED = {name: of for name, (of, *_) in _ARRAYS.items()} | {"situations": _CHOICES}
"""The first of these."""


class Networks(NamedTuple):
    """Who plays where labels are made; both read the same rows of choices."""

    policy: SelfplayNetwork
    """Plays the rounds."""
    playouts: SelfplayNetwork
    """Plays on from choices that are labelled."""


class LabelMaker(NamedTuple):
    """What rounds are made with."""

    states: NDArray[Any]
    """(2,) STATE_DTYPE: the table, and that of a playout."""
    rules: NDArray[Any]
    """(1,) RULES_DTYPE."""
    works: NDArray[Any]
    """(1,) WORKSPACE_DTYPE."""
    memory: SelfplayMemory
    """The policy's memory at the table."""
    playing: SelfplayMemory
    """The playout policy's memory."""
    rule_rows: NDArray[np.int16]
    """(NUM_GROUPS, R) rows of the rules, which decisions have in common; none where the network reads none."""
    opponent: PackedPolicies
    """One policy, or none: then the network's policy sits in all seats."""


def make_labels(decisions: int, settings: LabelSettings, rule_rows: int = 0, reads_suits: bool = False) -> LabelArrays:
    """Make room for so many decisions, and rows of the rules; `reads_suits`: rows of suits are written, too."""
    choices, tricks = decisions * settings.most, settings.tricks
    of_suits = decisions * _ROWS_OF_SUITS + NUM_EFFECTIVE_SUITS * MAX_SUIT_ROWS
    of_changes = choices * _ROWS_OF_CHANGES + settings.most * NUM_EFFECTIVE_SUITS * MAX_CHANGE_ROWS
    sizes = decisions, decisions * (MAX_COMMON + rule_rows), choices, choices * MAX_ROWS // 2, of_suits, of_changes
    unread = SUITS * (not reads_suits)
    made = {
        name: np.zeros((0 if name in unread else sizes[of], *size), kind) for name, (of, kind, *size) in _ARRAYS.items()
    }
    situations = np.zeros((choices if tricks else 0, tricks), SITUATION_DTYPE)
    return LabelArrays(**made, situations=situations, filled=np.zeros(len(sizes), np.int64))


def make_label_maker(
    networks: Networks, proposals: str, rules: RuleSet, reads_rules: bool, opponent: PackedPolicies = NO_POLICIES
) -> LabelMaker:
    """Make what rounds of a policy are made with; ``reads_rules``: rows of the rules are written, too."""
    rows = rule_rows(rules, networks.policy.shape.chances)
    return LabelMaker(
        np.zeros(2, STATE_DTYPE), rules.record(), np.zeros(1, WORKSPACE_DTYPE),
        make_selfplay_memory(networks.policy, proposals, rules),
        make_selfplay_memory(networks.playouts, proposals, rules),
        rows if reads_rules else rows[:, :0], opponent,
    )  # fmt: skip


@jit_inline
def _decide(maker: LabelMaker, settings: LabelSettings, turn: Turn, labels: LabelArrays) -> int:
    """Make a decision, and label it now and then."""
    s, r, w, memory = maker.states[0], maker.rules[0], maker.works[0], maker.memory
    chosen, word = 0, turn.word
    if _is_opponents(s, turn.deals, maker.opponent):
        play_next(s, r, w, turn.deals, maker.opponent, 0, later_key(turn.key, word))
        return word + _WORDS
    if find_choices(s, r, w, memory) > 1:
        key, chosen = later_key(turn.key, word), value_choices(memory)
        word += _WORDS
        if _unit(key, _LABEL) < settings.shares[memory.decision[0].group]:
            if not _has_room(labels, settings.most):
                return NO_ROOM
            _label(maker, settings, chosen, Turn(turn.deals, key, word), labels)
        temperature = settings.temperatures[random_below(turn.key, _TEMPERATURE, settings.temperatures.size)]
        if temperature > 0.0:
            chosen = draw(memory.decision[0], temperature, key)
    make_play(s, r, w, turn.deals, choice_of(memory.decision[0], chosen))
    return word


label_rounds = make_walk(_decide)


@jit
def _is_opponents(s: State, deals: Deals, opponent: PackedPolicies) -> bool:
    """Return whether the seat to move is the opponent's: in even rounds team 1 is, in odd rounds team 0."""
    return len(opponent) > 0 and s.seat % NUM_TEAMS != deals.table % NUM_TEAMS


@jit
def _has_room(labels: LabelArrays, most: int) -> bool:
    """Return whether there is room for one more decision."""
    filled = labels.filled
    if labels.suit_rows.size:
        suits, changes = NUM_EFFECTIVE_SUITS * MAX_SUIT_ROWS, most * NUM_EFFECTIVE_SUITS * MAX_CHANGE_ROWS
        if (
            filled[_SUIT_ROWS] + suits > labels.suit_rows.size
            or filled[_CHANGE_ROWS] + changes > labels.change_rows.size
        ):
            return False
    return bool(filled[_DECISIONS] < labels.groups.size and filled[_ROWS] + most * MAX_ROWS <= labels.rows.size)


@jit
def _unit(key: np.uint64, counter: int) -> float:
    """Return the stream's word at `counter`, as a number above 0 and below 1."""
    return (float(mix(later_key(key, counter + 1)) >> _S11) + _HALF) * _UNIT


@jit
def _noise(key: np.uint64, counter: int) -> float:
    """Return a number of Gumbel's distribution: the largest of values with such noise is a draw from a softmax."""
    return -log(-log(_unit(key, counter)))


@jit
def draw(d: DecisionRecord, temperature: float, key: np.uint64) -> int:
    """Draw one of the choices by softmax(value / temperature)."""
    best, most = 0, -np.inf
    for index in range(d.number):
        value = d.values[index] + temperature * LEVEL * _noise(key, _PLAY + index)
        if value > most:
            best, most = index, value
    return best


@jit_inline
def _label(maker: LabelMaker, settings: LabelSettings, best: int, turn: Turn, labels: LabelArrays) -> None:
    """Label the best choice and others, drawn by their values; ``turn.key`` is the decision's."""
    d = maker.memory.decision[0]
    picked = _pick(d, settings, best, turn.key)
    add_decision(d, maker.rule_rows, labels)
    to_end = _unit(turn.key, _PLAYED_OUT) < settings.played_out[0]
    for index in range(d.number):
        if picked >> index & 1:
            _play_choice(maker, index, to_end, turn, labels)
            add_choice(d, index, labels)


@jit
def add_decision(d: DecisionRecord, rule_rows: NDArray[np.int16], labels: LabelArrays) -> None:
    """Write a decision without choices, and the rows that its choices will have in common."""
    filled = labels.filled
    decision, end, number = filled[_DECISIONS], filled[_COMMON], rule_rows.shape[1]
    labels.groups[decision], labels.num_common[decision] = d.group, d.num_common + number
    labels.num_choices[decision] = 0
    for index in range(d.num_common):
        labels.common[end + index] = d.common[index]
    for index in range(number):
        labels.common[end + d.num_common + index] = rule_rows[d.group, index]
    filled[_COMMON] += d.num_common + number
    _write_suits(d, labels)
    filled[_DECISIONS] += 1


@jit
def _write_suits(d: DecisionRecord, labels: LabelArrays) -> None:
    """Write the rows of the suits of the next decision, where labels have them."""
    if labels.suit_rows.size and d.group != ACTION_GROUP:
        for suit in range(NUM_EFFECTIVE_SUITS):
            number = d.num_suit_rows[suit]
            labels.num_suit_rows[labels.filled[_DECISIONS], suit] = number
            for row in range(number):
                labels.suit_rows[labels.filled[_SUIT_ROWS] + row] = d.suit_rows[suit, row]
            labels.filled[_SUIT_ROWS] += number


@jit
def _write_changes(d: DecisionRecord, index: int, labels: LabelArrays) -> None:
    """Write the rows of what the next choice takes from suits, where labels have them."""
    if labels.suit_rows.size and d.group != ACTION_GROUP:
        for suit in range(NUM_EFFECTIVE_SUITS):
            number = d.num_change_rows[index, suit]
            labels.num_change_rows[labels.filled[_CHOICES], suit] = number
            for row in range(number):
                labels.change_rows[labels.filled[_CHANGE_ROWS] + row] = d.change_rows[index, suit, row]
            labels.filled[_CHANGE_ROWS] += number


@jit
def add_choice(d: DecisionRecord, index: int, labels: LabelArrays) -> None:
    """Write the rows of one more choice of the last decision."""
    filled = labels.filled
    labels.num_rows[filled[_CHOICES]] = d.num_rows[index]
    for row in range(d.num_rows[index]):
        labels.rows[filled[_ROWS] + row] = d.rows[index, row]
    filled[_ROWS] += d.num_rows[index]
    _write_changes(d, index, labels)
    filled[_CHOICES] += 1
    labels.num_choices[filled[_DECISIONS] - 1] += 1


@jit
def _pick(d: DecisionRecord, settings: LabelSettings, best: int, key: np.uint64) -> int:
    """Return which choices are labelled, as bits."""
    if d.number <= settings.most:
        return (1 << int(d.number)) - 1
    picked = 1 << int(best)
    scale = settings.pick_temperature[0] * LEVEL
    for _ in range(settings.most - 1):
        other, most = -1, -np.inf
        for index in range(d.number):
            value = d.values[index] + scale * _noise(key, _PICK + index)
            if picked >> index & 1 == 0 and value > most:
                other, most = index, value
        picked |= 1 << int(other)
    return picked


@jit_inline
def _play_choice(maker: LabelMaker, index: int, to_end: bool, turn: Turn, labels: LabelArrays) -> None:
    """Play a choice, and on, and write what becomes of it."""
    begin_playout(maker, turn.deals, choice_of(maker.memory.decision[0], index))
    s, r, w, choice = maker.states[1], maker.rules[0], maker.works[0], labels.filled[_CHOICES]
    team = maker.states[0].seat % NUM_TEAMS
    if labels.situations.shape[1] > 0 and not _play_tricks(maker, turn, to_end, labels):
        labels.is_attacker[choice] = s.declarer % NUM_TEAMS != team
        return
    _play_out(s, r, w, turn, maker.playing, maker.opponent)
    outcome = outcome_for(s.result, team)
    labels.levels[choice], labels.points[choice] = outcome.levels, outcome.points
    labels.is_attacker[choice], labels.is_over[choice] = outcome.is_attacker, 1


@jit
def _play_tricks(maker: LabelMaker, turn: Turn, to_end: bool, labels: LabelArrays) -> bool:
    """Play some tricks and write how the round stands after each; return whether it is to be played to its end."""
    s, r, w = maker.states[1], maker.rules[0], maker.works[0]
    seen, before, situations = 0, maker.states[0].tricks, labels.situations
    while s.phase != Phase.OVER:
        if s.phase == Phase.LEAD and s.tricks == before + seen + 1:
            write_situation(s, r, situations[labels.filled[_CHOICES], seen])
            seen += 1
            if seen == situations.shape[1]:
                return to_end
        _play_on(s, r, w, turn, maker.playing, maker.opponent)
    return True


@jit
def _play_out(s: State, r: Rules, w: Workspace, turn: Turn, memory: SelfplayMemory, opponent: PackedPolicies) -> None:
    """Play the round to its end."""
    while s.phase != Phase.OVER:
        _play_on(s, r, w, turn, memory, opponent)


@jit_inline
def _play_on(s: State, r: Rules, w: Workspace, turn: Turn, memory: SelfplayMemory, opponent: PackedPolicies) -> None:
    """Make the next play of a playout: the policy's best choice, or the opponent's."""
    if _is_opponents(s, turn.deals, opponent):
        play_next(s, r, w, turn.deals, opponent, 0, later_key(turn.key, _PLAYOUT))
    else:
        chosen = best_choice(s, r, w, memory)
        make_play(s, r, w, turn.deals, choice_of(memory.decision[0], chosen))
