"""One Ctrl-C, or SIGTERM, ends a command while a player thinks, and what is kept stays."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from shengji_env.cli.ending import Ending
from shengji_env.cli.exit_codes import EXIT_INTERRUPTED, run_command
from tests.helpers.interrupts import heed_interrupts
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
IN_TIME = 2.0
BUSY = 2.0
"""Seconds more on a machine that does something else, too; without the mend it takes minutes."""
THINKER = "tests.helpers.thinkers:Thinker?mark={mark}"


def think(tmp_path, *command, **options):
    """Start a command, and return its process once a player thinks in it."""
    mark = tmp_path / "mark"
    words = [word.replace("{mark}", str(mark)).replace("{tmp}", str(tmp_path)) for word in command]
    process = subprocess.Popen(
        [sys.executable, "-m", "shengji_env.cli", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, preexec_fn=heed_interrupts, **options,
    )  # fmt: skip
    until = time.monotonic() + 240
    while not mark.exists():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            pytest.fail(process.communicate()[1])
        time.sleep(0.05)
    time.sleep(0.5)
    return process


def ended(process, number=signal.SIGINT):
    """Send a signal once; return what the process has said at its end, which comes in time."""
    process.send_signal(number)
    began = time.monotonic()
    try:
        _, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"it goes on for a minute: {process.communicate()[1]}")
    assert time.monotonic() - began < IN_TIME + BUSY
    return errors


COMMANDS = {
    "in this process": ("arena", THINKER, "greedy", "--deals", "2", "--workers", "1"),
    "in threads": ("arena", f"{THINKER}&threads=2", "greedy", "--deals", "2", "--workers", "1"),
    "in workers": ("arena", THINKER, "greedy", "--deals", "200", "--workers", "2"),
    "crossplay": ("crossplay", THINKER, "greedy", "--against", "random", "--deals", "2", "--workers", "1"),
    "track": ("track", "strength", THINKER, "--workers", "1"),
    "serve": ("serve", THINKER, *["greedy"] * 3, "--no-browser", "--port", "0", "--speed", "20",
              "--record", "{tmp}/evening.jsonl"),
}  # fmt: skip
MARKS = {
    **dict.fromkeys(("crossplay", "track"), pytest.mark.slow),  # they end as the arena does, by `run_command`
    **dict.fromkeys(("in threads", "in workers", "serve"), pytest.mark.thorough),
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "what",
    [pytest.param(each, marks=MARKS.get(each, ())) for each in COMMANDS],
)
def test_ctrl_c_ends_a_command_in_which_a_player_thinks(what, tmp_path):
    process = think(tmp_path, *COMMANDS[what])
    errors = ended(process)
    assert process.returncode == 130
    assert errors.count("interrupted") == 1
    assert "Traceback" not in errors


@pytest.mark.thorough
@pytest.mark.parametrize(("what", "code"), [("serve", 130), ("in threads", -signal.SIGTERM)])
def test_sigterm_ends_it_too(what, code, tmp_path):
    process = think(tmp_path, *COMMANDS[what])
    assert "Traceback" not in ended(process, signal.SIGTERM)
    assert process.returncode == code


@pytest.mark.parametrize("was_told", [False, True])
def test_a_user_is_told_once_why_a_command_ends(was_told, monkeypatch, capsys):
    def command():
        raise KeyboardInterrupt

    ending = Ending("shengji", EXIT_INTERRUPTED)
    monkeypatch.setattr(ending, "say", lambda: None)  # it would end this process
    monkeypatch.setattr(Ending, "running", ending)
    if was_told:
        assert ending.may_say()
    assert run_command("shengji", command) == EXIT_INTERRUPTED
    assert capsys.readouterr().err == ("" if was_told else "shengji: interrupted\n")
    assert not ending.may_say()


@pytest.mark.thorough
def test_what_is_kept_stays(tmp_path):
    out = tmp_path / "out"
    command = ["arena", "greedy", "random", "tests.helpers.thinkers:Thinker?mark={mark}", "--deals", "64"]
    process = think(
        tmp_path, *command, "--rules", "one_deck", "--workers", "1", "--batch-size", "16", "--out", str(out)
    )
    ended(process)
    before = (out / "deals.jsonl").read_bytes()
    lines = before.splitlines()
    assert [json.loads(line)["first"] for line in lines[1:]] == [0]
    again = ["arena", "greedy", "random", f"tests.helpers.thinkers:Thinker?mark={tmp_path / 'mark'}", "--deals", "64"]
    (tmp_path / "mark").unlink()
    process = think(tmp_path, *again, "--rules", "one_deck", "--workers", "1", "--batch-size", "16", "--out", str(out))
    ended(process)
    assert (out / "deals.jsonl").read_bytes().startswith(before)


@pytest.mark.thorough
def test_programs_end_with_it(tmp_path):
    script = tmp_path / "bot.py"
    script.write_text(
        "import os, sys, time\nfrom pathlib import Path\n"
        f"Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\nPath({str(tmp_path / 'mark')!r}).touch()\n"
        "time.sleep(600)\n"
    )
    bot = f"exec:{shlex.join([sys.executable, str(script)])}"
    process = think(tmp_path, "arena", bot, "greedy", "--deals", "2", "--workers", "1")
    pid = int((tmp_path / "pid").read_text())
    ended(process)
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("the program runs on")
