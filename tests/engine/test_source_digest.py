"""Comments, docstrings and lines have no part in what must be compiled again; everything else has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shengji_env.engine.source_digest import bytecode_digest, digest_of_files

SOURCE = '''"""A module."""

WEIGHTS = {"a", "b", "c"}


def kernel(x: int) -> int:
    """Return more."""
    if x in {"left", "right", "middle", "nowhere"}:  # a set among the constants
        return 0
    return [y + 1 for y in range(x)][-1]
'''


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"""A module."""\n', ""),
        ('    """Return more."""\n', ""),
        ('"""Return more."""', '"""Return one more.\n\n    And say so.\n    """'),
        ("  # a set among the constants", ""),
        ("def kernel", "# a comment\n\n\ndef kernel"),
        ("in range(x)]", "in range(x)  # all\n    ]"),
    ],
)
def test_comments_docstrings_and_lines_have_no_part(before, after):
    assert before in SOURCE
    assert bytecode_digest(SOURCE.replace(before, after).encode()) == bytecode_digest(SOURCE.encode())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y + 1", "y + 2"),
        ("y + 1", "y - 1"),
        ("return 0", "return 0.0"),
        ('"middle", ', ""),
        ("range(x)", "list(x)"),
        ("x: int", "x: int, /"),
        ("def kernel", "def kernels"),
        ("return 0", 'assert x\n        "no docstring"\n        return 0'),
    ],
)
def test_everything_else_has(before, after):
    assert before in SOURCE
    assert bytecode_digest(SOURCE.replace(before, after).encode()) != bytecode_digest(SOURCE.encode())


def test_a_body_may_be_a_docstring_alone():
    assert bytecode_digest(b'class A:\n    """Nothing."""\n') == bytecode_digest(b'class A:\n    """None."""\n')


def test_all_processes_find_the_same(tmp_path):
    file = tmp_path / "kernels.py"
    file.write_text(SOURCE, encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from shengji_env.engine.source_digest import bytecode_digest;"
        "print(bytecode_digest(Path(sys.argv[1]).read_bytes()))"
    )

    def found_with(hash_seed: str) -> str:
        command = [sys.executable, "-c", code, str(file)]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()

    assert {found_with(seed) for seed in ("1", "2", "3")} == {bytecode_digest(SOURCE.encode())}


def test_a_digest_is_noted_and_a_cut_note_made_again(tmp_path):
    package, notes = tmp_path / "package", tmp_path / "notes"
    package.mkdir()
    notes.mkdir()
    (package / "kernels.py").write_text(SOURCE, encoding="utf-8")

    def found(into: Path | None) -> str:
        return digest_of_files([package / "kernels.py"], package, into)

    expected = found(None)
    assert [found(notes), found(notes), found(tmp_path / "missing")] == [expected] * 3
    (note,) = notes.iterdir()
    note.write_text(expected[:7], encoding="ascii")
    assert found(notes) == expected == note.read_text(encoding="ascii")
    (package / "kernels.py").rename(package / "others.py")
    assert digest_of_files([package / "others.py"], package, notes) != expected
