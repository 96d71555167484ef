"""Files that others wrote: whatever is wrong with them gives one sentence, in an error of the requested type."""

import gzip
import io
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from shengji_env.errors import ConfigError, RecordError
from shengji_env.support.text_files import (
    MAX_CHARACTERS,
    check_rereadable,
    lines_of,
    open_text,
    parse_json,
    parse_toml,
    read_text,
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "brackets are nested too deeply"),
        ('{"a":' * 100_000, "brackets are nested too deeply"),
        ("9" * 5000, "a number of too many digits"),
        ('{"a": -' + "9" * 5000 + "}", "a number of too many digits"),
        ("[NaN]", "NaN is not a number of JSON"),
        ("-Infinity", "-Infinity is not a number of JSON"),
        ("{", "at character 1"),
        ("", "at character 0"),
        ("\0", "at character 0"),
        (b"\xff\xfe\x00", "no JSON"),
    ],
)
def test_what_is_no_json_is_one_sentence(text: str | bytes, message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        parse_json(text, RecordError)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 100_000, "brackets are nested too deeply"),
        ("a = " + "9" * 5000, "a number of too many digits"),
        ("[a]\n[a]", "twice"),
        ("\0", "Invalid statement"),
    ],
)
def test_what_is_no_toml_is_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"not valid TOML: .*{message}") as caught:
        parse_toml(text, ConfigError)
    assert len(str(caught.value)) < 200


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_text(path, ConfigError) == "a = 1\n"
    with open_text(path, RecordError) as file:
        assert list(lines_of(file, RecordError)) == ["a = 1\n"]


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "utf16").write_text("a = 1", encoding="utf-16")
    (tmp_path / "big").write_text("#" * (MAX_CHARACTERS + 1))
    for path, message in (
        (tmp_path, "cannot read .*Is a directory|cannot read .*Permission denied"),
        (tmp_path / "none", "cannot read .*No such file"),
        (tmp_path / "a\0b", "cannot read .*null"),
        (tmp_path / "utf16", "utf16 is not UTF-8 text"),
        (tmp_path / "big", "more than 16,777,216 characters"),
    ):
        with pytest.raises(ConfigError, match=message):
            read_text(path, ConfigError)


@pytest.mark.parametrize("name", ["text.gz", "text.jsonl"])
def test_compressed_texts_are_read_whatever_their_name_and_damaged_ones_refused(tmp_path: Path, name: str) -> None:
    path, content = tmp_path / name, gzip.compress("级牌\n".encode("utf-8-sig"))
    for whole, text in ((content, "级牌\n"), (content + gzip.compress(b"more\n"), "级牌\nmore\n"), (b"plain", "plain")):
        path.write_bytes(whole)
        assert read_text(path, RecordError) == text
    for damaged in (content[:-9], content + b"plain"):
        path.write_bytes(damaged)
        with pytest.raises(RecordError, match=rf"cannot read .*{name}: "):
            read_text(path, RecordError)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_pipe_is_read_once_compressed_or_not(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(pack(b"through a pipe"),))
    writer.start()
    assert read_text(path, RecordError) == "through a pipe"
    writer.join()
    with pytest.raises(RecordError, match="pipe can be read only once, and it is read twice: save it as a file first"):
        check_rereadable(path, "it is read twice", RecordError)


def test_lines_may_come_from_anywhere_and_have_an_end() -> None:
    assert list(lines_of(["a\n", "b"], RecordError)) == list(lines_of(io.StringIO("a\nb"), RecordError)) == ["a\n", "b"]

    class Endless(io.StringIO):
        def readline(self, size: int = -1, /) -> str:
            assert size > 0
            return "x" * size

    with pytest.raises(RecordError, match="line 1: it has more than 16,777,216 characters"):
        list(lines_of(Endless(), RecordError))
    lines = io.TextIOWrapper(io.BytesIO(b"a\n\xff\n"), encoding="utf-8")
    with pytest.raises(RecordError, match="is not UTF-8 text"):
        list(lines_of(lines, RecordError))
