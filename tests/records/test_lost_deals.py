"""Deals that players' faults broke off: `lost.jsonl` of the arena, shown by ``shengji replay``."""

import json

import pytest

from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import RecordError
from shengji_env.records.lost_deals import LOST_FORMAT, read_lost_deals

CHEAT = "tests.helpers.players_with_faults:cheats?when=60"
REBELS = "contest(rebellion_trumps=2)"


def lose(folder, *options):
    """Play a tournament in which deals are lost; return the file of those."""
    assert main(["arena", "greedy", CHEAT, "--deals", "6", "--workers", "1", *options, "--out", str(folder)]) == 3
    return folder / "lost.jsonl"


@pytest.mark.parametrize("rules", ["one_deck", "duplicate", REBELS])
@pytest.mark.parametrize("match", [[], ["--match"]], ids=["rounds", "matches"])
def test_a_lost_deal_is_read_back_as_it_broke_off(rules, match, tmp_path):
    lost = lose(tmp_path, "--rules", rules, *match)
    header, *faults = map(json.loads, lost.read_text(encoding="utf-8").splitlines())
    assert header["format"] == LOST_FORMAT
    assert header["rules"] == parse_rules(rules).to_json()
    deals = list(read_lost_deals(lost))
    assert [deal.fault for deal in deals] == faults
    assert [deal.line for deal in deals] == list(range(2, 2 + len(faults)))
    for deal in deals:
        assert deal.transcript.seat == deal.fault["seat"]
        assert deal.transcript.phase.name == deal.fault["phase"]
        assert list(deal.players) == deal.fault["record"]["players"]


def test_replay_shows_the_table_as_it_broke_off(tmp_path, capsys):
    lost = lose(tmp_path, "--rules", "one_deck")
    first, *_ = (json.loads(line) for line in lost.read_text(encoding="utf-8").splitlines()[1:])
    capsys.readouterr()
    assert main(["replay", str(lost), "--line", "2"]) == 0
    said = capsys.readouterr().out
    assert f"line 2: deal {first['deal']}, table {first['table']}, seat {first['seat']}, ply {first['ply']}: " in said
    assert "it answered illegally" in said
    assert f"▸ {first['seat']} cheats" in said
    assert "that broke off, all as the rules have it so far" in said
    assert main(["replay", str(lost), "--check"]) == 0
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--html", "page.html"], "holds deals that broke off, without results: leave out --html and --worst"),
        (["--worst", "3"], "holds deals that broke off"),
        (["--line", "1"], "--line 1: no deal stands there; the header is line 1"),
    ],
)
def test_what_needs_a_result_is_refused(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lost = lose(tmp_path, "--rules", "one_deck")
    assert main(["replay", str(lost), *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seat": "1"}, "line 2: seat='1' of a lost deal must be a number"),
        ({"error": None}, "line 2: error=None of a lost deal must be a text"),
        ({"record": []}, r"line 2: record=\[\] of a lost deal must be a round"),
        ({"record": {}}, "line 2: the round lacks 'round'"),
    ],
)
def test_what_is_no_lost_deal_is_refused_with_its_line(change, message, tmp_path):
    lost = lose(tmp_path, "--rules", "one_deck")
    header, first, *_ = lost.read_text(encoding="utf-8").splitlines()
    lost.write_text(f"{header}\n{json.dumps({**json.loads(first), **change})}\n", encoding="utf-8")
    with pytest.raises(RecordError, match=message):
        list(read_lost_deals(lost))


def test_a_decision_that_the_rules_do_not_allow_is_refused_with_its_ply(tmp_path):
    lost = lose(tmp_path, "--rules", "one_deck")
    lines = lost.read_text(encoding="utf-8").splitlines()
    place = next(place for place, line in enumerate(lines) if '"follow": "' in line)
    fault = json.loads(lines[place])
    ply = next(ply for ply, decision in enumerate(fault["record"]["decisions"]) if "follow" in decision)
    fault["record"]["decisions"][ply]["follow"] = "BJ BJ"
    lost.write_text(f"{lines[0]}\n{json.dumps(fault)}\n", encoding="utf-8")
    with pytest.raises(RecordError, match=f"line 2, ply {ply}: "):
        list(read_lost_deals(lost))
