"""Rollouts by a network: what the labels are, what they may depend on, and which settings are refused."""

import dataclasses
import json

import numpy as np
import pytest

from shengji_env.cli import main
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate, label, read_folder, write_rollouts
from shengji_env.datasets.rollouts.rollout_settings import MAX_NETWORK_TRICKS
from shengji_env.engine.actions import DONE
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NUM_TEAMS, Phase
from shengji_env.errors import PlayerError, RecordError, ShengjiError
from shengji_env.players.decisions import Decisions
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.compiled_network import best_candidates, values_of
from shengji_env.players.networks.champion.inputs import make_inputs
from shengji_env.players.networks.champion.value_file import ValueFile, weights_digest
from shengji_env.vector import BatchEnv
from tests.datasets.test_rollouts import actions_of, arrays, labels_of, outcome
from tests.helpers.value_networks import random_weights, write_network

PLAIN = {"noise": (0.0,), "others_share": 0.0}
OTHER = 1
"""Seed of the opponents' network."""
RULES = ("one_deck", "two_deck", "competition", "two_deck(failed_throw=next_seat_chooses)")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The policy of each rule set, as a text."""
    folder = tmp_path_factory.mktemp("networks")
    return {rules: f"values:{write_network(folder / f'{place}.npz', rules)}" for place, rules in enumerate(RULES)}


def against(rules, opponents):
    """Settings that seat opponents in all rounds, and who they are."""
    if opponents == "heuristic":
        return {"opponents": {"heuristic": 1.0}}, HeuristicPlayer()
    player = value_player(rules, OTHER)
    name = f"network:{weights_digest(random_weights(OTHER))}"
    return {"opponents": {name: 1.0}, "players": {name: player}}, player


def settings_of(network, rules="one_deck", **others):
    return RolloutSettings(rules=rules, policy=network[rules], **others)


def value_player(rules, seed=0):
    return ValuePlayer(ValueFile(random_weights(seed), as_rules(rules), {}), name="network")


def best_places(settings, decisions):
    """The candidate that the network takes at each decision."""
    inputs = make_inputs(decisions.observations, decisions.offsets, decisions.cards, decisions.features)
    weights = settings.player(settings.policy).weights(settings.rules)
    return best_candidates(values_of(weights, inputs).mean(axis=1), decisions.offsets)


# ---- what a label is


@pytest.mark.parametrize("opponents", ["the same", "heuristic", "network"])
@pytest.mark.parametrize("rules", RULES)
def test_the_label_of_the_networks_choice_is_the_rounds_result(network, rules, opponents):
    """Without noise, the seats are the network, or it has opponents of another kind, and all play on to the end."""
    opposed = opponents != "the same"
    others, opponent = against(rules, opponents) if opposed else ({}, None)
    settings = settings_of(network, rules, seed=4, network_tricks=MAX_NETWORK_TRICKS, **others, **PLAIN)
    shard = generate(settings, 0, 12)
    seen, player = expand(shard), value_player(rules)
    env = BatchEnv(12, rules, seed=4, start="any")
    results, scripts = np.zeros(12, env.result.dtype), actions_of(shard)
    for step in range(max(map(len, scripts))):
        live = np.array([step < len(script) for script in scripts])
        chosen = np.full(12, -1)
        is_opponent = live & opposed & ((env.seat - shard.rounds["explorer"]) % NUM_TEAMS == 1)
        for rows, who in ((live & ~is_opponent, player), (is_opponent, opponent)):
            if rows.any():
                chosen[rows] = who.decide(Decisions.at(env.tables, np.flatnonzero(rows)))
        assert all(chosen[row] == scripts[row][step] for row in np.flatnonzero(live))
        env.step(chosen)
        results[live & env.terminated] = env.result[live & env.terminated]
    best = best_places(settings, seen)
    assert (best > 0).mean() > 0.2
    for row, place in enumerate(seen.offsets[:-1] + best):
        number = seen.rounds[row]
        team = shard.rounds["explorer"][number] % NUM_TEAMS
        assert labels_of(shard.candidates[place]) == outcome(results[number], team)


@pytest.mark.parametrize(("rules", "tricks"), [("one_deck", 1), ("one_deck", 2), ("competition", 1)])
def test_the_network_plays_on_for_so_many_tricks_and_then_heuristic(network, rules, tricks):
    """Every candidate at a table of its own, card by card."""
    settings = settings_of(network, rules, seed=9, network_tricks=tricks)
    shard = generate(settings, 0, 5)
    seen, player, heuristic = expand(shard), value_player(rules), HeuristicPlayer()
    assert {Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW} <= set(seen.phases.tolist())
    decision = np.repeat(np.arange(len(seen)), np.diff(seen.offsets))
    rounds, plies = seen.rounds[decision], shard.decisions["ply"][decision]
    scripts = actions_of(shard)
    env = BatchEnv(len(decision), rules, seed=9, start="any", tables=rounds)
    begun, is_made = np.zeros(len(decision), int), np.zeros(len(decision), bool)
    results, live, step = np.zeros(len(decision), env.result.dtype), np.ones(len(decision), bool), 0
    while live.any():
        is_made |= live & (step > plies) & (env.states["taken_size"] == 0)
        begun[live & (step == plies)] = env.states["tricks"][live & (step == plies)]
        chosen = np.full(len(decision), -1)
        for row in np.flatnonzero(live & (step < plies)):
            chosen[row] = scripts[rounds[row]][step]
        for row in np.flatnonzero(live & (step >= plies) & ~is_made):
            left = np.flatnonzero(env.action_mask[row, :NUM_SLOTS] & (seen.cards[row] > env.states["taken"][row]))
            chosen[row] = seen.actions[row] if seen.actions[row] >= 0 else left[0] if len(left) else DONE
        by_network = live & is_made & (env.states["tricks"] < begun + tricks)
        for rows, who in (
            (np.flatnonzero(by_network), player),
            (np.flatnonzero(live & is_made & ~by_network), heuristic),
        ):
            if len(rows):
                chosen[rows] = who.decide(Decisions.at(env.tables, rows))
        env.step(chosen)
        ended = live & env.terminated
        results[ended] = env.result[ended]
        live &= ~ended
        step += 1
    team = shard.rounds["explorer"][rounds] % NUM_TEAMS
    for row in range(len(decision)):
        assert labels_of(shard.candidates[row]) == outcome(results[row], team[row])


def test_tables_are_labelled_by_a_network_too(network):
    """More tricks by a network that plays otherwise change some outcomes, and nothing else."""
    env = BatchEnv(64, "one_deck", seed=1, start="any", skip_forced=True)
    for _ in range(60):
        env.step(env.sample_actions())
    states = env.states[(env.states["taken_size"] == 0) & (env.phase != Phase.OVER)]
    found = [label(states, settings) for settings in (
        RolloutSettings(rules="one_deck"), settings_of(network), settings_of(network, network_tricks=9),
    )]  # fmt: skip
    assert len({decisions["num_candidates"].tobytes() for decisions, _ in found}) == 1
    assert len({candidates.tobytes() for _, candidates in found}) == 3


# ---- who plays


def test_the_exploring_seat_takes_another_candidate_than_its_own(network):
    """As often as the noise says, and otherwise the network's; in shares of the rounds, others sit around it."""
    settings = settings_of(network, seed=5, noise=(0.4,), others_share=0.5, label_share=1.0)
    shard = generate(settings, 0, 400)
    seen = expand(shard)
    best = best_places(settings, seen)
    script = np.split(shard.actions, np.cumsum(shard.rounds["num_actions"])[:-1])
    taken = []
    for row, place in enumerate(seen.offsets[:-1] + best):
        ply, number = shard.decisions["ply"][row], seen.rounds[row]
        if seen.actions[place] < 0:
            continue
        taken.append(script[number][ply] == seen.actions[place])
    assert abs(np.mean(taken) - 0.6) < 0.05
    assert abs((shard.rounds["others"] > 0).mean() - 0.5) < 0.08
    again = generate(settings_of(network, seed=5, noise=(0.4,), others_share=0.5, network_tricks=2), 0, 400)
    assert again.actions.tobytes() == shard.actions.tobytes()


# ---- the same bytes


def test_a_network_of_zeros_plays_as_heuristic(tmp_path):
    """All values are equal, so it takes the first candidate, in any number of tricks."""
    path = write_network(tmp_path / "values.npz", "one_deck", scale=0)
    settings = {"rules": "one_deck", "seed": 8}
    by_network = generate(RolloutSettings(policy=f"values:{path}", network_tricks=3, **settings), 0, 60)
    assert arrays(by_network) == arrays(generate(RolloutSettings(**settings), 0, 60))


# ---- settings


def test_a_folder_of_another_network_is_refused(network, tmp_path):
    """What counts is the weights, wherever their file lies."""
    write_rollouts(tmp_path / "made", settings_of(network), 2)
    copy = tmp_path / "values.npz"
    write_network(copy, "one_deck")
    again = RolloutSettings(rules="one_deck", policy=f"values:{copy}")
    assert again == settings_of(network)
    write_rollouts(tmp_path / "made", again, 4)
    write_network(copy, "one_deck", seed=1)
    others = (RolloutSettings(rules="one_deck", policy=f"values:{copy}"), RolloutSettings(rules="one_deck"))
    for other in (*others, dataclasses.replace(again, network_tricks=2)):
        with pytest.raises(RecordError, match=r"is of another set of rollouts: (policy|network_tricks) was"):
            write_rollouts(tmp_path / "made", other, 6)
    folder = read_folder(tmp_path / "made")
    assert folder.settings == again
    assert sum(len(expand(shard)) for shard in folder) == sum(shard.num_decisions for shard in folder) > 0
    with pytest.raises(ShengjiError, match="not at hand"):
        generate(folder.settings, 0, 1)
    with pytest.raises(ShengjiError, match="not at hand"):
        label(BatchEnv(1, "one_deck").states, folder.settings)


def test_settings_of_a_network_are_read_back(network):
    settings = settings_of(network, network_tricks=3)
    data = json.loads(json.dumps(settings.to_json()))
    assert RolloutSettings.from_json(data) == settings
    assert set(data) - set(RolloutSettings().to_json()) == {"network_tricks"}
    wrong = ({"policy": network["one_deck"]}, {"policy": "champion"}, {"policy": "network:x"}, {"weights": None})
    for change in (*wrong, {"network_tricks": 0}, {"policy": "heuristic"}):
        with pytest.raises(ShengjiError):
            RolloutSettings.from_json({**data, **change})


def test_settings_of_opponents_are_read_back(network):
    """A shard names the network; making more of it needs the file."""
    settings = settings_of(network, opponents={network["one_deck"]: 0.5})
    told = RolloutSettings.from_json(json.loads(json.dumps(settings.to_json())))
    assert told == settings
    assert told.opponents == {settings.policy: 0.5}
    with pytest.raises(ShengjiError, match="not at hand"):
        generate(told, 0, 1)


@pytest.mark.parametrize("tricks", [1, 2])
def test_a_network_can_oppose_heuristic_and_plays_on_for_its_tricks(network, tricks):
    """One of zeros plays as heuristic does, so only one that is somebody else changes labels."""
    given = {"rules": "one_deck", "seed": 8, "others_share": 0.0}
    plain = generate(RolloutSettings(**given, opponents={"heuristic": 1.0}), 0, 30)
    made = generate(RolloutSettings(**given, network_tricks=tricks, opponents={network["one_deck"]: 1.0}), 0, 30)
    longer = generate(RolloutSettings(**given, network_tricks=tricks + 1, opponents={network["one_deck"]: 1.0}), 0, 30)
    assert made.actions.tobytes() == longer.actions.tobytes() != plain.actions.tobytes()
    assert made.candidates.tobytes() != longer.candidates.tobytes()


def test_impossible_policies_are_refused(network, tmp_path):
    for policy in ("values", "values:", "search:10", "network:x", 3, None, f"values:{tmp_path}"):
        with pytest.raises(ShengjiError):
            RolloutSettings(rules="one_deck", policy=policy)
    with pytest.raises(PlayerError, match="has not learned to play three_deck: it has learned one_deck"):
        RolloutSettings(rules="three_deck", policy=network["one_deck"])
    with pytest.raises(ShengjiError, match="needs a network"):
        RolloutSettings(network_tricks=2)


# ---- the command


def test_the_command_takes_a_network(network, tmp_path, capsys):
    command = ["rollouts", "--rounds", "3", "--rules", "one_deck", "--out", str(tmp_path)]
    command += ["--network-tricks", "2"]
    assert main([*command, "--policy", network["one_deck"]]) == 0
    settings = settings_of(network, network_tricks=2)
    assert read_folder(tmp_path).settings == settings
    assert settings.policy in capsys.readouterr().err
    assert main([*command, "--policy", "heuristic"]) == 2
    assert "needs a network" in capsys.readouterr().err
    assert main([*command, "--policy", "values:nowhere"]) == 2
    assert "no value network at nowhere" in capsys.readouterr().err
