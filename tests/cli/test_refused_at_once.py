"""What would be ignored, or go wrong after hours, is refused at once: by commands and learners in one file."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from agents import clone_single_file, ppo_single_file
from shengji_env.cli import main
from tests.cli.test_hostile import refused


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["rollouts", "--draw-rules", "--rules", "one_deck", "--rounds", "2", "--out", "x"], "give one of the two"),
        (["crossplay", "greedy", "random", "--against", "greedy", "greedy"], "an opponent is named twice"),
        (["protocol", "--deals", "2"], "give --check COMMAND too"),
        (["protocol", "--check", "true", "--deals", "0"], "--deals=0 must be a whole number from 1 to"),
        (["protocol", "--check", "true", "--seed", "-1"], "seed=-1 must be a whole number"),
        (["bot", "greedy", "--seed", "-1"], "seed=-1 must be a whole number"),
        (["serve", "--host", "a..b", "--port", "0", "--no-browser"], "cannot listen on a..b"),
    ],
)
def test_what_would_be_ignored_or_go_wrong_later_is_refused_at_once(
    command: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert message in refused(capsys, main(command))


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["crossplay", "greedy", "random", "--against", "greedy"], "--json"),
        (["track", "strength", "greedy"], "--json"),
        (["replay", "x"], "--html"),
        (["compare", "x"], "--html"),
        (["serve", "--no-browser"], "--record"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_any_work(
    command: list[str], option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for place, message in ((tmp_path, "is a folder; name a file"), (tmp_path / "file" / "x", "cannot be written")):
        with pytest.raises(SystemExit) as left:
            main([*command, option, str(place)])
        assert left.value.code == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("program", "arguments", "message"),
    [
        (ppo_single_file, ["--tables", "0"], "num_envs=0 must be a whole number"),
        (ppo_single_file, ["--rules", "poker"], "no rule set is called 'poker'"),
        (clone_single_file, ["--data", "nowhere"], "cannot read nowhere: there is no such file or folder"),
    ],
)
def test_learners_in_one_file_refuse_with_a_sentence(
    program: ModuleType, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["program", *arguments])
    assert message in refused(capsys, program.main())
