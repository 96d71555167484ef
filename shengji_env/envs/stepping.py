"""The step of many tables, compiled.

Tables know nothing of one another, so results depend neither on how many there are nor on threads.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import DECK_POINTS
from shengji_env.engine.compile import jit, jit_inline, jit_parallel
from shengji_env.engine.deal import SAMPLE_STREAM, SETUP_STREAM, draw_setup, random_below, stream_key
from shengji_env.engine.game import apply_action, begin_round
from shengji_env.engine.masks import random_legal, write_mask
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, UNNAMED, Phase, State, Workspace
from shengji_env.envs.arrays import STAND_STILL, Arrays
from shengji_env.envs.history import clear_plays, note_follow, note_lead
from shengji_env.envs.observation import write_observation, write_rules
from shengji_env.envs.prefetch import prefetch
from shengji_env.envs.rewards import add_reward, add_to_attackers
from shengji_env.envs.uncounted import borrow

BEGIN = STAND_STILL - 1
BEGIN_GIVEN = BEGIN - 1
"""Instead of an action: begin an episode with the round that the state says; its start is drawn, or as it stands."""


@jit
def prepare_views(shared: NDArray[Any], views: NDArray[Any]) -> None:
    """Write what no step changes."""
    for table in range(views.size):
        write_rules(shared[0].rules, views[table])


class Place(NamedTuple):
    """What compiled code needs of one table: records of `Arrays`, small enough to be handed on."""

    s: State
    progress: np.record
    shared: np.record
    w: Workspace
    seen: np.record
    mask: np.record
    reward: np.record
    log: np.record
    plays: NDArray[Any]


@jit
def step_tables(a: Arrays, actions: NDArray[Any]) -> None:
    """Make one action at every table, and go on to each one's next decision."""
    step_range(0, a.states.size, borrowed(a), a.works[0], borrow(actions))


@jit_parallel
def step_tables_parallel(a: Arrays, actions: NDArray[Any]) -> None:
    """`step_tables` with one share of the tables for each workspace."""
    size = a.states.size
    shares = a.works.size
    for share in numba.prange(shares):
        step_range(size * share // shares, size * (share + 1) // shares, borrowed(a), a.works[share], borrow(actions))


@jit
def borrowed(a: Arrays) -> Arrays:
    """The same arrays, not counted as they are passed on."""
    return Arrays(
        borrow(a.states), borrow(a.progress), borrow(a.shared), borrow(a.works), borrow(a.views), borrow(a.masks),
        borrow(a.seats), borrow(a.phases), borrow(a.rewards), borrow(a.terminated), borrow(a.logs), borrow(a.plays),
    )  # fmt: skip


@jit
def step_range(first: int, end: int, a: Arrays, w: Workspace, actions: NDArray[Any]) -> None:
    """Make one action at each of some tables, or begin an episode there, and go on to its next decision."""
    states, progress, shared, _, views, masks, seats, phases, rewards, terminated, logs, plays = a
    config = shared[0]
    for table in range(first, end):
        ahead = min(table + 1, end - 1)
        prefetch(states, ahead)
        prefetch(views, ahead)
        prefetch(masks, ahead)
        place = Place(
            states[table], progress[table], config, w, views[table], masks[table], rewards[table],
            logs[table if config.record else 0], borrow(plays[table]),
        )  # fmt: skip
        for seat in range(NUM_SEATS):
            place.reward.of_seat[seat] = 0.0
        terminated[table] = False
        if actions[table] != STAND_STILL:
            terminated[table] = _go_on(place, actions[table])
            seats[table] = place.s.seat
            phases[table] = place.s.phase


@jit_inline
def _go_on(place: Place, action: int) -> bool:
    """Make an action, and forced ones after it if those are skipped; write what the next seat sees.

    Returns whether an episode has ended.
    """
    s = place.s
    rules = place.shared.rules
    is_over = False
    while True:
        if action <= BEGIN:
            _begin_episode(place, action == BEGIN_GIVEN)
        elif _make(place, action):
            is_over = True
        legal = write_mask(s, rules, place.w, place.mask.legal)
        if legal != 1 or not place.shared.skip_forced:
            break
        action = 0
        while not place.mask.legal[action]:
            action += 1
    write_observation(s, rules, max(s.seat, 0), place.seen)
    return is_over


@jit
def _begin_episode(place: Place, given: bool) -> None:
    s = place.s
    config = place.shared
    if not given:
        s.deal_given = 0
        s.trump = UNNAMED
        draw_setup(s, config.rules, config.seed, place.progress.number, config.any_start)
    _begin(place)


@jit_inline
def _make(place: Place, action: int) -> bool:
    """Make one action; at a round's end reward it and, under autoreset or in a match, begin the next.

    Returns whether an episode has ended.
    """
    s = place.s
    config = place.shared
    progress = place.progress
    if config.record:
        place.log.actions[progress.logged] = action
        progress.logged += 1
    progress.ply += 1
    redeals = s.redeals
    points = s.attackers_points
    is_follow = s.phase == Phase.FOLLOW
    if is_follow:
        note_follow(s, action, place.plays)
    apply_action(s, config.rules, place.w, config.seed, progress.number, action)
    if s.redeals != redeals:
        progress.logged = 0
    if not is_follow and s.phase == Phase.FOLLOW:
        note_lead(s, place.plays)
    if config.shaping and s.attackers_points != points:
        share = (s.attackers_points - points) / (DECK_POINTS * config.rules.decks)
        add_to_attackers(share, s.result.declarer if s.phase == Phase.OVER else s.declarer, place.reward.of_seat)
    return s.phase == Phase.OVER and _finish(place)


@jit
def _finish(place: Place) -> bool:
    """Note what the round came to, and begin the next one where there is one; returns whether the episode is over."""
    s: Any = place.s
    config = place.shared
    add_reward(s, config.rules, config.reward, config.is_match, place.reward.of_seat)
    place.progress.result = s.result
    if config.record:
        _keep_log(place)
    is_over = not config.is_match or s.result.match_over != 0
    if is_over and not config.autoreset:
        return True
    s.round_index += 1
    s.trump = UNNAMED
    s.deal_given = 0
    if is_over:
        draw_setup(s, config.rules, config.seed, place.progress.number, config.any_start)
    elif s.declarer == NOBODY:
        key = stream_key(config.seed, place.progress.number, s.round_index, SETUP_STREAM)
        s.first_drawer = random_below(key, 0, NUM_SEATS)
    _begin(place)
    return is_over


@jit
def _keep_log(place: Place) -> None:
    """Keep the actions of the round that is over, and the state in which it ended."""
    log = place.log
    log.finished_size = place.progress.logged
    for ply in range(place.progress.logged):
        log.finished_actions[ply] = log.actions[ply]
    log.finished_state = place.s


@jit
def _begin(place: Place) -> None:
    """Begin the round that the state says."""
    place.progress.ply = 0
    place.progress.logged = 0
    begin_round(place.s, place.shared.rules, place.w, place.shared.seed, place.progress.number)
    clear_plays(place.plays)


@jit
def first_illegal(masks: NDArray[Any], actions: NDArray[Any]) -> int:
    """The first table at which an action is neither legal nor STAND_STILL; the number of tables if there is none."""
    for table in range(actions.size):
        action = actions[table]
        if action != STAND_STILL and not (0 <= action < NUM_ACTIONS and masks[table, action]):
            return table
    return actions.size


@jit
def choose_random(
    states: NDArray[Any], progress: NDArray[Any], shared: NDArray[Any], masks: NDArray[Any], chosen: NDArray[Any]
) -> None:
    """Choose a uniformly random legal action at every table: a function of (seed, table number, round, ply)."""
    _choose_range(0, states.size, states, progress, shared, masks, chosen)


@jit_parallel
def choose_random_parallel(
    shares: int,
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    masks: NDArray[Any],
    chosen: NDArray[Any],
) -> None:
    """`choose_random` with one share of the tables for each thread."""
    size = states.size
    for share in numba.prange(shares):
        first, end = size * share // shares, size * (share + 1) // shares
        _choose_range(first, end, borrow(states), borrow(progress), borrow(shared), borrow(masks), borrow(chosen))


@jit
def _choose_range(
    first: int,
    end: int,
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    masks: NDArray[Any],
    chosen: NDArray[Any],
) -> None:
    for table in range(first, end):
        chosen[table] = random_action_at(states[table], progress[table], shared[0].seed, borrow(masks[table]))


@jit_inline
def random_action_at(s: State, progress: np.record, seed: np.uint64, mask: NDArray[Any]) -> int:
    """A uniformly random legal action at one table."""
    return random_legal(mask, stream_key(seed, progress.number, s.round_index, SAMPLE_STREAM), progress.ply)


@jit
def observe_seat(states: NDArray[Any], shared: NDArray[Any], table: int, seat: int, views: NDArray[Any]) -> None:
    """Write what any seat of a table sees into ``views[0]``."""
    write_observation(states[table], shared[0].rules, seat, views[0])
