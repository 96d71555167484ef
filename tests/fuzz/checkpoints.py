"""Input of ``train.py --resume``: an altered checkpoint. Torch is loaded only in this module."""

import io
import json
import pickle
import zipfile
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.alterations import array_edits, byte_edits, edit_arrays, edit_bytes, edit_document, leaf_edits
from tests.fuzz.files import folder, packed_arrays

_TINY = (
    "environment.tables=4",
    "training.rollout_steps=4",
    "training.minibatch=8",
    "training.seconds=0",
    "training.steps=16",
    "network.policy=[4]",
    "network.critic=[4]",
    "network.precision=float32",
    "imitation.seconds=0",
    "environment.rules=one_deck",
)
_MODEL_PARTS = ("data", "policy.pth", "pytorch_variables.pth", "policy.optimizer.pth", "_stable_baselines3_version")


class _Opener:
    """What a pickle would do if it were read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise BaseException('a pickle was read')",))


_PICKLE = pickle.dumps(_Opener())
_model = st.one_of(
    st.just(None),
    byte_edits,
    st.tuples(st.sampled_from(_MODEL_PARTS), byte_edits | st.sampled_from([b"", b"x", _PICKLE, None])),
)
checkpoints = st.tuples(
    st.sampled_from(["meta", "arrays", "model", "file"]), leaf_edits, array_edits, _model, byte_edits
)


@cache
def _saved() -> tuple[dict[str, Any], bytes, dict[str, Any]]:
    """Meta, model and arrays of a run that has just begun."""
    from agents.checkpoint import CHECKPOINT_FORMAT
    from agents.config_files import override
    from agents.ppo.ppo_config import PPOConfig
    from agents.session import capture, new_session

    checkpoint = capture(new_session(override(PPOConfig(), _TINY)))
    meta = json.loads(json.dumps({"format": CHECKPOINT_FORMAT, **checkpoint.meta}))
    return meta, checkpoint.model, checkpoint.arrays


def resume(case: tuple[str, Any, Any, Any, Any]) -> None:
    """Go on with a run whose checkpoint is altered in one of its parts."""
    from agents.run import TrainingRun

    path = folder() / "run" / "checkpoint.zip"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(_altered(*case))
    with TrainingRun.resume(path.parent, [], _display(), _flag()) as run:
        tables = run.session.learner.env.tables
        for _ in range(5):
            tables.step(tables.sample_actions())
        run.progress.to_json()


def _altered(part: str, leaves: Any, edits: Any, model: Any, raw: Any) -> bytes:
    meta, archive, arrays = _saved()
    document = edit_document(json.loads(json.dumps(meta)), leaves if part == "meta" else [])
    made = edit_arrays(arrays, edits if part == "arrays" else [])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("meta.json", json.dumps(document))
        packed.writestr("model.zip", _altered_model(archive, model) if part == "model" else archive)
        packed.writestr("arrays.npz", packed_arrays(made))
    return edit_bytes(file.getvalue(), raw if part == "file" else [])


def _altered_model(archive: bytes, change: Any) -> bytes:
    """SB3's archive with its bytes changed, or one of its members."""
    if not isinstance(change, tuple):
        return edit_bytes(archive, change or [])
    name, how = change
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(file, "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if member == name:
                if how is None:
                    continue
                content = how if isinstance(how, bytes) else edit_bytes(content, how)
            new.writestr(member, content)
    return file.getvalue()


@cache
def _display() -> Any:
    from agents.display import Display

    return Display()


@cache
def _flag() -> Any:
    from agents.interrupt import InterruptFlag

    return InterruptFlag()


def prepare() -> None:
    """Load torch, and resume once."""
    np.seterr(all="ignore")
    resume(("meta", [], [], None, []))
