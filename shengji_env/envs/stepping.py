"""The step of many tables, compiled.

Tables know nothing of one another, so results depend neither on how many there are nor on threads.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import DECK_POINTS
from shengji_env.engine.compile import jit, jit_parallel
from shengji_env.engine.deal import SAMPLE_STREAM, SETUP_STREAM, draw_setup, random_below, stream_key
from shengji_env.engine.game import apply_action, begin_round
from shengji_env.engine.masks import random_legal, write_mask
from shengji_env.engine.rules import NUM_SEATS
from shengji_env.engine.state import NOBODY, UNNAMED, Phase
from shengji_env.envs.arrays import STAND_STILL, Arrays
from shengji_env.envs.borrow import borrow
from shengji_env.envs.history import clear_plays, note_follow, note_lead
from shengji_env.envs.observation import write_observation, write_rules
from shengji_env.envs.rewards import add_reward, add_to_attackers


@jit
def prepare_views(shared: NDArray[Any], views: NDArray[Any]) -> None:
    """Write what no step changes."""
    for table in range(views.size):
        write_rules(shared[0].rules, views[table])


@jit
def begin_tables(a: Arrays, given: bool) -> None:
    """Begin an episode at every table, with the round that its state says; its start is drawn or (`given`) stays."""
    config = a.shared[0]
    for table in range(a.states.size):
        s = a.states[table]
        if not given:
            s.deal_given = 0
            s.trump = UNNAMED
            draw_setup(s, config.rules, config.seed, a.progress[table].number, config.any_start)
        a.progress[table].ply = 0
        a.progress[table].logged = 0
        begin_round(s, config.rules, a.works[0], config.seed, a.progress[table].number)
        clear_plays(a.plays[table])
        a.terminated[table] = False
        a.rewards[table, :] = 0.0
        _present(table, a, a.works[0])


@jit
def step_tables(a: Arrays, actions: NDArray[Any]) -> None:
    """Make one action at every table, and go on to each one's next decision."""
    for share in range(a.works.size):
        _step_share(share, borrowed(a), borrow(actions))


@jit_parallel
def step_tables_parallel(a: Arrays, actions: NDArray[Any]) -> None:
    """`step_tables` with one share of the tables for each workspace."""
    for share in numba.prange(a.works.size):
        _step_share(share, borrowed(a), borrow(actions))


@jit
def borrowed(a: Arrays) -> Arrays:
    """The same arrays, not counted as they are passed on."""
    return Arrays(
        borrow(a.states), borrow(a.progress), borrow(a.shared), borrow(a.works), borrow(a.views), borrow(a.masks),
        borrow(a.seats), borrow(a.phases), borrow(a.rewards), borrow(a.terminated), borrow(a.logs), borrow(a.plays),
    )  # fmt: skip


@jit
def _step_share(share: int, a: Arrays, actions: NDArray[Any]) -> None:
    """Step the tables that fall to one workspace."""
    for table in range(a.states.size * share // a.works.size, a.states.size * (share + 1) // a.works.size):
        step_table(table, a, a.works[share], actions[table])


@jit
def step_table(table: int, a: Arrays, w: np.record, action: int) -> None:
    """Make one action at one table, and go on to its next decision."""
    for seat in range(NUM_SEATS):
        a.rewards[table, seat] = 0.0
    a.terminated[table] = False
    if action != STAND_STILL:
        _make(table, action, a, w)
        _present(table, a, w)


@jit
def _present(table: int, a: Arrays, w: np.record) -> None:
    """Go on to a decision to be shown, past forced ones if those are skipped, and write what its seat sees."""
    config = a.shared[0]
    s = a.states[table]
    mask = a.masks[table]
    legal = write_mask(s, config.rules, w, mask)
    while legal == 1 and config.skip_forced:
        action = 0
        while not mask[action]:
            action += 1
        _make(table, action, a, w)
        legal = write_mask(s, config.rules, w, mask)
    a.seats[table] = s.seat
    a.phases[table] = s.phase
    write_observation(s, config.rules, max(s.seat, 0), a.views[table])


@jit
def _make(table: int, action: int, a: Arrays, w: np.record) -> None:
    """Make one action; at a round's end reward it and, under autoreset or in a match, begin the next."""
    config = a.shared[0]
    s = a.states[table]
    place = a.progress[table]
    if config.record:
        a.logs[table].actions[place.logged] = action
        place.logged += 1
    place.ply += 1
    redeals = s.redeals
    points = s.attackers_points
    is_follow = s.phase == Phase.FOLLOW
    if is_follow:
        note_follow(s, action, a.plays[table])
    apply_action(s, config.rules, w, config.seed, place.number, action)
    if s.redeals != redeals:
        place.logged = 0
    if not is_follow and s.phase == Phase.FOLLOW:
        note_lead(s, a.plays[table])
    if config.shaping and s.attackers_points != points:
        share = (s.attackers_points - points) / (DECK_POINTS * config.rules.decks)
        add_to_attackers(share, s.result.declarer if s.phase == Phase.OVER else s.declarer, a.rewards[table])
    if s.phase == Phase.OVER:
        _finish(table, a, w)


@jit
def _finish(table: int, a: Arrays, w: np.record) -> None:
    config = a.shared[0]
    s = a.states[table]
    place = a.progress[table]
    add_reward(s, config.rules, config.reward, config.is_match, a.rewards[table])
    a.progress["result"][table] = s.result
    if config.record:
        log = a.logs[table]
        log.finished_size = place.logged
        for ply in range(place.logged):
            log.finished_actions[ply] = log.actions[ply]
        a.logs["finished_state"][table] = a.states[table]
    is_episode_over = not config.is_match or s.result.match_over
    if is_episode_over:
        a.terminated[table] = True
    if is_episode_over and not config.autoreset:
        return
    s.round_index += 1
    place.ply = 0
    place.logged = 0
    s.trump = UNNAMED
    s.deal_given = 0
    if is_episode_over:
        draw_setup(s, config.rules, config.seed, place.number, config.any_start)
    elif s.declarer == NOBODY:
        key = stream_key(config.seed, place.number, s.round_index, SETUP_STREAM)
        s.first_drawer = random_below(key, 0, NUM_SEATS)
    begin_round(s, config.rules, w, config.seed, place.number)
    clear_plays(a.plays[table])


@jit
def choose_random(
    states: NDArray[Any], progress: NDArray[Any], shared: NDArray[Any], masks: NDArray[Any], chosen: NDArray[Any]
) -> None:
    """Choose a uniformly random legal action at every table: a function of (seed, table number, round, ply)."""
    for table in range(states.size):
        place = progress[table]
        key = stream_key(shared[0].seed, place.number, states[table].round_index, SAMPLE_STREAM)
        chosen[table] = random_legal(masks[table], key, place.ply)


@jit
def observe_seat(states: NDArray[Any], shared: NDArray[Any], table: int, seat: int, views: NDArray[Any]) -> None:
    """Write what any seat of a table sees into ``views[0]``."""
    write_observation(states[table], shared[0].rules, seat, views[0])
