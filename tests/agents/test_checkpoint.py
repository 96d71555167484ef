"""Checkpoints: complete or absent; refused if they do not fit the run, or if no run could have written them."""

import contextlib
import copy
import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.checkpoint import (
    Checkpoint,
    check_compatibility,
    compatibility_of,
    read_checkpoint,
    write_checkpoint,
)
from agents.config_files import override
from agents.ppo_config import PPOConfig
from agents.run_progress import RunProgress, StageProgress
from agents.selfplay.selfplay_config import SelfplayConfig
from agents.session import capture, config_of, new_session, restored
from shengji_env.errors import CheckpointError
from shengji_env.support.whole_files import write_whole
from tests.helpers.paths import ROOT

WRITER = """
import sys
from pathlib import Path
import numpy as np
from agents.checkpoint import Checkpoint, write_checkpoint
for number in range(1_000_000):
    content = np.full(200_000, number)
    checkpoint = Checkpoint({"number": number}, content.tobytes(), {"content": content})
    write_checkpoint(Path(sys.argv[1]), checkpoint)
    print(number, flush=True)
"""


def example(number: int = 7) -> Checkpoint:
    return Checkpoint({"number": number}, b"model", {"content": np.arange(number)})


def test_a_checkpoint_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.zip"
    write_checkpoint(path, example(3))
    write_checkpoint(path, example(5))
    back = read_checkpoint(path)
    assert back.meta["number"] == 5
    assert back.model == b"model"
    assert back.arrays["content"].tolist() == [0, 1, 2, 3, 4]
    assert [entry.name for entry in tmp_path.iterdir()] == ["checkpoint.zip"]


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "checkpoint.zip"
    write_checkpoint(path, example())
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(CheckpointError, match="damaged or not a checkpoint") as caught:
        read_checkpoint(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint at"):
        read_checkpoint(tmp_path / "checkpoint.zip")


def test_another_world_is_refused_with_what_differs() -> None:
    here = compatibility_of(SelfplayConfig())
    check_compatibility(here, compatibility_of(SelfplayConfig()), Path("run"))
    there = here | {"rules_fingerprint": "0000", "action_table": 99}
    with pytest.raises(CheckpointError) as caught:
        check_compatibility(there, here, Path("run"))
    message = str(caught.value)
    assert "rules_fingerprint: '0000' in the checkpoint" in message
    assert "action_table: 99 in the checkpoint" in message
    assert "observation_layout" not in message
    text = compatibility_of(override(SelfplayConfig(), ['environment.rules="two_deck(throws=False)"']))
    with pytest.raises(CheckpointError, match=r"rules: 'two_deck\(throws=False\)' in the checkpoint, 'two_deck' here"):
        check_compatibility(text, here, Path("run"))
    with pytest.raises(CheckpointError, match="learner: 'ppo' in the checkpoint, 'selfplay' here"):
        check_compatibility(compatibility_of(PPOConfig()), here, Path("run"))


def test_two_texts_of_the_same_rules_are_one_world() -> None:
    bare, called = (
        compatibility_of(override(SelfplayConfig(), [f'environment.rules="{text}"']))
        for text in ("two_deck", "two_deck()")
    )
    assert bare["rules"] != called["rules"]
    check_compatibility(bare, called, Path("run"))


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "policy.npz"
    write_whole(path, b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="too large") as caught:
            write_whole(path, bytes(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_synced_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", refuse)  # as the system does for a folder that may be written to, but not read
    write_whole(tmp_path / "policy.npz", b"new")
    assert (tmp_path / "policy.npz").read_bytes() == b"new"


def test_the_folder_of_a_file_is_made(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "policy.npz", b"new")
    assert (tmp_path / "new" / "policy.npz").read_bytes() == b"new"


@pytest.mark.thorough
def test_a_kill_at_any_moment_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.zip"
    generator = np.random.default_rng(0)
    for _ in range(4):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
        assert writer.stdout is not None
        written = [writer.stdout.readline() for _ in range(2)]
        time.sleep(float(generator.uniform(0, 0.02)))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        back = read_checkpoint(path)
        assert back.meta["number"] >= int(written[-1])
        assert (back.arrays["content"] == back.meta["number"]).all()
        assert back.model == back.arrays["content"].tobytes()


def rezipped(content: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """A zip file with its members changed, whole otherwise."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, kept in members.items():
            archive.writestr(name, kept)
    return packed.getvalue()


@pytest.fixture(scope="module")
def saved() -> Checkpoint:
    """The checkpoint of a small run that has learned a little."""
    rounds = ["selfplay.rounds=8", "selfplay.rounds_at_once=4", "selfplay.threads=1"]
    small = [*rounds, "network.units=32", "environment.rules=one_deck"]
    session = new_session(override(SelfplayConfig(), small))
    (stage,) = session.learner.stages
    stage.collect(0.0, lambda: None)
    stage.update(0.0)
    session.progress = RunProgress(
        stages={"self-play": StageProgress(4, 1, 2.5, {"labels": 1.0, "update": 1.5})},
        history=[{"stage": "self-play", "seconds": 2.5, "amount": 4.0, "r2": float("nan")}],
    )
    session.learner.close()
    return capture(session)


def go_on(checkpoint: Checkpoint, path: Path) -> Checkpoint:
    """What a run that goes on from a checkpoint would save at once."""
    write_checkpoint(path, checkpoint)
    read = read_checkpoint(path)
    session = restored(read, config_of(read, path), path)
    session.learner.close()
    return capture(session)


def changed(checkpoint: Checkpoint, change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> Checkpoint:
    """The checkpoint with ``meta`` and ``arrays`` changed in place; what is returned is the new model, unless None."""
    meta, arrays = copy.deepcopy(checkpoint.meta), dict(checkpoint.arrays)
    model = change(meta, arrays)
    return Checkpoint(meta, model if isinstance(model, bytes) else checkpoint.model, arrays)


def refused(checkpoint: Checkpoint, path: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        go_on(checkpoint, path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert len(message) < 1000
    return message


def test_a_checkpoint_that_is_resumed_is_saved_again_the_same(saved: Checkpoint, tmp_path: Path) -> None:
    again = go_on(saved, tmp_path / "checkpoint.zip")
    assert json.dumps(again.meta) == json.dumps(saved.meta)
    assert {name: array.tobytes() for name, array in again.arrays.items()} == {
        name: array.tobytes() for name, array in saved.arrays.items()
    }


def set_in(*path: Any, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    """A change of one value inside ``meta.json``."""

    def change(meta: dict[str, Any], arrays: dict[str, Any]) -> None:
        target = meta
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value

    return change


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


ROW = {"stage": "self-play", "seconds": 1.0, "amount": 1.0, "r2": 1.0}
PLAY = ("progress", "stages", "self-play")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((set_in(key, value=value), f"{key} in its meta.json is")
          for key in ("world", "config", "progress", "learner") for value in (None, 3, [], ["x" * 1000])),
        *((set_in("learner", "rounds", value=value), "rounds in its meta.json is")
          for value in (None, -1, 1.5, True, [], ["x" * 1000])),
        (set_in("learner", "kept", value=1), "its labels lack kept/0/"),
        (set_in("config", value={"run": 3}), "run must be a table"),
        (set_in("config", "run", "seed", value=float("nan")), "run.seed = nan: must be a whole number"),
        (set_in("config", "run", "seed", value=nested(400)), "run.seed = "),
        (set_in("config", "more", value={}), "unknown table [more]"),
        (set_in("config", "learner", "kind", value="none"), "learner.kind = \"none\": must be one of ppo"),
        (set_in("world", "num_actions", value="x" * 10_000), "is not compatible"),
        (set_in("world", value={}), "is not compatible"),
        (set_in(*PLAY, "amount", value=-1), "self-play.amount in its meta.json is -1; it must be a whole number"),
        (set_in(*PLAY, "amount", value=1.5), "progress.stages.self-play.amount in its meta.json is 1.5"),
        (set_in(*PLAY, "updates", value=True), "progress.stages.self-play.updates in its meta.json is True"),
        (set_in(*PLAY, "seconds", value="1"), "progress.stages.self-play.seconds in its meta.json is '1'"),
        (set_in(*PLAY, "seconds", value=float("nan")), "is nan; it must be a number, 0 or more"),
        (set_in(*PLAY, "spent", value=[]), "progress.stages.self-play.spent in its meta.json is not an object"),
        (set_in(*PLAY, "spent", "update", value=-1.0), "self-play.spent.update in its meta.json is -1.0"),
        (set_in(*PLAY, value=3), "progress.stages.self-play in its meta.json is not an object"),
        (set_in(*PLAY, value={}), "its progress.stages.self-play lacks, or does not know: amount"),
        (set_in("progress", "stages", value=[]), "progress.stages in its meta.json is not an object"),
        (set_in("progress", "evaluated_at", value=float("inf")), "is inf; it must be a number, 0 or more"),
        (set_in(*PLAY, "amount", value=10**400), "progress.stages.self-play.amount in its meta.json is 1000"),
        (set_in("progress", "more", value=1), "its progress lacks, or does not know: more"),
        (set_in("progress", value={}), "its progress lacks, or does not know: checkpointed_at"),
        (set_in("progress", "history", value={}), "progress.history in its meta.json is not a list"),
        (set_in("progress", "history", value=[3]), "progress.history[0] in its meta.json has not all of stage"),
        (set_in("progress", "history", value=[ROW, ROW | {"loss": "x"}]), "progress.history[1].loss"),
        (set_in("progress", "history", value=[ROW | {"seconds": -1}]), "progress.history[0].seconds"),
        (set_in("progress", "history", value=[ROW | {"r2": None}]), "progress.history[0].r2"),
        (set_in("progress", "matchups", value=[ROW]), "progress.matchups[0] in its meta.json has not all of"),
        (lambda meta, arrays: arrays.clear(), "its arrays are others"),
        (lambda meta, arrays: arrays.update(more=np.zeros(1)), "its arrays are others than its network's: more"),
        (lambda meta, arrays: arrays.update(rows=np.zeros(3)), "its rows is float64 (3,), not finite float32"),
        (lambda meta, arrays: arrays.update(rows=arrays["rows"] * np.float32("nan")), "its rows is float32"),
    ],
)  # fmt: skip
def test_what_no_run_could_have_saved_is_refused(
    saved: Checkpoint, tmp_path: Path, change: Callable[..., Any], message: str
) -> None:
    assert message in refused(changed(saved, change), tmp_path / "checkpoint.zip")


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        (b"[]", "its meta.json is not an object"),
        (b"null", "its meta.json is not an object"),
        (b"{", "no JSON at character 1"),
        (b"[" * 100_000, "brackets are nested too deeply"),
        (b"9" * 10_000, "a number of too many digits"),
        (b"\xff\xff\xff", "no JSON: "),
        (b"{}", "has format None, this version reads"),
        (b'{"format": [[[[[[1]]]]]]}', "has format [[["),
        (None, "it has no 'meta.json'"),
    ],
)
def test_a_meta_file_of_any_other_kind_is_refused(tmp_path: Path, meta: bytes | None, message: str) -> None:
    path = tmp_path / "checkpoint.zip"
    write_checkpoint(path, example())

    def exchange(members: dict[str, bytes]) -> None:
        del members["meta.json"]
        members.update({} if meta is None else {"meta.json": meta})

    path.write_bytes(rezipped(path.read_bytes(), exchange))
    with pytest.raises(CheckpointError) as caught:
        read_checkpoint(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def damaged(content: bytes, generator: np.random.Generator) -> bytes:
    """A file with some bytes changed; mostly inside a member of it if it is a zip file, at any depth."""
    if zipfile.is_zipfile(io.BytesIO(content)) and generator.random() < 0.9:

        def change(members: dict[str, bytes]) -> None:
            name = str(generator.choice(list(members)))
            members[name] = damaged(members[name], generator)

        return rezipped(content, change)
    altered = bytearray(content)
    for _ in range(generator.integers(1, 6) if altered else 0):
        altered[generator.integers(min(len(altered), 2000) or 1)] = generator.integers(256)
    return bytes(altered)


def go_on_from_damaged(saved: Checkpoint, path: Path, number: int, seed: int) -> int:
    """Go on from damaged checkpoints; returns how many were accepted."""
    write_checkpoint(path, saved)
    whole, generator, accepted = path.read_bytes(), np.random.default_rng(seed), 0
    for _ in range(number):
        path.write_bytes(damaged(whole, generator))
        with contextlib.suppress(CheckpointError):
            read = read_checkpoint(path)
            restored(read, config_of(read, path), path).learner.close()
            accepted += 1
    return accepted


def test_damaged_checkpoints_are_refused_or_gone_on_with(saved: Checkpoint, tmp_path: Path) -> None:
    assert go_on_from_damaged(saved, tmp_path / "checkpoint.zip", 40, 2) < 40


@pytest.mark.slow
def test_many_damaged_checkpoints_are_refused_or_gone_on_with(saved: Checkpoint, tmp_path: Path) -> None:
    assert go_on_from_damaged(saved, tmp_path / "checkpoint.zip", 3000, 3) < 3000
