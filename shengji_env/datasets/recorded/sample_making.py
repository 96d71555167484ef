"""Compiled code: recorded rounds are played again, and what every seat saw and did is written out.

Every action is checked against the mask, so that what is written are legal decisions of rounds that follow the rules.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NUM_ACTIONS
from shengji_env.engine.bids import reading_of
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import begin_given
from shengji_env.engine.play import CARDS, next_card
from shengji_env.engine.rows import fill_row, highest_slot, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS, slot_of_card
from shengji_env.engine.state import NOBODY, Phase, Rules, State, Workspace
from shengji_env.tables.observing import write_observation, write_rules
from shengji_env.tables.rewards import add_reward

StartRecord: TypeAlias = np.record
SampleDecision: TypeAlias = np.record

_REFUSED = -1


class SampleArrays(NamedTuple):
    """Rounds and what is written of them: N decisions at most."""

    states: NDArray[Any]
    """(1,) STATE_DTYPE, scratch."""
    rules: NDArray[Any]
    """(1,) RULES_DTYPE."""
    works: NDArray[Any]
    """(1,) WORKSPACE_DTYPE, scratch."""
    wanted: NDArray[np.int8]
    """(54,) scratch: the cards of a decision by slot."""
    starts: NDArray[Any]
    """(R,) START_DTYPE."""
    decisions: NDArray[Any]
    """RECORDED_DECISION_DTYPE, by round and order."""
    cards: NDArray[np.int8]
    """Card ids of all decisions."""
    keeps_forced: bool
    """Whether decisions with one legal action are written."""
    reward: int
    """What a round is worth (`tables.rewards`)."""
    observations: NDArray[Any]
    """(N,) OBSERVATION_DTYPE, written."""
    masks: NDArray[Any]
    """(N + 1,) MASK_DTYPE, written."""
    actions: NDArray[np.int8]
    """(N,) written."""
    seats: NDArray[np.int8]
    """(N,) written."""
    phases: NDArray[np.int8]
    """(N,) written."""
    following: NDArray[np.int64]
    """(N,) written: the seat's next decision of the round, -1 after its last."""
    ends: NDArray[np.int64]
    """(R,) written: where the decisions of each round end."""
    rewards: NDArray[Any]
    """(R,) REWARD_DTYPE, written: what the round was worth to each seat."""
    finals: NDArray[Any]
    """(4 R,) OBSERVATION_DTYPE, written: what each seat sees when the round is over; (0,): it is not wanted."""


@jit
def replay_rounds(replay: SampleArrays) -> int:
    """Play the rounds; return how many could be played: if not all, the next one does not follow the rules."""
    s, r, w = replay.states[0], replay.rules[0], replay.works[0]
    decision = card = row = 0
    for number in range(replay.starts.size):
        start = replay.starts[number]
        if not _begin(s, r, w, start):
            return number
        first = row
        for _ in range(start.num_decisions):
            row = _make(replay, start, replay.decisions[decision], card, row)
            if row == _REFUSED:
                return number
            card += replay.decisions[decision].num_cards
            decision += 1
        if s.phase != Phase.OVER:
            return number
        _link_seats(replay, first, row)
        replay.ends[number] = row
        for seat in range(NUM_SEATS):
            replay.rewards[number].of_seat[seat] = 0.0
        add_reward(s, r, replay.reward, False, replay.rewards[number].of_seat)
        if replay.finals.size > 0:
            _write_finals(s, r, replay, number)
    return replay.starts.size


@jit
def _begin(s: State, r: Rules, w: Workspace, start: StartRecord) -> bool:
    """Begin a round; return whether it can begin like this."""
    for index in range(s.deal.size):
        s.deal[index] = start.deal[index]
    s.levels[0] = start.levels[0]
    s.levels[1] = start.levels[1]
    s.declarer = start.declarer
    s.first_drawer = start.first_drawer
    s.trump = start.trump
    s.match_round = start.match_round
    s.round_index = start.round_index
    is_possible: bool = begin_given(s, r, start.redeals, start.rebellions)
    return is_possible


@jit
def _make(replay: SampleArrays, start: StartRecord, decision: SampleDecision, card: int, row: int) -> int:
    """Make a decision, and write its actions from `row` on; return the row after them, or _REFUSED."""
    s = replay.states[0]
    if s.phase != decision.phase or s.seat != decision.seat:
        return _REFUSED
    is_kept = (start.kept_seats >> s.seat & 1) != 0 and decision.is_substituted == 0
    if decision.action != CARDS:
        if s.phase == Phase.BID and (
            s.drawn != decision.drawn or (decision.rank >= 0 and decision.rank != reading_of(s, s.seat)[1])
        ):
            return _REFUSED
        return _take(replay, is_kept, decision.action, row)
    fill_row(replay.wanted, 0)
    for index in range(card, card + decision.num_cards):
        replay.wanted[slot_of_card(replay.cards[index], s.trump, s.level_rank)] += 1
    if s.phase == Phase.FORCED:
        return _force(replay, is_kept, row)
    return _play_cards(replay, is_kept, decision.num_cards, row)


@jit
def _play_cards(replay: SampleArrays, is_kept: bool, num_cards: int, row: int) -> int:
    """Take the wanted cards one by one, as `_make` does."""
    s = replay.states[0]
    taken = 0
    while True:
        write_mask(s, replay.rules[0], replay.works[0], replay.masks[row].legal)
        action = next_card(s.taken, slots_with(replay.masks[row].legal, 1), replay.wanted)
        if action != DONE:
            taken += 1
        elif taken < num_cards:
            return _REFUSED
        row = _take(replay, is_kept, action, row)
        if row == _REFUSED:
            return _REFUSED
        if s.taken_size == 0:
            return row if taken == num_cards else _REFUSED


@jit
def _force(replay: SampleArrays, is_kept: bool, row: int) -> int:
    """Choose the component that the wanted cards are; it is named by its highest card."""
    s = replay.states[0]
    slots = slots_with(replay.wanted, 1)
    if slots == 0:
        return _REFUSED
    row = _take(replay, is_kept, highest_slot(slots), row)
    if row == _REFUSED:
        return _REFUSED
    for slot in range(NUM_SLOTS):
        if s.trick[s.leader, slot] != replay.wanted[slot]:
            return _REFUSED
    return row


@jit
def _take(replay: SampleArrays, is_kept: bool, action: int, row: int) -> int:
    """Take an action if it is legal, and write it if it is wanted; return the row after it, or _REFUSED."""
    s, r, w = replay.states[0], replay.rules[0], replay.works[0]
    mask = replay.masks[row].legal
    num_legal = write_mask(s, r, w, mask)
    if not 0 <= action < NUM_ACTIONS or mask[action] == 0:
        return _REFUSED
    if is_kept and (replay.keeps_forced or num_legal > 1):
        write_rules(r, replay.observations[row])
        write_observation(s, r, s.seat, replay.observations[row])
        replay.actions[row] = action
        replay.seats[row] = s.seat
        replay.phases[row] = s.phase
        row += 1
    redeals = s.redeals
    apply_action(s, r, w, SAME_CARDS, action)
    return row if s.redeals == redeals else _REFUSED


@jit
def _link_seats(replay: SampleArrays, first: int, end: int) -> None:
    """Write which decision of its seat follows each decision of a round."""
    for seat in range(NUM_SEATS):
        following = NOBODY
        for row in range(end - 1, first - 1, -1):
            if replay.seats[row] == seat:
                replay.following[row] = following
                following = row


@jit
def _write_finals(s: State, r: Rules, replay: SampleArrays, number: int) -> None:
    for seat in range(NUM_SEATS):
        final = replay.finals[number * NUM_SEATS + seat]
        write_rules(r, final)
        write_observation(s, r, seat, final)
