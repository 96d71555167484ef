"""Arguments of ``shengji`` and ``train.py``, and configurations. No long run is ever started."""

import io
import shutil
import sys
from functools import cache
from typing import Any
from unittest import mock

from hypothesis import strategies as st

import train
from agents.config_files import config_from, load_config, override, to_toml
from agents.run_config import Config
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.cli import main
from tests.fuzz.alterations import altered, byte_edits, edit_document, leaf_edits, splice, text_edits
from tests.fuzz.files import COMMAND_CODES, folder, run_command
from tests.fuzz.target import target
from tests.fuzz.values import EDGES, TEXTS, sometimes
from tests.helpers.paths import ROOT

_CONFIGS = ("configs/ppo.toml", "configs/selfplay.toml")

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
}
_POSITIONAL = {
    "arena": st.lists(_player, min_size=2, max_size=3),
    "play": sometimes(st.just(["random"] * 4), st.lists(_player, max_size=5)),
    "replay": st.sampled_from([["RECORD"], ["/none"], ["OUT"], [""]]),
    "rules": st.lists(_rules, max_size=1),
}


@st.composite
def _command_lines(draw):
    """Words of a command line, most of them possible."""
    name = draw(sometimes(st.sampled_from(list(_OPTIONS)), _word))
    options = _OPTIONS.get(name, {})
    line = [name, *draw(_POSITIONAL.get(name, st.just([])))]
    if name == "arena":
        line += ["--workers", draw(sometimes(st.just("1"), st.sampled_from(["0", "-1", "x"]))), "--deals", draw(_few)]
    for option in draw(st.lists(st.sampled_from(sorted(options)), max_size=3)) if options else []:
        line += [option] if options[option] is None else [option, draw(options[option])]
    if draw(st.integers(0, 4)) == 4:
        line.insert(draw(st.integers(0, len(line))), draw(_word))
    return line


@target(weight=6, line=_command_lines())
def test_command_lines(line):
    """Run ``shengji`` in a folder of its own, with nothing on standard input."""
    places = {"RECORD": folder() / "rounds.jsonl", "OUT": folder() / "out"}
    try:
        with mock.patch.object(sys, "stdin", io.StringIO()):
            run_command(main, [str(places.get(word, word)) for word in line], COMMAND_CODES)
    finally:
        for place in places.values():
            shutil.rmtree(place, ignore_errors=True)
            place.unlink(missing_ok=True)


_assignment = altered(
    st.sampled_from(
        [
            *("environment.rules=one_deck", 'run.name="x"', "selfplay.rounds=5_000", "fitting.learning_rate=0.001"),
            *("evaluation.every_seconds=60", "network.policy=[64, 64]"),
        ]
    )
)
_train_words = (
    st.sampled_from(
        [["--keys"], ["--resume", "/none"], ["--out", "/dev/null/x"], [_CONFIGS[0]], ["none.toml"], ["--help"]]
    )
    | st.tuples(st.just("--set"), _assignment)
    | st.tuples(_word)
)


@target(weight=20, parts=st.lists(_train_words, max_size=3))
def test_train_lines(parts):
    """Run ``train.py``; one key is always wrong, so that it never begins."""
    run_command(train.main, ["--set", "no.key=1", *(word for part in parts for word in part)])


# ---- configurations


@cache
def _text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@target(weight=30, name=st.sampled_from(_CONFIGS), edits=text_edits, changed=byte_edits)
def test_config_files(name, edits, changed):
    """Read an altered TOML file."""
    path = folder() / "config.toml"
    path.write_bytes(splice(splice(_text_of(name), edits).encode(errors="surrogatepass"), changed))
    _use(load_config(path))


@target(weight=20, edits=leaf_edits)
def test_config_trees(edits):
    """Read the tables of a configuration, altered."""
    tree = edit_document(SelfplayConfig().to_json(), edits)
    if isinstance(tree, dict):
        _use(config_from(tree))


@target(weight=30, texts=st.lists(_assignment, min_size=1, max_size=3))
def test_overrides(texts):
    """Assign texts to keys."""
    _use(override(SelfplayConfig(), texts))


def _use(config: Config) -> None:
    """Write it out and read it back: nothing may be lost."""
    path = folder() / "written.toml"
    path.write_text(to_toml(config), encoding="utf-8")
    assert load_config(path) == config
