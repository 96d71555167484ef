"""Wrong uses of the commands give a sentence and exit code 2, never a traceback, silence or a hang."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import train
from shengji_env.cli import main
from shengji_env.cli.exit_codes import run_command
from shengji_env.errors import ShengjiError
from tests.helpers.paths import ROOT

FAST = ["--deals", "2", "--rules", "one_deck", "--workers", "1"]


def refused(capsys: pytest.CaptureFixture[str], code: int) -> str:
    """What was said of a command that was refused."""
    said = capsys.readouterr().err
    assert code == 2, said
    assert "Traceback" not in said
    last = said.splitlines()[-1]
    assert "error: " in last
    return last


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """A record's header and first round."""
    path = tmp_path / "whole.jsonl"
    assert main(["arena", "greedy", "random", *FAST, "--record", str(path)]) == 0
    return path.read_text(encoding="utf-8").splitlines(keepends=True)[:2]


# ---- replay


def test_records_that_cannot_be_read_are_one_sentence(
    lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, line = lines
    path = tmp_path / "record.jsonl"
    nested, tricks, comma = '{"a": ' * 900 + "1" + "}" * 900, '"tricks": [', ", "
    for text, message in (
        ("[" * 100_000, "line 1: no JSON: brackets are nested too deeply; the file is cut off here"),
        (f"{header}{'[' * 100_000}\n", "line 2: no JSON: brackets are nested too deeply"),
        (f"{header}{nested}\n", "line 2: the round lacks 'round'"),
        (f"{header}{line.rstrip()[:-1]}, \"x\": {nested}}}\n", "line 2: unknown key 'x'"),
        (f"{header}{line.replace(tricks, tricks + nested + comma)}", "line 2"),
        ("9" * 5000, "line 1: no JSON: a number of too many digits"),
        (f"{header}{line.replace(': 0', ': NaN', 1)}", "line 2: no JSON: NaN is not a number of JSON"),
        ("", "a header is missing"),
    ):  # fmt: skip
        path.write_text(text, encoding="utf-8")
        assert message in refused(capsys, main(["replay", str(path), "--check"]))
    path.write_text(header + line, encoding="utf-8-sig")
    assert main(["replay", str(path), "--check"]) == 0
    assert "cannot read" in refused(capsys, main(["replay", str(tmp_path)]))


def test_long_errors_are_cut_off(lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text(lines[0] + json.dumps({**json.loads(lines[1]), "declarer": "x" * 10**6}) + "\n")
    assert len(refused(capsys, main(["replay", str(path)]))) < 5000


ONCE = "can be read only once, and "


@pytest.mark.parametrize(
    ("command", "given", "message"),
    [
        ("replay {} --check", 2, ""),
        ("replay {} --worst 1", 2, ""),
        ("replay {} --worst 1 --html page.html", 2, f"{ONCE}--worst with --html reads the record twice: save it as"),
        ("compare whole.jsonl {} --html page.html --review heuristic", 0, "a header is missing"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_comes_through_a_pipe_is_read_once_or_refused(
    command: str, given: int, message: str, pack: Callable[[bytes], bytes], lines: list[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    source, target = os.pipe()
    os.write(target, pack("".join(lines[:given]).encode()))
    os.close(target)
    code = main(command.format(f"/dev/fd/{source}").split())
    os.close(source)
    assert message in refused(capsys, code) if message else code == 0


# ---- players


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(:\n  pass\n", r"cannot be imported: SyntaxError: .*\(.*wrong_module.py, line 1\)"),
        ("x = 1\nraise RuntimeError('boom')\n", r"RuntimeError: boom \(.*wrong_module.py, line 2\)"),
        ("import sys\nsys.exit(0)\n", r"it would end the process \(.*wrong_module.py, line 2\)"),
        ("import no_such_thing\n", r"No module named 'no_such_thing' \(.*wrong_module.py, line 1\)"),
        ("def f():\n    raise KeyError('x')\n", r"cannot be made: KeyError: 'x' \(.*wrong_module.py, line 2\)"),
        ("def f():\n    import sys\n    sys.exit('bye')\n", r"it would end the process \(.*, line 3\)"),
        ("f = lambda: 3\n", "made something of type int, which has no method `act`"),
        ("class f:\n    act = name = 3\n", "which has no method `act`"),
        ("class f:\n    act = len\n    name = 3\n", "which has no `name`"),
        ("class f:\n    act = len\n    name = ''\n", "a name is text of 1 to 1000 letters"),
        ("class f:\n    act = len\n    name = '\\ud800'\n", "a name is text of 1 to 1000 letters"),
        (
            "class f:\n    act = len\n    @property\n    def name(self): raise OSError('no')\n",
            r"OSError: no \(.*, line 4\)",
        ),
        ("", "has no callable 'f'; it has none"),
    ],
)
def test_modules_that_go_wrong_are_told_with_file_and_line(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong_module.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        pattern = pytest.raises(ShengjiError, match=message)
        said = refused(capsys, main(["arena", "wrong_module:f", "greedy", *FAST]))
    finally:
        sys.modules.pop("wrong_module", None)
    with pattern:
        raise ShengjiError(said)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("sys:exit", "nobody is called 'sys:exit': exit is neither a class nor a function"),
        (":x", "module '' cannot be imported: ValueError: Empty module name"),
        ("..:x", "relative import"),
        ("os:", "os has no callable ''; it has"),
        ("search:1000000000", "worlds=1000000000 must be a whole number from 2 to 100000"),
        ("search:10:inf", "seconds=inf must be a number above 0, and at most 86400"),
        ("search?seconds=x", "seconds='x' must be a number above 0"),
        ("search?threads=1000000", "threads=1000000 must be a whole number from 1 to 1024"),
        ("search?seed=nan", "seed=nan must be a whole number from 0 to"),
        ("search?seed=1.5", "seed=1.5 must be a whole number from 0 to"),
        ("search?caution=nan", "caution=nan must be a number, 0 or more and finite"),
        ("search?points_weight=inf", "points_weight=inf must be a number, 0 or more and finite"),
        ("human?terminal=3", "terminal=3 is not a terminal"),
        ("policy?path=", "an argument of 'policy?path=' is empty: 'path='"),
        ("search:5?worlds=3", "'search:5?worlds=3' says 'worlds' before its ? and after it"),
        ("search:5:1?seconds=3", "says 'seconds' before its ? and after it"),
        ("champion:400?weight=1&weight=2", "says 'weight' twice"),
        ("policy:x?path=y", "says 'path' before its ? and after it"),
        ("policy:", "'policy:' names no file or folder; write policy:PATH, policy:. for the working folder"),
        ("selfplay:?part=playouts", "names no file or folder"),
        ("policy:x?sample=no", "sample='no' must be true or false"),
        ("exec:x?command=y", "says 'command' before its ? and after it"),
        ("exec:x?shell=true", "says 'shell' before its ? and after it"),
        ("human?=x", "is empty: '=x'"),
        ("partners?first=greedy&first=random&second=greedy", "says 'first' twice"),
    ],
)
def test_texts_that_name_no_player_say_why(player: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refused(capsys, main(["arena", player, "greedy", *FAST]))


# ---- options


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--deals", "1e3", "'1e3' is not a whole number"),
        ("--deals", "9" * 5000, f"'{'9' * 40}…' is not a whole number"),
        ("--time-limit", "x", "'x' is not a number"),
        ("--time-limit", "nan", "'nan' is not a number"),
        ("--time-limit", "inf", "'inf' is not a number"),
        ("--out", "", "it is empty; write . for the working folder"),
        ("--record", "", "it is empty"),
    ],
)
def test_options_that_cannot_be_read_say_what_they_take(
    option: str, value: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["arena", "greedy", "random", option, value])
    assert left.value.code == 2
    assert f"argument {option}: {message}" in capsys.readouterr().err


def test_a_record_never_takes_the_place_of_what_a_folder_keeps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("deals.jsonl", "results.json"):
        command = ["arena", "greedy", "random", *FAST, "--out", str(tmp_path), "--record", str(tmp_path / name)]
        assert "choose another name" in refused(capsys, main(command))
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"pair": 7, "first": 0, "end": 2, "rounds": [], "faults": [], "thinking": []}', "are none of its"),
        ('{"pair": 0, "first": 0, "end": 9e99, "rounds": [], "faults": [], "thinking": []}', "this is not a chunk"),
        ('{"pair": 0, "first": 0, "end": 2, "rounds": [[0]], "faults": [], "thinking": []}', "this is not a chunk"),
        (f'{{"pair": 0, "first": 0, "end": 2, "rounds": [[{10**30}]], "faults": []}}', "this is not a chunk"),
        ('{"pair": 0, "first": 0, "end": 2, "rounds": [], "faults": [{}], "thinking": []}', "this is not a chunk"),
        (
            '{"pair": 0, "first": 0, "end": 2, "rounds": [], "faults": [], "thinking": [["x", 1]]}',
            "this is not a chunk",
        ),
        ("[" * 100_000, "brackets are nested too deeply"),
        ("9" * 5000, "a number of too many digits"),
        ("[]", "this is not a chunk"),
        ("\xff", "this is not a chunk"),
    ],
)
def test_a_damaged_folder_is_refused_with_its_line(
    line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["arena", "greedy", "random", *FAST, "--out", str(tmp_path)]
    assert main(command) == 0
    store = tmp_path / "deals.jsonl"
    header = store.read_bytes().splitlines(keepends=True)[0]
    store.write_bytes(header + line.encode("latin-1") + b"\n")
    said = refused(capsys, main(command))
    assert "deals.jsonl, line 2" in said
    assert message in said


def test_what_takes_the_place_of_a_folders_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deals.jsonl").mkdir()
    said = refused(capsys, main(["arena", "greedy", "random", *FAST, "--out", str(tmp_path)]))
    assert "deals.jsonl is not a file" in said


# ---- disks and streams


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files by a POSIX call")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["arena", "greedy", "random", *FAST, "--record"], "record.jsonl"),
        (["play", *["greedy"] * 4, "--rules", "one_deck", "--seed", "1", "--record"], "record.jsonl"),
    ],
)
def test_a_full_disk_names_the_file(command: list[str], name: str, tmp_path: Path) -> None:
    script = (
        "import resource, sys\n"
        "from shengji_env.arena.chunks import get_ready\n"
        "from shengji_env.cli import main\n"
        "from shengji_env.engine.rule_sets import rule_set\n"
        "get_ready(rule_set('one_deck'))\n"
        "sys.dont_write_bytecode = True\n"  # Python keeps what has been cut off
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, -1))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    path = tmp_path / name
    full = subprocess.run(
        [sys.executable, "-c", script, *command, str(path)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert full.returncode == 2, full.stderr
    assert full.stderr.splitlines()[-1] == f"shengji: error: {path}: File too large"


def shell(text: str) -> subprocess.CompletedProcess[str]:
    """A line of the shell, in which $SHENGJI and $TRAIN are the programs."""
    environment = {
        **os.environ,
        "SHENGJI": f"{sys.executable} -m shengji_env.cli",
        "TRAIN": f"{sys.executable} train.py",
        "PYTHONUNBUFFERED": "",
    }
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {text}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment,
    )


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("$SHENGJI arena greedy random --deals 2 --rules one_deck --workers 1 | true", 0, ""),
        ("$TRAIN --keys | true", 0, ""),
        ("$SHENGJI play greedy greedy greedy greedy --rules one_deck >&-", 0, ""),
        ("$SHENGJI rules nothing 2>&-", 2, ""),
        ("$SHENGJI play --rules one_deck --seed 1 <&- >/dev/null", 130, "the input has ended"),
    ],
)
def test_streams_may_be_closed(line: str, code: int, said: str) -> None:
    ran = shell(line)
    assert ran.returncode == code, ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr
    assert said in ran.stderr
    assert said or not ran.stderr


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("line", ["$SHENGJI rules three_deck", "$TRAIN --keys"])
def test_an_output_that_is_full_is_an_error(line: str) -> None:
    ran = shell(f"{line} > /dev/full")
    assert ran.returncode == 2
    assert ran.stderr.endswith("error: standard output: No space left on device\n")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "there is not enough memory"),
        (OSError(5, "it is broken", "file"), "file: it is broken"),
        (OSError(5, "it is broken"), "standard output: it is broken"),
        (OSError(11, "not now"), "error: not now"),
        (BrokenPipeError(32, "Broken pipe", "record"), "record: Broken pipe"),
        (ShengjiError("two\nlines"), "error: two lines"),
    ],
)
def test_what_a_command_raises_is_one_line(error: Exception, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise error

    assert said in refused(capsys, run_command("program", command))


# ---- train.py


def test_train_takes_an_option_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        train.main(["--out", "a", "--set", "run.seed=1", "--set", "run.seed=2", "--out", "b"])
    assert left.value.code == 2
    assert "argument --out: it is given twice; give it once" in capsys.readouterr().err


def test_train_takes_no_empty_path(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--out", "--resume"):
        with pytest.raises(SystemExit) as left:
            train.main([option, ""])
        assert left.value.code == 2
        assert f"argument {option}: it is empty" in capsys.readouterr().err
