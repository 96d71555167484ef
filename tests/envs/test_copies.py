"""Copied and pickled environments go on exactly as the original would, in another process too, and as sent by Ray."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.envs.plays import PlayBatchEnv, PlaySeatEnv, PlaySeatVectorEnv
from shengji_env.envs.seat import SeatEnv, SeatVectorEnv
from shengji_env.players import make_player
from shengji_env.players.greedy import next_greedily
from shengji_env.players.heuristic import next_heuristically
from shengji_env.players.networks.policy import PolicyPlayer
from shengji_env.players.random import next_randomly
from shengji_env.vector import BatchEnv
from tests.helpers.paths import HELPERS
from tests.helpers.policies import random_layers

RULES = "one_deck"
OPTIONS = {"seed": 4, "start": "any", "record": True, "history": 3}
ENVIRONMENTS = {
    "batch": lambda: BatchEnv(4, RULES, **OPTIONS),
    "batch with threads": lambda: BatchEnv(4, RULES, **OPTIONS, threads=2),
    "batch of whole plays": lambda: PlayBatchEnv(4, RULES, **OPTIONS, skip_forced=True),
    "AEC": lambda: shengji_v0.raw_env(RULES, start="any", record=True, history=3),
    "AEC, wrapped": lambda: shengji_v0.env(rules=RULES, start="any"),
    "one seat": lambda: SeatEnv("greedy", seat=None, rules=RULES, history=3),
    "one seat's plays": lambda: PlaySeatEnv("greedy", seat=None, rules=RULES, history=3),
    "many seats": lambda: SeatVectorEnv(4, ["greedy", "random", "heuristic"], seat=None, rules=RULES, history=3),
    "many seats' plays": lambda: PlaySeatVectorEnv(4, "greedy", seat=None, rules=RULES, skip_forced=True),
}


def by_pickle(env):
    return pickle.loads(pickle.dumps(env))


def out_of_band(env, shift=0):
    """As Ray sends it: its arrays come back read-only, and may begin anywhere."""
    buffers = []
    words = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(words, buffers=[memoryview(bytes(shift) + bytes(buffer.raw()))[shift:] for buffer in buffers])


def out_of_band_and_odd(env):
    return out_of_band(env, shift=1)


COPIES = (copy.deepcopy, by_pickle, out_of_band, out_of_band_and_odd)


def begin(name, seed=4):
    env = ENVIRONMENTS[name]()
    env.reset(seed=seed) if not name.startswith("batch") else None
    return env


def step(env):
    """Make one step by a rule of thumb, and return all that is to be seen after it, as text and bytes."""
    if isinstance(env, BatchEnv | PlayBatchEnv):
        env.step(env.sample_actions())
        return b"".join(each.tobytes() for each in (env.observation, env.action_mask, env.reward, env.terminated))
    if hasattr(env, "possible_agents"):
        if not env.agents:
            env.reset()
        seen, reward, ended, _, _ = env.last()
        legal = np.flatnonzero(seen["action_mask"])
        env.step(None if ended else int(legal[len(legal) // 2]))
        return b"".join(each.tobytes() for each in seen.values()) + repr((reward, ended)).encode()
    masks = np.atleast_2d(env.action_masks())
    chosen = [int(np.flatnonzero(mask)[mask.sum() // 2]) for mask in masks]
    answer = env.step(np.array(chosen) if isinstance(env, SeatVectorEnv | PlaySeatVectorEnv) else chosen[0])
    if not isinstance(env, SeatVectorEnv | PlaySeatVectorEnv) and answer[2]:
        answer = (*answer, env.reset())
    return text_of(answer)


def text_of(value):
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.tobytes()
    if isinstance(value, dict):
        return b"".join(name.encode() + text_of(part) for name, part in value.items())
    if isinstance(value, tuple | list | np.ndarray):
        return b"".join(map(text_of, value))
    return repr(value).encode()


def assert_goes_on_alike(env, copy_of, steps):
    twin = copy_of(env)
    ahead = [step(twin) for _ in range(steps)]
    assert [step(env) for _ in range(steps)] == ahead


@pytest.mark.parametrize("copy_of", COPIES)
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_copy_goes_on_as_the_original(name, copy_of):
    env = begin(name)
    assert_goes_on_alike(env, copy_of, 30)  # before the first step
    assert_goes_on_alike(env, copy_of, 150)
    if hasattr(env, "save"):
        twin = copy_of(env)
        twin.load(env.save())
        assert step(twin) == step(env)


@pytest.mark.parametrize("copy_of", COPIES)
def test_a_copy_calls_the_code_that_is_compiled_already(copy_of):
    """Numba would compile the step again, for a minute, if one of its arrays came back read-only."""
    env = begin("many seats")
    for _ in range(5):
        step(env)
    kernels = next_greedily, next_randomly, next_heuristically
    before = [list(kernel.signatures) for kernel in kernels]
    twin = copy_of(env)
    for _ in range(5):
        step(twin)
    assert [list(kernel.signatures) for kernel in kernels] == before


def policy(network):
    return PolicyPlayer(network, {}, name="policy", sample=True)


OPPONENTS = {
    "search": lambda: make_player("search:24?threads=2"),
    "champion": lambda: make_player("champion"),
    "champion?part=playouts": lambda: make_player("champion?part=playouts"),
    "layers": lambda: policy(random_layers()),
}


@pytest.mark.parametrize("copy_of", COPIES)
@pytest.mark.parametrize("opponent", OPPONENTS)
def test_opponents_that_have_played_are_copied_with_their_environment(opponent, copy_of):
    rules = "two_deck" if opponent == "champion" else RULES
    for env in (
        SeatEnv(OPPONENTS[opponent](), rules=rules),
        SeatVectorEnv(2, [OPPONENTS[opponent](), "greedy", "random"], rules=rules),
    ):
        env.reset(seed=2)
        for _ in range(20):
            step(env)
        assert_goes_on_alike(env, copy_of, 25)


def test_search_has_threads_of_its_own_in_a_copy():
    """The thread pool of the original is neither copied nor shared."""
    env = SeatEnv("search:64?threads=2", rules="two_deck")
    env.reset(seed=2)
    while env.opponents[0]._comparison._pool is None:
        step(env)
    twin = copy.deepcopy(env)
    assert twin.opponents[0]._comparison._pool is None
    before = twin.opponents[0].num_samples
    assert before == env.opponents[0].num_samples > 0
    while twin.opponents[0]._comparison._pool is None:
        step(twin)
    assert twin.opponents[0]._comparison._pool is not env.opponents[0]._comparison._pool


@pytest.mark.skipif(sys.platform == "win32", reason="exec: needs process groups")
@pytest.mark.parametrize("copy_of", COPIES)
def test_a_copy_starts_processes_of_its_own(copy_of):
    text = f"exec:{sys.executable} -S -E {HELPERS / 'bots_with_faults.py'} none"
    env = SeatEnv([text, "greedy", "greedy"], rules=RULES)
    env.reset(seed=2)
    for _ in range(6):
        step(env)
    twin = copy_of(env)
    player, other = env.opponents[0], twin.opponents[0]
    assert sum(pool.num_started for pool in player.pools) == 1
    assert other.pools == ()
    assert [step(twin) for _ in range(8)] == [step(env) for _ in range(8)]
    assert sum(pool.num_started for pool in other.pools) == 1
    other.close()
    player.close()


@pytest.mark.thorough
def test_another_process_compiles_nothing_for_what_it_unpickles(tmp_path):
    """Numba would make a new function of a compiled one's source, and compile it for a minute."""
    env = SeatEnv(["heuristic", "greedy", "champion"], rules=RULES)
    env.reset(seed=1)
    (tmp_path / "env.pickle").write_bytes(pickle.dumps(env))
    program = """if True:
        import pickle, sys
        import numpy as np
        env = pickle.load(open(sys.argv[1], "rb"))
        from shengji_env.engine.compiler import compiled
        from shengji_env.tables.observation import OBSERVATION_SIZE
        for player in env.opponents[:2]:
            player.act(np.zeros((0, OBSERVATION_SIZE), np.int8), np.zeros((0, 83), np.int8), np.zeros(0, np.uint64))
        env.step(int(env.action_masks().argmax()))
        assert not compiled, compiled
    """
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "env.pickle")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
