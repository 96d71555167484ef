"""Rollout values: what the labels are, that they are made and read again exactly, and what they may depend on."""

import dataclasses
import hashlib
import itertools
from collections import Counter

import numpy as np
import pytest

from shengji_env.datasets.rollouts import RolloutSettings, expand, generate, generating, label, smooth_levels
from shengji_env.datasets.rollouts.shard_sections import SECTIONS
from shengji_env.engine.actions import DONE
from shengji_env.engine.rule_sets import PRESETS, RULE_SETS, as_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE, Phase, Winner
from shengji_env.errors import ShengjiError
from shengji_env.players import Decisions, make_player
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.networks.selfplay.selfplay_file import selfplay_digest
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import deal_again

FORCED_RULES = "two_deck(failed_throw=next_seat_chooses)"
HEURISTIC = HeuristicPlayer()
PLAIN = {"noise": (0.0,), "others_share": 0.0}


def arrays(shard):
    return {name: getattr(shard, name).tobytes() for name in SECTIONS}


def actions_of(shard):
    """The actions of each round."""
    return np.split(shard.actions, np.cumsum(shard.rounds["num_actions"])[:-1])


def play(env, choose):
    """Play one round at each table; the results."""
    results, live = np.zeros(env.num_envs, env.result.dtype), np.ones(env.num_envs, bool)
    step = 0
    while live.any():
        env.step(np.where(live, choose(step), -1))
        ended = live & env.terminated
        results[ended] = env.result[ended]
        live &= ~ended
        step += 1
    return results


def heuristic(env):
    return HEURISTIC.act(env.observation, env.action_mask, np.zeros(env.num_envs, np.uint64))


def outcome(result, team):
    """Levels, points and side of a team, as the rules say it."""
    is_attacker = result["declarer"] % NUM_TEAMS != team
    won = {Winner.DRAW: 0, Winner.ATTACKERS: 1, Winner.DECLARERS: -1}[int(result["winner"])]
    side = 1 if is_attacker else -1
    return won * side * int(result["levels_nominal"]), side * int(result["attackers_points"]), int(is_attacker)


def labels_of(candidate):
    return int(candidate["levels"]), int(candidate["points"]), int(candidate["is_attacker"])


# ---- what a label is


@pytest.mark.parametrize("rules", [*PRESETS, FORCED_RULES])
def test_without_noise_the_first_candidates_label_is_the_rounds_result(rules):
    """Rounds are those of an environment that starts anywhere, and the heuristic player sits in all seats."""
    shard = generate(RolloutSettings(rules=rules, seed=4, **PLAIN), 0, 40)
    env = BatchEnv(40, rules, seed=4, start="any")
    scripts = actions_of(shard)

    def choose(step):
        chosen = heuristic(env)
        for row, script in enumerate(scripts):
            assert step >= len(script) or chosen[row] == script[step]
        return chosen

    results = play(env, choose)
    rows = np.repeat(np.arange(40), shard.rounds["num_decisions"])
    starts = np.cumsum(shard.decisions["num_candidates"]) - shard.decisions["num_candidates"]
    for row, start in zip(rows, starts, strict=True):
        team = shard.rounds["explorer"][row] % NUM_TEAMS
        assert labels_of(shard.candidates[start]) == outcome(results[row], team)


@pytest.mark.parametrize("players", [{}, {"playouts": "champion?part=playouts"}, {"policy": "champion"}])
def test_a_label_does_not_depend_on_which_other_decisions_have_one(players):
    """The outcome of a candidate that was taken is not played out again at the next decision, if it is known."""
    settings = {"rules": "one_deck", "seed": 12, "noise": (0.0, 0.5), "others_share": 0.5, **players}
    shards = [generate(RolloutSettings(**settings, label_share=share), 0, 200) for share in (1, 0.3)]
    whole, part = map(expand, shards)
    decisions = [
        list(zip(each.rounds, shard.decisions["ply"], strict=True))
        for each, shard in zip((whole, part), shards, strict=True)
    ]
    places = {decision: place for place, decision in enumerate(decisions[0])}
    for place, decision in enumerate(decisions[1]):
        other = places[decision]
        mine, its = (slice(*found.offsets[at : at + 2]) for found, at in ((part, place), (whole, other)))
        assert part.points[mine].tolist() == whole.points[its].tolist()


@pytest.mark.parametrize(
    ("rules", "playouts"),
    [
        *((rules, "heuristic") for rules in (*PRESETS, FORCED_RULES)),
        ("two_deck", "champion?part=playouts"),
        ("one_deck", "champion"),
    ],
)
def test_labels_and_observations_are_those_of_an_environment(rules, playouts):
    """Every candidate is played at a table of its own, card by card, and the players of playouts go on from there."""
    shard = generate(RolloutSettings(rules=rules, seed=9, others_share=0.5, playouts=playouts), 20, 6)
    seen = expand(shard)
    decision = np.repeat(np.arange(len(seen)), np.diff(seen.offsets))
    plies = shard.decisions["ply"][decision]
    scripts = actions_of(shard)
    env = BatchEnv(len(decision), rules, seed=9, start="any", tables=seen.rounds[decision])
    team = shard.rounds["explorer"][seen.rounds[decision] - 20] % NUM_TEAMS
    has_played, player = np.zeros(len(decision), bool), make_player(playouts)

    def choose(step):
        chosen = player.decide(Decisions.at(env.tables, np.arange(env.num_envs)))
        has_played[(step > plies) & (env.states["taken_size"] == 0)] = True
        for row in np.flatnonzero(~has_played & ~env.terminated):
            if step < plies[row]:
                chosen[row] = scripts[seen.rounds[decision[row]] - 20][step]
                continue
            if step == plies[row]:
                assert env.observation[row].tobytes() == seen.observations[decision[row]].tobytes()
                assert env.phase[row] == seen.phases[decision[row]]
            chosen[row] = seen.actions[row]
            if chosen[row] < 0:
                left = np.flatnonzero(env.action_mask[row, :NUM_SLOTS] & (seen.cards[row] > env.states["taken"][row]))
                chosen[row] = left[0] if len(left) else DONE
        return chosen

    results = play(env, choose)
    for row in range(len(decision)):
        assert labels_of(shard.candidates[row]) == outcome(results[row], team[row])


def test_decisions_of_every_phase_are_labelled():
    """All but names and forced components, which the players here hardly ever leave to another seat."""
    seen = expand(generate(RolloutSettings(seed=1, noise=(0.5,)), 0, 30))
    assert {Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW} == set(seen.phases.tolist())


@pytest.mark.parametrize(("rules", "phase"), [("competition", Phase.NAME), (FORCED_RULES, Phase.FORCED)])
def test_names_and_forced_components_are_labelled_too(rules, phase):
    env = BatchEnv(64, rules, seed=1, start="any", skip_forced=True)
    settings, found = RolloutSettings(rules=rules), 0
    for _ in range(150):
        env.step(np.where(env.phase == Phase.BID, DONE, env.sample_actions()))
        states = env.states[env.phase == phase]
        decisions, candidates = label(states, settings)
        assert (decisions["num_candidates"] > 1).all()
        found += len({candidate.tobytes() for candidate in candidates}) > 1
    assert found


def test_candidates_differ_and_the_first_is_a_heuristics():
    seen = expand(generate(RolloutSettings(seed=2), 0, 30))
    for start, end in itertools.pairwise(seen.offsets.tolist()):
        plays = {seen.cards[place].tobytes() + seen.actions[place].tobytes() for place in range(start, end)}
        assert len(plays) == end - start >= 2
        assert seen.features[start:end, 0].tolist() == [1] + [0] * (end - start - 1)


# ---- brute force


def late_table(rules="one_deck", cards=2):
    """A table at which the declarer leads, and every seat has so many cards left."""
    for seed in range(50):
        env = BatchEnv(1, rules, seed=seed, start="any")
        while not env.terminated[0]:
            s = env.states[0]
            is_late = s["phase"] == Phase.LEAD and s["hands"][s["seat"]].sum() == cards and s["taken_size"] == 0
            if is_late and s["seat"] == s["declarer"] and not s["known"].any():
                decisions, _ = label(env.states, RolloutSettings(rules=rules))
                if decisions["num_candidates"][0] > 1:
                    return env
            env.step(heuristic(env))
    raise AssertionError("no such table")


def all_worlds(state):
    """Every way to deal the hidden cards to the three other seats, with the number of ways to deal single cards."""
    seat = int(state["seat"][0])
    others = [(seat + step) % 4 for step in (1, 2, 3)]
    hidden = np.repeat(np.arange(NUM_SLOTS), state["hands"][0, others].sum(axis=0))
    room = int(state["hands"][0, others[0]].sum())
    ways = Counter()
    for holders in itertools.product(range(3), repeat=len(hidden)):
        if all(holders.count(holder) == room for holder in range(3)):
            hands = np.zeros((3, NUM_SLOTS), np.int8)
            np.add.at(hands, (list(holders), hidden), 1)
            ways[hands.tobytes()] += 1
    worlds = np.zeros(len(ways), STATE_DTYPE)
    worlds[:] = state[0]
    for world, hands in zip(worlds, ways, strict=True):
        world["hands"][others] = np.frombuffer(hands, np.int8).reshape(3, NUM_SLOTS)
    return worlds, np.array(list(ways.values()), float)


@pytest.mark.parametrize("rules", ["one_deck", "two_deck"])
def test_the_mean_label_over_worlds_is_the_expectation_by_brute_force(rules):
    """Two cards each: every world is played out by an environment; labels of drawn worlds have that mean."""
    table = late_table(rules)
    state = table.states.copy()
    worlds, weights = all_worlds(state)
    settings = RolloutSettings(rules=rules)
    _, candidates = label(worlds, settings)
    number = len(candidates) // len(worlds)
    by_world = candidates["points"].reshape(len(worlds), number).astype(float)
    played = expected_points(rules, table, worlds, number)
    assert (by_world == played).all()
    exact = weights @ played / weights.sum()
    assert np.ptp(played) > 0

    rng = np.random.default_rng(1)
    drawn = np.concatenate([deal_again(state, int(state["seat"][0]), as_rules(rules), rng) for _ in range(2000)])
    points = label(drawn, settings)[1]["points"].reshape(2000, number).astype(float)
    error = points.std(axis=0) / 2000**0.5 + 1e-9
    assert (abs(points.mean(axis=0) - exact) < 5 * error).all()


def expected_points(rules, table, worlds, number):
    """Points of the seat's team for each single card that it can lead in each world, by an environment; (W, number)."""
    seat = int(table.seat[0])
    settings = RolloutSettings(rules=rules)
    points = np.zeros((len(worlds), number))
    for candidate in range(number):
        env = BatchEnv(len(worlds), rules, seed=0)
        cards = candidate_cards(table, settings)[candidate]
        env.tables.states[:] = worlds
        env.tables.masks[:], env.tables.vectors[:] = table.action_mask, table.observation
        is_led = np.zeros(len(worlds), bool)

        def choose(step, env=env, cards=cards, is_led=is_led):
            if step:
                is_led |= env.states["taken_size"] == 0
            chosen = heuristic(env)
            for row in np.flatnonzero(~is_led):
                left = np.flatnonzero(env.action_mask[row, :NUM_SLOTS] & (cards > env.states["taken"][row]))
                chosen[row] = left[0] if len(left) else DONE
            return chosen

        for row, result in enumerate(play(env, choose)):
            points[row, candidate] = outcome(result, seat % NUM_TEAMS)[1]
    return points


def candidate_cards(table, settings):
    from tests.players.test_candidates import Finder

    return Finder(settings.rules, settings.candidates)(table.states.copy())[1]


def test_tables_without_a_decision_have_no_label():
    states = BatchEnv(2, "one_deck", seed=1).states.copy()
    with pytest.raises(ShengjiError, match=r"shape \(1,\)"):
        label(states, RolloutSettings(rules="one_deck"), numbers=np.zeros(1, np.int64))
    for name, value in (("taken_size", 1), ("phase", Phase.OVER)):
        changed = states.copy()
        changed[name][1] = value
        with pytest.raises(ShengjiError, match="in the middle of a decision"):
            label(changed, RolloutSettings(rules="one_deck"))


# ---- who plays


def test_others_are_those_that_the_shard_says():
    shard = generate(RolloutSettings(seed=3, others_share=1.0, noise=(0.0, 0.5)), 0, 60)
    env = BatchEnv(60, "two_deck", seed=3, start="any")
    scripts, greedy = actions_of(shard), GreedyPlayer()
    kinds = shard.rounds["others"]
    differ = np.zeros((60, 2, 2), int)  # round; explorer or not; from heuristic, from greedy

    def choose(step):
        known = heuristic(env), greedy.act(env.observation, env.action_mask, np.zeros(60, np.uint64))
        chosen = known[0].copy()
        for row, script in enumerate(scripts):
            if step < len(script):
                chosen[row] = script[step]
                is_other = int(env.seat[row] != shard.rounds["explorer"][row])
                for place, player in enumerate(known):
                    differ[row, is_other, place] += chosen[row] != player[row]
        return chosen

    play(env, choose)
    assert set(kinds.tolist()) == {1, 2}
    assert not differ[kinds == 1, 1, 1].any()
    assert differ[kinds == 1, 1, 0].sum() > 100
    assert 0 < differ[kinds == 2, 1, 0].sum() < differ[kinds == 1, 1, 0].sum()
    assert not differ[shard.rounds["noise"] == 0, 0, 0].any()
    assert differ[shard.rounds["noise"] == 1, 0, 0].sum() > 50


@pytest.mark.parametrize("others", [{}, {"opponents": {"heuristic": 1.0}}, {"opponents": {"greedy": 1.0}}])
def test_who_plays_playouts_changes_labels_but_not_rounds(others):
    settings = RolloutSettings(rules="two_deck", seed=6, noise=(0.0, 0.3), others_share=0.0, **others)
    by_heuristic = generate(settings, 0, 30)
    by_network = generate(dataclasses.replace(settings, playouts="champion?part=playouts"), 0, 30)
    for name in ("rounds", "actions", "decisions"):
        assert getattr(by_heuristic, name).tobytes() == getattr(by_network, name).tobytes()
    assert (by_heuristic.candidates["points"] != by_network.candidates["points"]).mean() > 0.3
    assert (by_heuristic.candidates["levels"] == by_network.candidates["levels"]).mean() > 0.3


def test_shares_are_what_the_settings_say():
    shard = generate(RolloutSettings(seed=5), 0, 800)
    assert abs((shard.rounds["others"] > 0).mean() - 0.2) < 0.06
    assert abs((shard.rounds["noise"] == 1).mean() - 1 / 3) < 0.07
    assert abs(np.bincount(shard.rounds["explorer"]) / 800 - 0.25).max() < 0.06
    part = generate(RolloutSettings(seed=5, label_share=0.25), 0, 800)
    assert part.actions.tobytes() == shard.actions.tobytes()
    assert abs(part.num_decisions / shard.num_decisions - 0.25) < 0.03


# ---- the same bytes


@pytest.mark.nojit
def test_rounds_are_these_with_the_jit_off_too():
    """`generate` makes a digest of candidates as well, for which plain Python takes too long."""
    settings = RolloutSettings(
        rules="small_two_ranks", candidates=3, seed=2, noise=(0.5,), others_share=0.3,
        opponents={"greedy": 0.3, "random": 0.4},
    )  # fmt: skip
    made = generating._generate(settings, 0, 6, lambda _: None)
    digests = [hashlib.sha256(getattr(made, name).tobytes()).hexdigest()[:8] for name in SECTIONS]
    assert digests == ["464a67a7", "267b867e", "91c1eef6", "1b8360fe"]


@pytest.mark.parametrize("policy", ["heuristic", "champion"])
def test_rounds_depend_on_nothing_but_their_number(policy, monkeypatch):
    settings = RolloutSettings(seed=6, policy=policy)
    whole = generate(settings, 0, 40)
    parts = [generate(settings, first, 20) for first in (0, 20)]
    for name in SECTIONS:
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert joined.tobytes() == getattr(whole, name).tobytes()
    for room in ("_DECISIONS_GUESSED", "_CANDIDATES_GUESSED", "_ACTIONS_GUESSED"):
        monkeypatch.setattr(generating, room, 1 / 40 if "DECISIONS" in room else 1)
    assert arrays(generate(settings, 0, 40)) == arrays(whole)
    assert arrays(generate(RolloutSettings(seed=7), 0, 40)) != arrays(whole)


def test_a_part_of_a_shard_is_expanded_alike():
    shard = generate(RolloutSettings(seed=8), 100, 20)
    whole, part = expand(shard), expand(shard, 5, 9)
    chosen = (whole.rounds >= 105) & (whole.rounds < 109)
    assert len(part) == chosen.sum()
    assert part.observations.tobytes() == whole.observations[chosen].tobytes()
    rows = np.repeat(chosen, np.diff(whole.offsets))
    for name in ("actions", "cards", "features", "levels", "points", "is_attacker", "smooth"):
        assert getattr(part, name).tobytes() == getattr(whole, name)[rows].tobytes()
    assert len(expand(shard, 3, 3)) == 0


# ---- settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1}, {"seed": 0.5}, {"policy": "search:4"}, {"candidates": 1}, {"candidates": 97}, {"noise": ()},
        {"noise": 0.1}, {"noise": (0.1,) * 9}, {"noise": (1.5,)}, {"noise": (float("nan"),)}, {"label_share": True},
        {"label_share": -0.1}, {"others_share": "half"}, {"others_noise": 2}, {"rules": "bridge"},
        {"playouts": None}, {"playouts": "distilled:x"}, {"playouts": "search:4"},
    ],
)  # fmt: skip
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ShengjiError):
        RolloutSettings(**wrong)


def test_settings_are_read_back():
    settings = RolloutSettings(rules="one_deck(kitty=10)", seed=2**63, noise=[0, 0.5], label_share=0.5)
    assert RolloutSettings.from_json(settings.to_json()) == settings
    assert not {"playouts", "opponents"} & set(settings.to_json())
    by_champion = dataclasses.replace(settings, playouts="champion")
    digest = selfplay_digest(SelfplayPlayer.champion().file)
    assert by_champion.to_json()["playouts"] == f"selfplay:{digest}"
    assert RolloutSettings.from_json(by_champion.to_json()) == by_champion
    for wrong in (None, [], {}, {**settings.to_json(), "more": 1}, {**settings.to_json(), "rules": 3}):
        with pytest.raises(ShengjiError):
            RolloutSettings.from_json(wrong)


def test_playouts_of_another_network_can_be_read_but_not_made():
    told = {**RolloutSettings().to_json(), "playouts": f"distilled:{'0' * 32}"}
    settings = RolloutSettings.from_json(told)
    assert settings.to_json() == told
    with pytest.raises(ShengjiError, match=r"distilled:0+ is not at hand"):
        generate(settings, 0, 1)


@pytest.mark.parametrize(("first", "number"), [(-1, 1), (0, 0), (2**32, 1), (0, 2**32 + 1), (0.5, 1)])
def test_impossible_rounds_are_refused(first, number):
    with pytest.raises(ShengjiError):
        generate(RolloutSettings(), first, number)


# ---- smoothed levels


def nominal(rules, points, won_last=False):
    """Levels from the attackers' view, read off the table."""
    table = rules.table
    if table.last_trick_wins and (points >= table.threshold or won_last):
        return int(points >= table.threshold) + int(won_last)
    if table.last_trick_wins and points == table.threshold - 5:
        return 0
    for bound, levels in table.declarers:
        if points < bound:
            return -levels
    reached = [(start, levels) for start, levels in table.attackers if points >= start]
    start, levels = reached[-1]
    more = (points - start) // table.step if table.step and len(reached) == len(table.attackers) else 0
    return levels + more


@pytest.mark.parametrize("rules", PRESETS)
def test_smoothed_levels_are_means_of_the_table(rules):
    rules = RULE_SETS[rules]
    sigma = 7.5 * rules.points / 100
    around = np.arange(-300, 301, 5)
    weights = np.exp(-0.5 * (around / sigma) ** 2) * (abs(around) <= 4 * sigma + 2.5)
    weights /= weights.sum()
    for points in range(0, 400, 35):
        for won_last in (False, True) if rules.table.last_trick_wins else (False,):
            mean = sum(w * nominal(rules, points + off, won_last) for w, off in zip(weights, around, strict=True))
            levels = nominal(rules, points, won_last)
            for side in (1, -1):
                mine = smooth_levels(
                    np.array([side * levels]), np.array([side * points]), np.array([int(side > 0)]), rules
                )
                assert mine[0] == pytest.approx(side * mean, abs=1e-3)


def test_smoothed_levels_rise_with_points():
    for rules in RULE_SETS.values():
        if not rules.table.last_trick_wins:
            points = np.arange(-50, 1000, 5)
            levels = np.array([nominal(rules, int(value)) for value in points])
            smooth = smooth_levels(levels, points, np.ones(len(points)), rules)
            assert (np.diff(smooth) >= -1e-6).all()
