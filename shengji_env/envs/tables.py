"""Many tables and their step, compiled: what the AEC and the batch environment both are.

Row i of every array belongs to table i: its state, the observation and mask of the seat to move, rewards and so on.
Tables know nothing of one another, so results depend neither on how many there are nor on threads.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import DECK_POINTS, MAX_DECKS, MAX_TOTAL
from shengji_env.engine.compile import jit, jit_parallel
from shengji_env.engine.deal import SAMPLE_STREAM, SETUP_STREAM, draw_setup, random_below, stream_key
from shengji_env.engine.game import apply_action, begin_round
from shengji_env.engine.masks import NOTHING_LEGAL, random_legal, write_mask
from shengji_env.engine.rules import NUM_SEATS, RULES_DTYPE, RuleSet
from shengji_env.engine.state import MAX_PLAY, NOBODY, RESULT_DTYPE, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase
from shengji_env.envs.borrow import borrow
from shengji_env.envs.history import PLAY_SIZE, clear_plays, note_follow, note_lead
from shengji_env.envs.observation import OBSERVATION_DTYPE, write_observation, write_rules
from shengji_env.envs.rewards import add_reward, add_to_attackers

MAX_BIDS = MAX_DECKS * 3
"""Most bids in one deal: each is stronger, by count or by kind."""
MAX_LOG = MAX_TOTAL + NUM_SEATS * (MAX_BIDS + 1) + 1 + MAX_TOTAL + 2 * MAX_PLAY
"""Most actions from the last deal to the result: asked while drawing and in the circles after it, trumps named, every
card buried or played once, an end and a forced choice for each lead."""
STAND_STILL = NOTHING_LEGAL
"""The action that leaves a table as it is."""

SHARED_DTYPE = np.dtype(
    (
        np.record,
        [
            ("rules", RULES_DTYPE),
            ("seed", np.uint64),
            ("is_match", np.int8),
            ("any_start", np.int8),
            ("reward", np.int8),
            ("shaping", np.int8),
            ("skip_forced", np.int8),
            ("autoreset", np.int8),
            ("record", np.int8),
        ],
    )
)
"""What is the same for all tables of an environment."""

PROGRESS_DTYPE = np.dtype(
    (np.record, [("number", np.int64), ("ply", np.int32), ("logged", np.int32), ("result", RESULT_DTYPE)])
)
"""Beside a table's state: its number, decisions made in this round and since its last deal, the last result."""

LOG_DTYPE = np.dtype(
    (
        np.record,
        [
            ("actions", np.int8, (MAX_LOG,)),
            ("finished_actions", np.int8, (MAX_LOG,)),
            ("finished_size", np.int32),
            ("finished_state", STATE_DTYPE),
        ],
    )
)
"""The actions of the round under way since its last deal, those of the last finished one, and the state it ended in."""


class Tables:
    """The arrays of N tables.

    Args:
        rules: the rules of all tables.
        shared: values of the other SHARED_DTYPE fields.
        numbers: table numbers, shape (N,): a deal is a function of (seed, table number, round).
        threads: how many threads a step may use; results are the same for any.
        history: how many of a round's last plays are kept (`history.py`).
    """

    def __init__(
        self,
        rules: RuleSet,
        shared: dict[str, int],
        numbers: NDArray[np.int64],
        threads: int = 1,
        history: int = 0,
    ) -> None:
        size = len(numbers)
        self.threads = threads
        self.shared: NDArray[Any] = np.zeros(1, SHARED_DTYPE)
        self.shared["rules"] = rules.record()
        for name, value in shared.items():
            self.shared[name] = value
        self.states: NDArray[Any] = np.zeros(size, STATE_DTYPE)
        self.progress: NDArray[Any] = np.zeros(size, PROGRESS_DTYPE)
        self.progress["number"] = numbers
        self.works: NDArray[Any] = np.zeros(threads, WORKSPACE_DTYPE)
        self.views: NDArray[Any] = np.zeros(size, OBSERVATION_DTYPE)
        self.masks = np.zeros((size, NUM_ACTIONS), np.int8)
        self.seats = np.zeros(size, np.int8)
        self.phases = np.zeros(size, np.int8)
        self.rewards = np.zeros((size, NUM_SEATS), np.float32)
        self.terminated = np.zeros(size, np.bool_)
        self.logs: NDArray[Any] = np.zeros(size if shared.get("record") else 1, LOG_DTYPE)
        self.plays = np.zeros((size, history, PLAY_SIZE), np.int8)
        prepare_views(self.shared, self.views)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What the kernels take, in their order."""
        return (
            self.states, self.progress, self.shared, self.works, self.views, self.masks, self.seats, self.phases,
            self.rewards, self.terminated, self.logs, self.plays,
        )  # fmt: skip

    def begin(self, *, given: bool = False, round_index: int = 0) -> None:
        """Begin an episode at every table with its round `round_index`; `given` keeps the start in the states."""
        if not given:
            self.states["round_index"] = round_index
        arguments: tuple[Any, ...] = (*self.arrays, given)
        begin_tables(*arguments)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Make one action, checked by the caller, at every table."""
        arguments: tuple[Any, ...] = (*self.arrays, actions)
        if self.threads == 1:
            step_tables(*arguments)
        else:
            # Numba has no more threads than cores, or than OMP_NUM_THREADS says.
            numba.set_num_threads(min(self.threads, numba.config.NUMBA_NUM_THREADS))
            step_tables_parallel(*arguments)


@jit
def prepare_views(shared: NDArray[Any], views: NDArray[Any]) -> None:
    """Write what no step changes."""
    for table in range(views.size):
        write_rules(shared[0].rules, views[table])


@jit
def begin_tables(
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    works: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[Any],
    seats: NDArray[Any],
    phases: NDArray[Any],
    rewards: NDArray[Any],
    terminated: NDArray[Any],
    logs: NDArray[Any],
    plays: NDArray[Any],
    given: bool,
) -> None:
    """Begin an episode at every table, with the round that its state says; its start is drawn or (`given`) stays."""
    config = shared[0]
    for table in range(states.size):
        s = states[table]
        if not given:
            s.deal_given = 0
            s.trump = UNNAMED
            draw_setup(s, config.rules, config.seed, progress[table].number, config.any_start)
        progress[table].ply = 0
        progress[table].logged = 0
        begin_round(s, config.rules, works[0], config.seed, progress[table].number)
        clear_plays(plays[table])
        terminated[table] = False
        rewards[table, :] = 0.0
        _present(
            table, states, progress, shared, works[0], views, masks, seats, phases, rewards, terminated, logs, plays
        )


@jit
def step_tables(
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    works: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[Any],
    seats: NDArray[Any],
    phases: NDArray[Any],
    rewards: NDArray[Any],
    terminated: NDArray[Any],
    logs: NDArray[Any],
    plays: NDArray[Any],
    actions: NDArray[Any],
) -> None:
    """Make one action at every table, and go on to each one's next decision."""
    for share in range(works.size):
        _step_share(
            share, borrow(states), borrow(progress), borrow(shared), borrow(works), borrow(views), borrow(masks),
            borrow(seats), borrow(phases), borrow(rewards), borrow(terminated), borrow(logs), borrow(plays),
            borrow(actions),
        )  # fmt: skip


@jit_parallel
def step_tables_parallel(
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    works: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[Any],
    seats: NDArray[Any],
    phases: NDArray[Any],
    rewards: NDArray[Any],
    terminated: NDArray[Any],
    logs: NDArray[Any],
    plays: NDArray[Any],
    actions: NDArray[Any],
) -> None:
    """`step_tables` with one share of the tables for each workspace."""
    for share in numba.prange(works.size):
        _step_share(
            share, borrow(states), borrow(progress), borrow(shared), borrow(works), borrow(views), borrow(masks),
            borrow(seats), borrow(phases), borrow(rewards), borrow(terminated), borrow(logs), borrow(plays),
            borrow(actions),
        )  # fmt: skip


@jit
def _step_share(
    share: int,
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    works: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[Any],
    seats: NDArray[Any],
    phases: NDArray[Any],
    rewards: NDArray[Any],
    terminated: NDArray[Any],
    logs: NDArray[Any],
    plays: NDArray[Any],
    actions: NDArray[Any],
) -> None:
    """Step the tables that fall to one workspace."""
    w = works[share]
    for table in range(states.size * share // works.size, states.size * (share + 1) // works.size):
        step_table(
            table, states, progress, shared, w, views, masks, seats, phases, rewards, terminated, logs, plays, actions
        )


@jit
def step_table(
    table: int,
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    w: np.record,
    views: NDArray[Any],
    masks: NDArray[Any],
    seats: NDArray[Any],
    phases: NDArray[Any],
    rewards: NDArray[Any],
    terminated: NDArray[Any],
    logs: NDArray[Any],
    plays: NDArray[Any],
    actions: NDArray[Any],
) -> None:
    """Make one action at one table, and go on to its next decision."""
    for seat in range(NUM_SEATS):
        rewards[table, seat] = 0.0
    terminated[table] = False
    if actions[table] != STAND_STILL:
        _make(table, actions[table], states, progress, shared, w, rewards, terminated, logs, plays)
        _present(table, states, progress, shared, w, views, masks, seats, phases, rewards, terminated, logs, plays)


@jit
def _present(
    table: int,
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    w: np.record,
    views: NDArray[Any],
    masks: NDArray[Any],
    seats: NDArray[Any],
    phases: NDArray[Any],
    rewards: NDArray[Any],
    terminated: NDArray[Any],
    logs: NDArray[Any],
    plays: NDArray[Any],
) -> None:
    """Go on to a decision to be shown, past forced ones if those are skipped, and write what its seat sees."""
    config = shared[0]
    s = states[table]
    mask = masks[table]
    legal = write_mask(s, config.rules, w, mask)
    while legal == 1 and config.skip_forced:
        action = 0
        while not mask[action]:
            action += 1
        _make(table, action, states, progress, shared, w, rewards, terminated, logs, plays)
        legal = write_mask(s, config.rules, w, mask)
    seats[table] = s.seat
    phases[table] = s.phase
    write_observation(s, config.rules, max(s.seat, 0), views[table])


@jit
def _make(
    table: int,
    action: int,
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    w: np.record,
    rewards: NDArray[Any],
    terminated: NDArray[Any],
    logs: NDArray[Any],
    plays: NDArray[Any],
) -> None:
    """Make one action; at a round's end reward it and, under autoreset or in a match, begin the next."""
    config = shared[0]
    s = states[table]
    place = progress[table]
    if config.record:
        logs[table].actions[place.logged] = action
        place.logged += 1
    place.ply += 1
    redeals = s.redeals
    points = s.attackers_points
    is_follow = s.phase == Phase.FOLLOW
    if is_follow:
        note_follow(s, action, plays[table])
    apply_action(s, config.rules, w, config.seed, place.number, action)
    if s.redeals != redeals:
        place.logged = 0
    if not is_follow and s.phase == Phase.FOLLOW:
        note_lead(s, plays[table])
    if config.shaping and s.attackers_points != points:
        share = (s.attackers_points - points) / (DECK_POINTS * config.rules.decks)
        add_to_attackers(share, s.result.declarer if s.phase == Phase.OVER else s.declarer, rewards[table])
    if s.phase == Phase.OVER:
        _finish(table, states, progress, shared, w, rewards, terminated, logs, plays)


@jit
def _finish(
    table: int,
    states: NDArray[Any],
    progress: NDArray[Any],
    shared: NDArray[Any],
    w: np.record,
    rewards: NDArray[Any],
    terminated: NDArray[Any],
    logs: NDArray[Any],
    plays: NDArray[Any],
) -> None:
    config = shared[0]
    s = states[table]
    place = progress[table]
    add_reward(s, config.rules, config.reward, config.is_match, rewards[table])
    progress["result"][table] = s.result
    if config.record:
        log = logs[table]
        log.finished_size = place.logged
        for ply in range(place.logged):
            log.finished_actions[ply] = log.actions[ply]
        logs["finished_state"][table] = states[table]
    is_episode_over = not config.is_match or s.result.match_over
    if is_episode_over:
        terminated[table] = True
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
    clear_plays(plays[table])


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
