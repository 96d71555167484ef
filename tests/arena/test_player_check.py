"""`check_player` passes every player of the package, and says what is wrong with others."""

import re
from typing import Any, NamedTuple

import numpy as np
import pytest

from shengji_env.arena import check_player
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.errors import PlayerError
from shengji_env.players import KINDS, FastPlayer, ObservationPlayer
from shengji_env.tables.policies import Policy
from shengji_env.tables.raw_arrays import reading

BUILT_IN = [kind.name for kind in KINDS if kind.make and kind.name not in ("human", "search")]


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "duplicate"])
@pytest.mark.parametrize("player", [*BUILT_IN, "search:2", "partners?first=greedy&second=random"])
def test_players_of_the_package_pass(player, rules):
    check_player(player, rules, num_deals=2)


class Counting(ObservationPlayer):
    """Takes another action at every call."""

    name = "counting"
    calls = 0

    def act(self, observation, action_mask, key):
        self.calls += 1
        return np.array([np.flatnonzero(mask)[self.calls % mask.sum()] for mask in action_mask])


class Illegal(ObservationPlayer):
    name = "illegal"

    def act(self, observation, action_mask, key):
        return action_mask.argmin(axis=1)


class OfItsBatch(ObservationPlayer):
    """Takes the last legal action, but the first one where it is asked alone."""

    name = "of its batch"

    def act(self, observation, action_mask, key):
        last = action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)
        return action_mask.argmax(axis=1) if len(action_mask) == 1 else last


@jit
def next_by_looking(s, r, slots, others, is_new, key, memory):
    """Take the lowest card if the next seat holds an even number of low ones, as if it could know that."""
    action = lowest_slot(slots) if slots else NUM_SLOTS + lowest_slot(others)
    low = s.hands[(s.seat + 1) % 4, 0] + s.hands[(s.seat + 1) % 4, 13] + s.hands[(s.seat + 1) % 4, 26]
    if low % 2 == 0 and slots & (slots - 1):
        action = lowest_slot(slots & (slots - 1))
    return action


class Looking(FastPlayer):
    name = "looking"

    def policy(self, rules):
        return Policy("looking", next_by_looking, ())


class _Count(NamedTuple):
    calls: Any


_count_at = reading(lambda: _Count(np.zeros(1, np.int64)))


@jit
def next_by_counting(s, r, slots, others, is_new, key, memory):
    count = _count_at(memory)
    count.calls[0] += 1
    if slots and count.calls[0] % 2 == 0 and slots & (slots - 1):
        return lowest_slot(slots & (slots - 1))
    return lowest_slot(slots) if slots else NUM_SLOTS + lowest_slot(others)


class Remembering(FastPlayer):
    name = "remembering"

    def policy(self, rules):
        return Policy("remembering", next_by_counting, _Count(np.zeros(1, np.int64)))


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (Counting(), "counting is not even against itself"),
        (Illegal(), "player 'illegal'"),
        (OfItsBatch(), "of its batch answers the same decision in another way in another batch"),
        (Looking(), "the policy of looking decides otherwise where hidden cards are wiped"),
        (Remembering(), "remembering"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_others_are_told_what_is_wrong(player, message):
    with pytest.raises(PlayerError, match=re.escape(message)):
        check_player(player, "one_deck", num_deals=4)
