"""Records: written from the log of a batch environment, checked by the oracle's own replay."""

import json

import numpy as np
import pytest

from shengji_env.engine.actions import PASS
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, parse_rules
from shengji_env.engine.slots import suit_end, suit_of_slot, suit_start
from shengji_env.engine.state import Phase
from shengji_env.errors import RecordError
from shengji_env.records.writing import finished_round, record_header, record_line
from shengji_env.tables.arrays import MAX_LOG
from shengji_env.vector import BatchEnv
from tests.helpers.oracle_rounds import check_match, check_round

TRICKY = (
    "two_deck(throw_penalty=10, failed_throw=next_seat_chooses)",
    "two_deck(max_redeals=1)",
    "competition(no_trump_bids=True)",
    "three_deck(follow_priority=tractors_first, kitty_shape=lead)",
)


def random_records(rules: str, num_rounds: int, **arguments):
    """Records of rounds of random play, one a table."""
    env = BatchEnv(num_rounds, rules, seed=3, record=True, **arguments)
    left = set(range(num_rounds))
    records = []
    while left:
        env.step(env.sample_actions())
        for table in [table for table in left if env.terminated[table]]:
            records.append(finished_round(env, table))
            left.discard(table)
    return records


def test_a_round_in_which_throw_after_throw_fails_is_recorded_whole():
    """Cards of a failed throw go back to the hand, so they are taken again and again."""
    env = BatchEnv(1, "four_deck", seed=8, start="any", record=True)
    while not env.terminated[0]:
        legal = np.flatnonzero(env.action_mask[0])
        action = legal[0]
        if env.phase[0] == Phase.LEAD and not env.states["taken_size"][0]:
            trump, hand = int(env.states["trump"][0]), env.states["hands"][0, env.seat[0]]
            suits = [int(suit_of_slot(slot, trump)) for slot in legal]
            sizes = [hand[suit_start(suit, trump) : suit_end(suit, trump)].sum() for suit in suits]
            action = legal[int(np.argmax(sizes))]
        env.step([action])
    assert 600 < env.tables.logs["finished_size"][0] < MAX_LOG
    check_round(finished_round(env), env.rules.options)


@pytest.mark.parametrize("rules", [*RULE_SETS, *TRICKY])
@pytest.mark.parametrize("start", ["any", "first"])
def test_recorded_rounds_replay_under_the_oracle(rules, start):
    for record in random_records(rules, 6, start=start, skip_forced=start == "any"):
        line = record_line(record)
        assert line.count("\n") == 1
        check_round(json.loads(line), parse_rules(rules).options)


def test_recorded_match_replays_under_the_oracle():
    rules = parse_rules("one_deck(match_end=rounds, match_rounds=5)")
    env = BatchEnv(1, rules, seed=5, episode="match", start="first", record=True)
    records = []
    while not env.terminated[0]:
        env.step(env.sample_actions())
        if env.terminated[0] or env.states["round_index"][0] > len(records):
            records.append(finished_round(env, 0))
    check_match(records, rules.options)


def test_header_names_rules_players_and_seed():
    rules = parse_rules("two_deck(throws=False)")
    header = json.loads(record_line(record_header(rules, ["a", "b", "a", "b"], 7)))
    assert header["format"] == "shengji-record/1"
    assert RuleSet.from_json(header["rules"]) == rules
    assert (header["players"], header["seed"]) == (["a", "b", "a", "b"], 7)


def test_no_record_without_logs_or_before_the_end():
    with pytest.raises(RecordError, match="record=True"):
        finished_round(BatchEnv(1, seed=0), 0)
    with pytest.raises(RecordError, match="finished no round"):
        finished_round(BatchEnv(1, seed=0, record=True), 0)


def test_a_wrong_log_is_refused():
    env = BatchEnv(1, "one_deck", seed=0, record=True)
    while not env.terminated[0]:
        env.step(env.sample_actions())
    env.tables.logs["finished_size"] -= 1
    with pytest.raises(RecordError, match=r"the \d+ actions do not lead"):
        finished_round(env, 0)


@pytest.mark.parametrize("rules", ["two_deck(max_redeals=100)", "four_deck(max_redeals=100)"])
def test_4_a_round_redealt_as_often_as_can_be_is_recorded(rules):
    env = BatchEnv(2, rules, seed=9, record=True)
    while not env.terminated.any():
        env.step(np.where(env.phase == Phase.BID, PASS, env.sample_actions()))
    for table in np.flatnonzero(env.terminated):
        record = finished_round(env, int(table))
        assert record["redeals"] == 100
        assert not any(decision.get("bid") for decision in record["decisions"])
        check_round(json.loads(record_line(record)), parse_rules(rules).options)
