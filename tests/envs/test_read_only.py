"""What environments hand out: nothing that a caller writes there reaches the game."""

import re

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.envs.plays import PlayBatchEnv, PlaySeatEnv, PlaySeatVectorEnv
from shengji_env.envs.seat import SeatEnv, SeatVectorEnv
from shengji_env.errors import IllegalActionError
from shengji_env.vector import BatchEnv

GARBAGE = 99
ENVIRONMENTS = {
    "batch": lambda: BatchEnv(3, seed=1, start="any", record=True, history=2),
    "batch of whole plays": lambda: PlayBatchEnv(3, seed=1, start="any", record=True),
    "AEC": lambda: begun(shengji_v0.raw_env(start="any", record=True, history=2)),
    "one seat": lambda: begun(SeatEnv("random", dict_observation=True, history=2)),
    "one seat's plays": lambda: begun(PlaySeatEnv("random", history=2)),
    "many seats": lambda: begun(SeatVectorEnv(3, "random", dict_observation=True, history=2)),
    "many seats' plays": lambda: begun(PlaySeatVectorEnv(3, "random", history=2)),
}
BATCHES = ("batch", "batch of whole plays")


def begun(env):
    env.reset(seed=1)
    return env


def properties_of(env):
    return [name for name in dir(type(env)) if isinstance(getattr(type(env), name), property) and name[0] != "_"]


def arrays_in(value):
    """All arrays in an answer, however deep."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        return [array for part in value.values() for array in arrays_in(part)]
    return [array for part in value for array in arrays_in(part)] if isinstance(value, tuple | list) else []


def numbers_in(value):
    return [array.tobytes() for array in arrays_in(value) if array.dtype != object]


def spoil(value):
    """Write garbage wherever an answer can be written to."""
    for array in arrays_in(value):
        if array.dtype == object:
            spoil(array.tolist())
        elif array.flags.writeable:
            array.view(np.uint8)[...] = GARBAGE


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_no_attribute_can_be_assigned_and_no_array_written(name):
    env = ENVIRONMENTS[name]()
    found = []
    for attribute in properties_of(env):
        value = getattr(env, attribute)
        if isinstance(value, np.ndarray) or attribute in ("seat", "tables"):
            found.append(attribute)
            with pytest.raises(AttributeError):
                setattr(env, attribute, value)
        if isinstance(value, np.ndarray) and attribute != "history":
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0
            with pytest.raises(ValueError, match="read-only"):
                value[0] = value[0]
    assert "seat" in found or name == "AEC"
    assert "states" in found or name == "one seat's plays"
    if name in BATCHES:
        assert {"observation", "action_mask", "seat", "phase", "reward", "terminated", "result"} <= set(found)


def test_no_record_of_a_state_can_be_written():
    env = ENVIRONMENTS["batch"]()
    state, result = env.states[0], env.result[0]
    for write in (
        lambda: state.__setitem__("seat", 3),
        lambda: setattr(state, "seat", 3),
        lambda: state["hands"].__setitem__((0, 0), 99),
        lambda: result.__setitem__("levels", 3),
    ):
        with pytest.raises(ValueError, match="read-only"):
            write()


@pytest.mark.parametrize("name", BATCHES)
def test_an_illegal_action_is_refused_whatever_the_mask_is_made_to_say(name):
    env = ENVIRONMENTS[name]()
    before = env.states.tobytes()
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
        env.action_mask.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        env.action_mask[:] = 1
    chosen = np.full(3, -1)
    chosen[1] = int(np.flatnonzero(env.action_mask[1] == 0)[0])
    with pytest.raises(IllegalActionError, match=re.escape("(table 1)")):
        env.step(chosen)
    assert env.states.tobytes() == before


def test_history_and_sampled_actions_belong_to_the_caller():
    env, other = ENVIRONMENTS["batch"](), ENVIRONMENTS["batch"]()
    for _ in range(200):
        chosen = other.sample_actions()
        spoil((env.history, env.sample_actions()))
        env.step(chosen)
        other.step(chosen)
        assert env.history.tobytes() == other.history.tobytes()
    assert env.sample_actions().tobytes() == other.sample_actions().tobytes()


@pytest.mark.parametrize("name", ["one seat", "one seat's plays", "many seats", "many seats' plays"])
def test_arrays_in_answers_and_infos_belong_to_the_caller(name):
    env, other = ENVIRONMENTS[name](), ENVIRONMENTS[name]()
    spoil(env.reset(seed=3))
    answer = other.reset(seed=3)
    ends = 0
    for _ in range(120):
        chosen = np.asarray(answer[-1]["action_mask"]).argmax(axis=-1)
        spoil(env.action_masks())
        given = env.step(chosen)
        answer = other.step(chosen)
        assert numbers_in(given) == numbers_in(answer)
        spoil(given)
        if np.any(answer[2]):
            ends += 1
            if name.startswith("one"):
                spoil(env.reset())
                answer = other.reset()
    assert ends > 0


def test_what_the_aec_environment_answers_belongs_to_the_caller():
    env, other = ENVIRONMENTS["AEC"](), ENVIRONMENTS["AEC"]()
    while other.agents and not all(other.terminations.values()):
        for each in env.agents:
            spoil(env.observe(each))
        spoil(env.state())
        seen, *_ = other.last()
        given, *_ = env.last()
        for part, array in seen.items():
            assert array.tobytes() == given[part].tobytes()
        chosen = int(np.flatnonzero(seen["action_mask"])[0])
        spoil(given)
        env.step(chosen)
        other.step(chosen)
    assert env.states.tobytes() == other.states.tobytes()
    assert env.rewards == other.rewards


def test_players_take_what_environments_hand_out():
    """A player is compiled for writable arrays only; read-only ones are copied for it."""
    from shengji_env.players import make_player
    from shengji_env.players.heuristic import choose_heuristically

    env = ENVIRONMENTS["batch"]()
    key = np.zeros(3, np.uint64)
    for text in ("random", "greedy", "heuristic"):
        player = make_player(text)
        chosen = player.act(env.observation, env.action_mask, key)
        assert (chosen == player.act(env.tables.vectors, env.tables.masks, key)).all()
    if hasattr(choose_heuristically, "signatures"):  # not where the JIT is off
        assert len(choose_heuristically.signatures) == 1
