"""Files that are loaded: altered records, snapshots, networks, checkpoints and unfinished tournaments."""

import io
import json
import tempfile
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shengji_env.arena.running import STORE_FILE, play_tournament
from shengji_env.arena.tournament import Tournament
from shengji_env.cli import main
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate, read_shard, write_shard
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import rule_set
from shengji_env.errors import ShengjiError
from shengji_env.players.decisions import Decisions
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.compiled_network import weight_shapes
from shengji_env.players.networks.champion.value_file import VALUES_FILE, ValueFile, write_values
from shengji_env.players.networks.policy import POLICY_FILE, VERSIONS, PolicyPlayer
from shengji_env.records.lost_deals import LOST_FORMAT
from shengji_env.records.reading import RecordReader
from shengji_env.records.replays import Replay
from shengji_env.render import render_record
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv
from tests.fuzz.alterations import (
    array_edits,
    byte_edits,
    edit_arrays,
    edit_bytes,
    edit_document,
    edit_text,
    leaf_edits,
    text_edits,
)
from tests.helpers.make_playthroughs import PLAYTHROUGHS
from tests.helpers.policies import random_layers

EXIT_CODES = (0, 2, 3, 130)


@cache
def folder() -> Path:
    """Where this process writes; the parent removes what it leaves there."""
    return Path(tempfile.mkdtemp())


def check_command(arguments: list[str]) -> None:
    """Run ``shengji``; status 2 stands for an error of ours."""
    status = main(arguments)
    if status == EXIT_CODES[1]:
        raise ShengjiError("status 2")
    assert status in EXIT_CODES, status


# ---- records

_RECORDS = sorted(path.name for path in PLAYTHROUGHS.glob("*.jsonl"))
_record = st.sampled_from(_RECORDS)
records = st.tuples(_record, st.integers(0, 3), leaf_edits)
record_texts = st.tuples(_record, text_edits)
record_files = st.tuples(_record, byte_edits)


@cache
def text_of(name: str) -> str:
    """The text of a record."""
    return (PLAYTHROUGHS / name).read_text(encoding="utf-8")


def read_record(case: tuple[str, int, Any]) -> None:
    """Read a record one of whose lines is altered, the header one time in four."""
    name, which, edits = case
    header, *rounds = text_of(name).splitlines(keepends=True)[:4]
    lines = [header, *rounds]
    place = 0 if which == 0 else which % len(lines)
    lines[place] = json.dumps(edit_document(json.loads(lines[place]), edits)) + "\n"
    _read_all("".join(lines))


def read_record_text(case: tuple[str, Any]) -> None:
    """Read a record with pieces of text changed."""
    name, edits = case
    _read_all(edit_text("".join(text_of(name).splitlines(keepends=True)[:3]), edits))


def replay_file(case: tuple[str, Any]) -> None:
    """Give ``shengji replay`` a file with bytes changed."""
    name, edits = case
    path = folder() / "record.jsonl"
    path.write_bytes(edit_bytes("".join(text_of(name).splitlines(keepends=True)[:2]).encode(), edits))
    check_command(["replay", str(path)])


def replay_lost(case: tuple[str, int, Any]) -> None:
    """Give ``shengji replay`` a deal that broke off, altered."""
    name, which, edits = case
    header, line = map(json.loads, text_of(name).splitlines()[:2])
    begun = {
        key: value for key, value in line.items() if key not in ("level_rank", "kitty", "buried", "tricks", "result")
    }
    begun["decisions"] = begun["decisions"][: 20 * which]
    numbers = dict.fromkeys(("deal", "table", "round", "ply", "seat"), 0)
    fault = {**numbers, "player": "a", "phase": "LEAD", "error": "raised", "record": begun}
    path = folder() / "lost.jsonl"
    lines = {**header, "format": LOST_FORMAT}, edit_document(fault, edits)
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    check_command(["replay", str(path)])


def _read_all(text: str) -> None:
    reader = RecordReader(io.StringIO(text))
    for replayed in reader:
        record = replayed.record
        render_record(record, reader.rules, players=record.get("players", reader.players), color=False)
        Replay(reader.rules, tuple(reader.players), (replayed,)).html().encode()


# ---- snapshots

_SNAPSHOT_RULES = ("one_deck", "two_deck", "duplicate")
snapshots = st.tuples(st.sampled_from(_SNAPSHOT_RULES), st.integers(0, 2), array_edits)
_STEPS = 25


@cache
def _played(rules: str) -> tuple[BatchEnv, list[dict[str, Any]]]:
    """An environment, and what it saved at three moments."""
    env = BatchEnv(3, rules, seed=0, start="any", record=True, history=2)
    saved = []
    for step in range(121):
        if step % 60 == 0:
            saved.append(env.save())
        env.step(env.sample_actions())
    return env, saved


def load_snapshot(case: tuple[str, int, Any]) -> None:
    """Load an altered snapshot, and play on from there."""
    rules, moment, edits = case
    env, saved = _played(rules)
    env.load(edit_arrays(saved[moment], edits))
    for _ in range(_STEPS):
        env.step(env.sample_actions())


# ---- networks

policies = st.tuples(st.booleans(), leaf_edits, array_edits, st.just([]) | byte_edits)


@cache
def _network() -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays of a small network."""
    network = random_layers()
    rules = {"rules": "two_deck", "rules_fingerprint": rule_set().fingerprint}
    return {**network.header, **VERSIONS, **rules}, dict(network.arrays)


def load_policy(case: tuple[bool, Any, Any, Any]) -> None:
    """Load an altered network, and let it decide."""
    sample, header_edits, edits, bytes_changed = case
    header, arrays = _network()
    text = json.dumps(edit_document(json.loads(json.dumps(header)), header_edits))
    packed = packed_arrays(edit_arrays({"header": np.array(text), **arrays}, edits))
    path = folder() / POLICY_FILE
    path.write_bytes(edit_bytes(packed, bytes_changed))
    player = PolicyPlayer.load(path, sample=sample)
    mask = np.zeros((2, NUM_ACTIONS), np.int8)
    mask[:, [3, 54]] = 1
    actions = player.act(np.full((2, OBSERVATION_SIZE), 3, np.int8), mask, np.arange(2, dtype=np.uint64))
    assert mask[[0, 1], actions].all()


value_files = st.tuples(leaf_edits, array_edits, st.just([]) | byte_edits)


@cache
def _value_file() -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays of a small value network."""
    words = np.random.default_rng(0)
    shapes = weight_shapes(2, 3, 4, 2)
    weights = {name: words.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    path = folder() / VALUES_FILE
    write_values(path, ValueFile(weights, rule_set("one_deck"), {"seed": 1}))
    with np.load(path) as arrays:
        return json.loads(str(arrays["header"])), weights


def load_values(case: tuple[Any, Any, Any]) -> None:
    """Load an altered value network, and let it decide."""
    header_edits, edits, bytes_changed = case
    header, arrays = _value_file()
    text = json.dumps(edit_document(json.loads(json.dumps(header)), header_edits))
    packed = packed_arrays(edit_arrays({"header": np.array(text), **arrays}, edits))
    path = folder() / VALUES_FILE
    path.write_bytes(edit_bytes(packed, bytes_changed))
    player = ValuePlayer.load(path)
    env, _ = _played("one_deck")
    actions = player.decide(Decisions.at(env.tables, np.arange(3)))
    assert env.action_mask[np.arange(3), actions].all()


def packed_arrays(arrays: dict[str, Any]) -> bytes:
    """Arrays by name as an npz file; those that only pickle can hold are left out."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, value in arrays.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, np.asanyarray(value), allow_pickle=True)
            archive.writestr(f"{name}.npy", part.getvalue())
    return file.getvalue()


# ---- tournaments

_LINES = st.integers(0, 3)
stores = st.tuples(_LINES, leaf_edits, st.just([]) | byte_edits)


@cache
def _tournament() -> Tournament:
    players = ("random", "tests.helpers.players_with_faults:cheats?when=300")
    return Tournament(players, rule_set("one_deck"), num_deals=8, batch_size=4, keeps_records=True)


@cache
def _kept() -> bytes:
    """The file of a tournament that was played to its end."""
    play_tournament(_tournament(), folder() / "whole")
    kept = (folder() / "whole" / STORE_FILE).read_bytes()
    assert b'"error"' in kept  # lost deals are there too
    return kept


def go_on(case: tuple[int, Any, Any]) -> None:
    """Go on with a tournament whose file is altered."""
    which, edits, bytes_changed = case
    lines = _kept().splitlines(keepends=True)
    place = which % len(lines)
    lines[place] = json.dumps(edit_document(json.loads(lines[place]), edits)).encode() + b"\n"
    path = folder() / "altered" / STORE_FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(edit_bytes(b"".join(lines), bytes_changed))
    kept: list[str] = []
    standings = play_tournament(_tournament(), path.parent, record=kept.append)
    json.dumps(standings.to_json())


# ---- shards of rollouts

shards = st.tuples(leaf_edits, byte_edits, st.booleans())


@cache
def _shard() -> bytes:
    path = folder() / "shard"
    write_shard(
        path, generate(RolloutSettings(rules="one_deck", playouts="distilled", opponents={"greedy": 0.5}), 0, 4)
    )
    return path.read_bytes()


def read_rollouts(case: tuple[Any, Any, bool]) -> None:
    """Read a shard with an altered header or altered arrays, whose checksum may have been put right."""
    edits, bytes_changed, is_right = case
    line, _, body = _shard().partition(b"\n")
    body = edit_bytes(body, bytes_changed)
    header = edit_document(json.loads(line), edits)
    if is_right and isinstance(header, dict):
        header["crc32"] = zlib.crc32(body)
    path = folder() / "altered.rollouts"
    path.write_bytes(json.dumps(header).encode() + b"\n" + body)
    expand(read_shard(path))


def prepare_files() -> None:
    """Make what is altered, and load what reads it."""
    for rules in _SNAPSHOT_RULES:
        _played(rules)
    for sample in (False, True):
        load_policy((sample, [], [], []))
    load_values(([], [], []))
    go_on((0, [], []))
    read_rollouts(([], [], False))
    read_record((_RECORDS[0], 0, []))
