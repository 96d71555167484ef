"""Records of rounds in which the kitty is taken up again, or weak hands rebel (docs/rules.md §4, §5)."""

import copy
import json

import pytest

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import RecordError
from shengji_env.records import RecordReader, finished_round, record_header, record_line
from tests.helpers.late_bidders import LATE_RULES, REBEL_RULES, RETAKE_RULES, late_rounds

NAMES = ["a", "b", "a", "b"]


def records(rules, number=20):
    return late_rounds(rules, number, on_end=finished_round)


def read(rules, *rounds):
    return list(RecordReader([record_line(record_header(parse_rules(rules), NAMES, 3)), *map(record_line, rounds)]))


@pytest.mark.parametrize("rules", LATE_RULES)
def test_every_record_is_read_back(rules):
    rounds = records(rules)
    assert [replayed.record for replayed in read(rules, *rounds)] == json.loads(json.dumps(rounds))


@pytest.mark.parametrize("rules", RETAKE_RULES)
def test_5_each_burial_is_a_decision_and_buried_is_the_last(rules):
    number = 0
    for record in records(rules):
        burials = [step for step in record["decisions"] if "bury" in step]
        number += len(burials) > 1
        assert record["buried"] == burials[-1]["bury"]
        after = record["decisions"][record["decisions"].index(burials[0]) :]
        overbids = [step for step in after if step.get("bid")]
        assert [step["seat"] for step in overbids] == [step["seat"] for step in burials[1:]]
        assert all(step["drawn"] == 4 * parse_rules(rules).hand for step in overbids)
    assert number


@pytest.mark.parametrize("rules", REBEL_RULES)
def test_4_abandoned_deals_end_with_a_rebellion(rules):
    number = 0
    for record in records(rules):
        deals = record.get("abandoned", [])
        number += len(deals)
        assert "abandoned" not in record or deals
        assert all(deal["decisions"][-1]["rebel"] is True for deal in deals)
        assert not any(step.get("rebel") for step in record["decisions"])
        assert [deal["redeals"] for deal in deals] == sorted({deal["redeals"] for deal in deals})
        assert len({record["deal"], *(deal["deal"] for deal in deals)}) == 1 + len(deals)
    assert number


def test_4_the_last_rebel_declares():
    rules = REBEL_RULES[1]
    for record in records(rules):
        if "abandoned" in record:
            rebel = record["abandoned"][-1]["decisions"][-1]["seat"]
            assert next(step["seat"] for step in record["decisions"] if "lead" in step) == rebel
            assert next(step["seat"] for step in record["decisions"] if "bury" in step) == rebel


def altered(record, alter):
    other = copy.deepcopy(record)
    alter(other)
    return other


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda r: r["abandoned"][0].update(redeals=7), "redeals"),
        (lambda r: r["abandoned"][0].update(more=1), r"abandoned\[0\] is not a deal"),
        (lambda r: r["abandoned"][0]["decisions"].pop(), r"abandoned\[0\]: its last decision is no rebellion"),
        (lambda r: r["abandoned"][0]["decisions"][-1].update(rebel=1), r"abandoned\[0\]: ply \d+: rebel 1"),
        (lambda r: r["abandoned"][0]["decisions"].append({"seat": 0, "rebel": True}), "comes after the rebellion"),
        (lambda r: r["abandoned"][0].update(deal="S2"), r"abandoned\[0\]: the deal"),
        (lambda r: r["abandoned"].append(r["abandoned"][0]), "redeals="),
        (lambda r: r["abandoned"].extend([{}] * 9), "9 deals are abandoned|1. deals are abandoned"),
        (lambda r: r.update(abandoned=[]), "redeals="),
        (lambda r: r.pop("abandoned"), "redeals="),
    ],
)
def test_altered_abandoned_deals_are_refused(alter, reason):
    rules = REBEL_RULES[0]
    record = next(record for record in records(rules) if len(record.get("abandoned", ())) == 1)
    with pytest.raises(RecordError, match=reason):
        read(rules, altered(record, alter))


def test_a_rebellion_in_the_last_deal_is_refused():
    rules = REBEL_RULES[0]
    for record in records(rules):
        for step in record["decisions"]:
            if "rebel" in step:
                with pytest.raises(RecordError, match="comes after the rebellion"):
                    read(
                        rules, altered(record, lambda r: [s.update(rebel=True) for s in r["decisions"] if "rebel" in s])
                    )
                return
    raise AssertionError("nobody was asked")
