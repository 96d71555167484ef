"""What a run prints at its end: a table of at most 80 columns, and commands for this interpreter's programs."""

import io
import shlex
import sys
from pathlib import Path

import pytest
from rich.console import Console

from agents.command_lines import arena_command, resume_command, shengji_command
from agents.report import print_result
from agents.run import in_words

MATCHUP = {
    "deals": 100_000,
    "levels_per_round": 9.876,
    "interval": [-9.876, 9.876],
    "level_rate": 1.0,
    "level_rate_interval": [0.987, 1.0],
}
RESULT = {
    "seconds": 7200.0,
    "stages": [
        {
            "name": "self-play",
            "unit": "steps",
            "amount": 12_345_678,
            "seconds": 7200.0,
            "per_second": 12_345.6,
            "shares": {"environment": 0.25, "inference": 0.25, "update": 0.5},
        }
    ],
    "opponents": {"random": MATCHUP, "greedy": MATCHUP},
    "ablation": {
        name: {"deals": 100_000, "levels_per_round_lost": 1.25, "interval": [1.0, 1.5]} for name in ("BID", "BURY")
    },
}


def test_the_final_table_fits_80_columns() -> None:
    text = io.StringIO()
    print_result(Console(file=text, width=80, soft_wrap=True), RESULT, "self-play")
    assert max(map(len, text.getvalue().splitlines())) <= 80
    assert "…" not in text.getvalue()
    words = " ".join(text.getvalue().split())
    assert "levels a round level rate" in words
    assert "against greedy 100,000 +9.876 (-9.876 to +9.876) 100.0% (98.7% to 100.0%)" in words
    assert "random BURY costs 100,000 +1.250 (+1.000 to +1.500)" in words


def test_commands_name_the_programs_beside_the_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "project" / ".venv" / "bin"
    programs.mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.chdir(tmp_path / "project")
    assert shengji_command() == ".venv/bin/python -m shengji_env.cli"
    (programs / "shengji").touch()
    command = arena_command("policy:runs/a b", rules="two_deck(throws=False)", num_deals=10)
    assert shlex.split(command) == [
        *(".venv/bin/shengji", "arena", "policy:runs/a b", "heuristic"),
        *("--rules", "two_deck(throws=False)", "--deals", "10"),
    ]
    assert resume_command(Path("train.py"), Path("runs/a")) == ".venv/bin/python train.py --resume runs/a"
    monkeypatch.chdir(programs)
    assert shengji_command() == "./shengji"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert shengji_command() == shlex.quote(f"{programs.as_posix()}/shengji")


def test_what_an_update_has_not_measured_is_not_shown():
    assert in_words({"r2": 0.03456, "held_out_r2": float("nan")}, ("r2", "held_out_r2", "gain")) == {"r2": "0.035"}
