"""The command line, end to end."""

import json
import re
import subprocess
import sys

import pytest

from shengji_env import __version__
from shengji_env.arena import play_matchup
from shengji_env.cli import main
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_table.commands import replay
from tests.helpers.oracle_rounds import check_round

FAST = ["--deals", "4", "--rules", "one_deck", "--seed", "3"]


def test_arena_prints_the_table_and_writes_results_and_record(tmp_path, capsys):
    out, record = tmp_path / "a" / "b", tmp_path / "rounds.jsonl"
    assert main(["arena", "greedy", "random", *FAST, "--out", str(out), "--record", str(record)]) == 0
    printed = capsys.readouterr().out
    words = ("greedy against random", "levels per round", "level rate", "95 % interval", "rules one_deck", "seed 3")
    for word in words:
        assert word in printed
    expected = play_matchup("greedy", "random", num_deals=4, rules="one_deck", seed=3)
    assert json.loads((out / "results.json").read_text())["pairs"] == [expected.to_json()]
    assert len((out / "rounds.csv").read_text().splitlines()) == 1 + 8
    assert 'href="../../rounds.jsonl"' in (out / "report.html").read_text()
    header, *rounds = map(json.loads, record.read_text().splitlines())
    assert len(rounds) == 8
    for line in rounds:
        check_round(line, header["rules"])


def test_arena_prints_ratings_and_pairs_of_many(tmp_path, capsys):
    assert main(["arena", "random", "greedy", "random", *FAST, "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for word in ("ratings", "Elo", "pairs", "times smaller", "rules one_deck"):
        assert word in printed
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["ratings"][0]["player"] == "greedy"


def test_a_terminal_sees_a_bar_and_the_figures_so_far(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    for pause in ("SECONDS_BETWEEN_MOVES", "_SECONDS_BETWEEN_TABLES"):
        monkeypatch.setattr(f"shengji_env.cli.arena_display.{pause}", 0.0)
    assert main(["arena", "greedy", "random", "random", *FAST, "--batch-size", "1"]) == 0
    printed = capsys.readouterr().err
    for word in ("deals", "/12", "left", "levels per round", "greedy – random"):
        assert word in printed


def test_lost_deals_are_told_and_have_an_exit_code(tmp_path, capsys):
    cheat = "tests.helpers.players_with_faults:cheats?when=100"
    assert main(["arena", "greedy", cheat, *FAST[2:], "--deals", "12", "--out", str(tmp_path)]) == 3
    printed = capsys.readouterr()
    assert "lost: player 'cheats' (deal" in printed.err
    assert "deals were lost to players' faults" in printed.err
    assert "greedy against cheats" in printed.out
    _, *lost = map(json.loads, (tmp_path / "lost.jsonl").read_text().splitlines())
    assert lost == json.loads((tmp_path / "results.json").read_text())["faults"]


def test_another_tournaments_folder_is_an_error_of_one_line(tmp_path, capsys):
    assert main(["arena", "greedy", "random", *FAST, "--out", str(tmp_path)]) == 0
    assert main(["arena", "greedy", "random", *FAST[:4], "--seed", "4", "--out", str(tmp_path)]) == 2
    printed = capsys.readouterr().err.splitlines()[-1]
    assert "deals.jsonl is of another tournament: seed was 3, now 4" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["arena", "greedy", "nobody"], "no player is called 'nobody'; write "),
        (["arena", "greedy", "random", "--rules", "five_deck"], "no rule set is called 'five_deck'"),
        (["arena", "greedy", "random", "--rules", "two_deck(throw=1)"], "no option is called 'throw'"),
        (["arena", "greedy", "random", "--deals", "1"], "num_deals=1 must be a whole number from 2 to 10000000"),
        (["arena", "greedy", "random", "--deals", "9" * 20], "must be a whole number from 2 to 10000000"),
        (["arena", "greedy", "random", "--workers", "0"], "workers=0 must be a whole number from 1 to"),
        (["arena", "greedy", "random", "--time-limit", "0"], "time_limit=0.0 must be above 0"),
        (["arena", "greedy", "policy:missing"], "no policy at missing"),
        (["arena", "greedy", "random", "--record", "/no/such/folder/file"], "No such file or directory"),
        (["play", "greedy", "random"], "2 players are named; a table has 4 seats: name four, or none"),
        (
            ["play", "nobody", "random", "random", "random"],
            "no player is called 'nobody'; write random, greedy, ",
        ),
        (["play", "--rules", "five_deck"], "no rule set is called 'five_deck'"),
        (["play", "greedy"], "1 player is named; a table has 4 seats"),
        (["play", "--seed", "-1"], "seed=-1 must be a whole number from 0 to"),
        (["play", "--pause", "-1"], "pause=-1 must be from 0 to 3600 seconds"),
        (["play", "--pause", "3601"], "pause=3601 must be from 0 to 3600 seconds"),
        (["play", "--record", __file__], "is there already, and would be lost: choose another name, or delete it"),
        (["play", "--record", "/no/such/folder/file"], "No such file or directory"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("shengji: error: ")
    assert printed.err.count("\n") == 1
    assert message in printed.err
    assert printed.out == ""


@pytest.mark.parametrize(
    "arguments", [[], ["arena"], ["arena", "greedy"], ["dance"], ["arena", "a", "b", "--deals", "x"]]
)
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "twice"),
    [
        (["arena", "greedy", "random", "--record", "a", "--record", "b"], "--record"),
        (["arena", "greedy", "random", "--deals=4", "--deals=4"], "--deals"),
        (["play", "--rec", "a", "--record", "b"], "--record"),
        (["replay", "a", "--review", "--review", "heuristic"], "--review"),
        (["replay", "a", "--html", "b", "--html", "c"], "--html"),
        (["collect", "greedy", "--out", "a", "--out", "b", "--rounds", "1"], "--out"),
        (["rollouts", "--noise", "0", "1", "--noise", "0.5"], "--noise"),
    ],
)
def test_an_option_that_is_given_twice_is_refused_by_name(arguments, twice, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert f"argument {twice}: it is given twice; give it once" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_flag_may_be_repeated_and_so_may_what_gathers_its_values(capsys):
    command = ["arena", "greedy", "random", *FAST, "--match", "--match"]
    assert main(command) == main(command) == 0
    with pytest.raises(SystemExit):
        main(["protocol", "--rules", "one_deck", "--rules", "two_deck", "--help"])
    assert "may be repeated" in capsys.readouterr().out


def test_help_lists_the_commands_in_groups_and_measuring_last(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    usage, *groups = capsys.readouterr().out.split("\n\n")
    assert usage == "usage: shengji [-h] [--version] COMMAND ..."
    assert groups[2].startswith("play and watch:\n  play       sit at a table, or watch one\n")
    assert groups[-1].startswith("measure:\n")
    assert max(len(line) for group in groups for line in group.splitlines()) <= 80
    for command in re.findall(r"^  ([a-z][a-z-]*) ", "\n".join(groups), re.MULTILINE):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert capsys.readouterr().out.startswith(f"usage: shengji {command} [-h]")


def test_module_runs_and_knows_its_version():
    ran = subprocess.run(
        [sys.executable, "-m", "shengji_env.cli", "--version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"shengji {__version__}\n"


# ---- replay


@pytest.fixture
def rounds(tmp_path):
    """A record of eight rounds."""
    path = tmp_path / "rounds.jsonl"
    assert main(["arena", "greedy", "random", *FAST, "--record", str(path)]) == 0
    return path


def test_replay_prints_every_round_and_checks(rounds, capsys):
    capsys.readouterr()
    assert main(["replay", str(rounds)]) == 0
    printed = capsys.readouterr().out
    assert printed.count("next declarer") == 8
    assert f"{rounds}: 8 rounds, " in printed
    assert printed.endswith(
        "all as the rules have it (one_deck); the last is line 9 (a record does not say how many there should be)\n"
    )


def test_replay_says_how_far_it_has_read_and_refuses_a_header_alone(rounds, capsys):
    lines = rounds.read_text().splitlines(keepends=True)
    rounds.write_text("".join(lines[:4]))
    capsys.readouterr()
    assert main(["replay", str(rounds), "--check"]) == 0
    said = capsys.readouterr().out
    assert f"{rounds}: 3 rounds, " in said
    assert "the last is line 4 (a record does not say how many there should be)" in said
    for extra in (["--check"], [], ["--line", "2"], ["--html", str(rounds.with_name("page.html"))]):
        rounds.write_text(lines[0])
        assert main(["replay", str(rounds), *extra]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err == f"shengji: error: {rounds}: no round follows the header, so there is nothing to check\n"


def test_replay_prints_one_round_or_none(rounds, capsys):
    capsys.readouterr()
    assert main(["replay", str(rounds), "--line", "3"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("next declarer") == 1
    assert "seats  0 random · 1 greedy · 2 random · 3 greedy" in printed
    assert main(["replay", str(rounds), "--check"]) == 0
    assert capsys.readouterr().out.count("\n") == 1
    assert main(["replay", str(rounds), "--line", "1"]) == 2
    assert "--line 1: no round stands there" in capsys.readouterr().err


def test_replay_escapes_what_a_record_calls_its_players(rounds, capsys):
    header, line, *_ = rounds.read_text().splitlines()
    named = {**json.loads(line), "players": ["\x1b[2Jgreedy", "\u202emodnar", "升级", "\ue000"]}
    rounds.write_text(f"{header}\n{json.dumps(named)}\n")
    capsys.readouterr()
    assert main(["replay", str(rounds)]) == 0
    assert r"seats  0 \x1b[2Jgreedy · 1 \u202emodnar · 2 升级 · 3 \ue000" in capsys.readouterr().out


def test_replay_refuses_a_doctored_file_with_line_and_ply(rounds, capsys):
    lines = rounds.read_text().splitlines(keepends=True)
    rounds.write_text("".join(lines)[:-40])
    assert main(["replay", str(rounds), "--check"]) == 2
    assert "shengji: error: line 9: no JSON at character" in capsys.readouterr().err
    line = json.loads(lines[4])
    line["decisions"][-1]["follow"] = "BJ BJ"
    rounds.write_text("".join([*lines[:4], json.dumps(line) + "\n"]))
    assert main(["replay", str(rounds)]) == 2
    assert f"shengji: error: line 5, ply {len(line['decisions']) - 1}: seat " in capsys.readouterr().err
    assert main(["replay", str(rounds.with_name("none"))]) == 2
    assert "No such file" in capsys.readouterr().err


def test_replay_writes_a_page(rounds, tmp_path, capsys):
    page = tmp_path / "rounds.html"
    assert main(["replay", str(rounds), "--html", str(page)]) == 0
    assert f"written: {page}" in capsys.readouterr().err
    text = page.read_text(encoding="utf-8")
    assert text.count('"start":') == 8
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace('http-equiv="', "")
    assert main(["replay", str(rounds), "--html", str(page), "--line", "3"]) == 0
    assert page.read_text(encoding="utf-8").count('"start":') == 1
    assert main(["replay", str(rounds), "--html", str(page), "--line", "99"]) == 2
    assert "--line 99: no round stands there" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["replay", str(rounds), "--html", str(page), "--check"])
    assert main(["replay", str(rounds), "--html", str(rounds)]) == 2
    assert "would replace the record" in capsys.readouterr().err


def test_a_page_has_a_limit(rounds, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(replay, "MAX_ROUNDS", 3)
    assert main(["replay", str(rounds), "--html", str(tmp_path / "page.html")]) == 2
    assert "shows 3 rounds at most" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


# ---- rules


def test_rules_lists_the_presets_and_explains_one(capsys):
    assert main(["rules"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in RULE_SETS)
    assert main(["rules", "two_deck(kitty=12, throws=False)"]) == 0
    assert "two_deck(kitty=12, throws=False)" in capsys.readouterr().out
    assert main(["rules", "nine_deck"]) == 2
    assert "no rule set is called 'nine_deck'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("locale", "options", "is_chinese"),
    [
        ({"LC_ALL": "zh_CN.UTF-8"}, [], True),
        ({"LC_ALL": "", "LANG": "zh_TW.UTF-8"}, [], True),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, [], False),
        ({"LANG": "zh_CN.UTF-8"}, ["--language", "en"], False),
        ({}, ["--language", "zh"], True),
    ],
)
def test_rules_are_explained_in_the_language_of_the_locale(locale, options, is_chinese, capsys, monkeypatch):
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    assert main(["rules", "two_deck(kitty=12)", *options]) == 0
    printed = capsys.readouterr().out
    assert "two_deck(kitty=12)" in printed.splitlines()[0]
    assert ("2 副牌" in printed, "Two decks" in printed) == (is_chinese, not is_chinese)
