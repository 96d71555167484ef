"""Rounds from elsewhere: a record given by its turns is the same record, and what is wrong is named with its turn."""

import gzip
import json
import math
from dataclasses import replace

import pytest

from shengji_env.engine.rule_sets import RULE_SETS, as_rules
from shengji_env.errors import RecordError
from shengji_env.records import GivenRound, RecordReader, as_record, deal_of, import_rounds
from tests.records.test_records import TRICKY, random_records

RULES = RULE_SETS["two_deck"]
HANDS = (
    "C2 C2 C3 C3 C4 C4 C5 C5 C6 C6 C7 C7 C8 C8 C9 C9 CT CT CJ CJ CQ CQ CK CK CA",
    "D2 D2 D3 D3 D4 D4 D5 D5 D6 D6 D7 D7 D8 D8 D9 D9 DT DT DJ DJ DQ DQ DK DK DA",
    "H2 H2 H3 H3 H4 H4 H5 H5 H6 H6 H7 H7 H8 H8 H9 H9 HT HT HJ HJ HQ HQ HK HK HA",
    "S2 S2 S3 S3 S4 S4 S5 S5 S6 S6 S7 S7 S8 S8 S9 S9 ST ST SJ SJ SQ SQ SK SK SA",
)
KITTY = "CA DA HA SA LJ LJ BJ BJ"
BURIED = (2, "H3 H3 H4 H4 H5 H5 H6 H6")
BEGUN = GivenRound(deal=deal_of(HANDS, KITTY), turns=[(2, "bid H2"), BURIED], name="round 7")
TRICK = [(2, "BJ BJ"), (3, "S3 S4"), (0, "C3 C4"), (1, "D3 D4")]


def turns_of(record, *, passes=True):
    for decision in record["decisions"]:
        kind = (set(decision) - {"seat", "drawn"}).pop()
        if kind == "bid" and decision["bid"] is None:
            if passes:
                yield decision["seat"], "pass"
        else:
            yield decision["seat"], f"{kind} {decision[kind]}" if kind in ("bid", "name") else decision[kind]


def given_by(record, rules, **options):
    start = {name: record[name] for name in ("deal", "levels", "declarer", "first_drawer", "redeals")}
    trump = record["trump"] if rules.bidding == "fixed" else None
    abandoned = record.get("abandoned", ())
    return GivenRound(turns=list(turns_of(record, **options)), **start, trump=trump, abandoned=abandoned)


@pytest.mark.parametrize("rules", [*RULE_SETS, *TRICKY])
def test_rounds_given_by_their_turns_are_the_same_records(rules):
    for record in random_records(rules, 5, start="any"):
        assert as_record(given_by(record, as_rules(rules)), as_rules(rules)) == {**record, "round": 0}


@pytest.mark.parametrize("rules", RULE_SETS)
def test_passes_may_be_left_out(rules):
    for record in random_records(rules, 5, start="any"):
        made = as_record(given_by(record, as_rules(rules), passes=False), as_rules(rules))
        assert (made["result"], made["tricks"]) == (record["result"], record["tricks"])


def test_a_pass_of_a_seat_that_is_not_asked_is_skipped():
    record = random_records("two_deck", 1, start="any")[0]
    given = given_by(record, RULES)
    idle = [(seat, "pass") for seat in range(4)]
    assert as_record(replace(given, turns=[*given.turns, *idle]), RULES)["result"] == record["result"]


def test_hands_are_dealt_to_their_seats():
    deal = deal_of(HANDS, KITTY, first_drawer=2)
    assert deal.startswith("H2 S2 C2 D2 H2 S2")
    assert deal.endswith(KITTY)
    hand = "CA DA H2 H2 H3 H3 H4 H4 H5 H5 H6 H6 H7 H7 H8 H8 H9 H9 HT HT HJ HJ HQ HQ HK HK HA HA SA LJ LJ BJ BJ"
    with pytest.raises(RecordError, match=f"seat 2 is to bury; legal: 8 cards out of {hand}"):
        as_record(GivenRound(deal=deal, turns=[(2, "bid H2"), (2, "name S")], first_drawer=2), RULES)
    for hands in (HANDS[:3], (*HANDS[:3], "S2")):
        with pytest.raises(RecordError, match="of one size"):
            deal_of(hands, KITTY)


@pytest.mark.parametrize(
    ("turns", "turn", "reason"),
    [
        ([(0, "bid S2")], 1, r"no time comes at which seat 0 may bid S2; legal: bid C2, bid C2 C2"),
        (
            [(0, "bid C2"), (0, "bid D2 D2")],
            2,
            r"seat 0 holds the standing bid, C2, so it may not bid D2 D2: it may only reinforce it, with more of the "
            r"same card, until the kitty is taken up; legal: bid C2 C2$",
        ),
        (
            [(0, "bid C2 C2"), (0, "bid D2 D2")],
            2,
            r"seat 0 holds the standing bid, C2 C2, so it may not bid D2 D2: it may only reinforce it, .*; legal: "
            r"nothing, it cannot bid$",
        ),
        (
            [(0, "bid C2"), (3, "bid S2")],
            2,
            r"no time comes at which seat 3 may bid S2, over the standing bid of seat 0, C2; legal: bid S2 S2$",
        ),
        ([(2, "bid H2"), (3, "C2")], 2, r"it is the turn of seat 2, to bury; legal: 8 cards out of CA DA H2 H2"),
        ([(2, "bid H2"), (2, "H3 H3")], 2, r"is to bury 8 cards, not 2; legal: 8 cards out of"),
        ([(2, "bid H2"), BURIED, (2, "H2 CA")], 3, r"not a legal lead.*; legal: a lead out of CA DA H2 H2 H7"),
        ([(2, "bid H2"), BURIED, (2, "S3")], 3, r"holds 0 of S3, not 1; legal: a lead out of"),
        ([(2, "bid H2"), BURIED, *TRICK[:1], (3, "S3")], 4, r"is to follow 2 cards, not 1; legal: S2 S2"),
        ([(2, "bid H2"), BURIED, *TRICK[:1], (3, "S3 S4")], 4, r"S2.*; legal: S2 S2"),
        ([(2, "bid H2"), BURIED, *TRICK[:1], (3, "S2 X9")], 4, r"'X9' is not a card.*; legal: S2 S2"),
        ([(2, "bid H2"), (2, "name S")], 2, r"seat 2 is to bury; legal"),
        ([(2, "bid H2"), (7, "S2")], 2, r"seat=7 is not a seat"),
        ([(2, "bid H2"), "bury"], 2, r"a turn is a seat and a text"),
    ],
)
def test_a_wrong_turn_is_named_with_what_was_legal(turns, turn, reason):
    with pytest.raises(RecordError, match=rf"^round 7, turn {turn}, .*: .*{reason}"):
        as_record(replace(BEGUN, turns=turns), RULES)


@pytest.mark.parametrize("name", ["turns", "levels", "abandoned", "players"])
def test_what_is_no_list_is_refused(name):
    with pytest.raises(RecordError, match=f"^round 7: {name}=nan must be a list or a tuple$"):
        as_record(replace(BEGUN, **{name: math.nan}), RULES)


def test_rounds_that_break_off_or_go_on_too_long_are_refused():
    with pytest.raises(RecordError, match="round 7 breaks off after turn 2: seat 2 is to lead"):
        as_record(BEGUN, RULES)
    record = random_records("two_deck", 1, start="any")[0]
    given = given_by(record, RULES)
    with pytest.raises(RecordError, match="the round is over before it"):
        as_record(replace(given, turns=[*given.turns, (0, "S2")]), RULES)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"deal": "S2"}, "deal of 1 cards"),
        ({"deal": BEGUN.deal.replace("BJ", "XX")}, "'XX' is not a card"),
        ({"levels": ("2", "X")}, "is not a rank"),
        ({"declarer": 5}, "not a seat"),
        ({"first_drawer": None}, "first_drawer=None"),
        ({"redeals": -1}, "redeals"),
        ({"players": ("Ann",)}, "players"),
    ],
)
def test_starts_that_make_no_sense_are_refused(wrong, reason):
    with pytest.raises(RecordError, match=f"^round 7: .*{reason}"):
        as_record(replace(BEGUN, **wrong), RULES)


@pytest.mark.parametrize("name", ["club.jsonl", "club.jsonl.gz"])
def test_imported_rounds_are_a_record(tmp_path, name):
    records = random_records("two_deck", 3, start="any")
    players = ("Ann", "Bob", "Cas", "Dee")
    given = [replace(given_by(record, RULES), players=players) for record in records]
    assert import_rounds(tmp_path / name, given, RULES, players=players) == 3
    content = (tmp_path / name).read_bytes()
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
    reader = RecordReader(text.splitlines(keepends=True))
    assert reader.players == list(players)
    assert [json.dumps(replayed.record["result"]) for replayed in reader] == [json.dumps(r["result"]) for r in records]


def test_nothing_is_written_if_a_round_is_refused(tmp_path):
    good = given_by(random_records("two_deck", 1, start="any")[0], RULES)
    with pytest.raises(RecordError, match="round 7 breaks off"):
        import_rounds(tmp_path / "club.jsonl", [good, BEGUN], RULES, players=["", "", "", ""])
    with pytest.raises(RecordError, match="players"):
        import_rounds(tmp_path / "club.jsonl", [good], RULES, players=["Ann"])
    assert list(tmp_path.iterdir()) == []
