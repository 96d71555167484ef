"""The command line, end to end."""

import json
import subprocess
import sys

import pytest

from shengji_env import __version__
from shengji_env.arena import play_matchup
from shengji_env.cli import main
from tests.oracle_rounds import check_round

FAST = ["--deals", "4", "--rules", "one_deck", "--seed", "3"]


def test_arena_prints_the_table_and_writes_results_and_record(tmp_path, capsys):
    out, record = tmp_path / "a" / "b", tmp_path / "rounds.jsonl"
    assert main(["arena", "greedy", "random", *FAST, "--out", str(out), "--record", str(record)]) == 0
    printed = capsys.readouterr().out
    for word in (
        "greedy against random",
        "levels per round",
        "level rate",
        "95 % interval",
        "rules one_deck",
        "seed 3",
    ):
        assert word in printed
    expected = play_matchup("greedy", "random", num_deals=4, rules="one_deck", seed=3)
    assert json.loads((out / "results.json").read_text()) == expected.to_json()
    header, *rounds = map(json.loads, record.read_text().splitlines())
    assert len(rounds) == 8
    for line in rounds:
        check_round(line, header["rules"])


def test_batch_size_changes_nothing(tmp_path):
    for size in ("1", "3"):
        assert main(["arena", "greedy", "random", *FAST, "--batch-size", size, "--out", str(tmp_path / size)]) == 0
    assert (tmp_path / "1" / "results.json").read_text() == (tmp_path / "3" / "results.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy", "nobody"], "no player is called 'nobody'; write random, greedy"),
        (["greedy", "random", "--rules", "five_deck"], "no rule set is called 'five_deck'"),
        (["greedy", "random", "--rules", "two_deck(throw=1)"], "no option is called 'throw'"),
        (["greedy", "random", "--deals", "1"], "must be at least 2"),
        (["greedy", "policy:missing"], "no policy at missing"),
        (["greedy", "random", "--record", "/no/such/folder/file"], "No such file or directory"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(["arena", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("shengji: error: ")
    assert printed.err.count("\n") == 1
    assert message in printed.err
    assert printed.out == ""


def test_an_interrupt_is_no_traceback(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("shengji_env.cli.play_matchup", interrupted)
    assert main(["arena", "random", "random", *FAST]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["arena"], ["arena", "greedy"], ["dance"], ["arena", "a", "b", "--deals", "x"]]
)
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["arena", "--help"])
    printed = capsys.readouterr().out
    for word in (
        "greedy",
        "policy:PATH",
        "module:callable",
        "three_deck",
        "two_deck(throws=False",
        "examples:",
        "--record",
    ):
        assert word in printed


def test_module_runs_and_knows_its_version():
    ran = subprocess.run(
        [sys.executable, "-m", "shengji_env.cli", "--version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"shengji {__version__}\n"
