"""Rule sets that a club has given a name: ``shengji rules --save``, and every ``--rules``."""

import json
import shutil

import pytest

from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.records import RecordReader

CLUB = "two_deck(throws=False)"


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """The folder of saved rules, with those of our club."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    assert main(["rules", CLUB, "--save", "our club"]) == 0
    capsys.readouterr()
    return tmp_path / "config" / "shengji_env" / "rules"


def test_an_unknown_name_is_told_from_what_there_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(["rules", "my club"]) == 2
    said = capsys.readouterr().err
    assert "no rule set is called 'my club': presets are two_deck, " in said
    assert "none is saved (in " in said
    assert "shengji rules 'two_deck(throws=False)' --save 'my club'" in said


def test_what_is_saved_is_listed_and_explained(folder, capsys):
    assert main(["rules"]) == 0
    assert f"saved, in {folder}:\n  our club: {CLUB}\n" in capsys.readouterr().out
    assert main(["rules", "our club (kitty=12)"]) == 0
    assert "Unlike two_deck: kitty=12 (there 8), throws=False (there True)." in capsys.readouterr().out
    assert main(["rules", "your club"]) == 2
    assert "saved are our club" in capsys.readouterr().err


def test_a_saved_name_travels_by_copying(folder, tmp_path, monkeypatch, capsys):
    there = tmp_path / "elsewhere" / "shengji_env" / "rules"
    there.mkdir(parents=True)
    shutil.copy(folder / "our club.json", there / "俱乐部.json")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert main(["rules", "俱乐部"]) == 0
    assert f"· {CLUB} ·" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["arena", "greedy", "random", "--rules"],
        ["collect", "greedy", "--rounds", "4", "--out", "out", "--rules"],
        ["crossplay", "greedy", "random", "--against", "heuristic", "--rules"],
        ["play", "greedy", "greedy", "greedy", "greedy", "--rules"],
        ["protocol", "--check", "true", "--rules"],
        ["rollouts", "--rounds", "4", "--out", "out", "--rules"],
        ["serve", "--port", "0", "--rules"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_that_takes_rules_takes_the_name(command, folder, capsys):
    assert main([*command, "our club(kitty=9)"]) == 2
    assert "kitty=9 does not divide 108 cards into four hands" in capsys.readouterr().err


def test_a_record_holds_the_options_and_not_the_name(folder, tmp_path):
    players = ["greedy"] * 4
    assert main(["play", *players, "--rules", "our club", "--seed", "1", "--record", "round.jsonl"]) == 0
    text = (tmp_path / "round.jsonl").read_text(encoding="utf-8")
    assert "our club" not in text
    assert RecordReader(text.splitlines(keepends=True)).rules == parse_rules(CLUB)


@pytest.mark.parametrize("name", ["two_deck", "", "../club", "a/b", " club", "club.", "(club)", "x" * 61])
def test_what_is_no_name_is_refused(name, folder, capsys):
    assert main(["rules", CLUB, "--save", name]) == 2
    assert "a name has at most 60 letters" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["our club.json"]


def test_other_rules_do_not_replace_saved_ones(folder, capsys):
    assert main(["rules", CLUB, "--save", "our club"]) == 0
    assert main(["rules", "one_deck", "--save", "our club"]) == 2
    assert f"'our club' is saved as {CLUB}: delete {folder / 'our club.json'} first" in capsys.readouterr().err
    assert main(["rules", "--save", "new"]) == 2
    assert "--save 'new': which rules?" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "[]", '{"preset": "two_deck", "options": {"throw": 1}}'])
def test_a_file_that_holds_no_rules_is_named(content, folder, capsys):
    (folder / "broken.json").write_text(content, encoding="utf-8")
    assert main(["rules", "broken"]) == 2
    assert f"the rules saved as 'broken' are of no use ({folder / 'broken.json'}): " in capsys.readouterr().err
    assert main(["rules"]) == 0
    assert "are of no use" in capsys.readouterr().out
    assert main(["rules", "our club"]) == 0


def test_a_file_is_as_the_header_of_a_record(folder):
    assert json.loads((folder / "our club.json").read_bytes()) == parse_rules(CLUB).to_json()
