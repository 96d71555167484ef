"""Reviews: the decisions that cost most are found, whoever values them."""

import json

import numpy as np
import pytest

from shengji_env.arena.review import as_valuer, review_replay, review_round
from shengji_env.arena.review.reviewed_decisions import choices_of
from shengji_env.arena.review.reviewing import LEAST_COST, MAX_MARKS
from shengji_env.arena.review.valuers import DealValuer, NetworkValuer
from shengji_env.cli import main
from shengji_env.datasets.rollouts import RolloutSettings, label
from shengji_env.engine.rule_sets import rule_set
from shengji_env.errors import PlayerError
from shengji_env.players.networks.champion.champion_player import ValuePlayer
from shengji_env.records.replays import Replay
from tests.helpers.paths import DATA

PLAYTHROUGHS = DATA / "playthroughs"
UNLEARNED = rule_set("one_deck", throws=False)
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
    review = review_round(replay.rules, replay.rounds[0], NetworkValuer("champion", replay.rules))
    assert review["decisions"] > 40
    assert review["costly"] == []


def own_round():
    from shengji_env import shengji_v0
    from shengji_env.players import Decisions
    from shengji_env.records.writing import finished_round, record_header, record_line

    player = ValuePlayer.champion()
    env = shengji_v0.raw_env("two_deck", record=True)
    env.reset(seed=11)
    while not env.terminations[env.agent_selection]:
        env.step(int(player.decide(Decisions.at(env.tables, np.zeros(1, np.int64)))[0]))
    return [record_line(record_header(env.rules, ["champion"] * 4, 11)), record_line(finished_round(env))]


def test_playouts_in_the_real_deal_are_those_of_the_rollouts():
    replay = read("two_deck")
    settings = RolloutSettings(rules=replay.rules)
    compared = 0
    for choice in choices_of(replay.rules, replay.rounds[0]):
        _, labels = label(choice.truth, settings)
        if len(labels) != choice.number:
            continue
        compared += 1
        levels = DealValuer().value(choice)
        assert np.array_equal(levels, labels["levels"] + 0.005 * labels["points"])
    assert compared > 20


@pytest.mark.parametrize("player", ["heuristic", "search:3", None])
def test_the_worst_come_first(player):
    replay = read("two_deck")
    replay = review_replay(replay, as_valuer(player, replay.rules))
    review = replay.to_json()["rounds"][0]["review"]
    costs = [mark["cost"] for mark in review["costly"]]
    assert costs == sorted(costs, reverse=True)
    assert 0 < len(costs) <= MAX_MARKS
    assert costs[-1] >= LEAST_COST
    assert review["by"] == (player or "champion")
    for mark in review["costly"]:
        values = [option["value"] for option in mark["options"]]
        assert values == sorted(values, reverse=True)
        (chosen,) = [option for option in mark["options"] if option["is_chosen"]]
        assert mark["cost"] == pytest.approx(values[0] - chosen["value"], abs=0.002)
    json.dumps(review)


def test_rules_that_the_champion_has_not_learned_are_played_out():
    assert as_valuer(None, rule_set("two_deck")).name == "champion"
    assert as_valuer(None, UNLEARNED).name == "heuristic"


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("greedy", "values nothing; it must be champion"), ("search:0", "N must be 1 to"), ("search", "values nothing"),
        ("search:٣", "values nothing"), ("search:1e3", "values nothing"), ("values:/none", "no value network at"),
        ("champion", "has not learned to play one_deck.throws"), ("search:9999999", "values nothing"),
    ],
)  # fmt: skip
def test_others_are_refused(player, message):
    with pytest.raises(PlayerError, match=message):
        as_valuer(player, UNLEARNED)


def test_the_command_marks_them_on_the_page(tmp_path, capsys):
    page = tmp_path / "page.html"
    record = str(PLAYTHROUGHS / "one_deck.jsonl")
    assert main(["replay", record, "--html", str(page), "--review"]) == 0
    assert '"review":{"by":"champion"' in page.read_text(encoding="utf-8")
    assert main(["replay", record, "--html", str(page), "--review", "nobody"]) == 2
    assert "'nobody' values nothing" in capsys.readouterr().err
    assert main(["replay", record, "--review"]) == 2
    assert "give --html OUT too" in capsys.readouterr().err
