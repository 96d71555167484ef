"""Input of ``train.py --resume``: an altered checkpoint. Torch is loaded only in this module."""

import io
import json
import zipfile
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.alterations import array_edits, byte_edits, edit_arrays, edit_bytes, edit_document, leaf_edits
from tests.fuzz.files import folder, packed_arrays

_TINY = (
    "selfplay.rounds=8",
    "selfplay.rounds_at_once=4",
    "selfplay.threads=1",
    "environment.rules=one_deck",
)
checkpoints = st.tuples(st.sampled_from(["meta", "arrays", "file"]), leaf_edits, array_edits, byte_edits)


@cache
def _saved() -> tuple[dict[str, Any], dict[str, Any]]:
    """Meta and arrays of a run that has just begun."""
    from agents.checkpoint import CHECKPOINT_FORMAT
    from agents.config_files import override
    from agents.selfplay.selfplay_config import SelfplayConfig
    from agents.session import capture, new_session

    checkpoint = capture(new_session(override(SelfplayConfig(), _TINY)))
    meta = json.loads(json.dumps({"format": CHECKPOINT_FORMAT, **checkpoint.meta}))
    return meta, checkpoint.arrays


def resume(case: tuple[str, Any, Any, Any]) -> None:
    """Go on with a run whose checkpoint is altered in one of its parts."""
    from agents.run import TrainingRun

    path = folder() / "run" / "checkpoint.zip"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(_altered(*case))
    with TrainingRun.resume(path.parent, [], _display(), _flag()) as run:
        run.progress.to_json()


def _altered(part: str, leaves: Any, edits: Any, raw: Any) -> bytes:
    meta, arrays = _saved()
    document = edit_document(json.loads(json.dumps(meta)), leaves if part == "meta" else [])
    made = edit_arrays(arrays, edits if part == "arrays" else [])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("meta.json", json.dumps(document))
        packed.writestr("model.zip", b"")
        packed.writestr("arrays.npz", packed_arrays(made))
    return edit_bytes(file.getvalue(), raw if part == "file" else [])


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
    resume(("meta", [], [], []))
