"""Duplicate match-ups: even for equal players, the same in any batch, clear about players that misbehave."""

import json

import numpy as np
import pytest

from shengji_env.arena import make_player, play_matchup
from shengji_env.engine.rule_sets import RULE_SETS, parse_rules
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.records import record_header, record_line
from tests.helpers.oracle_rounds import check_round


class Scripted:
    """Plays like another player until it is asked for a decision at `ply` calls; then `answer` is used."""

    name = "scripted"

    def __init__(self, answer, calls=5):
        self.answer, self.calls, self.inner = answer, calls, make_player("random")

    def act(self, observation, action_mask, key):
        self.calls -= 1
        return self.inner.act(observation, action_mask, key) if self.calls else self.answer(action_mask)


@pytest.mark.parametrize("player", ["random", "greedy"])
@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45"])
def test_a_player_against_itself_is_exactly_even(player, rules):
    result = play_matchup(player, player, num_deals=20, rules=rules, seed=2)
    assert result.levels_per_round == result.points_per_round == 0.0
    assert result.interval == result.points_interval == (0.0, 0.0)
    assert result.level_rate == result.win_rate == result.round_win_rate == 0.5
    assert (result.levels[:, 0] == -result.levels[:, 1]).all()


def test_batches_do_not_change_results():
    results = [
        play_matchup("greedy", "random", num_deals=30, rules="one_deck", seed=9, batch_size=size)
        for size in (1, 7, 512)
    ]
    assert results[0].to_json() == results[1].to_json() == results[2].to_json()
    assert all((result.levels == results[0].levels).all() for result in results)


def test_swapping_the_players_mirrors_every_deal():
    forward = play_matchup("greedy", "random", num_deals=20, rules="one_deck", seed=1)
    backward = play_matchup("random", "greedy", num_deals=20, rules="one_deck", seed=1)
    assert (forward.levels == -backward.levels[:, ::-1]).all()
    assert forward.levels_per_round == -backward.levels_per_round


def test_more_deals_begin_with_the_same_ones():
    few, many = (play_matchup("greedy", "random", num_deals=n, rules="one_deck", seed=3) for n in (5, 12))
    assert (many.levels[:5] == few.levels).all()


def test_another_seed_gives_other_deals():
    first, second = (play_matchup("greedy", "random", num_deals=20, rules="one_deck", seed=s) for s in (0, 1))
    assert (first.levels != second.levels).any()


def test_progress_rises_to_the_number_of_deals():
    seen = []
    play_matchup(
        "random",
        "random",
        num_deals=5,
        rules="one_deck",
        batch_size=2,
        progress=lambda done, of: seen.append((done, of)),
    )
    done = [each for each, _ in seen]
    assert done[-1] == 5
    assert done == sorted(done)
    assert min(done) >= 0
    assert {of for _, of in seen} == {5}


def test_what_progress_raises_comes_through():
    def stop(done, of):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_matchup("random", "random", num_deals=2, rules="one_deck", progress=stop)


def test_an_illegal_action_names_player_deal_and_ply():
    def illegal(mask):
        answer = mask.argmax(axis=1)
        answer[1] = mask[1].argmin()
        return answer

    with pytest.raises(
        PlayerError,
        match=r"'scripted' \(deal \d, ply \d+, seat \d, [A-Z]+\): it answered illegally: seat \d cannot take",
    ):
        play_matchup(Scripted(illegal), "random", num_deals=4, rules="two_deck")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda mask: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda mask: np.zeros(3, np.int64), r"it answered array.*: actions have shape \(3,\)"),
        (lambda mask: np.zeros(len(mask)), "it answered array.*: actions are float64"),
        (lambda mask: np.full(len(mask), 83), "it answered illegally: .*'83'"),
        (lambda mask: np.full(len(mask), -1), "it answered illegally: .*'-1'"),
        (lambda mask: None, "it answered None; it must be"),
    ],
)
def test_a_bad_answer_is_refused(answer, message):
    with pytest.raises(PlayerError, match=message):
        play_matchup("random", Scripted(answer), num_deals=10, rules="one_deck")


def test_a_match_up_needs_two_deals():
    with pytest.raises(ShengjiError, match="num_deals=1 must be a whole number from 2 to 10000000"):
        play_matchup("random", "random", num_deals=1)
    with pytest.raises(ShengjiError, match="batch_size=0"):
        play_matchup("random", "random", num_deals=2, batch_size=0)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_greedy_is_legal_under_every_rule_set_and_its_records_hold(rules, tmp_path):
    path = tmp_path / "rounds.jsonl"
    with path.open("w") as file:
        file.write(record_line(record_header(parse_rules(rules), ("greedy", "random") * 2, 0)))
        result = play_matchup("greedy", "random", num_deals=6, rules=rules, record=file.write)
    header, *lines = map(json.loads, path.read_text().splitlines())
    assert header["players"] == ["greedy", "random"] * 2
    assert [line["table"] for line in lines] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert lines[1]["players"] == ["random", "greedy"] * 2
    for first, second in zip(lines[::2], lines[1::2], strict=True):
        assert first["redeals"] != second["redeals"] or first["deal"] == second["deal"]
    for line in lines:
        check_round(line, header["rules"])
    nominal = [line["result"]["levels_nominal"] for line in lines]
    assert nominal == np.abs(result.levels).reshape(-1).tolist()


def test_greedy_beats_random():
    result = play_matchup("greedy", "random", num_deals=200, rules="two_deck", seed=11)
    assert result.level_rate > 0.95
    assert result.interval[0] > 1.5


@pytest.mark.slow
def test_greedy_is_a_yardstick():
    """At least 96 % of the levels against random over 1,000 duplicate deals."""
    result = play_matchup("greedy", "random", num_deals=1000, rules="two_deck")
    assert result.level_rate >= 0.96
    assert result.level_rate_interval[0] >= 0.96


def test_numbers_may_be_numpys():
    result = play_matchup("greedy", "random", num_deals=np.int64(2), seed=np.int64(3), batch_size=np.int8(1))
    assert json.dumps(result.to_json()) == json.dumps(play_matchup("greedy", "random", num_deals=2, seed=3).to_json())
