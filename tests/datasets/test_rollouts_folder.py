"""Shards and their folder: what is written is read back, damage is refused, a killed run goes on."""

import dataclasses
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from shengji_env.cli import main
from shengji_env.cli.progress import shown_count
from shengji_env.datasets.rollouts import (
    RolloutSettings,
    expand,
    generate,
    read_folder,
    read_shard,
    write_rollouts,
    write_shard,
)
from shengji_env.datasets.rollouts.shard_folder import SETTINGS_FILE
from shengji_env.datasets.rollouts.shard_sections import SECTIONS
from shengji_env.errors import RecordError, ShengjiError
from shengji_env.support.workers.on_ray import OnRay
from shengji_env.support.workers.pools import Pool
from shengji_env.support.workers.ranges import missing

SETTINGS = RolloutSettings(rules="one_deck", seed=1)


@pytest.fixture(scope="module")
def shard():
    return generate(SETTINGS, 10, 20)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


# ---- a shard


def test_a_shard_is_read_back_without_copying(shard, tmp_path):
    path = tmp_path / "shard"
    assert write_shard(path, shard) == path.stat().st_size
    again = read_shard(path)
    assert (again.settings, again.first_round, again.digest) == (shard.settings, 10, shard.digest)
    for name in SECTIONS:
        assert getattr(again, name).tobytes() == getattr(shard, name).tobytes()
        assert not getattr(again, name).flags.writeable
        assert not getattr(again, name).flags.owndata
    assert expand(again).observations.tobytes() == expand(shard).observations.tobytes()


def test_a_decision_takes_forty_bytes_at_most(tmp_path):
    shard = generate(RolloutSettings(seed=1), 0, 200)
    assert write_shard(tmp_path / "shard", shard) <= 40 * shard.num_decisions


def test_damaged_shards_are_refused(shard, tmp_path):
    path = tmp_path / "shard"
    write_shard(path, shard)
    whole = path.read_bytes()
    rng = np.random.default_rng(3)
    damaged = [b"", b"{}\n", whole[:-1], whole[: len(whole) // 2], whole[:100], whole + b"\0", b"\0" * 100]
    body = whole.index(b"\n") + 1
    for place in [*rng.integers(body, len(whole), 20).tolist(), len(whole) - 1]:
        damaged.append(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(RecordError, match="not a shard of rollouts, or a damaged one"):
            read_shard(path)
    with pytest.raises(FileNotFoundError):
        read_shard(tmp_path / "other")


@pytest.mark.parametrize("name", ["actions_version", "candidates", "sizes", "first_round", "settings", "crc32"])
def test_headers_that_make_no_sense_are_refused(shard, tmp_path, name):
    path = tmp_path / "shard"
    write_shard(path, shard)
    line, _, body = path.read_bytes().partition(b"\n")
    for value in (None, -1, [], {}, {"rounds": 10**30}, {"version": 2, "digest": ""}, "x"):
        path.write_bytes(json.dumps({**json.loads(line), name: value}).encode() + b"\n" + body)
        with pytest.raises(RecordError):
            read_shard(path)


def test_shards_of_other_candidates_are_refused(shard):
    with pytest.raises(RecordError, match="digest"):
        expand(dataclasses.replace(shard, digest="0" * 32))


@pytest.mark.parametrize(
    ("name", "field", "value", "reason"),
    [
        ("actions", None, 255, "not legal"),
        ("actions", None, 81, "not legal"),
        ("decisions", "ply", 3, "explorer does not decide|other candidates|labelled decision"),
        ("rounds", "num_actions", 1, "no end"),
    ],
)
def test_shards_that_cannot_be_played_again_are_refused(shard, name, field, value, reason):
    array = getattr(shard, name).copy()
    if field == "num_actions":  # the next round has the others
        array[field][1] += array[field][0] - value
    (array if field is None else array[field])[0 if field else len(array) // 2] = value
    with pytest.raises(RecordError, match=reason):
        expand(dataclasses.replace(shard, **{name: array}))


@pytest.mark.parametrize(
    ("name", "field"), [("rounds", "num_actions"), ("rounds", "num_decisions"), ("decisions", "num_candidates")]
)
def test_counts_beyond_a_shards_arrays_are_refused_before_compiled_code_reads_them(shard, name, field):
    array = getattr(shard, name).copy()
    array[field][-1] += 1
    with pytest.raises(RecordError, match="and counts others"):
        expand(dataclasses.replace(shard, **{name: array}))


# ---- a folder


def test_missing_stretches_end_at_multiples_and_at_what_is_there():
    assert missing([], 25, 10) == [(0, 10), (10, 20), (20, 25)]
    assert missing([(0, 10), (20, 25)], 40, 10) == [(10, 20), (25, 30), (30, 40)]
    assert missing([(0, 40)], 25, 10) == []
    assert missing([(30, 40)], 25, 10) == [(0, 10), (10, 20), (20, 25)]


@pytest.mark.thorough
def test_workers_and_interruptions_change_no_byte(tmp_path):
    settings = dataclasses.replace(SETTINGS, policy="champion")
    one = write_rollouts(tmp_path / "one", settings, 60, shard_rounds=20)
    with Pool(2) as pool:
        write_rollouts(tmp_path / "two", settings, 60, shard_rounds=20, executor=pool)
    assert len(one.shards) == 3
    assert files(tmp_path / "one") == files(tmp_path / "two")
    (tmp_path / "two" / one.shards[1].name).unlink()
    (tmp_path / "two" / f".{one.shards[1].name}.part").write_bytes(b"half")
    calls = []

    def stop(done, total, unfinished):
        calls.append((done, total, unfinished))
        if unfinished:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_rollouts(tmp_path / "two", settings, 60, shard_rounds=20, watch=stop)
    assert calls[0] == (40, 60, 0.0)
    write_rollouts(tmp_path / "two", settings, 60, shard_rounds=20)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert [shard.first_round for shard in read_folder(tmp_path / "one")] == [0, 20, 40]


def test_a_folder_of_other_settings_is_refused(tmp_path):
    write_rollouts(tmp_path, SETTINGS, 2)
    others = {"seed": 2, "rules": "two_deck", "noise": (0.5,), "opponents": {"greedy": 0.5}, "label_share": 0.5}
    for name, value in others.items():
        with pytest.raises(RecordError, match=f"is of another set of rollouts: {name} was "):
            write_rollouts(tmp_path, dataclasses.replace(SETTINGS, **{name: value}), 2)
    write_rollouts(tmp_path / "played", dataclasses.replace(SETTINGS, opponents={"greedy": 0.5}), 2)
    with pytest.raises(RecordError, match=r"opponents was \[\('greedy', 0\.5\)\], now \[\]. Choose another folder"):
        write_rollouts(tmp_path / "played", SETTINGS, 2)
    (shard,) = read_folder(tmp_path).shards
    write_shard(shard, generate(RolloutSettings(rules="one_deck", seed=2), 0, 2))
    with pytest.raises(RecordError, match="does not belong here"):
        read_folder(tmp_path)
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(RecordError, match="delete it"):
        write_rollouts(tmp_path, SETTINGS, 4)
    (tmp_path / SETTINGS_FILE).unlink()
    for call in (lambda: read_folder(tmp_path), lambda: write_rollouts(tmp_path, SETTINGS, 2)):
        with pytest.raises(RecordError, match=f"no {SETTINGS_FILE}"):
            call()
    (tmp_path / SETTINGS_FILE).write_text("[1]")
    with pytest.raises(RecordError, match="cannot be read"):
        read_folder(tmp_path)


@pytest.mark.parametrize("wrong", [{"num_rounds": 0}, {"num_rounds": 2**33}, {"shard_rounds": 0}])
def test_impossible_sizes_are_refused(tmp_path, wrong):
    with pytest.raises(ShengjiError):
        write_rollouts(tmp_path, SETTINGS, **{"num_rounds": 1, **wrong})


@pytest.mark.slow
def test_a_killed_run_goes_on_with_the_same_bytes(tmp_path):
    command = [sys.executable, "-m", "shengji_env.cli", "rollouts", "--rounds", "600", "--shard", "100"]
    command += ["--workers", "2", "--rules", "one_deck", "--out"]
    running = subprocess.Popen([*command, str(tmp_path / "killed")], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while not list((tmp_path / "killed").glob("rounds-*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert 1 <= len(list((tmp_path / "killed").glob("rounds-*"))) < 6
    for name in ("killed", "whole"):
        assert subprocess.run([*command, str(tmp_path / name)], capture_output=True, check=False).returncode == 0
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


@pytest.mark.slow
def test_ray_makes_the_same_bytes(tmp_path):
    pytest.importorskip("ray")
    with OnRay("", workers=2) as ray:
        write_rollouts(tmp_path / "ray", SETTINGS, 40, shard_rounds=10, executor=ray)
    write_rollouts(tmp_path / "here", SETTINGS, 40, shard_rounds=10)
    assert files(tmp_path / "ray") == files(tmp_path / "here")


# ---- the command


def test_the_command_makes_and_counts(tmp_path, capsys):
    command = ["rollouts", "--rounds", "3", "--rules", "one_deck", "--seed", "1", "--out", str(tmp_path)]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert "has 3 rounds" in printed.out
    assert "labelled decisions" in printed.out
    assert "rules one_deck" in printed.err
    assert read_folder(tmp_path).settings == SETTINGS
    before = files(tmp_path)
    assert main([*command[:2], "5", *command[3:]]) == 0
    assert len(files(tmp_path)) == len(before) + 1
    assert "note: 3 of 5 rounds were played before\n" in capsys.readouterr().err


@pytest.mark.usefixtures("cache_home")
def test_compiling_is_announced_before_the_bar(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["rollouts", "--rounds", "1", "--rules", "one_deck", "--workers", "1", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert said.rindex("shengji_env: compiled in") < said.index("left")


def test_rounds_that_are_there_are_no_measure_of_the_time_left(capsys, monkeypatch):
    """A run that goes on has ten rounds left, and makes one in 20 ms."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    now = 0.0
    monkeypatch.setattr("rich.console.monotonic", lambda: now)
    with shown_count("rounds") as count:
        count(990, 1000)
        now += 1.5  # until the first round is there, as if code were loaded or workers started
        for done in (991, 992, 993, 994):
            now += 0.02
            count(done, 1000)
    shown = re.findall(r"left 0:00:(\d\d)", re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().err))
    assert int(shown[-1]) <= 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seed", "2"], "is of another set of rollouts: seed was 1, now 2"),
        (["--rounds", "0"], "num_rounds=0"), (["--noise", "2"], "noise=2"),
        (["--workers", "0"], "workers=0"), (["--candidates", "1"], "candidates=1"), (["--rules", "x"], "x"),
    ],
)  # fmt: skip
def test_the_command_refuses_in_a_sentence(tmp_path, capsys, options, said):
    write_rollouts(tmp_path, SETTINGS, 1)
    settings = {"--rounds": "1", "--rules": "one_deck", "--seed": "1", **dict([options])}
    assert main(["rollouts", "--out", str(tmp_path), *itertools.chain(*settings.items())]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_two_runs_do_not_share_a_folder(tmp_path):
    if os.name != "posix":
        pytest.skip("locks of this process count only on POSIX")
    write_rollouts(tmp_path, SETTINGS, 1)
    with pytest.raises(ShengjiError, match="another run"):
        write_rollouts(tmp_path, SETTINGS, 2, watch=lambda *_: write_rollouts(tmp_path, SETTINGS, 3))
