"""Arguments of ``shengji`` and ``train.py``, and configurations. No long run is ever started."""

import contextlib
import io
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import train
from agents.config_files import config_from, load_config, override, to_toml
from agents.run_config import Config
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.errors import ShengjiError
from tests.fuzz.alterations import byte_edits, edit_bytes, edit_document, edit_text, leaf_edits, text_edits
from tests.fuzz.files import EXIT_CODES, check_command, folder
from tests.fuzz.values import EDGES, TEXTS, sometimes

_ROOT = Path(__file__).resolve().parents[2]
_CONFIGS = ("configs/values.toml", "configs/ppo.toml", "configs/selfplay.toml")

# ---- commands

_typeable = [text for text in TEXTS if "\0" not in text]
"""No command line can hold a NUL."""
_word = st.sampled_from(
    [*_typeable, *map(str, EDGES[:-1]), "1e3", "-0.5", "0x10", "--", "-h", "--version", "--nothing"]
)
_few = sometimes(st.sampled_from(["2", "3"]), st.sampled_from(["0", "-1", "x", "1.5", "nan", "9" * 20, "9" * 5000, ""]))
_rules = sometimes(st.sampled_from(["one_deck", "one_deck(kitty=10)"]), _word)
_player = sometimes(
    st.just("random"),
    st.sampled_from(["nobody", "policy:/none", "search:x", "tests.fuzz.players:made?answer=99", "", "a:b"]),
)
_OPTIONS: dict[str, dict[str, Any]] = {
    "arena": {
        "--rules": _rules,
        "--seed": sometimes(st.just("1"), _word),
        "--match": None,
        "--retry-lost": None,
        "--keep": None,
        "--until": sometimes(st.just("0.5"), _word),
        "--adaptive": sometimes(st.just("100"), _word),
        "--time-limit": sometimes(st.just("5"), _word),
        "--record": st.sampled_from(["RECORD", "/none/x", "", "/"]),
        "--out": st.sampled_from(["OUT", "RECORD", "/dev/null/x"]),
        "--batch-size": _few,
    },
    "play": {
        "--rules": _rules,
        "--seed": sometimes(st.just("1"), _word),
        "--open": None,
        "--pause": st.sampled_from(["0", "-1", "nan", "x", "inf"]),
        "--record": st.sampled_from(["RECORD", "/none/x"]),
    },
    "replay": {
        "--check": None,
        "--html": st.sampled_from(["OUT", "RECORD", "/none/page", ""]),
        "--line": sometimes(st.just("2"), _word),
    },
    "rules": {},
    "bench": {"--repetitions": _word, "--seconds": _word, "--pin": _word},
}


@st.composite
def _commands(draw: st.DrawFn) -> list[str]:
    """Words of a command line, most of them possible."""
    name = draw(sometimes(st.sampled_from(list(_OPTIONS)), _word))
    options = _OPTIONS.get(name, {})
    line = [name, *draw(_positional(name))]
    if name == "arena":
        line += ["--workers", draw(sometimes(st.just("1"), st.sampled_from(["0", "-1", "x"]))), "--deals", draw(_few)]
    for option in draw(st.lists(st.sampled_from(sorted(options)), max_size=3)) if options else []:
        line += [option] if options[option] is None else [option, draw(options[option])]
    if draw(st.integers(0, 4)) == 0:
        line.insert(draw(st.integers(0, len(line))), draw(_word))
    return [*line, "--only", "no such row"] if name == "bench" else line


def _positional(name: str) -> st.SearchStrategy[list[str]]:
    return {
        "arena": st.lists(_player, min_size=2, max_size=3),
        "play": sometimes(st.just(["random"] * 4), st.lists(_player, max_size=5)),
        "replay": st.sampled_from(["RECORD", "/none", "OUT", ""]).map(lambda word: [word]),
        "rules": st.lists(_rules, max_size=1),
    }.get(name, st.just([]))


command_lines = _commands()


def run_command(line: list[str]) -> None:
    """Run ``shengji`` in a folder of its own, with nothing on standard input."""
    places = {"RECORD": str(folder() / "rounds.jsonl"), "OUT": str(folder() / "out")}
    with _no_input():
        try:
            check_command([places.get(word, word) for word in line])
        except SystemExit as leaving:
            _check_leaving(leaving)
        finally:
            for place in places.values():
                _remove(Path(place))


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)


@contextlib.contextmanager
def _no_input() -> Any:
    before, sys.stdin = sys.stdin, io.StringIO()
    try:
        yield
    finally:
        sys.stdin = before


def _check_leaving(leaving: SystemExit) -> None:
    """Take argparse's ways to leave: help, or an error."""
    if leaving.code == 2:
        raise ShengjiError("usage") from leaving
    assert leaving.code in (0, None), leaving.code


_assignment = st.tuples(
    st.sampled_from(
        [
            "training.seconds=60",
            "network.policy=[64, 64]",
            "environment.rules=one_deck",
            'run.name="x"',
            "training.gamma=0.9",
        ]
    ),
    text_edits,
).map(lambda made: edit_text(*made))
train_lines = st.lists(
    st.sampled_from(
        [["--keys"], ["--resume", "/none"], ["--out", "/dev/null/x"], [_CONFIGS[0]], ["none.toml"], ["--help"]]
    )
    | _assignment.map(lambda text: ["--set", text])
    | _word.map(lambda word: [word]),
    max_size=3,
).map(lambda parts: ["--set", "no.key=1", *(word for part in parts for word in part)])


def run_train(line: list[str]) -> None:
    """Run ``train.py``; one key is always wrong, so that it never begins."""
    try:
        status = train.main(line)
    except SystemExit as leaving:
        _check_leaving(leaving)
        return
    if status == EXIT_CODES[1]:
        raise ShengjiError("status 2")
    assert status == 0, status


# ---- configurations

config_files = st.tuples(st.sampled_from(_CONFIGS), text_edits, byte_edits)
config_trees = leaf_edits
overrides = st.lists(_assignment, min_size=1, max_size=3)


@cache
def _bytes_of(name: str) -> str:
    return (_ROOT / name).read_text(encoding="utf-8")


def read_config_file(case: tuple[str, Any, Any]) -> None:
    """Read an altered TOML file."""
    name, edits, bytes_changed = case
    path = folder() / "config.toml"
    path.write_bytes(edit_bytes(edit_text(_bytes_of(name), edits).encode(errors="surrogatepass"), bytes_changed))
    _use(load_config(path))


def read_config_tree(edits: Any) -> None:
    """Read the tables of a configuration, altered."""
    tree = edit_document(SelfplayConfig().to_json(), edits)
    if isinstance(tree, dict):
        _use(config_from(tree))


def assign(texts: list[str]) -> None:
    """Assign texts to keys."""
    _use(override(SelfplayConfig(), texts))


def _use(config: Config) -> None:
    """Write it out and read it back: nothing may be lost."""
    path = folder() / "written.toml"
    path.write_text(to_toml(config), encoding="utf-8")
    assert load_config(path) == config
