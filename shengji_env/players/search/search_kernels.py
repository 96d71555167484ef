"""The search's functions that Python calls, with their argument types, so that they can be compiled in advance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import compile_for
from shengji_env.engine.play import Play, Plays
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE
from shengji_env.players.candidates.finding import find_candidates
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.hiding import hide_all_unknown
from shengji_env.players.playing import DISTILLED, HEURISTIC, player_with_policy, policies_of
from shengji_env.players.search.playout import Outcomes, Playouts, play_samples
from shengji_env.players.search.replaying import ReplayingSampler, draw_likely, weigh_deals
from shengji_env.players.search.sampled_deals import Sampler, draw_samples, prepare
from shengji_env.players.whole_plays import begin_decisions, next_action
from shengji_env.tables.history import PLAY_SIZE
from shengji_env.tables.policies import NO_POLICIES


def compile_search() -> None:
    """Compile all functions that a search calls, for the types of their arguments."""
    rules = rule_set().record()
    states: NDArray[Any] = np.zeros(1, STATE_DTYPE)
    found: NDArray[Any] = np.zeros(1, CANDIDATE_LIST_DTYPE)
    plays, contradicts = np.zeros((1, PLAY_SIZE), np.int8), np.zeros(1, np.bool_)
    cards = np.zeros((1, NUM_SLOTS), np.int8)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    scratch, sampler = make_scratch(rules, 1), Sampler(rules)
    candidates, is_open = Plays(np.zeros(1, np.int64), cards), np.zeros(1, np.bool_)
    playouts = Playouts(candidates, is_open, states, Outcomes.zeros(1, 1), 0, NO_POLICIES)
    compile_for(hide_all_unknown, states, rules)
    compile_for(begin_decisions, states)
    compile_for(next_action, states, mask, Play(0, cards[0]))
    compile_for(find_candidates, states, scratch, 2, found)
    compile_for(prepare, states, plays, sampler.arrays(0))
    compile_for(draw_samples, states, sampler.arrays(0), np.uint64(0), 0, states, contradicts)
    compile_for(play_samples, playouts, 0, 0, scratch, 0)
    policies_of(player_with_policy(HEURISTIC), rule_set())


def compile_replaying() -> None:
    """Compile the functions with which a search replays what others have played, and whose plays it expects."""
    states: NDArray[Any] = np.zeros(1, STATE_DTYPE)
    plays, contradicts = np.zeros((1, PLAY_SIZE), np.int8), np.zeros(1, np.bool_)
    sampler = ReplayingSampler(rule_set().record(), proposals=1)
    arrays, replay = sampler.arrays(0), sampler.replay_arrays(0)
    compile_for(draw_likely, states, plays, (arrays, replay), np.uint64(0), 0, states, contradicts)
    compile_for(weigh_deals, states, plays, replay, np.zeros(1))
    policies_of(player_with_policy(DISTILLED), rule_set())
