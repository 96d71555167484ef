"""Opponents and players of playouts by their texts: who sits where, how shards name them, what is refused."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from shengji_env.cli import main
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate, read_folder
from shengji_env.datasets.rollouts.named_players import MAX_OPPONENTS
from shengji_env.engine.actions import DONE
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players import Decisions, make_player
from shengji_env.players.networks.network_file import write_network as write_network_file
from shengji_env.players.networks.policy import POLICY_FILE, VERSIONS, PolicyPlayer
from shengji_env.players.networks.selfplay.choices import WIDE
from shengji_env.players.networks.selfplay.selfplay_file import SelfplayFile, write_selfplay
from shengji_env.support.text_files import FileText
from shengji_env.vector import BatchEnv
from tests.datasets.test_rollouts import actions_of, arrays, heuristic, labels_of, outcome, play
from tests.helpers.policies import random_layers
from tests.helpers.selfplay_networks import random_network

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
OWN = "fast_policy:HighLow"


@pytest.fixture(autouse=True)
def own(monkeypatch):
    """A module with a policy of its own."""
    monkeypatch.syspath_prepend(str(TUTORIALS))


# ---- who sits where


@pytest.mark.parametrize("text", ["greedy", "heuristic", "champion", OWN])
def test_opponents_play_the_round_and_play_on(text):
    """Their actions are the player's; candidate 0 without noise leads to the round's own result."""
    opponents = {text: 0.5, "random": 0.1}
    settings = RolloutSettings(rules="one_deck", seed=3, noise=(0.0,), opponents=opponents)
    shard = generate(settings, 0, 200)
    (name,) = set(settings.opponents) - {"random"}
    opposed = shard.rounds["others"] == settings.others.index(f"{name} opponents")
    assert abs(opposed.mean() - 0.4) < 0.1
    env, player = BatchEnv(200, "one_deck", seed=3, start="any"), make_player(text)
    scripts, agreed, other = actions_of(shard), 0, 0

    def choose(step):
        nonlocal agreed, other
        wanted, chosen = player.decide(Decisions.at(env.tables, np.arange(200))), heuristic(env).copy()
        for row in np.flatnonzero(opposed):
            if step < len(scripts[row]):
                is_opponent = (env.seat[row] - shard.rounds["explorer"][row]) % NUM_TEAMS == 1
                agreed += is_opponent
                assert scripts[row][step] == (wanted if is_opponent else chosen)[row]
                other += is_opponent and wanted[row] != chosen[row]
                chosen[row] = scripts[row][step]
        return chosen

    results = play(env, choose)
    assert agreed > 1000
    assert (other > 50) == (text != "heuristic")
    decisions = expand(shard)
    points = decisions.points[decisions.offsets[:-1]]
    for number in np.flatnonzero(opposed):
        real = outcome(results[number], shard.rounds["explorer"][number] % NUM_TEAMS)[1]
        assert set(points[decisions.rounds == number].tolist()) <= {real}


@pytest.mark.parametrize("text", ["greedy", "champion", OWN])
def test_any_policy_sits_in_all_seats_and_plays_on(text):
    """What it plays is not always a candidate; if it is, its label is the round's result."""
    settings = RolloutSettings(rules="one_deck", seed=3, policy=text, network_tricks=100, noise=(0.0,), others_share=0)
    shard, player, env = generate(settings, 0, 60), make_player(text), BatchEnv(60, "one_deck", seed=3, start="any")
    scripts, seen, begins = actions_of(shard), expand(shard), [[] for _ in range(60)]

    def choose(step):
        chosen = player.decide(Decisions.at(env.tables, np.arange(60)))
        for row, script in enumerate(scripts):
            assert step >= len(script) or script[step] == chosen[row]
            if env.states["taken_size"][row] == 0:
                begins[row].append(step)
        return chosen

    results, found = play(env, choose), 0
    for candidate, row in enumerate(np.repeat(np.arange(len(seen)), np.diff(seen.offsets))):
        number, ply, cards = seen.rounds[row], shard.decisions["ply"][row], seen.cards[candidate]
        made = scripts[number][ply : [*begins[number], len(scripts[number])][begins[number].index(ply) + 1]]
        wanted = np.repeat(np.arange(NUM_SLOTS), cards) if cards.any() else seen.actions[candidate : candidate + 1]
        if sorted(made[made != DONE] if cards.any() else made) == wanted.tolist():
            team = shard.rounds["explorer"][number] % NUM_TEAMS
            assert labels_of(shard.candidates[candidate]) == outcome(results[number], team)
            found += 1
    assert 0.2 * len(seen) < found <= len(seen)


@pytest.mark.parametrize("text", ["greedy", "random", OWN])
def test_any_player_with_a_policy_plays_playouts(text):
    settings = RolloutSettings(rules="one_deck", seed=6, noise=(0.3,))
    usual, made = generate(settings, 0, 30), generate(dataclasses.replace(settings, playouts=text), 0, 30)
    for name in ("rounds", "actions", "decisions"):
        assert getattr(usual, name).tobytes() == getattr(made, name).tobytes()
    assert (usual.candidates["points"] != made.candidates["points"]).mean() > 0.2


def test_the_order_in_which_opponents_are_given_changes_nothing():
    shares = {"greedy": 0.2, "heuristic": 0.2, "random": 0.2, "champion?part=playouts": 0.1, OWN: 0.1}
    one, other = (RolloutSettings(rules="one_deck", opponents=dict(items)) for items in
                  (shares.items(), reversed(shares.items())))  # fmt: skip
    assert json.dumps(one.to_json()) == json.dumps(other.to_json())
    assert arrays(generate(one, 0, 60)) == arrays(generate(other, 0, 60))


# ---- names


@pytest.mark.thorough
def test_a_player_is_named_by_what_it_plays_with_and_not_by_its_path(tmp_path):
    files = [tmp_path / f"{number}.npz" for number in range(2)]
    for file in files:
        write_selfplay(file, SelfplayFile(random_network(), WIDE))
    network, copy = (RolloutSettings(rules="one_deck", opponents={f"selfplay:{file}": 0.5}) for file in files)
    assert network == copy
    write_selfplay(files[1], SelfplayFile(random_network(1), WIDE))
    assert RolloutSettings(rules="one_deck", opponents={f"selfplay:{files[1]}": 0.5}) != network
    with pytest.raises(ShengjiError, match="two of them are the same player"):
        RolloutSettings(opponents={"champion": 0.1, " champion": 0.1})


def test_code_is_named_by_its_files(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "edited_policy.py"
    file.write_text((TUTORIALS / "fast_policy.py").read_text())
    text = "edited_policy:HighLow"
    before = RolloutSettings(opponents={text: 0.5}, playouts=text)
    assert before == RolloutSettings(opponents={text: 0.5}, playouts=text)
    file.write_text(file.read_text() + "# edited\n")
    after = RolloutSettings(opponents={text: 0.5}, playouts=text)
    assert before.playouts != after.playouts
    assert before.opponents.keys() != after.opponents.keys()


def test_settings_are_read_back_and_make_nobody():
    settings = RolloutSettings(opponents={OWN: 0.25, "greedy": 0.5, "champion?part=playouts": 0.1}, playouts=OWN)
    told = RolloutSettings.from_json(json.loads(json.dumps(settings.to_json())))
    assert told == settings
    assert told.others == settings.others
    with pytest.raises(ShengjiError, match=rf"{OWN}:[0-9a-f]{{32}} is not at hand"):
        generate(told, 0, 1)
    with pytest.raises(ShengjiError, match=r"os:system:0{32} is not at hand"):
        generate(RolloutSettings.from_json({**settings.to_json(), "playouts": f"os:system:{'0' * 32}"}), 0, 1)
    usual = RolloutSettings(opponents={"greedy": 0.25, "random": 0.5})
    assert arrays(generate(RolloutSettings.from_json(usual.to_json()), 0, 4)) == arrays(generate(usual, 0, 4))


@pytest.mark.parametrize("wrong", ["champion", "os:system", "values:" + "0" * 32, "network:x", "", 3, ["a"], None])
def test_a_shard_that_names_no_player_is_refused(wrong):
    data = RolloutSettings(opponents={"greedy": 0.25}).to_json()
    cases = [{"playouts": wrong}, {"opponents": wrong}]
    for change in [*cases, *([{"opponents": {wrong: 0.5}}] if isinstance(wrong, str) else [])]:
        with pytest.raises(ShengjiError):
            RolloutSettings.from_json({**data, **change})


def test_tricks_of_the_policy_are_read_back_and_need_one():
    settings = RolloutSettings(policy="champion", network_tricks=3)
    data = json.loads(json.dumps(settings.to_json()))
    assert RolloutSettings.from_json(data) == settings
    assert set(data) - set(RolloutSettings().to_json()) == {"network_tricks"}
    assert RolloutSettings.from_json({**data, "policy": f"network:{'0' * 32}"}).network_tricks == 3  # of older shards
    for change in ({"network_tricks": 0}, {"policy": "heuristic"}, {"policy": "champion"}, {"weights": None}):
        with pytest.raises(ShengjiError):
            RolloutSettings.from_json({**data, **change})
    with pytest.raises(ShengjiError, match="needs a network"):
        RolloutSettings(network_tricks=2)


# ---- what is refused


@pytest.mark.parametrize(
    ("opponents", "said"),
    [
        ({"greedy": 0}, "shares must be above 0; leave out who has none"),
        ({"greedy": -0.1}, "share of opponents greedy=-0.1 must be a number from 0 to 1"),
        ({"greedy": True}, "must be a number from 0 to 1"),
        ({"greedy": 0.6, "heuristic": 0.6}, "add up to 1.2, more than 1"),
        ({"search:4": 0.5}, "opponents='search:4': search:4 has no policy in compiled code"),
        ({"nobody": 0.5}, "opponents='nobody': no player is called 'nobody'"),
        ({3: 0.5}, "opponents=3 must be the text of a player"),
        ([("greedy", 0.5)], "must map players to shares, such as"),
        ({f"champion?{place}": 0.01 for place in range(MAX_OPPONENTS + 1)}, "names 17 players; there can be 16"),
        ({FileText(OWN): 0.5}, "stands in a file, and names code of the module 'fast_policy'"),
    ],
)
def test_impossible_opponents_are_refused(opponents, said):
    with pytest.raises(ShengjiError) as refused:
        RolloutSettings(opponents=opponents)
    assert said in str(refused.value)


def test_shares_that_are_1_but_for_rounding_are_taken():
    opponents = {"greedy": 0.7, "heuristic": 0.1, "random": 0.1, "champion?part=playouts": 0.1}
    assert set(generate(RolloutSettings(others_share=0, opponents=opponents), 0, 60).rounds["others"]) == {3, 4, 5, 6}


@pytest.mark.parametrize("option", ["opponents", "playouts"])
def test_a_player_that_draws_from_its_network_is_refused(option, tmp_path):
    text = f"policy:{tmp_path / POLICY_FILE}"
    network = random_layers()
    write_network_file(tmp_path / POLICY_FILE, {**VERSIONS, **network.header}, network.arrays)
    given = {"opponents": {text: 1.0}, "playouts": text}
    settings = RolloutSettings(rules="one_deck", others_share=0, **{option: given[option]})
    assert generate(settings, 0, 4).num_decisions > 0
    drawing = f"{text}?sample=true"
    with pytest.raises(PlayerError, match="no policy in compiled code under these rules"):
        RolloutSettings(**{option: {drawing: 1.0} if option == "opponents" else drawing})


def test_a_policy_that_is_missing_shifts_no_places():
    """Those that stand after it would sit in other seats."""
    drawing = PolicyPlayer(random_layers(), {}, name="drawing", sample=True)
    name = f"policy network:{'0' * 32}"
    settings = RolloutSettings(opponents={name: 0.5}, players={name: drawing})
    with pytest.raises(PlayerError, match="drawing has no policy in compiled code under these rules"):
        generate(settings, 0, 1)


# ---- the command


def test_the_command_takes_opponents(tmp_path, capsys):
    command = ["rollouts", "--rounds", "4", "--rules", "one_deck", "--out", str(tmp_path / "made"), "--workers", "1"]
    chosen = ["--opponent", "greedy=0.25", "--opponent", "champion?part=playouts=0.5", "--playouts", OWN]
    assert main([*command, *chosen]) == 0
    opponents = {"greedy": 0.25, "champion?part=playouts": 0.5}
    assert read_folder(tmp_path / "made").settings == RolloutSettings(
        rules=parse_rules("one_deck"), opponents=opponents, playouts=OWN
    )
    capsys.readouterr()
    assert main([*command, "--opponent", "greedy=0.2", "--opponent", "greedy=0.1"]) == 2
    assert "names a player twice" in capsys.readouterr().err
    for wrong in ("greedy", "=0.5", "greedy=", "greedy=x"):
        with pytest.raises(SystemExit):
            main([*command, "--opponent", wrong])
        assert "argument --opponent: " in capsys.readouterr().err
