"""Programs as players: whatever one does, it costs its deal and nothing else, and no process is left."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from shengji_env.arena.chunks import Chunk, known_player, play_chunk
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.matchup import play_matchup
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import PlayerError
from shengji_env.players.decisions import Decisions
from shengji_env.players.exec.exec_player import ExecPlayer
from shengji_env.players.registry import make_player
from tests.helpers.paths import HELPERS, ROOT
from tests.helpers.thorough import every_third

RULES = parse_rules("one_deck")
FAULTY = HELPERS / "bots_with_faults.py"
PYTHON = f"{sys.executable} -S -E"

resource = pytest.importorskip("resource", reason="there are no process groups")


def text_of(fault, options="seconds=5"):
    return f"exec:{PYTHON} {FAULTY} '{fault}'?{options}"


def children():
    """The processes that this one has started, and theirs, that have not been reaped."""
    with subprocess.Popen(["ps", "-A", "-o", "pid=,ppid="], stdout=subprocess.PIPE, text=True) as ps:
        parents = {int(pid): int(parent) for pid, parent in (line.split() for line in ps.stdout)}
    mine = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return mine - {os.getpid(), ps.pid}


@pytest.fixture
def bot():
    """Makes a bot, and ends its processes after the test."""
    made = []

    def make(text):
        made.append(make_player(text))
        return made[-1]

    yield make
    for player in made:
        player.close()


def play(text, *, deals=2, time_limit=None):
    """Play some deals of a bot against `greedy`; return the chunk, and how many processes are left."""
    chunk = Chunk(0, (text, "greedy"), ("bot", "greedy"), RULES, 3, 0, deals, time_limit=time_limit)
    try:
        return play_chunk(chunk)
    finally:
        known_player(text).close()
        known_player.cache_clear()


FAULTS = {
    "crashes": "it has ended, with exit code 1; its last words: .*ZeroDivisionError",
    "exits": "it has ended, with exit code 3; its last words: now exits",
    "writes escapes": re.escape(r"now writes escapes | \x1b[2J\x1b]0;mine\x07 \u202edetrever 升级\x9b1m\x00") + "$",
    "is killed": "it was ended by SIGSEGV",
    "answers garbage": "its answer 'hello': no JSON at character 0",
    "answers bytes": "it is not UTF-8 text",
    "answers a list": "a message is a JSON object with a type",
    "answers nothing": "its answer '': no JSON",
    "answers deeply": "brackets are nested too deeply|no JSON",
    "answers another move": r"move \d+ is asked for",
    "answers ready": "a play is asked for",
    "answers too much": "play has the fields move, cards, own, not 'move, cards, note'",
    "answers twice": r"it has written more lines than it was asked for: '{.*play|: move \d+ is asked for",
    "prints something": "it has written more lines than it was asked for: 'debug: 3 trumps'",
    "prints half a line": "it has written more lines than it was asked for: 'debug'",
    "dies with children": "it has ended, with exit code 3; its last words: now dies with children",
    "plays no card": "'X9' is not a card",
    "plays too many cards": "copies of|is refused|holds no|no more than",
    "plays what it does not hold": "is refused: the hand holds (no|1) LJ",
    "is silent": "it has not answered within 1 s; its last words: now is silent",
    "floods stdout": "it has written a line of more than 2048 bytes, which begins 'xxxx",
    "floods stderr": "it has written more than 1 MiB to stderr in a round; its last words: xxx",
    "closes stdin": "it has closed its standard input|it has not answered",
    "closes stdout": "it has closed its standard output",
    "leaves children": "it has not answered within 1 s; its last words: now leaves children | child",
    "takes all memory": "it has ended, with exit code 1; its last words: .*MemoryError",
    "opens all files": "it has ended, with exit code 1; its last words: .*Too many open files",
    "stops itself": "it has not answered within 1 s",
    "says nothing first": "its first line .*play.* is not a ready",
    "never reads": "it has not begun to play: no ready has come within",
    "greets wrongly": "its first line 'hi' is not a ready: no JSON",
    "is newer": "it speaks protocol 9; protocol 2 is spoken here",
}


@pytest.mark.parametrize("fault", every_third(FAULTS))
def test_a_fault_costs_the_deal_and_says_why(fault):
    before = children()
    slow = ("is silent", "leaves children", "dies with children", "stops itself", "closes stdin")
    start = "start_seconds=0.2" if fault == "never reads" else "start_seconds=60"
    played = play(text_of(fault, f"seconds={1 if fault in slow else 20}&{start}"))
    assert played.faults
    assert {each["player"] for each in played.faults} == {"bot"}
    found = [each["error"] for each in played.faults]
    assert all(re.search(FAULTS[fault], error) for error in found), found
    lost = {each["deal"] for each in played.faults}
    assert set(played.rounds["deal"].tolist()) == {0, 1} - lost
    assert children() <= before


def test_a_mark_of_utf_8_before_the_first_line_is_skipped():
    played = play(text_of("begins with a mark"))
    assert not played.faults
    assert len(played.rounds) == 4


def test_a_bot_says_which_decisions_are_not_its_own():
    never, seldom = (play(text_of(name), deals=4).thinking for name in ("stands in", "none"))
    assert never[0].not_own == never[0].decisions == seldom[0].decisions > 100
    assert (seldom[0].not_own, never[1].not_own) == (0, 0)


def test_a_bot_that_ignores_the_end_is_ended():
    before = children()
    played = play(text_of("ignores the end"))
    assert not played.faults
    assert len(played.rounds) == 4
    assert children() <= before


def test_a_time_limit_of_the_tournament_is_kept_too():
    played = play(text_of("is silent", "seconds=500"), time_limit=0.2)
    assert any("it has not answered within" in each["error"] for each in played.faults)


def test_the_time_of_a_round_is_limited():
    played = play(text_of("takes its time", "round_seconds=0.4"))
    assert played.faults
    assert all("it has not answered within" in each["error"] for each in played.faults)


def lineup_processes(player, deals):
    """Play deals of a player against itself; return which process sat where."""
    batch, seats = DealBatch((player, player), RULES, 0, deals), {}
    for _ in batch.play():
        sessions = player._sessions[batch.env.tables]
        for row, seated in sessions.seats.items():
            for seat, session in seated.items():
                seats.setdefault((int(batch.deals[row]), row // batch.num_deals, seat), set()).add(
                    session.process.group
                )
    return seats


@pytest.mark.thorough
def test_no_process_sits_twice_at_a_deal(bot):
    player = bot(text_of("none"))
    seen = {}
    for deals in (range(2), range(2, 4), range(2), range(1, 3)):
        seats = lineup_processes(player, deals)
        for (deal, _, _), processes in seats.items():
            assert len(processes) == 1
            (process,) = processes
            seen.setdefault(deal, []).append(process)
    assert all(len(set(processes)) == len(processes) for processes in seen.values()), seen
    (pool,) = player.pools
    assert pool.num_started < sum(map(len, seen.values()))  # they do go on to other deals


def test_too_many_processes_are_refused(bot):
    with pytest.raises(PlayerError, match=r"4 processes of .* play already: play fewer tables at once.*processes=8"):
        play_matchup(bot(text_of("none", "processes=4")), "greedy", num_deals=4, rules=RULES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exec:", "exec: needs a command"),
        ("exec:'unfinished", "no closing quotation"),
        ("exec:/nowhere/bot", "cannot be started: No such file or directory$"),
        ("exec:'node bot.js'", "No such file or directory; if these are several words, leave out the quotes"),
        (f"exec:{ROOT}/Makefile", "Permission denied; Makefile is no program: compile it, make it executable, or name"),
        ("exec:true?seconds=0", "seconds=0 must be a number above 0"),
        ("exec:true?seconds=soon", "seconds='soon' must be a number above 0"),
        ("exec:true?memory=-1", "memory=-1 must be a whole number"),
        ("exec:true?speed=1", "unexpected keyword argument 'speed'"),
    ],
)
def test_what_cannot_be_a_program_is_refused(bot, text, message):
    with pytest.raises(PlayerError, match=message):
        play_matchup(bot(text), "random", num_deals=2, rules=RULES)


def test_a_command_is_read_by_a_shell_only_if_that_is_asked_for(tmp_path, bot):
    mark = tmp_path / "mark"
    with pytest.raises(PlayerError):
        play_matchup(bot(f"exec:echo x > {mark}"), "random", num_deals=2, rules=RULES)
    assert not mark.exists()
    with pytest.raises(PlayerError):
        play_matchup(bot(f"exec-shell:echo x > {mark}"), "random", num_deals=2, rules=RULES)
    assert mark.exists()


def test_a_command_may_contain_question_marks():
    player = make_player("exec:./bot --mode?fast?seconds=2")
    assert isinstance(player, ExecPlayer)
    assert player.name == "exec:./bot --mode?fast"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("exec:python3 ann.py", "ann.py"),
        ("exec:python3 -u ann.py --weights weights.bin", "ann.py"),
        ("exec:/usr/bin/env python3 bots/bo.js", "bo.js"),
        ("exec:.venv/bin/python ann.py", "ann.py"),
        ("exec:bots/cy --weights weights.bin", "cy"),
        ("exec:'bots/d d.py'", "d d.py"),
        ("exec:build/bin/cy", "cy"),
        ("exec-shell:nice python3 ann.py 2> ann.log", "ann.py"),
        ("exec:python3 ann.py?name=Ann", "Ann"),
        ("exec:shengji bot heuristic", "exec:shengji bot heuristic"),
        ("exec:.venv/bin/python -m bots", "exec:.venv/bin/python -m bots"),
        ("exec-shell:echo $((", "exec-shell:echo $(("),
    ],
)
def test_a_program_is_named_after_its_file(text, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file in ("ann.py", "bots/bo.js", "bots/cy", "bots/d d.py", "build/bin/cy", "weights.bin", ".venv/bin/python"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert make_player(text).name == name


def test_the_environment_is_clean(monkeypatch, bot, tmp_path):
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.setenv("SHARED", "2")
    found = tmp_path / "env"
    for options, expected in (("", []), ("?env=SHARED", ["SHARED=2"])):
        with pytest.raises(PlayerError):
            play_matchup(bot(f"exec-shell:env > {found}; exit 3{options}"), "random", num_deals=2, rules=RULES)
        lines = found.read_text().splitlines()
        assert [line for line in lines if line.startswith(("SECRET", "SHARED"))] == expected
        assert "OMP_NUM_THREADS=1" in lines


@pytest.mark.parametrize(
    ("says", "quoted"),
    [
        ("echo 5: $MY_KEY >&2; exit 5", r"exit code 5; its last words: 5: \$MY_KEY"),
        ("printf '%s%0590d' $MY_KEY 0 >&2; exit 5", "Y0{590}"),  # what is kept of it begins within the key
        ("printf sk- >&2; sleep 0.1; echo half-a-secret-key >&2; exit 5", r"words: \$MY_KEY"),
        ("read hello; printf '%070d%s\\n' 0 $MY_KEY; sleep 9", r"0{70}\$MY_KEY' is not a ready"),  # cut within it
    ],
)
def test_what_a_program_is_given_is_not_quoted(says, quoted, monkeypatch, bot):
    monkeypatch.setenv("MY_KEY", "sk-half-a-secret-key\n")
    monkeypatch.setenv("MY_NUMBER", "5")
    with pytest.raises(PlayerError, match=quoted) as caught:
        play_matchup(bot(f"exec-shell:{says}?name=bot&env=MY_KEY,MY_NUMBER"), "random", num_deals=2, rules=RULES)
    assert not re.search("sk-|secret|-key", str(caught.value))


KILLED = """
import sys, numpy as np
from shengji_env.players.registry import make_player
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.engine.rule_sets import parse_rules
player = make_player(sys.argv[1])
next(DealBatch((player, player), parse_rules("one_deck"), 0, range(1)).play())
(pool,) = player.pools
print(*(process.group for process in pool._busy), flush=True)
sys.stdin.read()
"""


@pytest.mark.thorough
def test_bots_end_with_a_killed_tournament():
    """Even those that do not notice that their standard input has ended."""
    text = text_of("ignores the end", "seconds=60")
    running = subprocess.Popen(
        [sys.executable, "-c", KILLED, text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    groups = [int(word) for word in running.stdout.readline().split()]
    assert groups
    running.send_signal(signal.SIGKILL)
    running.wait()
    for pipe in (running.stdin, running.stdout):
        pipe.close()
    until = time.monotonic() + 120
    while any(map(lives, groups)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(lives, groups))


def lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def resources():
    """Open files and processes of this process."""
    return len(os.listdir("/proc/self/fd")), len(children())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc")
def test_many_rounds_leave_nothing_behind(bot):
    """10,000 rounds with EXEC_ROUNDS=10000."""
    rounds, others = int(os.environ.get("EXEC_ROUNDS", "400")), len(children())
    player = bot(text_of("none"))
    play_matchup(player, "greedy", num_deals=8, rules=RULES)
    before, memory = resources(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    play_matchup(player, "greedy", num_deals=max(2, rounds // 2), rules=RULES, seed=1)
    after = resources()
    assert after[0] <= before[0] + 16 * 3 + 1
    assert after[1] <= before[1] + 16
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < memory * 1.2 + 50_000
    player.close()
    assert len(children()) == others


def test_observations_alone_are_not_enough(bot):
    with pytest.raises(PlayerError, match="observations alone"):
        bot(text_of("none")).decide(Decisions(np.zeros((1, 1), np.int8), np.ones((1, 83), np.int8)))
