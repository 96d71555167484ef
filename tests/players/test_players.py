"""Players by name, and networks as players."""

import itertools
import json
import re

import numpy as np
import pytest

from shengji_env.arena import make_player, play_matchup
from shengji_env.engine.actions import ACTIONS_VERSION, NUM_ACTIONS
from shengji_env.engine.rule_sets import RULE_SETS, rule_set
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError
from shengji_env.players import KINDS
from shengji_env.players.greedy import GreedyPlayer, write_view
from shengji_env.players.networks.policy import PolicyPlayer
from shengji_env.players.random import RandomPlayer
from shengji_env.tables.observation import LAYOUT_VERSION, OBSERVATION_SIZE
from shengji_env.vector import BatchEnv

KEY = np.zeros(1, np.uint64)
HEADER = {
    "format": "shengji-policy/1",
    "rules": "two_deck",
    "rules_fingerprint": rule_set("two_deck").fingerprint,
    "layout_version": LAYOUT_VERSION,
    "actions_version": ACTIONS_VERSION,
    "activation": "relu",
    "observation_size": OBSERVATION_SIZE,
}


def write_policy(path, sizes=(OBSERVATION_SIZE, 8, NUM_ACTIONS), **changes):
    """A small random network; returns its arrays."""
    generator = np.random.default_rng(0)
    arrays = {}
    for place, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        arrays[f"w{place}"] = generator.normal(0, 0.1, (inputs, outputs)).astype(np.float32)
        arrays[f"b{place}"] = generator.normal(0, 0.1, outputs).astype(np.float32)
    np.savez(path, header=np.array(json.dumps({**HEADER, **changes})), **arrays)
    return arrays


@pytest.fixture(scope="module")
def decisions():
    """Observations and masks of some rounds under way."""
    env = BatchEnv(64, seed=0, start="any", skip_forced=True)
    for _ in range(60):
        env.step(env.sample_actions())
    return env.observation.copy(), env.action_mask.copy(), np.arange(64, dtype=np.uint64)


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("kind", [kind.name for kind in KINDS if kind.make and kind.name != "human"])
def test_every_player_is_legal_on_every_preset_and_even_against_itself(kind, rules):
    text = "search:2" if kind == "search" else kind
    result = play_matchup(text, text, num_deals=2, rules=rules, seed=4)
    assert not result.levels.sum(axis=1).any()


def test_random_is_uniform_and_a_function_of_its_key(decisions):
    observation, mask, _ = decisions
    keys = np.random.default_rng(1).integers(0, 2**64, 4000, dtype=np.uint64)
    row = int(mask.sum(axis=1).argmax())
    masks = np.repeat(mask[row : row + 1], len(keys), axis=0)
    observations = np.repeat(observation[row : row + 1], len(keys), axis=0)
    chosen = RandomPlayer().act(observations, masks, keys)
    counts = np.bincount(chosen, minlength=NUM_ACTIONS)
    assert (counts[mask[row] == 0] == 0).all()
    expected = len(keys) / mask[row].sum()
    assert np.abs(counts[mask[row] != 0] - expected).max() < 6 * expected**0.5
    assert (RandomPlayer().act(observations[::-1], masks, keys[::-1]) == chosen[::-1]).all()


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_policy_file_round_trip(tmp_path, decisions, activation):
    observation, mask, key = decisions
    arrays = write_policy(tmp_path / "policy.npz", activation=activation)
    player = make_player(f"policy:{tmp_path}")
    hidden = observation.astype(np.float32) @ arrays["w0"] + arrays["b0"]
    hidden = np.maximum(hidden, 0) if activation == "relu" else np.tanh(hidden)
    logits = hidden @ arrays["w1"] + arrays["b1"]
    np.testing.assert_allclose(player.logits(observation), logits, rtol=1e-4, atol=1e-4)
    chosen = player.act(observation, mask, key)
    assert (mask[np.arange(len(key)), chosen] == 1).all()
    assert (chosen == np.where(mask, player.logits(observation), -np.inf).argmax(axis=1)).all()


def test_policy_answers_do_not_depend_on_the_batch(tmp_path, decisions):
    observation, _, _ = decisions
    write_policy(tmp_path / "policy.npz", sizes=(OBSERVATION_SIZE, 33, 17, NUM_ACTIONS))
    player = PolicyPlayer.load(tmp_path / "policy.npz")
    whole = player.logits(observation)
    rows = np.concatenate([player.logits(observation[row : row + 1]) for row in range(len(observation))])
    assert whole.tobytes() == rows.tobytes()


def test_sampling_policy_draws_from_its_probabilities(tmp_path, decisions):
    observation, mask, _ = decisions
    write_policy(tmp_path / "policy.npz")
    player = make_player(f"policy:{tmp_path / 'policy.npz'}?sample=true")
    row = int(mask.sum(axis=1).argmax())
    keys = np.random.default_rng(2).integers(0, 2**64, 4000, dtype=np.uint64)
    chosen = player.act(
        np.repeat(observation[row : row + 1], 4000, axis=0), np.repeat(mask[row : row + 1], 4000, axis=0), keys
    )
    logits = np.where(mask[row], player.logits(observation[row : row + 1])[0].astype(np.float64), -np.inf)
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    share = np.bincount(chosen, minlength=NUM_ACTIONS) / 4000
    assert np.abs(share - chances).max() < 0.04


def test_policy_against_itself_is_exactly_even(tmp_path):
    write_policy(tmp_path / "policy.npz")
    for text in (f"policy:{tmp_path}", f"policy:{tmp_path}?sample=true"):
        result = play_matchup(text, text, num_deals=10, rules="one_deck")
        assert result.levels_per_round == 0.0
        assert result.interval == (0.0, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "shengji-policy/9"}, "format is 'shengji-policy/9', here 'shengji-policy/1'"),
        ({"format": "shengji-suit-policy/1"}, "format is 'shengji-suit-policy/1', here 'shengji-policy/1'"),
        ({"layout_version": 99}, f"layout_version is 99, here {LAYOUT_VERSION}"),
        (
            {"actions_version": 99, "observation_size": 3},
            f"actions_version is 99, here {ACTIONS_VERSION}; observation_size is 3",
        ),
        ({"activation": "gelu"}, "activation is 'gelu', here 'relu' or 'tanh'"),
    ],
)
def test_a_policy_of_another_world_is_refused_with_what_differs(tmp_path, changes, message):
    write_policy(tmp_path / "policy.npz", **changes)
    with pytest.raises(PlayerError, match="is not compatible") as refused:
        make_player(f"policy:{tmp_path}")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((OBSERVATION_SIZE, 5), "1 layers end in 5 values"),
        ((7, NUM_ACTIONS), "layer 0 is .7, 83. and .83,.; it must be"),
    ],
)
def test_a_policy_of_the_wrong_shape_is_refused(tmp_path, sizes, message):
    write_policy(tmp_path / "policy.npz", sizes=sizes)
    with pytest.raises(PlayerError, match=message):
        make_player(f"policy:{tmp_path}")


def test_what_is_no_policy_file_is_refused(tmp_path):
    with pytest.raises(PlayerError, match="no policy at"):
        make_player(f"policy:{tmp_path / 'missing.npz'}")
    (tmp_path / "policy.npz").write_bytes(b"hello")
    with pytest.raises(PlayerError, match=r"is not a policy\.npz"):
        make_player(f"policy:{tmp_path}")
    np.savez(tmp_path / "policy.npz", header=np.array([{"pickled": object()}], dtype=object))
    with pytest.raises(PlayerError, match=r"is not a policy\.npz"):
        make_player(f"policy:{tmp_path}")


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("w0", np.full((OBSERVATION_SIZE, 8), np.nan, np.float32), "w0 holds nan; weights are finite float32"),
        ("b1", np.full(NUM_ACTIONS, np.inf, np.float32), "b1 holds inf"),
        ("b1", np.full(NUM_ACTIONS, 1e300), r"b1 holds 1e\+300"),
        ("w0", np.zeros((OBSERVATION_SIZE, 8), np.complex64), "w0 is complex64; weights are float32"),
        ("w0", np.zeros((OBSERVATION_SIZE, 8), np.int64), "w0 is int64"),
        ("b0", np.zeros(8, "U1"), "b0 is <U1"),
        ("b0", np.zeros(8, object), "'b0.npy' is not an array"),
        ("b0", np.zeros((8, 1), np.float32), "layer 0 is"),
        ("b0", np.float32(0), "layer 0 is"),
        ("w2", np.zeros((1, 1), np.float32), "also holds .'w2'.; arrays are w0, b0"),
        ("other", np.zeros(10**6, np.int8), "also holds .'other'."),
        ("header", np.array([1]), "it has no header that is a text"),
        ("header", np.array("3"), "its header is 3, not a mapping"),
        ("header", np.array("[" * 100_000), "brackets are nested too deeply"),
        ("header", np.array([0x110000], np.uint32).view("U1")[0:1].reshape(()), "its header is not a text"),
    ],
)
def test_weights_that_are_no_numbers_are_refused(tmp_path, name, array, message):
    arrays = write_policy(tmp_path / "policy.npz")
    header = np.array(json.dumps(HEADER))
    np.savez(tmp_path / "policy.npz", **{"header": header, **arrays, name: array})
    with pytest.raises(PlayerError, match=rf"policy\.npz is not a policy\.npz: .*{message}") as refused:
        make_player(f"policy:{tmp_path}")
    assert len(str(refused.value)) < 600


def test_layers_of_no_values_are_refused(tmp_path):
    write_policy(tmp_path / "policy.npz", sizes=(OBSERVATION_SIZE, 0, NUM_ACTIONS))
    with pytest.raises(PlayerError, match=rf"layer 0 is .{OBSERVATION_SIZE}, 0. and .0,.; it must be"):
        make_player(f"policy:{tmp_path}")


def test_a_damaged_policy_plays_or_is_refused(tmp_path, decisions):
    path = tmp_path / "policy.npz"
    write_policy(path, sizes=(OBSERVATION_SIZE, 1, NUM_ACTIONS))
    whole = path.read_bytes()
    generator = np.random.default_rng(3)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(generator.integers(1, 4)):
            # Most of the file is weights: aim at the bytes around them.
            place = generator.integers(400) if generator.random() < 0.5 else -generator.integers(1, 2500)
            damaged[place] = generator.integers(256)
        path.write_bytes(damaged)
        try:
            player = make_player(f"policy:{path}")
        except PlayerError:
            continue
        assert np.isfinite(player.logits(decisions[0])).all()


def test_a_users_own_player(tmp_path, monkeypatch):
    (tmp_path / "my_own_players.py").write_text(
        "from shengji_env.players.random import RandomPlayer\n"
        "class Deep(RandomPlayer):\n"
        "    def __init__(self, depth=1, style='shy', bold=False, risk=0.0):\n"
        "        self.name = f'{depth!r} {style!r} {bold!r} {risk!r}'\n"
        "def nothing():\n"
        "    return 3\n"
    )
    monkeypatch.chdir(tmp_path)
    assert make_player("my_own_players:Deep").name == "1 'shy' False 0.0"
    assert make_player("my_own_players:Deep?depth=2&style=wild&bold=true&risk=0.5").name == "2 'wild' True 0.5"
    for text, message in (
        ("my_own_players:Shallow", "has no callable 'Shallow'; it has RandomPlayer, Deep, nothing"),
        ("my_own_players:nothing", "made something of type int, which has no method `act`"),
        ("my_own_players:Deep?width=3", "cannot be made: TypeError"),
        ("my_own_players:Deep?width", "cannot be read"),
        ("no_such_module:Deep", "module 'no_such_module' cannot be imported"),
    ):
        with pytest.raises(PlayerError) as refused:
            make_player(text)
        assert message in str(refused.value)


@pytest.mark.parametrize("text", ["", "gready", "Random"])
def test_an_unknown_player_is_told_what_there_is(text):
    known = ", ".join(kind.form for kind in KINDS)
    with pytest.raises(PlayerError, match=re.escape(f"write {known}")):
        make_player(text)


@pytest.mark.parametrize("rules", list(RULE_SETS))
def test_greedy_decides_from_what_it_reads_as_from_the_whole_observation(rules):
    env = BatchEnv(32, rules, seed=3, start="any", skip_forced=True)
    record, greedy = env.tables.shared["rules"][0], GreedyPlayer()
    part, compared = env.tables.observations[:1].copy(), set()
    for name in set(part.dtype.names) - {"rules", "passed_on", "burier", "first_bidder"}:
        part[name] = 77
    for _ in range(60):
        whole, masks = env.observation, env.action_mask
        for row, state in enumerate(env.states):
            write_view(state, record, part[0])
            seen, mask = part.view(np.int8).reshape(1, -1), masks[row : row + 1]
            assert greedy.act(seen, mask, KEY) == greedy.act(whole[row : row + 1], mask, KEY)
            compared.add(int(state.phase))
        env.step(env.sample_actions())
    assert {Phase.LEAD, Phase.FOLLOW} <= compared
