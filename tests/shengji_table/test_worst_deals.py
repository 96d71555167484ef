"""The deals of a record in which a player lost most: ``shengji replay --worst``."""

import re

import pytest

from shengji_env.arena import Tournament, play_tournament
from shengji_env.arena.result import for_a
from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.records import RecordReader, record_header, record_line
from shengji_table.review.worst_deals import WorstDeals

PLAYERS = ("greedy", "random")


@pytest.mark.thorough
@pytest.mark.parametrize("rules", ["one_deck", "competition", "contest"])
@pytest.mark.parametrize("is_match", [False, True], ids=["rounds", "matches"])
def test_a_record_comes_to_what_the_arena_counts(rules, is_match, tmp_path):
    number = 3 if is_match else 8
    plan = Tournament(PLAYERS, parse_rules(rules), num_deals=number, is_match=is_match, keeps_records=True)
    path, lines = tmp_path / "record.jsonl", []
    (rounds,) = play_tournament(plan, record=lines.append).rounds
    path.write_text("".join([record_line(record_header(plan.rules, PLAYERS * 2, plan.seed)), *lines]))
    levels = for_a(rounds, plan.rules).levels
    expected = {deal: sum(levels[rounds["deal"] == deal]) for deal in range(number)}
    reader = RecordReader(path)
    deals = WorstDeals("random")
    for replayed in reader:
        deals.add(replayed, replayed.record["players"])
    worst = deals.worst(100)
    assert {deal.number: -deal.levels for deal in worst} == {deal: won for deal, won in expected.items() if won > 0}
    assert [deal.levels for deal in worst] == sorted(deal.levels for deal in worst)
    assert {deal.others for deal in worst} == {("greedy",)}
    assert deals.worst(2) == worst[:2]


@pytest.fixture
def record(tmp_path, capsys):
    path = tmp_path / "a record.jsonl"
    assert main(["arena", *PLAYERS, "--rules", "one_deck", "--deals", "8", "--seed", "3", "--record", str(path)]) == 0
    capsys.readouterr()
    return path


def test_the_list_says_how_to_look_at_them(record, tmp_path, capsys):
    assert main(["replay", str(record), "--worst", "3", "--of", "random"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("three deals in which random lost most, of seed 3:\n  deal ")
    found = re.findall(r"  deal (\d+): (-\d+) levels against greedy, line (\d+), (\d+)\n", said)
    assert len(found) == 3
    assert f"shengji replay '{record}' --line {found[0][2]} shows a round" in said
    page = tmp_path / "page.html"
    assert main(["replay", str(record), "--worst", "3", "--of", "random", "--html", str(page)]) == 0
    shown = page.read_text(encoding="utf-8")
    assert {int(deal) for deal in re.findall(r'"table": ?(\d+)', shown)} == {int(deal) for deal, *_ in found}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--worst", "0"], "--worst=0 must be a whole number from 1 to"),
        (["--worst", "3", "--of", "nobody"], "nobody here is called 'nobody'; --of names one of greedy, random"),
        (["--worst", "3", "--of", "greedy", "random"], "--worst lists the deals of one player"),
        (["--worst", "3", "--line", "2"], "leave out --line and --check"),
        (["--worst", "3", "--check"], "leave out --line and --check"),
        (["--of", "greedy"], "give --review too"),
    ],
)
def test_what_cannot_be_listed_is_refused(options, message, record, capsys):
    assert main(["replay", str(record), *options]) == 2
    assert message in capsys.readouterr().err


def test_who_never_lost_is_told_so(tmp_path, capsys):
    path = tmp_path / "record.jsonl"
    assert main(["play", *["greedy"] * 4, "--seed", "1", "--record", str(path)]) == 0
    capsys.readouterr()
    assert main(["replay", str(path), "--worst", "3"]) == 0
    assert capsys.readouterr().out == f"greedy has lost no deal of {path}\n"
    assert main(["replay", str(path), "--worst", "3", "--html", str(tmp_path / "page.html")]) == 2
    assert "the record has no round to show" in capsys.readouterr().err
