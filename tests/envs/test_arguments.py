"""Wrong arguments, seeds, actions and orders of calls raise our own errors, before anything has changed."""

import copy
import inspect
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.arena import make_player
from shengji_env.engine.rule_sets import as_rules
from shengji_env.envs.plays import PlayBatchEnv, PlaySeatEnv, PlaySeatVectorEnv
from shengji_env.envs.seat import SeatEnv, SeatVectorEnv
from shengji_env.errors import (
    MAX_SHOWN,
    DealError,
    IllegalActionError,
    PlayerError,
    RecordError,
    RenderModeError,
    RuleSetError,
    ShengjiError,
    show,
)
from shengji_env.records.writing import finished_round
from shengji_env.render.picture import raster
from shengji_env.render.picture.raster import can_rasterise
from shengji_env.support.arguments import DTYPES
from shengji_env.vector import BatchEnv, random_rounds
from tests.helpers.memory import memory_of
from tests.helpers.thorough import thorough

RANDOM = make_player("random")


class Nameless:
    """Something that cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("no name")


HUGE = 10**5000
"""An integer of more digits than Python writes."""
NO_INTEGERS = [
    True, np.True_, 1.0, 1.5, float("nan"), np.float32(1), "1", "", b"1", [1], (1,), {1: 1}, {1}, 1j, object(), int,
    np.array([1]), np.array(1.0), np.array(True), np.array([1, "a"], object), np.ma.masked, Nameless(),
]  # fmt: skip
NO_TEXTS = [
    0,
    1,
    None,
    True,
    1.5,
    b"round",
    "x" * 10**6,
    [],
    ["round"],
    {},
    np.array([]),
    np.array(["a", "b"]),
    Nameless(),
]
MAKERS = {
    "aec": shengji_v0.raw_env,
    "batch": lambda **arguments: BatchEnv(**{"num_envs": 2, **arguments}),
    "single": lambda **arguments: SeatEnv(RANDOM, **arguments),
    "seats": lambda **arguments: SeatVectorEnv(**{"num_envs": 2, "opponents": RANDOM, **arguments}),
    "rounds": lambda **arguments: random_rounds(**{"seed": 1, "count": 2, **arguments}),
}
INTEGERS = [
    *[("aec", "viewer", value) for value in (-1, 4, HUGE)],
    *[(door, "seat", value) for door in ("single", "seats") for value in (-1, 4, HUGE)],
    *[(door, "history", value) for door in ("aec", "batch", "single", "seats") for value in (None, -1, 10**12)],
    *[(door, "num_envs", value) for door in ("batch", "seats") for value in (None, 0, -1, 2**62, HUGE)],
    *[(door, "threads", value) for door in ("batch", "rounds") for value in (None, 0, -1, 10**9)],
    *[(door, "seed", value) for door in ("batch", "rounds") for value in (-1, 2**64, HUGE)],
    *[("rounds", "count", value) for value in (None, 0, -1, 2**62)],
]
TEXTS = [
    *[("aec", name) for name in ("episode", "start", "reward", "shaping")],
    *[("batch", name) for name in ("episode", "start", "reward", "shaping")],
    *[(door, name) for door in ("single", "seats") for name in ("episode", "start", "reward", "shaping")],
    *[(door, "illegal_actions") for door in ("single", "seats")],
    ("rounds", "start"),
]
FLAGS = [
    *[(door, name) for door in ("aec", "batch") for name in ("skip_forced", "record")],
    *[(door, name) for door in ("single", "seats") for name in ("skip_forced", "dict_observation")],
]


def refused(call, error=ShengjiError):
    """The message of the error that a call ends in, which other processes can be told."""
    with pytest.raises(error) as raised:
        call()
    message = str(raised.value)
    assert len(message) < 2000
    assert str(pickle.loads(pickle.dumps(raised.value))) == message
    return message


KINDS = [shengji_v0.raw_env, BatchEnv, SeatEnv, SeatVectorEnv, PlayBatchEnv, PlaySeatEnv, PlaySeatVectorEnv]


@pytest.mark.parametrize("kind", KINDS)
def test_help_shows_every_argument_with_its_default_and_says_what_it_means(kind):
    parameters = inspect.signature(kind).parameters
    assert not any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in parameters.values())
    assert {"rules", "episode", "start", "reward", "shaping", "skip_forced", "history"} <= set(parameters)
    assert parameters["rules"].default == "two_deck"
    assert parameters["start"].default == (None if "seat" in parameters else "first")
    lines = re.findall(r"^    ([a-z_]+(?:, [a-z_]+)*): ", inspect.getdoc(kind), re.MULTILINE)
    assert sorted(name for line in lines for name in line.split(", ")) == sorted(parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_argument_is_refused_with_those_that_there_are(kind):
    for name in ("colour", "autoreset", "rule"):
        with pytest.raises(TypeError) as raised:
            kind(**{name: 1})
        known = ", ".join(inspect.signature(kind).parameters)
        assert str(raised.value) == f"{kind.__name__}() got an unexpected keyword argument {name!r}; it takes {known}"


@pytest.mark.parametrize(("door", "name"), sorted({case[:2] for case in INTEGERS}))
def test_numbers_are_integers_of_their_range(door, name):
    wrong = [*NO_INTEGERS, *[value for other, argument, value in INTEGERS if (other, argument) == (door, name)]]
    for value in wrong:
        assert refused(lambda value=value: MAKERS[door](**{name: value})).startswith(f"{name}={show(value)}")


@pytest.mark.parametrize("door", ["aec", "single", "seats"])
def test_a_picture_does_not_hide_a_wrong_history(door):
    for value in [*NO_INTEGERS, None, -1, 10**12]:
        message = refused(lambda value=value: MAKERS[door](history=value, render_mode="svg"))
        assert message.startswith(f"history={show(value)}")


@pytest.mark.parametrize(("door", "name"), TEXTS)
def test_choices_are_texts_that_are_known(door, name):
    takes_none = name == "start" and door in ("single", "seats")
    for value in [text for text in NO_TEXTS if text is not None or not takes_none]:
        assert refused(lambda value=value: MAKERS[door](**{name: value})).startswith(f"{name}={show(value)} is unknown")


@pytest.mark.parametrize(("door", "name"), FLAGS)
def test_flags_are_true_or_false(door, name):
    for value in (None, 0, 1, "no", "False", 1.0, [], np.array(True), Nameless()):
        message = refused(lambda value=value: MAKERS[door](**{name: value}))
        assert message == f"{name}={show(value)} must be True or False"
    MAKERS[door](**{name: np.True_})


@pytest.mark.parametrize("door", MAKERS)
def test_rules_of_any_other_kind_are_no_rules(door):
    for value in (None, 5, True, b"two_deck", ["two_deck"], np.array([1]), "", "two_deck(", Nameless(), "x" * 10**6):
        refused(lambda value=value: MAKERS[door](rules=value), RuleSetError)


@pytest.mark.parametrize(
    "options",
    [
        {1: 2}, {"name": "two_deck"}, {"preset": 5}, {"preset": []}, {"preset": np.array(["a", "b"])}, {"decks": "2"},
        {"decks": 2.0}, {"decks": True}, {"decks": HUGE}, {"kitty": HUGE}, {"bidding": []}, {"bidding": None},
        {"bidding": np.array(["fixed", "x"])}, {"throws": 1}, {"match_rounds": -HUGE}, {Nameless(): 1},
    ],
)  # fmt: skip
def test_options_of_rules_are_of_their_type(options):
    refused(lambda: as_rules(options), RuleSetError)


def test_a_number_of_too_many_digits_is_no_value_of_an_option():
    assert "must be of type int" in refused(lambda: as_rules(f"two_deck(decks={'9' * 5000})"), RuleSetError)


@pytest.mark.parametrize("door", ["aec", "single"])
def test_an_unknown_render_mode_is_a_type_error_too(door):
    for mode in ("depth_array", "ANSI", "", 1, True, [], np.array(["ansi", "human"])):
        assert refused(lambda mode=mode: MAKERS[door](render_mode=mode), RenderModeError).endswith(
            f"human, ansi, svg{', rgb_array' * can_rasterise()}, or None"
        )
    with pytest.raises(TypeError):
        MAKERS[door](render_mode="depth_array")


@pytest.mark.parametrize("door", ["aec", "single", "seats"])
def test_pixels_without_their_library_say_what_to_install(door, monkeypatch):
    monkeypatch.setattr(raster, "find_spec", lambda name: None)
    message = "rgb_array needs two more libraries: pip install 'pillow>=11' 'resvg-py>=0.3'"
    assert message in refused(lambda: MAKERS[door](render_mode="rgb_array"), RenderModeError)


@pytest.mark.parametrize("door", ["aec", "single", "seats"])
def test_observations_are_of_types_that_hold_them(door):
    texts = ("uint8", "bool", "complex64", "float8", "x", "a,b", "")
    for dtype in (*texts, None, 1, 1.5, np.int64(3), str, object, Nameless()):
        assert refused(lambda dtype=dtype: MAKERS[door](dtype=dtype)).endswith(", ".join(DTYPES))


@pytest.mark.parametrize(
    "tables",
    [
        [float("nan"), 1], [0.5, 1], [1.0, 2.0], ["1", "2"], [None, 1], [True, False], [-1, 1], [2**64 - 1, 1],
        [2**70, 1], [1], [1, 2, 3], [[1], [2]], [[1], [2, 3]], 1, "12", (), {1, 2}, Nameless(),
    ],
)  # fmt: skip
def test_table_numbers_are_integers_one_for_each_table(tables):
    assert refused(lambda: BatchEnv(2, tables=tables)).startswith("tables")


@pytest.mark.parametrize("seed", [np.int64(3), np.uint8(3), np.array(3)])
def test_any_integer_is_a_seed(seed):
    envs = [shengji_v0.raw_env(start="any"), SeatEnv(RANDOM), BatchEnv(1, start="any", seed=1)]
    for env in envs:
        same = copy.deepcopy(env)
        env.reset(seed=seed)
        same.reset(seed=3)
        states = [one.states if hasattr(one, "states") else one._table.tables.states for one in (env, same)]
        assert states[0].tobytes() == states[1].tobytes()
    assert envs[0].seed_in_use == envs[2].seed == 3
    assert type(envs[2].seed) is int
    largest = BatchEnv(1, seed=np.uint64(2**64 - 1))
    assert largest.seed == 2**64 - 1


@pytest.mark.parametrize("make", [shengji_v0.raw_env, shengji_v0.env, MAKERS["single"], MAKERS["batch"]])
def test_what_is_no_seed_is_refused_and_changes_nothing(make):
    env = make()
    env.reset(seed=7)
    before = pickle.dumps(env)
    for seed in (*NO_INTEGERS, -1, 2**64, HUGE):
        assert refused(lambda seed=seed: env.reset(seed=seed)).startswith(f"seed={show(seed)} must be a whole number")
    assert pickle.dumps(env) == before


@pytest.mark.parametrize("make", [shengji_v0.raw_env, shengji_v0.env, MAKERS["single"]])
@pytest.mark.parametrize(
    "options",
    [
        ["deal"], "deal", 5, True, [("declarer", 1)], {1: 2}, {Nameless(): 1}, {"deal": 5}, {"deal": [3.7]},
        {"deal": [True]}, {"deal": [None]}, {"deal": [[0, 1]]}, {"deal": list(range(54)) * 258}, {"deal": "x" * 10**6},
        {"deal": range(10**12)}, {"levels": [True, 3]}, {"levels": [2.0, 3]}, {"levels": [HUGE, 2]},
        {"levels": Nameless()}, {"levels": [Nameless(), "2"]}, {"declarer": True}, {"declarer": 1.0},
        {"declarer": HUGE}, {"first_drawer": "0"}, {"trump": ["S"]}, {"trump": np.array(["S", "H"])},
    ],
)  # fmt: skip
def test_options_of_reset_that_cannot_be_are_refused_and_change_nothing(make, options):
    env = make()
    env.reset(seed=7)
    before = pickle.dumps(env)
    refused(lambda: env.reset(seed=8, options=options), DealError)
    assert pickle.dumps(env) == before


@pytest.mark.parametrize("make", [shengji_v0.raw_env, shengji_v0.env])
def test_actions_of_one_table_are_integers(make):
    env = make()
    env.reset(seed=1)
    before = env.unwrapped.states.tobytes()
    for action in (*NO_INTEGERS, None, -1, -2, 83, 2**64, HUGE):
        message = refused(lambda action=action: env.step(action), IllegalActionError)
        assert "actions are the integers 0..82; legal: 54 (pass)" in message
    assert env.unwrapped.states.tobytes() == before
    for action in (np.int8(54), np.uint64(54), np.array(54)):
        env.reset(seed=1)
        env.step(action)


@pytest.mark.parametrize("illegal_actions", ["replace", "raise"])
def test_what_is_no_action_of_the_space_is_never_replaced(illegal_actions):
    env = SeatEnv(RANDOM, illegal_actions=illegal_actions)
    env.reset(seed=1)
    before = pickle.dumps(env)
    for action in (*NO_INTEGERS, None, 54.9, "54", -1, 83, 2**64, HUGE):
        assert "actions are the integers 0..82" in refused(lambda action=action: env.step(action), IllegalActionError)
    assert pickle.dumps(env) == before
    for kind in (np.int8, np.uint64, np.array):
        env.reset(seed=1)
        assert "replaced" not in env.step(kind(env.action_masks().argmax()))[4]


@pytest.mark.parametrize(
    "actions",
    [
        None, 54, "54", [54.0] * 3, [True] * 3, [None] * 3, [54, 54], [[54]] * 3, [[1], [1, 2], 3], [2**70] * 3, {54},
        np.zeros((3, 1), np.int64), np.zeros(3, "M8[s]"), np.zeros(3, [("a", "i8")]), Nameless(),
    ],
)  # fmt: skip
def test_actions_of_many_tables_are_integers_one_for_each(actions):
    env = BatchEnv(3, seed=1)
    before = memory_of(env)
    assert refused(lambda: env.step(actions)).startswith("actions")
    assert memory_of(env) == before


@pytest.mark.parametrize("action", [2**64 - 1, 2**63, 83, 255])
def test_a_large_unsigned_action_is_none_and_not_minus_one(action):
    env = BatchEnv(2, seed=1)
    message = refused(lambda: env.step(np.full(2, action, np.uint64)), IllegalActionError)
    assert f"cannot take '{action}'" in message
    assert "actions are the integers 0..82 (table 0)" in message


@pytest.mark.parametrize("kind", ["read-only", "unaligned", "strided", "big-endian", "int8", "uint64", "list"])
def test_actions_may_lie_in_any_array_of_integers(kind):
    env, same = BatchEnv(4, seed=1), BatchEnv(4, seed=1)
    actions = env.sample_actions().copy()
    given = {
        "read-only": np.frombuffer(actions.tobytes(), np.int64),
        "unaligned": np.frombuffer(bytearray(b" " + actions.tobytes()), np.int64, offset=1),
        "strided": np.repeat(actions, 2)[::2],
        "big-endian": actions.astype(">i8"),
        "int8": actions.astype(np.int8),
        "uint64": actions.astype(np.uint64),
        "list": actions.tolist(),
    }[kind]
    compiled = _signatures()
    env.step(given)
    same.step(actions)
    assert _signatures() == compiled
    assert env.states.tobytes() == same.states.tobytes()


_DISTURBED = """
import itertools, sys, threading, time
import numpy as np
from shengji_env.envs.plays import PlayBatchEnv, PlaySeatVectorEnv
from shengji_env.envs.seat import SeatVectorEnv
from shengji_env.errors import IllegalActionError
from shengji_env.vector import BatchEnv

env = {kind}(64)
env.reset(seed=1)
legal, given, until = np.array(env.sample_actions()), np.zeros(64, np.int64), time.monotonic() + 2

def write():
    for value in itertools.cycle((legal, np.full(64, 1 << 40))):
        given[:] = value
        if time.monotonic() > until:
            return

sys.setswitchinterval(1e-6)
threading.Thread(target=write).start()
while time.monotonic() < until:
    legal[:] = env.sample_actions()
    try:
        env.step(given)
    except IllegalActionError:
        pass
"""


@pytest.mark.parametrize("kind", ["BatchEnv", *thorough("PlayBatchEnv", "SeatVectorEnv", "PlaySeatVectorEnv")])
def test_what_is_made_is_what_was_checked_though_another_thread_writes(kind):
    script = _DISTURBED.format(kind=kind)
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=300).returncode == 0


def _signatures():
    from shengji_env.tables.queries import first_illegal
    from shengji_env.tables.stepping import step_tables

    return [len(getattr(kernel, "signatures", ())) for kernel in (first_illegal, step_tables)]


@pytest.mark.parametrize("table", [-1, 2, "0", None, True, 0.0])
def test_a_record_is_asked_for_by_a_tables_place(table):
    env = BatchEnv(2, record=True)
    assert refused(lambda: finished_round(env, table), RecordError).startswith(
        f"table={table!r} must be a whole number"
    )


@pytest.mark.parametrize("name", ["render", "state", "last", "agent_iter"])
def test_before_the_first_episode_there_is_nothing_to_see(name):
    env = shengji_v0.raw_env(render_mode="ansi")
    for asked in (env, copy.deepcopy(env)):
        assert "call reset() first" in refused(getattr(asked, name))
    with pytest.raises((AssertionError, AttributeError), match="before"):
        getattr(shengji_v0.env(render_mode="ansi"), name)()
    env.reset(seed=1)
    assert getattr(env, name)() is not None


def test_agents_are_known_by_their_names():
    env = shengji_v0.raw_env()
    assert "call reset() first" in refused(lambda: env.observe("player_0"))
    env.reset(seed=1)
    for ask in (env.observe, env.action_space, env.observation_space):
        for agent in ("player_4", "", 0, None, [], Nameless()):
            assert refused(lambda ask=ask, agent=agent: ask(agent)).startswith(f"no agent is called {show(agent)}")


def test_after_the_episode_agents_are_stepped_with_none_only():
    env = shengji_v0.raw_env("one_deck")
    assert "call reset() first" in refused(lambda: env.step(54))
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(int(env.last()[0]["action_mask"].argmax()))
    assert "its action is None, not 54" in refused(lambda: env.step(54))
    for _ in range(4):
        env.step(None)
    assert env.agents == []
    for call in (env.last, lambda: env.step(None)):
        assert "call reset() first" in refused(call)
    assert not env.observe("player_0")["action_mask"].any()


def test_one_seat_sees_nothing_before_its_first_round():
    env = SeatEnv(RANDOM, render_mode="ansi")
    for call in (env.render, env.action_masks, lambda: env.step(54)):
        assert "call reset() first" in refused(call)


class Answering:
    """Answers with anything."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, observation, action_mask, key):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("answer", [None, 1.5, "54", [], [54, 54], [[54]], [54.0], [True], [2**70], [99], Nameless()])
def test_a_player_answers_with_one_legal_action(answer):
    refused(lambda: SeatEnv(Answering(answer), seat=None).reset(seed=1), PlayerError)


def test_after_a_players_error_the_agent_does_not_act_for_it():
    env = SeatEnv(Answering(RuntimeError("asleep")))
    with pytest.raises(RuntimeError, match="asleep"):
        env.reset(seed=2, options={"declarer": 1})
    assert "call reset() first" in refused(lambda: env.step(54))


def test_values_are_shown_shortly_whatever_they_are():
    assert show("S2") == "'S2'"
    assert len(show("x" * 10**6)) == MAX_SHOWN + 1
    assert show(HUGE) == "<int>"
    assert show(Nameless()) == "<Nameless>"
