"""The cache of compiled code: old versions are removed, the ready mark stays, what others may write is not read."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from shengji_env.engine import compile as engine_compile
from shengji_env.engine.source_digest import layer_of
from shengji_env.support.announcing import Part

pytestmark = [pytest.mark.nojit, pytest.mark.usefixtures("cache_home")]


def test_caches_unused_for_a_week_are_deleted(cache_home: Path) -> None:
    home = cache_home / "shengji_env"
    for name, days in (("engine-old", 8), ("engine-young", 6)):
        (home / name).mkdir(parents=True)
        when = time.time() - days * 86400
        os.utime(home / name, (when, when))
    folders = [engine_compile.cache_folder(layer) for layer in ("engine", "tables", "players")]
    assert {path.name for path in home.iterdir() if path.is_dir()} == {
        "engine-young",
        *(folder.name for folder in folders),
    }


def test_caches_of_this_version_stay_after_a_pause(cache_home: Path) -> None:
    folders = [engine_compile.cache_folder(layer) for layer in ("engine", "tables", "players")]
    for folder in folders:
        os.utime(folder, (0, 0))
    engine_compile.cache_folder.cache_clear()
    for layer in ("engine", "tables", "players"):
        engine_compile.cache_folder(layer)
    assert all(folder.exists() for folder in folders)


def test_a_home_that_cannot_be_written_falls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert engine_compile.cache_folder("engine").is_relative_to(engine_compile.temporary_home())


def give_away(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(folder, 12345, -1)


def link_of_others(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to("elsewhere")
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.lchown(folder, 12345, -1)


OPENED: dict[str, Callable[[Path], None]] = {
    "to its group": lambda folder: folder.chmod(0o770),
    "to everybody": lambda folder: folder.chmod(0o702),
    "to its owner": give_away,
    "by a link": link_of_others,
}
on_unix = pytest.mark.skipif(sys.platform == "win32", reason="files have no such owners")


@on_unix
@pytest.mark.parametrize("is_home", [True, False], ids=["home", "layer"])
@pytest.mark.parametrize("to_whom", OPENED)
def test_nothing_is_read_where_others_may_write(cache_home: Path, is_home: bool, to_whom: str) -> None:
    before = os.umask(0)
    try:
        folder = engine_compile.cache_folder("engine")
        engine_compile.cache_folder.cache_clear()
        assert engine_compile.cache_folder("engine") == folder
        assert folder.is_relative_to(cache_home)
        OPENED[to_whom](folder.parent if is_home else folder)
        engine_compile.cache_folder.cache_clear()
        assert engine_compile.cache_folder("engine").is_relative_to(engine_compile.temporary_home())
    finally:
        os.umask(before)


@on_unix
@pytest.mark.parametrize("mode", [0o700, 0o770])
def test_a_temporary_home_of_others_is_not_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    tmp_path.chmod(mode)
    monkeypatch.setenv("SHENGJI_ENV_TEMPORARY_HOME", str(tmp_path))
    engine_compile.temporary_home.cache_clear()
    assert (engine_compile.temporary_home() == tmp_path) == (mode == 0o700)
    engine_compile.temporary_home.cache_clear()


def test_what_was_compiled_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_compile, "IS_PLAIN", False)
    assert not engine_compile.is_compiled("batch", "tables")
    engine_compile.mark_compiled("batch", "tables")
    assert engine_compile.is_compiled("batch", "tables")
    assert not engine_compile.is_compiled("table", "tables")
    assert not engine_compile.is_compiled("batch", "players")
    engine_compile.mark_compiled("batch", "players")
    assert engine_compile.is_compiled("batch", "players")


def test_what_is_compiled_is_announced_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine_compile, "IS_PLAIN", False)
    monkeypatch.setattr("shengji_env.support.announcing.time.perf_counter", lambda: 0.0)
    calls: list[str] = []
    toy = Part("toy", "the toy player: for tests", "players", lambda: (calls.append("toy"), toy()))
    for _ in range(2):
        toy()
    words = capsys.readouterr()
    assert words.out == ""
    assert words.err.splitlines() == [
        "shengji_env: compiling the toy player, once for this version and machine …",
        "shengji_env: compiled in 0 s",
    ]
    Part("toy", "another toy", "tables", lambda: calls.append("another"))()
    assert calls == ["toy", "another"]
    assert "compiling another toy" in capsys.readouterr().err


def test_a_user_without_a_home_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    assert engine_compile.cache_folder("engine").is_relative_to(engine_compile.temporary_home())


def test_what_could_not_be_kept_is_not_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_compile, "IS_PLAIN", False)
    monkeypatch.setattr(engine_compile, "unsaved", ["a kernel"])
    engine_compile.mark_compiled("batch", "tables")
    assert not engine_compile.is_compiled("batch", "tables")


def test_caches_are_of_floors_alone() -> None:
    assert layer_of("shengji_env.engine.game") == "engine"
    assert layer_of("shengji_env.players.search.playout") == "players"
    others = "shengji_env.records.replaying", "shengji_env.cli.arena", "mine.engine.kernels", "agents.buffer", "x"
    for other in others:
        assert layer_of(other) is None


def test_the_digest_depends_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    before = engine_compile.layer_digest("engine")
    monkeypatch.setattr(engine_compile, "_machine", lambda: "another processor")
    assert engine_compile.layer_digest("engine") != before


def test_the_digest_depends_on_flags_and_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = ("engine", "tables", "players", "envs", "datasets")
    digests = {engine_compile.layer_digest(layer) for layer in layers}
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "another value")
    digests.add(engine_compile.layer_digest("engine"))
    assert len(digests) == 6
