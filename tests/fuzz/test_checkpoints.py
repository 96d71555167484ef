"""Input of ``train.py --resume``: an altered checkpoint. Torch is loaded only here, by the first case."""

import io
import json
import zipfile
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.fuzz.alterations import array_edits, byte_edits, edit_arrays, edit_document, leaf_edits, splice
from tests.fuzz.files import folder, packed_arrays
from tests.fuzz.target import target

_ROUNDS = ("selfplay.rounds=8", "selfplay.rounds_at_once=4", "selfplay.threads=1")
_TINY = (*_ROUNDS, "network.units=32", "environment.rules=one_deck")
_part = st.sampled_from(["meta", "arrays", "file"])


@cache
def _saved() -> tuple[dict[str, Any], dict[str, Any]]:
    """Meta and arrays of a run that has just begun."""
    from agents.checkpoint import CHECKPOINT_FORMAT
    from agents.config_files import override
    from agents.selfplay.selfplay_config import SelfplayConfig
    from agents.session import capture, new_session

    checkpoint = capture(new_session(override(SelfplayConfig(), _TINY)))
    return {"format": CHECKPOINT_FORMAT, **checkpoint.meta}, checkpoint.arrays


@pytest.mark.slow
@target(weight=6, part=_part, of_meta=leaf_edits, of_arrays=array_edits, of_file=byte_edits)
def test_checkpoints(part, of_meta, of_arrays, of_file):
    """Go on with a run whose checkpoint is altered in one of its parts."""
    from agents.display import Display
    from agents.interrupt import InterruptFlag
    from agents.run import TrainingRun

    path = folder() / "run" / "checkpoint.zip"
    path.parent.mkdir(exist_ok=True)
    meta, arrays = _saved()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("meta.json", json.dumps(edit_document(meta, of_meta if part == "meta" else [])))
        packed.writestr("model.zip", b"")
        packed.writestr("arrays.npz", packed_arrays(edit_arrays(arrays, of_arrays if part == "arrays" else [])))
    path.write_bytes(splice(file.getvalue(), of_file if part == "file" else []))
    with np.errstate(all="ignore"), TrainingRun.resume(path.parent, [], Display(), InterruptFlag()) as run:
        run.progress.to_json()
