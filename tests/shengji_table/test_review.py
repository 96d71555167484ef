"""Reviews: the decisions that cost most are found, whoever values them."""

import json

import numpy as np
import pytest

from shengji_env.cli import main
from shengji_env.datasets.rollouts import RolloutSettings, label
from shengji_env.engine.rule_sets import rule_set
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players import make_player
from shengji_env.players.playing import policies_of
from shengji_env.records.replays import Replay
from shengji_env.render.decision_values import DecisionValues
from shengji_table.review import as_valuer, review_replay, review_round
from shengji_table.review.reviewing import MAX_MARKS, MAX_OPTIONS
from shengji_table.review.summarising import par_of
from shengji_table.valuing.charging import LEAST_COST, charged, losses_of
from shengji_table.valuing.network_valuer import NETWORK_ERROR
from shengji_table.valuing.reviewed_decisions import choices_of
from shengji_table.valuing.risky_throws import is_risky
from shengji_table.valuing.valuers import (
    DealValuer,
    errors_of_leads,
    mean_of_playouts,
)
from tests.helpers.paths import DATA

PLAYTHROUGHS = DATA / "playthroughs"
OTHER_RULES = rule_set("one_deck", throws=False)
"""Rules for which no network comes with the package."""


def read(name):
    return Replay.read(PLAYTHROUGHS / f"{name}.jsonl")


@pytest.mark.parametrize(
    "name", ["two_deck", "two_deck-failed_throw", "three_deck-forced", "competition-named", "one_deck_45-draw"]
)
def test_every_decision_with_an_alternative_is_asked_about(name):
    """The answers of the candidates that were played are those of the record."""
    replay = read(name)
    decisions = replay.rounds[0].record["decisions"]
    asked = 0
    for choice in choices_of(replay.rules, replay.rounds[0]):
        asked += 1
        decision = decisions[choice.ply]
        assert decision["seat"] == choice.seat
        kind = next(key for key in decision if key not in ("seat", "drawn"))
        played = choice.answer(choice.played)
        if kind in ("bid", "name"):
            assert played == decision[kind]
        elif kind == "forced":
            assert played in decision[kind]
        else:
            assert sorted(played.split()) == sorted(decision[kind].split())
        answers = [choice.answer(place) for place in range(choice.number)]
        assert len(set(answers)) == len(answers) >= 2
    assert asked > 20


def test_the_champion_finds_no_fault_with_its_own_play():
    """Its network plays a round; its own review finds that nothing cost anything."""
    lines = own_round()
    replay = Replay.of(lines)
    review = review_round(replay.rules, replay.rounds[0], as_valuer(None, replay.rules))
    assert review["decisions"] > 40
    assert review["costly"] == []


def own_round():
    from shengji_env import shengji_v0
    from shengji_env.players import Decisions
    from shengji_env.records.writing import finished_round, record_header, record_line

    player = make_player("champion")
    env = shengji_v0.raw_env("two_deck", record=True)
    env.reset(seed=11)
    while not env.terminations[env.agent_selection]:
        env.step(int(player.decide(Decisions.at(env.tables, np.zeros(1, np.int64)))[0]))
    return [record_line(record_header(env.rules, ["champion"] * 4, 11)), record_line(finished_round(env))]


@pytest.mark.parametrize("playouts", ["heuristic", "champion?part=playouts"])
def test_playouts_in_the_real_deal_are_those_of_the_rollouts(playouts):
    replay = read("two_deck")
    settings = RolloutSettings(rules=replay.rules, playouts=playouts)
    compared = 0
    for choice in choices_of(replay.rules, replay.rounds[0]):
        _, labels = label(choice.truth, settings)
        if len(labels) != choice.number:
            continue
        compared += 1
        policies = policies_of(make_player(playouts), replay.rules)
        levels = mean_of_playouts(choice, choice.candidates, choice.truth.copy(), policies)
        assert np.array_equal(levels, DealValuer(replay.rules, playouts).value(choice))
        assert np.array_equal(levels, labels["levels"] + 0.005 * labels["points"])
    assert compared > 20


@pytest.mark.parametrize(
    "player", ["heuristic", "search:3", "search:3?playouts=champion?part=playouts", "champion:3", None]
)
def test_every_decision_is_valued_and_the_worst_come_first(player):
    replay = read("two_deck")
    replay = review_replay(replay, as_valuer(player, replay.rules))
    review = replay.to_json()["rounds"][0]["review"]
    assert review["by"] == (player or "champion")
    assert len(review["valued"]) == review["decisions"] > 20
    by_ply = {each["ply"]: DecisionValues.of(each) for each in review["valued"]}
    costs = [by_ply[ply].cost for ply in review["costly"]]
    assert costs == sorted(costs, reverse=True)
    assert 0 < len(costs) <= MAX_MARKS
    assert costs[-1] >= LEAST_COST
    for values in by_ply.values():
        numbers = [value for _, value in values.options]
        assert numbers == sorted(numbers, reverse=True)
        assert len(numbers) <= MAX_OPTIONS + 1
        assert values.cost <= numbers[0] - numbers[values.played] + 0.002
    json.dumps(review)


@pytest.mark.thorough
def test_playouts_correct_what_the_network_expects():
    """As `champion:N` weighs both: with one deal the network counts 60 times as much, with thousands hardly more."""
    replay = read("two_deck")
    expected, one, many = (as_valuer(text, replay.rules) for text in ("champion", "champion:1", "champion:300"))
    far = []
    for choice in list(choices_of(replay.rules, replay.rounds[0]))[::6]:
        prior = expected.value(choice)
        far.append([np.abs(valuer.value(choice) - prior).mean() for valuer in (one, many)])
    near, further = np.mean(far, axis=0)
    assert 0 < near < further
    assert near < 0.1


def test_the_course_ends_with_the_result():
    """What the round comes to if `heuristic` plays on: at its end, what it has come to."""
    replay = read("two_deck")
    review = review_round(replay.rules, replay.rounds[0], DealValuer(replay.rules))
    plies, values = zip(*review["course"], strict=True)
    record = replay.rounds[0].record
    assert list(plies) == sorted(set(plies))
    assert plies[-1] == len(record["decisions"])
    view = list(replay.views(replay.rounds[0]))[-1]
    points = 0.005 * record["result"]["attackers_points"]
    levels = record["result"]["levels_nominal"] * (1 if record["result"]["winner"] == "attackers" else -1)
    assert values[-1] == pytest.approx((levels + points) * (1 if view.declarer % 2 else -1), abs=0.002)


def bidding(*bids):
    """Decisions of seat 0 while trumps are bid for: (ply, what was done, values of bids and of a pass as None)."""
    return [
        DecisionValues(0, tuple(values.items()), played=list(values).index(done), ply=ply) for ply, done, values in bids
    ]


@pytest.mark.parametrize(
    ("bids", "costs"),
    [
        # It passes, and bids the same later: waiting has cost nothing.
        ([(1, None, {None: 0, "C2 C2": 0.4}), (5, "C2 C2", {None: 0, "C2 C2": 0.4})], {}),
        # It passes and passes: what counts is the last time that it could have bid.
        ([(1, None, {None: 0, "C2": 0.5}), (5, None, {None: 0, "C2": 0.4}), (9, None, {None: 0, "C2": 0.3})], {9: 0.3}),
        # It passes to the end, and at the end that is right.
        ([(1, None, {None: 0, "C2": 0.5}), (5, None, {None: 0, "C2": -0.1})], {}),
        # It passes, and is overtaken: the bid can no longer be made.
        ([(1, None, {None: 0, "C2": 0.5}), (5, None, {None: 0, "H2 H2": 0.1})], {1: 0.5}),
        # It is overtaken, but has a bid that is nearly as good: only the difference is lost.
        ([(1, None, {None: 0, "C2": 0.5, "H2 H2": 0.4}), (5, "H2 H2", {None: 0, "H2 H2": 0.4})], {1: 0.1}),
        # Of several faults only the worst.
        ([(1, "C2", {None: 0.2, "C2": 0}), (5, None, {None: 0, "C2 C2": 0.5})], {5: 0.5}),
        ([(1, "C2", {None: 0.7, "C2": 0}), (5, None, {None: 0, "C2 C2": 0.5})], {1: 0.7}),
    ],
)
def test_a_pass_is_charged_only_with_what_it_has_let_go(bids, costs):
    losses = losses_of(bidding(*bids), [ply for ply, *_ in bids])
    found = charged(bidding(*bids), losses, {ply: [0] * len(options) for ply, _, options in bids})
    assert {each.ply: each.cost for each in found if each.cost} == pytest.approx(costs)


@pytest.mark.parametrize(
    ("lead", "error", "cost"), [(0.1, 0.05, 0.1), (0.099, 0, 0), (0.1, 0.051, 0), (0.5, 0.3, 0), (0.5, 0.2, 0.5)]
)
def test_nothing_is_charged_below_the_floor_or_within_two_standard_errors(lead, error, cost):
    values = DecisionValues(0, (("S2", 0.0), ("SA", lead)), played=0, ply=7)
    (found,) = charged([values], losses_of([values], []), {7: [error, 0.0]})
    assert (found.cost, found.error) == (cost, error if cost else 0)
    assert DecisionValues.of(found.to_json()) == found


def test_errors_of_playouts_are_those_of_the_differences_in_the_same_deals():
    """Luck that all candidates share is no uncertainty; one deal tells nothing; the network's error is its own."""
    luck = np.array([3.0, -2.0, 1.0, 0.0])
    outcomes = np.array([luck, luck - 0.5, luck + np.array([1, -1, 1, -1])])
    assert errors_of_leads(outcomes, 0).tolist() == pytest.approx([0, 0, np.std([1, -1, 1, -1], ddof=1) / 2])
    assert np.isinf(errors_of_leads(outcomes[:, :1], 0)).all()
    replay = read("two_deck")
    choice = next(choices_of(replay.rules, replay.rounds[0]))
    for text, least, most in (("search:2", 0, 9), ("search:1", np.inf, np.inf), ("heuristic", 0, 0),
                              ("champion", NETWORK_ERROR, NETWORK_ERROR), ("champion:1", NETWORK_ERROR, NETWORK_ERROR),
                              ("champion:200", 0, NETWORK_ERROR)):  # fmt: skip
        valuer = as_valuer(text, replay.rules)
        valuer.value(choice)
        errors = valuer.errors(choice)
        assert errors.shape == (choice.number,)
        assert ((errors >= least) & (errors <= most)).all(), text


def test_a_seat_has_at_most_one_mark_for_its_bids():
    """And each pass that is marked let a bid go that the seat never made afterwards, or could no longer make."""
    marks = 0
    for name in ("two_deck", "two_deck-overturn", "three_deck", "four_deck", "house"):
        replay = read(name)
        (replayed,) = replay.rounds[:1]
        decisions = replayed.record["decisions"]
        review = review_round(replay.rules, replayed, as_valuer("heuristic", replay.rules), playouts=False)
        bids = [each for each in review["valued"] if "bid" in decisions[each["ply"]] and each["cost"]]
        marks += len(bids)
        assert len({each["seat"] for each in bids}) == len(bids)
        for each in bids:
            made = [
                later["bid"] for later in decisions[each["ply"] :] if later["seat"] == each["seat"] and "bid" in later
            ]
            best = each["options"][0][0]
            assert made[0] is not None or best not in made
    assert marks > 2


def test_a_throw_that_may_fail_is_valued_by_what_becomes_of_it():
    """The network takes every throw for one that stands; so its own value of a lead that is beaten is too high."""
    replay = read("three_deck-forced")
    valuer = as_valuer(None, replay.rules)
    decisions = replay.rounds[0].record["decisions"]
    cheaper, worth = 0, {}
    for choice in choices_of(replay.rules, replay.rounds[0]):
        if not is_risky(choice, choice.played):
            continue
        as_if = valuer.value_as_found(choice)
        values = valuer.value(choice)
        others = np.delete(values, choice.played)
        assert np.array_equal(others, np.delete(as_if, choice.played))
        if "forced" in decisions[choice.ply + 1]:
            cheaper += values[choice.played] < as_if[choice.played] - 0.02
            worth[choice.ply] = values[choice.played]
    review = review_round(replay.rules, replay.rounds[0], valuer)
    told = {each["ply"]: each["options"][each["played"]][1] for each in review["valued"]}
    assert cheaper > 2
    assert {ply: told[ply] for ply in worth} == pytest.approx(worth, abs=0.001)


@pytest.mark.thorough
def test_only_those_are_valued_who_are_asked_for():
    replay = read("two_deck-failed_throw")
    valuer = as_valuer(None, replay.rules)
    (line,) = (replayed.line for replayed in replay.rounds)
    everybody = review_replay(replay, valuer).reviews[line]
    one = review_replay(replay, valuer, whose=[2]).reviews[line]
    assert one["seats"] == [2]
    assert {each["seat"] for each in one["valued"]} == {2}
    assert one["valued"] == [each for each in everybody["valued"] if each["seat"] == 2]
    assert review_replay(replay, valuer, whose=["random"]).reviews[line] == everybody
    for nobody in ("Ann", 4, -1):
        with pytest.raises(ShengjiError, match="sits nowhere here: name a seat"):
            review_replay(replay, valuer, whose=[nobody])


def test_without_a_player_the_champion_values_under_any_rules():
    for rules in (rule_set("two_deck"), OTHER_RULES):
        assert as_valuer(None, rules).name == "champion"


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("human", "values nothing; it must be champion"), ("search:0", "N must be 1 to"), ("search", "values nothing"),
        ("search:٣", "values nothing"), ("search:1e3", "values nothing"), ("selfplay:/none", "values nothing"),
        ("search:9999999", "values nothing"), ("champion:0", "N must be 1 to"), ("champion:x", "values nothing"),
        ("search:3?playouts=search:4", "has no policy"), ("champion?playouts=greedy", "values nothing"),
    ],
)  # fmt: skip
def test_others_are_refused(player, message):
    with pytest.raises(PlayerError, match=message):
        as_valuer(player, OTHER_RULES)


def test_the_command_marks_them_on_the_page(tmp_path, capsys):
    page = tmp_path / "page.html"
    record = str(PLAYTHROUGHS / "one_deck.jsonl")
    assert main(["replay", record, "--html", str(page), "--review"]) == 0
    assert '"review":{"by":"champion"' in page.read_text(encoding="utf-8")
    assert main(["replay", record, "--html", str(page), "--review", "--of", "2"]) == 0
    assert '"seats":[2]' in page.read_text(encoding="utf-8")
    assert main(["replay", record, "--html", str(page), "--review", "--of", "Ann"]) == 2
    assert "'Ann' sits nowhere here" in capsys.readouterr().err
    assert main(["replay", record, "--html", str(page), "--of", "2"]) == 2
    assert "give --review too" in capsys.readouterr().err
    assert main(["replay", record, "--html", str(page), "--review", "nobody"]) == 2
    assert "'nobody' values nothing" in capsys.readouterr().err
    assert main(["replay", record, "--review"]) == 2
    assert "give --html OUT too" in capsys.readouterr().err


# ---- the summary


def test_a_summary_sums_all_that_each_seat_has_lost_and_says_its_share_of_what_could_be():
    replay = read("two_deck")
    review = review_round(replay.rules, replay.rounds[0], as_valuer(None, replay.rules), seats=[0, 3])
    assert [each["seat"] for each in review["summary"]] == [0, 3]
    decisions = replay.rounds[0].record["decisions"]
    for summary in review["summary"]:
        own = [each for each in review["valued"] if each["seat"] == summary["seat"]]
        assert summary["decisions"] == len(own) > 5
        lost = {each["ply"]: each["options"][0][1] - each["options"][each["played"]][1] for each in own}
        follows = sum(levels for ply, levels in lost.items() if "follow" in decisions[ply])
        assert summary["lost"]["follow"] == pytest.approx(follows, abs=1e-2)
        assert sum(summary["lost"].values()) > sum(each["cost"] for each in own)
        assert 0 < summary["accuracy"] < 1
        assert (summary["accuracy"] == 1) == (sum(summary["lost"].values()) == 0)


def test_what_a_deal_was_worth_is_what_four_champions_have_made_of_it(tmp_path):
    record = tmp_path / "rounds.jsonl"
    assert main(["arena", "champion", "champion", "--deals", "8", "--record", str(record)]) == 0
    replay = Replay.read(record)
    declared = [replayed for replayed in replay.rounds if replayed.record["declarer"] is not None]
    assert len(declared) > 4
    for replayed in declared:
        result, declarer = replayed.record["result"], replayed.record["declarer"]
        wins_first = (result["winner"] == "declarers") == (declarer % 2 == 0)
        assert par_of(replay.rules, replayed) == (1 if wins_first else -1) * result["levels_nominal"]
