"""Checkpoints: whole or not there, refused where they do not belong."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from agents.checkpoint import (
    Checkpoint,
    check_world,
    read_checkpoint,
    remove_leftovers,
    replace_file,
    world_of,
    write_checkpoint,
)
from agents.config import Config, override
from shengji_env.errors import CheckpointError

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
    with pytest.raises(CheckpointError, match="damaged or no checkpoint") as caught:
        read_checkpoint(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint at"):
        read_checkpoint(tmp_path / "checkpoint.zip")


def test_another_world_is_refused_with_what_differs() -> None:
    here = world_of(Config())
    check_world(here, world_of(Config()), Path("run"))
    there = here | {"rules_fingerprint": "0000", "action_table": 99}
    with pytest.raises(CheckpointError) as caught:
        check_world(there, here, Path("run"))
    message = str(caught.value)
    assert "rules_fingerprint: '0000' in the checkpoint" in message
    assert "action_table: 99 in the checkpoint" in message
    assert "observation_layout" not in message
    text = world_of(override(Config(), ['environment.rules="two_deck(throws=False)"']))
    with pytest.raises(CheckpointError, match=r"rules: 'two_deck\(throws=False\)' in the checkpoint, 'two_deck' here"):
        check_world(text, here, Path("run"))
    larger = world_of(override(Config(), ["network.policy=[64]"]))
    with pytest.raises(CheckpointError, match="policy_layers"):
        check_world(here, larger, Path("run"))


def test_two_texts_of_the_same_rules_are_one_world() -> None:
    bare, called = (
        world_of(override(Config(), [f'environment.rules="{text}"'])) for text in ("two_deck", "two_deck()")
    )
    assert bare["rules"] != called["rules"]
    check_world(bare, called, Path("run"))


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "policy.npz"
    replace_file(path, b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="too large") as caught:
            replace_file(path, bytes(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_leftovers_of_killed_writers_are_removed_and_nothing_else(tmp_path: Path) -> None:
    kept = ["checkpoint.zip", ".checkpoint.zip", ".checkpoint.zip.old", ".python3.11", "checkpoint.zip.7"]
    for name in [*kept, ".checkpoint.zip.123", ".policy.npz.4567"]:
        (tmp_path / name).touch()
    remove_leftovers(tmp_path, ["checkpoint.zip", "policy.npz"])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(kept)


def test_a_kill_at_any_moment_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.zip"
    generator = np.random.default_rng(0)
    for _ in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], cwd=Path(__file__).parents[1], stdout=subprocess.PIPE
        )
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
