"""The batch environment gives the same bytes as the AEC environment, for any size and number of threads."""

import copy
import subprocess
import sys

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_env.errors import IllegalActionError, ShengjiError
from shengji_env.tables.observation import LAYOUT, OBSERVATION_DTYPE, OBSERVATION_SIZE, view
from shengji_env.vector import BatchEnv
from tests.helpers.memory import memory_of

WORLDS = [
    ("two_deck", "round", "any", True),
    ("two_deck", "match", "first", False),
    ("one_deck", "match", "first", True),
    ("competition", "round", "first", False),
    ("duplicate", "round", "any", False),
    ("three_deck", "round", "any", True),
    ("four_deck(throw_penalty=10, follow_priority=tractors_first)", "round", "any", True),
    ("one_deck_45", "match", "first", False),
]


@pytest.mark.parametrize(("rules", "episode", "start", "skip_forced"), WORLDS)
def test_batch_and_aec_give_the_same_bytes(rules, episode, start, skip_forced):
    world = {"episode": episode, "start": start, "skip_forced": skip_forced}
    batch = BatchEnv(3, rules, seed=21, shaping="trick_points", **world)
    aec = shengji_v0.raw_env(rules, shaping="trick_points", **world)
    aec.reset(seed=21)
    ended = 0
    for _ in range(700):
        seen = aec.last()[0]
        assert aec.agent_selection == f"player_{batch.seat[0]}"
        assert int(aec.states["phase"][0]) == batch.phase[0]
        assert seen["observation"].tobytes() == batch.observation[0].tobytes()
        assert seen["action_mask"].tobytes() == batch.action_mask[0].tobytes()
        action = batch.sample_actions()
        aec.step(int(action[0]))
        batch.step(action)
        assert list(aec.rewards.values()) == batch.reward[0].tolist()
        assert aec.terminations["player_2"] == bool(batch.terminated[0])
        if batch.terminated[0]:
            ended += 1
            aec.reset()
        else:
            assert aec.states.tobytes() == batch.states[:1].tobytes()
    assert ended or episode == "match" or rules.startswith("four")


NUMBERS = (0, 5, 12)


def trace(rules, tables, threads, steps=120):
    """Everything that is seen at the tables numbered NUMBERS, and all states in the end."""
    env = BatchEnv(len(tables), rules, seed=22, threads=threads, skip_forced=True, tables=tables)
    places = [list(tables).index(number) for number in NUMBERS]
    arrays = (env.observation, env.action_mask, env.seat, env.phase, env.reward, env.terminated, env.states)
    seen = []
    for _ in range(steps):
        env.step(env.sample_actions())
        seen.append([array[places].tobytes() for array in arrays])
    return seen, env.states.tobytes()


@pytest.mark.parametrize("rules", RULE_SETS)
def test_results_depend_neither_on_the_number_of_tables_nor_on_threads(rules):
    few, _ = trace(rules, NUMBERS, 1)
    among, states = trace(rules, range(65), 1)
    assert few == among == trace(rules, range(13), 4)[0] == trace(rules, range(64, -1, -1), 1)[0]
    assert trace(rules, range(65), 3) == (among, states)


def test_threads_in_a_forked_child_are_refused():
    script = """
import os, sys
from shengji_env.errors import ShengjiError
from shengji_env.vector import BatchEnv
env = BatchEnv(64, seed=1, threads=2)
env.step(env.sample_actions())
child = os.fork()
if not child:
    try:
        env.step(env.sample_actions())
    except ShengjiError as error:
        os._exit(7 if "spawn" in str(error) else 1)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=300).returncode == 7


def test_saving_and_loading_is_exact():
    env = BatchEnv(5, seed=23, episode="match")
    for _ in range(100):
        env.step(env.sample_actions())
    snapshot = env.save()

    def go_on():
        seen = []
        for _ in range(300):
            env.step(env.sample_actions())
            seen.append(env.observation.tobytes() + env.action_mask.tobytes() + env.reward.tobytes())
        return seen, env.states.tobytes(), env.result.tobytes()

    first = go_on()
    env.reset(seed=99)
    env.load(snapshot)
    assert go_on() == first
    with pytest.raises(ShengjiError, match="another num_envs"):
        BatchEnv(4, seed=23, episode="match").load(snapshot)
    with pytest.raises(ShengjiError, match="other rules"):
        BatchEnv(5, "competition", seed=23).load(snapshot)


def test_a_copy_steps_alone():
    env = BatchEnv(2, seed=24)
    branch = copy.deepcopy(env)
    before = env.observation.tobytes()
    for _ in range(20):
        branch.step(branch.sample_actions())
    assert env.observation.tobytes() == before
    assert branch.observation.tobytes() == branch.tables.observations.tobytes()


def test_an_illegal_action_at_one_table_moves_none():
    env = BatchEnv(4, seed=25)
    before = memory_of(env)
    actions = env.sample_actions().copy()
    actions[2] = int(np.flatnonzero(env.action_mask[2] == 0)[0])
    with pytest.raises(IllegalActionError, match=r"\(table 2\)"):
        env.step(actions)
    assert memory_of(env) == before


def test_the_layout_is_the_observation():
    assert sum(segment.size for segment in LAYOUT) == OBSERVATION_SIZE == OBSERVATION_DTYPE.itemsize
    assert len({segment.name for segment in LAYOUT}) == len(LAYOUT)
    env = BatchEnv(3, seed=26)
    seen = view(env.observation)
    offset = 0
    for segment in LAYOUT:
        block = env.observation[:, offset : offset + segment.size].reshape(3, *segment.shape)
        assert (seen[segment.name] == block).all()
        offset += segment.size


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "competition", "three_deck"])
def test_every_card_is_somewhere_in_the_observation(rules):
    env = BatchEnv(16, rules, seed=27)
    for _ in range(250):
        env.step(env.sample_actions())
        seen = view(env.observation)
        placed = seen["hand"] + seen["taken"] + seen["buried"] + seen["played"].sum(1) + seen["known"].sum(1)
        assert (placed + seen["unseen"] == env.rules.decks).all()
        assert (seen["unseen"] >= 0).all()
        assert (seen["cards_left"][:, 0] == (seen["hand"] + seen["taken"]).sum(1)).all()
        assert seen["to_move"].all()
