"""The step of many tables, compiled.

Tables are independent of one another, so results depend neither on how many there are nor on threads.
"""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from shengji_env.engine.actions import REBEL
from shengji_env.engine.compile import jit, jit_inline, jit_parallel
from shengji_env.engine.compiler import prange
from shengji_env.engine.deal import (
    SETUP_STREAM,
    Deals,
    draw_setup,
    random_below,
    stream_key,
)
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import first_legal, legal_actions, num_legal, write_legal, write_mask
from shengji_env.engine.opening import begin_round
from shengji_env.engine.rows import first_set
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, UNNAMED, Phase, State, Workspace
from shengji_env.tables.abandoned import note_abandoned
from shengji_env.tables.arrays import STAND_STILL, Arrays, Log, MaskRecord, Progress, RewardRecord, Shared
from shengji_env.tables.history import clear_plays, note_follow, note_lead
from shengji_env.tables.no_refcount import no_refcount
from shengji_env.tables.observation import ObservationRecord
from shengji_env.tables.observing import write_observation
from shengji_env.tables.prefetch import prefetch_mask, prefetch_observation, prefetch_state
from shengji_env.tables.rewards import NO_SHAPING, add_reward, add_shaping

BEGIN = STAND_STILL - 1
BEGIN_GIVEN = BEGIN - 1
"""Passed instead of an action: begin an episode with the state's round. BEGIN draws its start, BEGIN_GIVEN keeps it."""


class TableRecords(NamedTuple):
    """What compiled code needs of one table: records of `Arrays`, small enough to be passed on."""

    s: State
    progress: Progress
    shared: Shared
    work: Workspace
    observation: ObservationRecord
    mask: MaskRecord
    reward: RewardRecord
    log: Log
    plays: NDArray[Any]


@jit
def step_tables(arrays: Arrays, actions: NDArray[Any]) -> None:
    """Make one action at every table, and go on to each one's next decision."""
    step_range(0, arrays.states.size, no_refcount(arrays), arrays.works[0], no_refcount(actions))


@jit_parallel
def step_tables_parallel(arrays: Arrays, actions: NDArray[Any]) -> None:
    """Step tables as `step_tables` does, with one share of the tables for each workspace."""
    size = arrays.states.size
    shares = arrays.works.size
    for share in prange(shares):
        first, end = size * share // shares, size * (share + 1) // shares
        step_range(first, end, no_refcount(arrays), arrays.works[share], no_refcount(actions))


@jit
def step_range(first: int, end: int, arrays: Arrays, work: Workspace, actions: NDArray[Any]) -> None:
    """Make one action at each table from `first` to before `end`, or begin an episode; go on to its next decision."""
    for row in range(first, end):
        ahead = min(row + 1, end - 1)
        prefetch_state(arrays.states, ahead)
        prefetch_observation(arrays.observations, ahead)
        prefetch_mask(arrays.masks, ahead)
        step_table(row, arrays, work, actions[row])


@jit_inline
def step_table(row: int, arrays: Arrays, work: Workspace, action: int) -> None:
    """Make one action at a table, or begin an episode; go on to its next decision."""
    table = table_at(row, arrays, work)
    _, _, _, _, _, _, seats, phases, _, terminated, _, _ = arrays  # attributes of an argument take longer
    clear_reward(table.reward)
    terminated[row] = False
    if action != STAND_STILL:
        terminated[row] = _go_on(table, action)
        seats[row] = table.s.seat
        phases[row] = table.s.phase


@jit_inline
def _go_on(table: TableRecords, action: int) -> bool:
    """Make an action, and forced ones after it if those are skipped; write what the next seat sees.

    Return whether an episode has ended. It is `make_action` and `show_table` in one: made of these two, a step of the
    batch environment takes 6 % longer.
    """
    s = table.s
    rules = table.shared.rules
    is_over = False
    while True:
        if action <= BEGIN:
            _begin_episode(table, action == BEGIN_GIVEN)
        elif _make(table, action):
            is_over = True
        legal = write_mask(s, rules, table.work, table.mask.legal)
        if legal != 1 or not table.shared.skip_forced:
            break
        action = first_set(table.mask.legal)
    write_observation(s, rules, max(s.seat, 0), table.observation)
    return is_over


@jit_inline
def table_at(row: int, arrays: Arrays, work: Workspace) -> TableRecords:
    """Return the records of a table."""
    states, progress, shared, _, observations, masks, _, _, rewards, _, logs, plays = arrays
    config = shared[0]
    return TableRecords(
        states[row], progress[row], config, work, observations[row], masks[row], rewards[row],
        logs[row if config.record else 0], no_refcount(plays[row]),
    )  # fmt: skip


@jit_inline
def clear_reward(reward: RewardRecord) -> None:
    """Set a reward to 0."""
    for seat in range(NUM_SEATS):
        reward.of_seat[seat] = 0.0


@jit_inline
def make_action(table: TableRecords, action: int) -> tuple[bool, int, int]:
    """Make an action, and forced ones after it if those are skipped; add rewards.

    Return whether an episode has ended, and what is legal then, as `legal_actions` does. `show_table` must follow.
    """
    s = table.s
    rules = table.shared.rules
    is_over = False
    while True:
        if action <= BEGIN:
            _begin_episode(table, action == BEGIN_GIVEN)
        elif _make(table, action):
            is_over = True
        slots, others = legal_actions(s, rules, table.work)
        if not table.shared.skip_forced or num_legal(slots, others) != 1:
            return is_over, slots, others
        action = first_legal(slots, others)


@jit_inline
def show_table(row: int, arrays: Arrays, table: TableRecords, slots: int, others: int) -> None:
    """Write what the seat to move sees, or seat 0 if nobody is, what is legal, and who is to move in which phase."""
    s = table.s
    write_legal(table.mask.legal, slots, others)
    write_observation(s, table.shared.rules, max(s.seat, 0), table.observation)
    arrays.seats[row] = s.seat
    arrays.phases[row] = s.phase


@jit
def _deals_of(table: TableRecords) -> Deals:
    return Deals(table.shared.seed, table.progress.number)


@jit
def _begin_episode(table: TableRecords, given: bool) -> None:
    s = table.s
    config = table.shared
    if not given:
        s.deal_given = 0
        s.trump = UNNAMED
        draw_setup(s, config.rules, _deals_of(table), config.any_start != 0)
    _begin(table)


@jit_inline
def _make(table: TableRecords, action: int) -> bool:
    """Make one action; at a round's end, write rewards and, with autoreset or in a match, begin the next round.

    Return whether an episode has ended.
    """
    s = table.s
    config = table.shared
    progress = table.progress
    if config.record:
        table.log.actions[progress.logged] = action
        progress.logged += 1
    progress.ply += 1
    redeals = s.redeals
    points = s.attackers_points
    if action == REBEL and config.record:
        note_abandoned(table.log.abandoned, s, table.log.actions, progress.logged)
    is_follow = s.phase == Phase.FOLLOW
    if is_follow:
        note_follow(s, action, table.plays)
    apply_action(s, config.rules, table.work, _deals_of(table), action)
    if s.redeals != redeals:
        progress.logged = 0
    if not is_follow and s.phase == Phase.FOLLOW:
        note_lead(s, table.plays)
    if config.shaping != NO_SHAPING:
        add_shaping(s, config.rules, config.shaping, points, table.reward.of_seat)
    return s.phase == Phase.OVER and _finish(table)


@jit
def _finish(table: TableRecords) -> bool:
    """Note the round's result, and begin the next round if there is one; return whether the episode is over."""
    s: Any = table.s
    config = table.shared
    add_reward(s, config.rules, config.reward, config.is_match != 0, table.reward.of_seat)
    table.progress.result = s.result
    if config.record:
        _keep_log(table)
    is_over = not config.is_match or s.result.match_over != 0
    if is_over and not config.autoreset:
        return True
    s.round_index += 1
    s.trump = UNNAMED
    s.deal_given = 0
    if is_over:
        draw_setup(s, config.rules, _deals_of(table), config.any_start != 0)
    elif s.declarer == NOBODY:
        key = stream_key(config.seed, table.progress.number, s.round_index, SETUP_STREAM)
        s.first_drawer = random_below(key, 0, NUM_SEATS)
    _begin(table)
    return is_over


@jit
def _keep_log(table: TableRecords) -> None:
    """Keep the actions of the finished round, and the state in which it ended."""
    log = table.log
    log.finished_size = table.progress.logged
    for step in range(table.progress.logged):
        log.finished_actions[step] = log.actions[step]
    log.finished_state = table.s
    if table.s.rebellions > 0:
        log.finished_abandoned = log.abandoned


@jit
def _begin(table: TableRecords) -> None:
    """Begin the round that the state names."""
    table.progress.ply = 0
    table.progress.logged = 0
    begin_round(table.s, table.shared.rules, table.work, _deals_of(table))
    clear_plays(table.plays)
