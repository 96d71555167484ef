"""Checkpoints: complete or absent; refused if they do not fit the run, or if no run could have written them."""

import contextlib
import copy
import errno
import io
import json
import os
import pickle
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
import torch

from agents.checkpoint import (
    Checkpoint,
    check_compatibility,
    compatibility_of,
    read_checkpoint,
    write_checkpoint,
)
from agents.config_files import override
from agents.ppo.ppo_config import PPOConfig
from agents.run_progress import RunProgress, StageProgress
from agents.session import capture, config_of, new_session, restored
from shengji_env.errors import CheckpointError
from shengji_env.support.whole_files import write_whole
from shengji_env.tables.observation import OBSERVATION_SIZE
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
    here = compatibility_of(PPOConfig())
    check_compatibility(here, compatibility_of(PPOConfig()), Path("run"))
    there = here | {"rules_fingerprint": "0000", "action_table": 99}
    with pytest.raises(CheckpointError) as caught:
        check_compatibility(there, here, Path("run"))
    message = str(caught.value)
    assert "rules_fingerprint: '0000' in the checkpoint" in message
    assert "action_table: 99 in the checkpoint" in message
    assert "observation_layout" not in message
    text = compatibility_of(override(PPOConfig(), ['environment.rules="two_deck(throws=False)"']))
    with pytest.raises(CheckpointError, match=r"rules: 'two_deck\(throws=False\)' in the checkpoint, 'two_deck' here"):
        check_compatibility(text, here, Path("run"))
    larger = compatibility_of(override(PPOConfig(), ["network.policy=[64]"]))
    with pytest.raises(CheckpointError, match="policy_layers"):
        check_compatibility(here, larger, Path("run"))
    shared = compatibility_of(override(PPOConfig(), ["network.kind=suits"]))
    with pytest.raises(CheckpointError, match=r"policy_layers: \[64\] in the checkpoint, \{'context': 128, "):
        check_compatibility(larger, shared, Path("run"))


def test_two_texts_of_the_same_rules_are_one_world() -> None:
    bare, called = (
        compatibility_of(override(PPOConfig(), [f'environment.rules="{text}"'])) for text in ("two_deck", "two_deck()")
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


def dump(content: object) -> bytes:
    packed = io.BytesIO()
    torch.save(content, packed)
    return packed.getvalue()


class Intruder:
    """Makes a folder where it is unpickled."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("intruder",)


@pytest.fixture(scope="module")
def saved() -> Checkpoint:
    """The checkpoint of a small run that has learned a little."""
    small = ["environment.tables=64", "training.rollout_steps=8", "training.minibatch=64", "network.policy=[8]",
             "network.critic=[8]", "network.precision=float32"]  # fmt: skip
    session = new_session(override(PPOConfig(), small))
    policy = session.learner.ppo.policy
    for weight in policy.parameters():
        weight.grad = torch.ones_like(weight)
    policy.optimizer.step()
    session.progress = RunProgress(
        stages={"self-play": StageProgress(512, 1, 2.5, {"environment": 1.0, "update": 1.5})},
        history=[{"stage": "self-play", "seconds": 2.5, "amount": 512.0, "entropy": 1.0,
                  "explained_variance": float("nan")}],
    )  # fmt: skip
    return capture(session)


def go_on(checkpoint: Checkpoint, path: Path) -> Checkpoint:
    """What a run that goes on from a checkpoint would save at once."""
    write_checkpoint(path, checkpoint)
    read = read_checkpoint(path)
    return capture(restored(read, config_of(read, path), path))


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


ROW = {"stage": "self-play", "seconds": 1.0, "amount": 1.0, "entropy": 1.0}
PLAY = ("progress", "stages", "self-play")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((set_in(key, value=value), f"{key} in its meta.json is")
          for key in ("world", "config", "progress", "learner") for value in (None, 3, [], ["x" * 1000])),
        *((set_in("learner", key, value=value), f"{key} in its meta.json is")
          for key in ("shuffler", "precision") for value in (None, 3, [], ["x" * 1000])),
        (set_in("learner", "precision", value="int8"), "precision in its meta.json is 'int8', not float32 or bfloat16"),
        (set_in("config", value={"run": 3}), "run must be a table"),
        (set_in("config", "run", "seed", value=float("nan")), "run.seed = nan: must be a whole number"),
        (set_in("config", "run", "seed", value=nested(400)), "run.seed = "),
        (set_in("config", "more", value={}), "unknown table [more]"),
        (set_in("config", "network", "policy", value=[4096] * 4), "policy_layers: [8] in the checkpoint"),
        (lambda meta, arrays: [meta["config"]["network"].update(policy=[4096] * 4),
                               meta["world"].update(policy_layers=[4096] * 4)], "cannot hold the"),
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
        (set_in("progress", "history", value=[ROW | {"entropy": None}]), "progress.history[0].entropy"),
        (set_in("progress", "matchups", value=[ROW]), "progress.matchups[0] in its meta.json has not all of"),
        (set_in("learner", "shuffler", "bit_generator", value="MT19937"), "not a state of PCG64"),
        (set_in("learner", "shuffler", "state", value=3), "not a state of PCG64"),
        (set_in("learner", "shuffler", "state", "inc", value=2**200), "not a state of PCG64"),
        (set_in("learner", "shuffler", "state", "state", value=-1), "not a state of PCG64"),
        (set_in("learner", "shuffler", value={}), "not a state of PCG64"),
        (lambda meta, arrays: arrays.pop("torch_generator") is None, "its torch_generator is missing"),
        (lambda meta, arrays: arrays.update(torch_generator=np.zeros(7, np.uint8)), "not a state of torch's generator"),
        (lambda meta, arrays: arrays.update(torch_generator=np.full(5056, 255, np.uint8)), "not a state of torch's"),
        (lambda meta, arrays: arrays.update(torch_generator=np.zeros(5056)), "missing or not a row of bytes"),
        (lambda meta, arrays: arrays.update(more=np.zeros(1)), "also holds 'more'"),
        (lambda meta, arrays: arrays.pop("tables_states") is None, "the snapshot lacks states"),
        (lambda meta, arrays: arrays.update(tables_seats=np.zeros(3)), "the snapshot's seats are (3,), float64"),
        (lambda meta, arrays: arrays.update(tables_seats=np.full(64, 99, np.int8)), "table 0: its seats are not"),
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


def model_of(saved: Checkpoint, name: str, change: Callable[[Any], Any]) -> bytes:
    """SB3's archive with one of its files changed: by its bytes, or by what it holds."""

    def exchange(members: dict[str, bytes]) -> None:
        content = torch.load(io.BytesIO(members[name]), weights_only=True)
        new = change(content)
        members[name] = new if isinstance(new, bytes) else dump(content if new is None else new)

    return rezipped(saved.model, exchange)


FIRST = "mlp_extractor.policy_layers.0.weight"


def put(value: float) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        content[FIRST][0, 0] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(float("nan")), f"{FIRST} of its network is not finite"),
        (put(float("-inf")), f"{FIRST} of its network is not finite"),
        (
            lambda found: found.update({FIRST: found[FIRST].double()}),
            f"{FIRST} of its network is not a tensor of torch",
        ),
        (lambda found: found.update({FIRST: found[FIRST][:3]}), f"of shape (8, {OBSERVATION_SIZE})"),
        (lambda found: found.update({FIRST: found[FIRST].to_sparse()}), "is not a tensor of"),
        (lambda found: found.update({FIRST: 3}), "is not a tensor of"),
        (lambda found: found.update(more=torch.zeros(1)), "its network has other parts than"),
        (lambda found: found.pop(FIRST) is None, "its network has other parts than"),
        (lambda found: [3], "policy.pth is a list, not a dictionary"),
        (lambda found: b"garbage", "policy.pth: it is not a zip file"),
        (lambda found: pickle.dumps(Intruder()), "policy.pth: it is not a zip file"),
        (lambda found: dump(Intruder()), "policy.pth holds no tensors (UnpicklingError)"),
        (lambda found: dump(found)[:-100], "policy.pth: it is not a zip file, or a damaged one"),
    ],
)
def test_a_network_that_is_none_is_refused_and_runs_no_code(
    saved: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[..., Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    model = model_of(saved, "policy.pth", lambda found: change(found) or None)
    assert message in refused(Checkpoint(saved.meta, model, saved.arrays), tmp_path / "checkpoint.zip")
    assert not Path("intruder").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: found.update(param_groups=[]), "other groups of weights"),
        (lambda found: found.update(param_groups=3), "not Adam's"),
        (lambda found: found["param_groups"][0].update(lr=float("nan")), "step size is not a number"),
        (lambda found: found["param_groups"][0].update(betas=(2.0, 3.0)), "its optimiser has another betas"),
        (lambda found: found["param_groups"][0].update(params=[0]), "its optimiser has another params"),
        (lambda found: found["param_groups"][0].update(more=1), "other settings"),
        (lambda found: found["state"].update({99: {}}), "belongs to none of the weights"),
        (lambda found: found["state"][0].pop("step") is None, "not Adam's"),
        (lambda found: found["state"][0].update(exp_avg=torch.zeros(1)), "exp_avg of its optimiser for weight 0 is no"),
        (lambda found: found["state"][0].update(exp_avg_sq=-found["state"][0]["exp_avg_sq"]), "is negative"),
        (lambda found: found["state"][0]["exp_avg"].fill_(float("inf")) is None, "is not finite"),
        (lambda found: found["state"][0].update(step=torch.tensor(float("nan"))), "step of its optimiser for weight 0"),
    ],
)
def test_an_optimiser_that_is_none_is_refused(
    saved: Checkpoint, tmp_path: Path, change: Callable[..., Any], message: str
) -> None:
    model = model_of(saved, "policy.optimizer.pth", lambda found: change(found) or None)
    assert message in refused(Checkpoint(saved.meta, model, saved.arrays), tmp_path / "checkpoint.zip")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (bytes(10**6), "its model.zip cannot be read: it is not a zip file"),
        (b"", "its model.zip of 0 bytes cannot hold"),
    ],
)
def test_a_model_that_is_none_is_refused(saved: Checkpoint, tmp_path: Path, model: bytes, message: str) -> None:
    assert message in refused(Checkpoint(saved.meta, model, saved.arrays), tmp_path / "checkpoint.zip")


def test_a_network_of_suits_is_gone_on_with_or_refused(tmp_path: Path) -> None:
    small = ["environment.tables=64", "training.rollout_steps=8", "training.minibatch=64", "network.kind=suits",
             "network.suits=[4, 4, 6, 5, 3]", "network.critic=[8]", "network.precision=float32"]  # fmt: skip
    saved, path = capture(new_session(override(PPOConfig(), small))), tmp_path / "checkpoint.zip"
    assert json.dumps(go_on(saved, path).meta) == json.dumps(saved.meta)
    told = "mlp_extractor.policy_layers.told.weight"
    for name, value in ((told, float("nan")), ("mlp_extractor.suit_scale", float("inf"))):

        def put_first(content: Any, name: str = name, value: float = value) -> None:
            content[name].view(-1)[0] = value

        model = model_of(saved, "policy.pth", put_first)
        assert f"{name} of its network is not finite" in refused(Checkpoint(saved.meta, model, saved.arrays), path)
    large = {"suit": 4096, "trump": 4096, "pooled": 4096, "context": 4096, "head": 4096}
    meta = copy.deepcopy(saved.meta)
    meta["config"]["network"]["suits"] = list(large.values())
    meta["world"]["policy_layers"] = large
    assert "cannot hold the" in refused(Checkpoint(meta, saved.model, saved.arrays), path)


def test_altered_tables_are_refused(saved: Checkpoint, tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    for _ in range(10):
        states = saved.arrays["tables_states"].copy()
        content = states.view(np.uint8)
        for place in generator.integers(content.size, size=200):
            content[place] = generator.integers(256)
        arrays = saved.arrays | {"tables_states": states}
        assert "table" in refused(Checkpoint(saved.meta, saved.model, arrays), tmp_path / "checkpoint.zip")


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
            restored(read, config_of(read, path), path)
            accepted += 1
    return accepted


def test_damaged_checkpoints_are_refused_or_gone_on_with(saved: Checkpoint, tmp_path: Path) -> None:
    assert go_on_from_damaged(saved, tmp_path / "checkpoint.zip", 40, 2) < 40


@pytest.mark.slow
def test_many_damaged_checkpoints_are_refused_or_gone_on_with(saved: Checkpoint, tmp_path: Path) -> None:
    assert go_on_from_damaged(saved, tmp_path / "checkpoint.zip", 3000, 3) < 3000
