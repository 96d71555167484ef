"""Compiled code: rounds are played, and the decisions of the exploring seat are labelled.

Every random draw is a function of (seed, round, index), so that rounds can be made in any order and by any thread.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.labelling import label_found
from shengji_env.datasets.rollouts.memory import Memory, Settings, deals_of
from shengji_env.datasets.rollouts.policies import (
    GREEDY_OPPONENTS,
    HEURISTIC_OPPONENTS,
    Maker,
    best_found,
    only_action,
    opponents_at,
)
from shengji_env.datasets.rollouts.rollout_settings import OTHERS
from shengji_env.datasets.rollouts.shard_sections import Sections
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import ROLLOUT_STREAM, fold, random_below, stream_key
from shengji_env.engine.game import apply_action, begin_first
from shengji_env.engine.play import CARDS, Play, take_play
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import Phase
from shengji_env.players.candidates.candidate_list import candidate_play
from shengji_env.players.candidates.finding import find, find_first, find_hidden
from shengji_env.players.greedy_rounds import next_greedily

_GREEDY, _NOISY = OTHERS.index("greedy"), OTHERS.index("heuristic with noise")
_FIRST_KINDS = 2
"""Kinds of which `others_share` draws."""
_EXPLORER, _NOISE, _HAS_OTHERS, _OTHERS, _HAS_OPPONENTS, _FIRST = 0, 1, 2, 3, 4, 8
_LABEL, _DEVIATE, _WHICH, _WORDS = 0, 1, 2, 4
"""Places of a round's random words; from `_FIRST` on, `_WORDS` of them for each decision."""
_S11 = np.uint64(11)
_UNIT = 2.0**-53


@jit
def make_rounds(maker: Maker, shard: Sections, first: int, end: int, start: int) -> int:
    """Make rounds first..end-1, and resume where the memory's counters say.

    Args:
        maker: what rounds are made with.
        shard: the arrays of the shard, written.
        first: number of the first round.
        end: one past the last.
        start: the round that has entry 0 of the shard's rounds.

    Returns:
        The first round that was not made because there was no room for it; `end` if all were made.
    """
    m = maker.memory[0]
    for number in range(first, end):
        before = m.num_actions, m.num_decisions, m.num_candidates
        m.number, m.first_action = number, m.num_actions
        row = shard.rounds[number - start]
        _make_round(maker, row, shard)
        row.num_actions = m.num_actions - before[0]
        row.num_decisions = m.num_decisions - before[1]
        is_full = m.num_actions > shard.actions.size or m.num_decisions > shard.decisions.size
        if is_full or m.num_candidates > shard.candidates.size:
            m.num_actions, m.num_decisions, m.num_candidates = before
            return number
    return end


@jit
def _make_round(maker: Maker, row: Any, shard: Sections) -> None:
    m, g = maker.memory[0], maker.settings[0]
    s = m.table
    m.key = stream_key(g.seed, m.number, 0, ROLLOUT_STREAM)
    explorer = int(random_below(m.key, _EXPLORER, NUM_SEATS))
    noise = int(random_below(m.key, _NOISE, g.num_noise))
    others = 0
    if _happens(m, _HAS_OTHERS, g.others_share):
        others = 1 + int(random_below(m.key, _OTHERS, _FIRST_KINDS))
    elif _happens(m, _HAS_OPPONENTS, g.opponents_share):
        others = GREEDY_OPPONENTS
    elif _happens(m, _HAS_OPPONENTS, g.opponents_share + g.heuristic_opponents_share):
        others = HEURISTIC_OPPONENTS
    row.explorer, row.others, row.noise = explorer, others, noise
    m.explorer, m.others, m.known = explorer, others, -1
    begin_first(s, m.scratch.rules, m.scratch.work, deals_of(m, g), True)
    word = _FIRST
    while s.phase != Phase.OVER:
        opponents = opponents_at(m, s.seat)
        if s.seat == explorer:
            _explore(maker, word, g.noise[noise], shard)
            if others > 0:
                m.known = -1
        elif others == _GREEDY or opponents == GREEDY_OPPONENTS:
            _play_greedily(m, g, shard.actions)
        elif others == _NOISY:
            _play_heuristically(m, g, word, g.others_noise, shard.actions)
        elif g.network_tricks > 0 and opponents != HEURISTIC_OPPONENTS:
            _play_by_network(maker, shard.actions)
        else:
            _play_heuristically(m, g, word, 0.0, shard.actions)
        word += _WORDS


@jit
def _happens(m: Memory, index: int, share: float) -> bool:
    """Draw whether something happens that does in this share of all cases."""
    return bool((np.float64(fold(m.key, index) >> _S11) + 0.5) * _UNIT < share)


@jit
def _explore(maker: Maker, word: int, noise: float, shard: Sections) -> None:
    """Make the exploring seat's play; label the decision if there is a choice.

    If `heuristic` sits in all other seats, the last labelled candidate that was taken has been played on to the next
    decision and further, by the first candidate there: then that outcome is known. A network goes on for longer in the
    second playout than in the first.
    """
    m, g = maker.memory[0], maker.settings[0]
    f = m.found
    number = find_hidden(m.table, m, g.most, f)
    choice = best_found(maker, f, number)
    if number > 1:
        is_labelled = _happens(m, word + _LABEL, g.label_share)
        if is_labelled:
            label_found(maker, number, shard.decisions, shard.candidates)
        if _happens(m, word + _DEVIATE, noise):
            other = int(random_below(m.key, word + _WHICH, number - 1))
            choice = other + int(other >= choice)
        if is_labelled and g.network_tricks == 0:
            m.known = m.num_candidates - number + choice
        elif choice > 0:
            m.known = -1
    _make_play(m, g, candidate_play(f, choice), shard.actions)


@jit
def _take(m: Memory, g: Settings, action: int, actions: NDArray[Any]) -> None:
    """Take an action at the table, and note it."""
    if m.num_actions < actions.size:
        actions[m.num_actions] = action
    m.num_actions += 1
    apply_action(m.table, m.scratch.rules, m.scratch.work, deals_of(m, g), action)


@jit
def _make_play(m: Memory, g: Settings, play: Play, actions: NDArray[Any]) -> None:
    """Make a legal play at the table, and note its actions."""
    if play.action != CARDS:
        _take(m, g, play.action, actions)
    else:
        m.num_actions += take_play(m.table, m.scratch.rules, m.scratch.work, play.cards, actions[m.num_actions :])


@jit
def _play_heuristically(m: Memory, g: Settings, word: int, noise: float, actions: NDArray[Any]) -> None:
    """Make the heuristic player's play at the table, or with noise another candidate."""
    f = m.found
    choice = 0
    if noise > 0.0 and _happens(m, word + _DEVIATE, noise):
        number = min(find(m.table, m.scratch, g.most, f), g.most)
        choice = 1 + int(random_below(m.key, word + _WHICH, number - 1)) if number > 1 else 0
    else:
        find_first(m.table, m.scratch, f)
    _make_play(m, g, candidate_play(f, choice), actions)


@jit
def _play_by_network(maker: Maker, actions: NDArray[Any]) -> None:
    """Make the network's play at the table."""
    m, g = maker.memory[0], maker.settings[0]
    f = m.found
    action = only_action(m.table, m.scratch.rules, m.scratch.work)
    if action >= 0:
        _take(m, g, action, actions)
        return
    best = best_found(maker, f, find_hidden(m.table, m, g.most, f))
    _make_play(m, g, candidate_play(f, best), actions)


@jit
def _play_greedily(m: Memory, g: Settings, actions: NDArray[Any]) -> None:
    """Make the greedy player's play, card by card."""
    while True:
        _take(m, g, next_greedily(m.table, m.scratch, m.greedy), actions)
        if m.table.taken_size == 0:
            return
