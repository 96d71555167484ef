"""The cache of compiled code: old versions go, the ready mark stays."""

import os
from pathlib import Path

import pytest

from shengji_env.engine import compile as engine_compile

pytestmark = pytest.mark.nojit


def test_caches_unused_for_a_week_are_deleted(tmp_path: Path) -> None:
    for name, age in (("kept", 30), ("old", 8), ("young", 6)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code").touch()
        when = os.path.getmtime(tmp_path) - age * 86400
        os.utime(tmp_path / name, (when, when))
    engine_compile._delete_older(tmp_path, tmp_path / "kept")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "young"]


def test_what_was_compiled_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_compile, "_CACHE", tmp_path)
    monkeypatch.setattr(engine_compile.numba_config, "DISABLE_JIT", 0)
    assert not engine_compile.is_compiled()
    engine_compile.mark_compiled()
    assert engine_compile.is_compiled()


def test_the_digest_depends_on_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = set()
    for value in ("0", "1"):
        monkeypatch.setenv("NUMBA_BOUNDSCHECK", value)
        digests.add(engine_compile._digest())
    assert len(digests) == 2
