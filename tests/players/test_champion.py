"""Value networks as players: what they decide from, that nothing else counts, and files that are refused."""

import json
import re
from importlib import resources

import numpy as np
import pytest

from shengji_env.arena import Tournament, make_player, play_matchup
from shengji_env.cli import main
from shengji_env.engine.frozen_rules import unseen_rules
from shengji_env.engine.rule_record import RULE_FEATURES
from shengji_env.engine.rule_sets import RULE_SETS, as_rules, rule_set
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError
from shengji_env.players.decisions import Decisions
from shengji_env.players.exec.bot_messages import PROTOCOL
from shengji_env.players.exec.speaking import Speaker
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.champion.champion_player import CHAMPION_FILE, named_weights
from shengji_env.players.networks.champion.inputs import INPUTS_VERSION, RULE_INPUTS
from shengji_env.players.networks.champion.value_file import VALUES_FILE, ValueFile, read_values, write_values
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import deal_again
from tests.helpers.value_networks import at, player_of, plays, random_weights, read, write_network
from tests.players.test_candidates import decisions

HEURISTIC = HeuristicPlayer()
FORCED_RULES = "two_deck(failed_throw=next_seat_chooses)"
NO_TRUMP_RULES = "duplicate(no_trump_bids=True)"


def many(rules, steps=60, tables=32, seed=3):
    """An environment in the midst of rounds of heuristic and random play."""
    env = BatchEnv(tables, rules, seed=seed, start="any")
    for step in range(steps):
        chosen = HEURISTIC.act(env.observation, env.action_mask, np.zeros(tables, np.uint64))
        env.step(np.where(np.arange(tables) % 7 == step % 7, env.sample_actions(), chosen))
    return env


def choose(player, env, rows=None):
    return player.decide(Decisions.at(env.tables, np.arange(env.num_envs) if rows is None else rows))


# ---- how well it plays


def test_champion_beats_heuristic():
    assert play_matchup("champion", HEURISTIC, num_deals=200, rules="two_deck", seed=1).interval[0] > 0.2


# ---- what is decided


@pytest.mark.parametrize("rules", [*RULE_SETS, FORCED_RULES, NO_TRUMP_RULES])
def test_a_network_that_values_nothing_plays_like_heuristic(rules):
    weights = random_weights()
    weights["value"][:] = 0
    player, env = player_of(weights, rules), BatchEnv(16, rules, seed=2, start="any")
    for _ in range(150):
        chosen = choose(player, env)
        assert (chosen == HEURISTIC.act(env.observation, env.action_mask, np.zeros(16, np.uint64))).all()
        env.step(chosen)


def test_a_network_that_values_nothing_ties_heuristic():
    weights = random_weights()
    weights["value"][:] = 0
    for rules in ("two_deck", "one_deck_45"):
        result = play_matchup(player_of(weights, rules), "heuristic", num_deals=6, rules=rules, seed=1)
        assert not result.levels.sum(axis=1).any()


def test_a_network_plays_otherwise_and_legally_on_every_preset():
    for rules in RULE_SETS:
        player, others, asked = player_of(random_weights(), rules), 0, 0
        env = many(rules)
        for _ in range(30):
            chosen = choose(player, env)
            asked += (env.action_mask.sum(axis=1) > 1).sum()
            others += (chosen != HEURISTIC.act(env.observation, env.action_mask, np.zeros(32, np.uint64))).sum()
            env.step(chosen)
        assert others > 0.2 * asked


@pytest.mark.parametrize("rules", ["two_deck", "one_deck", FORCED_RULES, NO_TRUMP_RULES])
def test_worlds_that_look_the_same_are_read_and_played_the_same(rules):
    player, rng, phases, hidden = player_of(random_weights(), rules), np.random.default_rng(7), set(), 0
    for state in decisions(rules, 60):
        world = deal_again(state, int(state["seat"][0]), as_rules(rules), rng)
        hidden += world.tobytes() != state.tobytes()
        phases.add(int(state["phase"][0]))
        for here, there in zip(read(state, rules), read(world, rules), strict=True):
            assert here.tobytes() == there.tobytes()
        assert player.decide(at(state, rules)) == player.decide(at(world, rules))
    assert hidden > 50
    assert {Phase.BURY, Phase.LEAD, Phase.FOLLOW} <= phases


# ---- in which company


@pytest.mark.parametrize("rules", ["two_deck", "three_deck", "one_deck_45"])
def test_a_decision_does_not_depend_on_the_batch(rules):
    player, env, rng = player_of(random_weights(), rules), many(rules, tables=64), np.random.default_rng(1)
    for _ in range(6):
        chosen = choose(player, env)
        order = rng.permutation(64)
        assert (choose(player, env, order) == chosen[order]).all()
        alone = [int(choose(player_of(random_weights(), rules), env, np.array([row]))[0]) for row in range(64)]
        assert alone == chosen.tolist()
        env.step(chosen)


@pytest.mark.parametrize("rules", ["two_deck", "four_deck"])
def test_the_cards_of_a_play_are_those_of_the_candidate_chosen_at_its_beginning(rules):
    """The player remembers nothing: each of the play's cards is a decision anew."""
    weights, tables = random_weights(), 16
    player, env = player_of(weights, rules), many(rules, tables=tables)
    wanted, finished = [None] * tables, 0
    for _ in range(120):
        before, begins = env.states.copy(), env.states["taken_size"] == 0
        actions, cards = plays(weights, before, rules)
        for row in np.flatnonzero(begins):
            wanted[row] = cards[row] if actions[row] < 0 else None
        env.step(choose(player, env))
        for row in np.flatnonzero((env.states["taken_size"] == 0) & ~env.terminated):
            seat, phase = int(before["seat"][row]), before["phase"][row]
            if wanted[row] is None or phase == Phase.BURY or env.phase[row] == Phase.FORCED:
                continue
            played = env.states["played"][row, seat] - before["played"][row, seat]
            taken = before["taken"][row]
            if (played >= taken).all() and played.sum() == wanted[row].sum():
                assert (played == wanted[row]).all()
                finished += 1
    assert finished > 300


# ---- phases


def test_the_network_decides_only_the_phases_that_are_named():
    rules, weights = "two_deck", random_weights()
    everything, burials = player_of(weights, rules), player_of(weights, rules, phases="bury")
    env, changed = BatchEnv(64, rules, seed=5), dict.fromkeys(Phase, 0)
    for _ in range(160):
        plain = HEURISTIC.act(env.observation, env.action_mask, np.zeros(64, np.uint64))
        chosen, whole = choose(burials, env), choose(everything, env)
        buries = env.phase == Phase.BURY
        assert (chosen[buries] == whole[buries]).all()
        assert (chosen[~buries] == plain[~buries]).all()
        for phase in Phase:
            changed[phase] += int((whole != plain)[env.phase == phase].sum())
        env.step(chosen)
    assert min(changed[phase] for phase in (Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW)) > 0


def test_phases_are_named_in_the_players_text():
    assert make_player("champion").name == "champion"
    assert make_player("champion?phases=bury").name == "champion?phases=bury"
    assert make_player("champion?phases=bury+lead").name == "champion?phases=bury+lead"
    assert make_player("champion?phases=follow+bid+name+bury+lead+forced+rebel").name == "champion"
    for phases in ("burn", "bury+", "3", "over", "bury,lead"):
        with pytest.raises(PlayerError, match=r"must be phases with . between them, out of bid, name, bury, lead"):
            make_player(f"champion?phases={phases}")


# ---- rules


def test_other_rules_are_refused_every_time():
    player = player_of(random_weights(), "one_deck")
    for _ in range(2):
        with pytest.raises(PlayerError, match=r"mine has not learned to play two_deck: it has learned one_deck"):
            choose(player, many("two_deck", steps=3))
        env = many("one_deck", steps=30)
        chosen = choose(player, env)
        assert env.action_mask[np.arange(32), chosen].all()


@pytest.mark.parametrize("rules", ["three_deck(throws=False)", *map(str, unseen_rules()[::6])])
def test_the_champion_plays_rules_that_nothing_has_learned(rules):
    env, player = many(rules), make_player("champion")
    others = asked = 0
    for _ in range(60):
        chosen = choose(player, env)
        assert (env.action_mask[np.arange(32), chosen] | ~env.action_mask.any(axis=1)).all()
        asked += int((env.action_mask.sum(axis=1) > 1).sum())
        others += int((chosen != HEURISTIC.act(env.observation, env.action_mask, np.zeros(32, np.uint64))).sum())
        env.step(chosen)
    assert others > 0.02 * asked


def test_one_player_plays_under_one_rule_set_after_another():
    player, single = make_player("champion"), {}
    for rules in ("two_deck", "house", "two_deck"):
        chosen = choose(player, many(rules))
        assert (single.setdefault(rules, chosen) == chosen).all()
        assert (choose(make_player("champion"), many(rules)) == chosen).all()
    assert not (single["two_deck"] == single["house"]).all()


def test_the_champions_file_is_small_and_of_all_rules():
    folder = resources.files("shengji_env.players.networks.champion")
    (file,) = (file for file in folder.iterdir() if ".npz" in file.name)
    assert file.name == CHAMPION_FILE
    assert len(file.read_bytes()) <= 2**22
    assert make_player("champion").learned == "all rules"


def test_options_to_come_change_nothing_that_the_champion_decides():
    """Features of rules that no option uses have no weight."""
    weights = named_weights("champion", rule_set())
    spare = slice(len(RULE_FEATURES), None)
    assert not weights["rules"][spare].any()
    assert not weights["from_table"][RULE_INPUTS][spare].any()


def test_rules_that_were_not_learned_are_refused_before_anything_is_played(tmp_path, capsys):
    player, rules = f"values:{write_network(tmp_path / 'one.npz', 'one_deck')}", rule_set("one_deck", throws=False)
    message = r"has not learned to play one_deck\(throws=False\): it has learned one_deck"
    with pytest.raises(PlayerError, match=message):
        Tournament((player, "random"), rules)
    with pytest.raises(PlayerError, match=message):
        Speaker(make_player(player), seed=0).handle({"type": "hello", "protocol": PROTOCOL, "rules": rules.to_json()})
    record = tmp_path / "evening.jsonl"
    for command in (("play", "--record", str(record)), ("serve", "--record", str(record), "--no-browser")):
        assert main([*command, *[player] * 4, "--rules", str(rules)]) == 2
        assert "has not learned to play one_deck(throws=False)" in capsys.readouterr().err
        assert not record.exists()


# ---- files


def written(path, **changes):
    """A file; changes replace arrays, or entries of its header if they have their names."""
    write_values(path / VALUES_FILE, ValueFile(random_weights(), as_rules("one_deck"), {"seed": 1}))
    if changes:
        arrays = dict(np.load(path / VALUES_FILE))
        header = json.loads(str(arrays["header"]))
        for name, value in changes.items():
            if name in header:
                header[name] = value
            else:
                arrays[name] = value
        if "header" not in changes:
            arrays["header"] = np.array(json.dumps(header))
        np.savez(path / VALUES_FILE, **{name: array for name, array in arrays.items() if array is not None})
    return path / VALUES_FILE


def test_a_file_reads_back_as_it_was_written(tmp_path):
    found = read_values(written(tmp_path))
    assert found.rules == as_rules("one_deck")
    assert found.made == {"seed": 1}
    for name, array in random_weights().items():
        assert found.weights[name].tobytes() == array.tobytes()
    assert np.load(tmp_path / VALUES_FILE, allow_pickle=False)["header"].dtype.kind == "U"


def test_a_file_plays_like_the_network_it_was_written_from(tmp_path):
    written(tmp_path)
    env, mine = many("one_deck"), player_of(random_weights(), "one_deck")
    for text in (f"values:{tmp_path}", f"values:{tmp_path / VALUES_FILE}"):
        player = make_player(text)
        assert player.name == text
        assert (choose(player, env) == choose(mine, env)).all()
    with pytest.raises(PlayerError, match="has not learned to play two_deck: it has learned one_deck"):
        choose(player, many("two_deck", steps=3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "shengji-values/2"}, "format is 'shengji-values/2', here 'shengji-values/3'"),
        ({"layout_version": 99}, "layout_version is 99, here"),
        ({"inputs_version": INPUTS_VERSION + 1}, f"inputs_version is {INPUTS_VERSION + 1}, here {INPUTS_VERSION}"),
        ({"candidates": {"version": 1, "digest": "0", "most": 10}}, r"candidates is \{.*'digest': '0'.*\}, here \{"),
    ],
)
def test_a_network_of_another_world_is_refused_with_what_differs(tmp_path, changes, message):
    written(tmp_path, **changes)
    with pytest.raises(PlayerError, match=f"is not compatible: {message}") as refused:
        make_player(f"values:{tmp_path}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"header": np.array([1])}, "it has no header that is a text"),
        ({"header": np.array("3")}, "its header is 3, not a mapping"),
        ({"header": None}, "it has no header that is a text"),
        ({"header": np.array([0x110000], np.uint32).view("U1").reshape(())}, "its header is not a text"),
        ({"header": np.array([{"pickled": object()}], dtype=object)}, "is not an array"),
        ({"rules": "two_deck"}, "two_deck. is not a rule set"),
        ({"rules": {"preset": "two_deck", "fingerprint": "0"}}, "fingerprint .0. does not fit"),
        ({"made": [1]}, r"its header says of how it was made \[1\], not a mapping"),
        ({"value": None}, "there are the weights .*; there must be .*, value"),
        ({"other": np.zeros(3, np.float32)}, "there are the weights"),
        ({"value": np.zeros((3, 2), np.float32)}, r"value is float32 \(3, 2\); it must be float32 \(8, 2\)"),
        ({"value": np.zeros((8, 2))}, r"value is float64 \(8, 2\); it must be float32 \(8, 2\)"),
        ({"value": np.full((8, 2), np.nan, np.float32)}, "something other than numbers from -10,000 to 10,000"),
        ({"value": np.full((8, 2), 1e5, np.float32)}, "value holds something other than numbers from -10,000"),
        ({"last_bias": np.float32(1)}, "its layers have the widths 8, 12, 16, 0; they must be 1 to 4096"),
        ({"hidden_bias": np.zeros(5000, np.float32)}, "its layers have the widths 8, 12, 5000, 8"),
    ],
)
def test_what_is_no_network_is_refused(tmp_path, changes, message):
    path = written(tmp_path, **changes)
    with pytest.raises(PlayerError, match=rf"^{re.escape(str(path))} is not a value network: .*{message}") as it:
        make_player(f"values:{tmp_path}")
    assert len(str(it.value)) < 800
    assert "\n" not in str(it.value)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(PlayerError, match=r"no value network at .*missing; PATH is a values\.npz, or a run folder"):
        make_player(f"values:{tmp_path / 'missing'}")
    path = written(tmp_path)
    whole = path.read_bytes()
    for damaged in (b"", b"hello", whole[:-100], whole[:200]):
        path.write_bytes(damaged)
        with pytest.raises(PlayerError, match="is not a value network: it is not a zip file, or a damaged one"):
            make_player(f"values:{tmp_path}")
