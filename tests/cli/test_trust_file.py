"""Texts that stand in files run no code, unless the user says so; texts that users type run theirs.

Each payload would touch a file.
"""

import json
import signal
import sys
from pathlib import Path

import pytest

import train
from agents.checkpoint import CHECKPOINT_NAME, read_checkpoint, write_checkpoint
from agents.config_files import load_config, override
from agents.display import Display
from agents.folder import CONFIG_NAME
from agents.interrupt import InterruptFlag
from agents.run import TrainingRun
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.cli import main
from shengji_env.errors import PlayerError
from shengji_env.players import make_player
from shengji_env.support.text_files import as_file_texts
from tests.shengji_table.test_serve import start
from tools import run_ladder
from tools.ladder_season import read_season

SELFPLAY = "[critic]\nshare = 1.0\n[selfplay]\n"
HUMAN = ("human", "heuristic", "heuristic")


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """A file that every payload touches, and a module of the user's own that does so too."""
    path = tmp_path / "touched"
    (tmp_path / "own_payload.py").write_text(
        f"from pathlib import Path\nfrom shengji_env.players.greedy import GreedyPlayer\nPath({str(path)!r}).touch()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield path
    sys.modules.pop("own_payload", None)


def payloads(mark):
    touch = f"touch {mark}"
    return [
        f"os:system?command={touch}",
        f"exec:{touch}",
        f"exec-shell:{touch}",
        "own_payload:GreedyPlayer",
        "partners?first=heuristic&second=own_payload:GreedyPlayer",
        f"partners?first=heuristic&second=os:system%3Fcommand%3D{touch}",
    ]


# ---- where a text is made a player


def test_a_text_of_a_file_names_no_code_wherever_it_is_nested(mark):
    for text in as_file_texts({"players": payloads(mark)})["players"]:
        with pytest.raises(PlayerError, match=r"stands in a file, and names .*: if you trust .* give --trust-file"):
            make_player(text)
    assert not mark.exists()
    assert "own_payload" not in sys.modules
    assert make_player(as_file_texts(" partners?first=greedy&second=random")).name == "greedy + random"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("os:system?command=touch {}", "system is neither a class nor a function"),
        ("subprocess:call?args=touch", "call is a function of subprocess, which is installed"),
        ("pathlib:Path", "Path is a class which has no method `act` or `decide`"),
        ("numpy:load?file={}", "load is "),
        ("shengji_env.support.whole_files:write_whole?path={}", "which is installed"),
    ],
)
def test_what_is_typed_calls_players_alone(text, why, mark):
    with pytest.raises(PlayerError, match=why):
        make_player(text.format(mark))
    assert not mark.exists()


def test_what_is_typed_calls_the_users_own_code(mark, tmp_path):
    assert make_player("own_payload:GreedyPlayer").name == "greedy"
    (tmp_path / "own_factory.py").write_text(
        "from os import system\nfrom random import choice\nimport own_payload\n"
        "def made(): return own_payload.GreedyPlayer()\n"
        "class Neither:\n    name = 'x'\n"
    )
    assert make_player("own_factory:made").name == "greedy"
    assert mark.exists()
    for name in ("system", "choice", "Neither"):
        with pytest.raises(PlayerError, match=f"{name} is "):
            make_player(f"own_factory:{name}")


# ---- each kind of file


def test_a_config_runs_nothing(mark, tmp_path, capsys):
    for place, payload in enumerate(payloads(mark)):
        config = tmp_path / "evil.toml"
        config.write_text(f"{SELFPLAY}opponent = {json.dumps(payload)}\n")
        assert train.main([str(config), "--out", str(tmp_path / f"run-{place}")]) == 2
        assert "stands in a file" in capsys.readouterr().err
    assert not mark.exists()
    assert "own_payload" not in sys.modules


def test_a_config_that_is_trusted_and_what_is_typed_run(mark, tmp_path):
    config = tmp_path / "mine.toml"
    config.write_text(f'{SELFPLAY}opponent = "own_payload:GreedyPlayer"\n')
    typed = load_config(config, ["selfplay.opponent=own_payload:GreedyPlayer"]).selfplay.opponent
    trusted = load_config(config, trusts_file=True).selfplay.opponent
    untrusted = load_config(config, ["run.seed=3"]).selfplay.opponent
    assert make_player(typed).name == make_player(trusted).name == "greedy"
    with pytest.raises(PlayerError, match="stands in a file"):
        make_player(untrusted)


def test_a_checkpoint_runs_nothing(mark, tmp_path, capsys):
    folder = tmp_path / "run"
    config = override(SelfplayConfig(), ["critic.share=1.0", "selfplay.rounds=2", "selfplay.rounds_at_once=1"])
    with Display() as display, TrainingRun.start(config, folder, display, InterruptFlag()):
        pass
    saved = read_checkpoint(folder / CHECKPOINT_NAME)
    saved.meta["config"]["selfplay"]["opponent"] = "own_payload:GreedyPlayer"
    write_checkpoint(folder / CHECKPOINT_NAME, saved)
    (folder / CONFIG_NAME).unlink()
    assert train.main(["--resume", str(folder)]) == 2
    assert "'own_payload:GreedyPlayer' stands in a file" in capsys.readouterr().err
    assert not mark.exists()


def kept_table(path, payload, *, adviser="heuristic", substitute="heuristic"):
    """The files of an evening whose table names a payload."""
    plan = {
        "format": "shengji-evening/2", "rules": "one_deck", "players": [*HUMAN, payload], "adviser": adviser,
        "substitute": substitute, "seed": 1, "secrets": ["s" * 24, "t" * 24, "u" * 24],
    }  # fmt: skip
    path.with_name(path.name + ".table").write_text(json.dumps(plan) + "\n")


def test_a_table_runs_nothing(mark, tmp_path, capsys):
    path = tmp_path / "evening.jsonl"
    command = ["serve", "--no-browser", "--port", "0", "--record", str(path)]
    for payload in payloads(mark):
        for more in ({}, {"adviser": payload}, {"substitute": payload}):
            kept_table(path, "heuristic" if more else payload, **more)
            assert main(command) == 2
            assert "stands in a file" in capsys.readouterr().err
    assert not mark.exists()
    assert "own_payload" not in sys.modules


@pytest.mark.thorough
@pytest.mark.parametrize("given", [["--trust-file"], [*HUMAN, "tests.helpers.players_with_faults:named?name=x"]])
def test_a_table_that_is_trusted_or_whose_texts_are_typed_goes_on(given, tmp_path):
    path = tmp_path / "evening.jsonl"
    kept_table(path, "tests.helpers.players_with_faults:named?name=x")
    process, links, kept = start(*given, "--record", str(path))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert "seat 0 human" in links
    assert str(path) in kept


def season(folder, payload, build=""):
    path = folder / "season_1.toml"
    path.write_text(
        'number = 1\nrules = "one_deck"\nannounced = 2026-01-01\n'
        'seed_sha256 = "73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049"\nseed = 42\n'
        'reference = "a"\n'
        + "".join(
            f'[[player]]\nname = "{name}"\nplayer = {json.dumps(text)}\nabout = "x"\nby = "x"\nentered = 2026-01-01\n'
            for name, text in (("a", "random"), ("b", payload))
        )
        + (f"build = {json.dumps(build)}\n" if build else "")
    )
    return path


def test_a_season_runs_nothing(mark, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run_ladder, "FOLDER", tmp_path)
    for payload in payloads(mark):
        season(tmp_path, payload)
        assert run_ladder.main(["--workers", "1"]) == 2
        assert "stands in a file" in capsys.readouterr().err
    season(tmp_path, "random", build=f"touch {mark}")
    assert run_ladder.main(["--workers", "1"]) == 2
    assert "is a command to run" in capsys.readouterr().err
    assert not mark.exists()


def test_a_season_that_is_trusted_runs(mark, tmp_path):
    path = season(tmp_path, "own_payload:GreedyPlayer")
    assert read_season(path, trusts_file=True).tournament.names == ("random", "greedy")
    assert mark.exists()


def test_what_is_typed_runs_again_when_a_tournament_is_resumed(mark, tmp_path):
    command = ["arena", "own_payload:GreedyPlayer", "random", "--rules", "one_deck", "--deals", "2", "--workers", "1"]
    for _ in range(2):
        assert main([*command, "--out", str(tmp_path / "out")]) == 0
    assert Path(tmp_path / "out" / "results.json").exists()
