"""Snapshots: what is loaded goes on as what was saved; only what `save` returned can be loaded."""

import copy
import pickle

import numpy as np
import pytest

from shengji_env.errors import ShengjiError
from shengji_env.records.writing import finished_round
from shengji_env.tables.snapshots import SAVED, Snapshot
from shengji_env.vector import BatchEnv
from tests.helpers.memory import memory_of

WORLDS = [
    ("two_deck", {"episode": "match", "history": 7}),
    ("competition", {"start": "any", "skip_forced": True, "record": True, "history": 500}),
    ("two_deck(max_redeals=0, no_bid=partner_names)", {"start": "any", "record": True}),
    ("three_deck(throw_penalty=10, failed_throw=smallest)", {"start": "any", "skip_forced": True}),
]
ARGUMENTS = {"history": 9, "record": True, "start": "any", "seed": 3}


def play(env, steps):
    for _ in range(steps):
        env.step(env.sample_actions())
    return env


def under_way(num_envs=4, rules="two_deck", steps=60, **arguments):
    return play(BatchEnv(num_envs, rules, **ARGUMENTS | arguments), steps)


@pytest.mark.parametrize(("rules", "arguments"), WORLDS)
def test_what_is_loaded_goes_on_as_what_was_saved(rules, arguments):
    env, other = (BatchEnv(16, rules, seed=seed, **arguments) for seed in (51, 52))
    for _ in range(12):
        other.load(env.save())
        assert memory_of(other) == memory_of(env)
        assert memory_of(play(other, 25)) == memory_of(play(env, 25))


def test_what_a_snapshot_records_is_there_again():
    env = under_way(2, steps=400)
    again = BatchEnv(2, **ARGUMENTS | {"seed": 99})
    again.load(env.save())
    assert finished_round(again) == finished_round(env)
    assert again.seed == env.seed


def test_a_snapshot_stays_as_it_was():
    """Neither the environment that it comes from nor one that has loaded it reaches it."""
    env, other = under_way(), under_way(seed=4)
    saved, before = env.save(), memory_of(env)
    play(env, 30)
    for _ in range(2):
        other.load(saved)
        assert memory_of(other) == before
        play(other, 30)
        for name in set(SAVED) - {"shared"}:
            getattr(other.tables, name).reshape(-1).view(np.uint8)[:] = 1


def test_there_is_nothing_in_a_snapshot_to_reach_or_to_change():
    saved = under_way().save()
    assert [name for name in dir(saved) if not name.startswith("__")] == []
    with pytest.raises(AttributeError):
        saved.states = np.zeros(4)


class Forged(Snapshot):
    """An object that would be a snapshot."""


@pytest.mark.parametrize(
    "snapshot",
    [None, "saved.npz", {"states": np.zeros(4)}, np.zeros(4), b"", Snapshot(), Forged(), pickle.dumps(1)],
    ids=lambda snapshot: type(snapshot).__name__,
)
def test_what_save_has_not_returned_is_refused(snapshot):
    env = under_way()
    before = memory_of(env)
    with pytest.raises(ShengjiError, match=r"only what save\(\) has returned in this process, .* records, or texts"):
        env.load(snapshot)
    assert memory_of(env) == before


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_snapshot_is_not_copied_or_pickled(duplicate):
    with pytest.raises(ShengjiError, match="cannot be copied or pickled"):
        duplicate(under_way().save())


@pytest.mark.parametrize(
    ("num_envs", "rules", "arguments", "what"),
    [
        (5, "two_deck", {}, "another num_envs"),
        (4, "two_deck", {"history": 8}, "another history"),
        (4, "competition", {}, "other rules"),
        (4, "two_deck", {"record": False}, "other record"),
        (4, "two_deck", {"reward": "win"}, "other reward"),
        (4, "two_deck", {"skip_forced": True}, "other skip_forced"),
    ],
)
def test_a_snapshot_of_other_arguments_is_refused(num_envs, rules, arguments, what):
    env = BatchEnv(num_envs, rules, **ARGUMENTS | arguments)
    before = memory_of(env)
    with pytest.raises(ShengjiError, match=f"an environment made with {what}"):
        env.load(under_way().save())
    assert memory_of(env) == before
