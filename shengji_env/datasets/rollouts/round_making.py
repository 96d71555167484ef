"""Compiled code: rounds are played, and the decisions of the exploring seat are labelled.

Every random draw is a function of (seed, round, index), so that rounds can be made in any order and by any thread.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.labelling import label_found
from shengji_env.datasets.rollouts.memory import Memory, Settings, deals_of
from shengji_env.datasets.rollouts.policies import (
    FIRST_OPPONENTS,
    GREEDY,
    Maker,
    best_found,
    key_of,
    only_action,
    place_of,
)
from shengji_env.datasets.rollouts.rollout_settings import OTHERS
from shengji_env.datasets.rollouts.shard_sections import Sections
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import ROLLOUT_STREAM, fold, random_below, stream_key
from shengji_env.engine.game import apply_action
from shengji_env.engine.opening import begin_first
from shengji_env.engine.play import CARDS, Play, take_play
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import Phase
from shengji_env.players.candidates.candidate_list import candidate_play
from shengji_env.players.candidates.finding import find, find_first, find_hidden
from shengji_env.players.playing import next_action_by

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
    memory = maker.memory[0]
    for number in range(first, end):
        before = memory.num_actions, memory.num_decisions, memory.num_candidates
        memory.number, memory.first_action = number, memory.num_actions
        row = shard.rounds[number - start]
        _make_round(maker, row, shard)
        row.num_actions = memory.num_actions - before[0]
        row.num_decisions = memory.num_decisions - before[1]
        is_full = memory.num_actions > shard.actions.size or memory.num_decisions > shard.decisions.size
        if is_full or memory.num_candidates > shard.candidates.size:
            memory.num_actions, memory.num_decisions, memory.num_candidates = before
            return number
    return end


@jit
def _make_round(maker: Maker, row: Any, shard: Sections) -> None:
    memory, settings = maker.memory[0], maker.settings[0]
    s = memory.table
    memory.key = stream_key(settings.seed, memory.number, 0, ROLLOUT_STREAM)
    explorer = int(random_below(memory.key, _EXPLORER, NUM_SEATS))
    noise = int(random_below(memory.key, _NOISE, settings.num_noise))
    others = _draw_others(memory, settings)
    row.explorer, row.others, row.noise = explorer, others, noise
    memory.explorer, memory.others, memory.known = explorer, others, -1
    begin_first(s, memory.scratch.rules, memory.scratch.work, deals_of(memory, settings), True)
    word = _FIRST
    while s.phase != Phase.OVER:
        place = place_of(memory, s.seat)
        if s.seat == explorer:
            _explore(maker, word, settings.noise[noise], shard)
            if others > 0:
                memory.known = -1
        elif place > 0 or others == _GREEDY:
            _play_by(maker, place if place > 0 else GREEDY, shard.actions)
        elif others == _NOISY:
            _play_heuristically(memory, settings, word, settings.others_noise, shard.actions)
        elif settings.network_tricks > 0:
            _play_by_network(maker, shard.actions)
        else:
            _play_heuristically(memory, settings, word, 0.0, shard.actions)
        word += _WORDS


@jit
def _draw_others(memory: Memory, settings: Settings) -> int:
    """Draw who sits in the seats that do not explore, an index of `RolloutSettings.others`."""
    if _happens(memory, _HAS_OTHERS, settings.others_share):
        return 1 + int(random_below(memory.key, _OTHERS, _FIRST_KINDS))
    for place in range(settings.num_opponents):
        if _happens(memory, _HAS_OPPONENTS, settings.opponents[place]):
            return FIRST_OPPONENTS + place
    return 0


@jit
def _happens(memory: Memory, index: int, share: float) -> bool:
    """Draw whether something happens that does in this share of all cases."""
    return bool((np.float64(fold(memory.key, index) >> _S11) + 0.5) * _UNIT < share)


@jit
def _explore(maker: Maker, word: int, noise: float, shard: Sections) -> None:
    """Make the exploring seat's play; label the decision if there is a choice.

    If `heuristic` sits in all other seats and plays playouts, the last labelled candidate that was taken has been
    played on to the next decision and further, by the first candidate there: then that outcome is known. A network goes
    on for longer in the second playout than in the first.
    """
    memory, settings = maker.memory[0], maker.settings[0]
    found = memory.found
    number = find_hidden(memory.table, memory, settings.most, found)
    choice = best_found(maker, found, number)
    if number > 1:
        is_labelled = _happens(memory, word + _LABEL, settings.label_share)
        if is_labelled:
            label_found(maker, number, shard.decisions, shard.candidates)
        if _happens(memory, word + _DEVIATE, noise):
            other = int(random_below(memory.key, word + _WHICH, number - 1))
            choice = other + int(other >= choice)
        if is_labelled and settings.plays_on_alike:
            memory.known = memory.num_candidates - number + choice
        elif choice > 0:
            memory.known = -1
    _make_play(memory, settings, candidate_play(found, choice), shard.actions)


@jit
def _take(memory: Memory, settings: Settings, action: int, actions: NDArray[Any]) -> None:
    """Take an action at the table, and note it."""
    if memory.num_actions < actions.size:
        actions[memory.num_actions] = action
    memory.num_actions += 1
    apply_action(memory.table, memory.scratch.rules, memory.scratch.work, deals_of(memory, settings), action)


@jit
def _make_play(memory: Memory, settings: Settings, play: Play, actions: NDArray[Any]) -> None:
    """Make a legal play at the table, and note its actions."""
    if play.action != CARDS:
        _take(memory, settings, play.action, actions)
    else:
        memory.num_actions += take_play(
            memory.table, memory.scratch.rules, memory.scratch.work, play.cards, actions[memory.num_actions :]
        )


@jit
def _play_heuristically(memory: Memory, settings: Settings, word: int, noise: float, actions: NDArray[Any]) -> None:
    """Make the heuristic player's play at the table, or with noise another candidate."""
    found = memory.found
    choice = 0
    if noise > 0.0 and _happens(memory, word + _DEVIATE, noise):
        number = min(find(memory.table, memory.scratch, settings.most, found), settings.most)
        choice = 1 + int(random_below(memory.key, word + _WHICH, number - 1)) if number > 1 else 0
    else:
        find_first(memory.table, memory.scratch, found)
    _make_play(memory, settings, candidate_play(found, choice), actions)


@jit
def _play_by_network(maker: Maker, actions: NDArray[Any]) -> None:
    """Make the play of the policy's network at the table."""
    memory, settings = maker.memory[0], maker.settings[0]
    found = memory.found
    action = only_action(memory.table, memory.scratch.rules, memory.scratch.work)
    if action >= 0:
        _take(memory, settings, action, actions)
        return
    best = best_found(maker, found, find_hidden(memory.table, memory, settings.most, found))
    _make_play(memory, settings, candidate_play(found, best), actions)


@jit
def _play_by(maker: Maker, policy: int, actions: NDArray[Any]) -> None:
    """Make the play of one of the maker's policies at the table."""
    memory, settings = maker.memory[0], maker.settings[0]
    s, is_new, key = memory.table, True, key_of(memory, memory.table, policy)
    r, w = memory.scratch.rules, memory.scratch.work
    while True:
        action, is_new = next_action_by(s, r, w, maker.policies, policy, is_new, key)
        _take(memory, settings, action, actions)
        if s.taken_size == 0:
            return
