"""Files that are loaded: altered records, networks, unfinished tournaments and shards of rollouts."""

import io
import json
import zlib
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shengji_env.arena.running import STORE_FILE, play_tournament
from shengji_env.arena.tournament import Tournament
from shengji_env.cli import main
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate, read_shard, write_shard
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import rule_set
from shengji_env.players.decisions import Decisions
from shengji_env.players.networks.network_file import read_network
from shengji_env.players.networks.policy import POLICY_FILE, VERSIONS, PolicyPlayer
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE
from shengji_env.players.networks.selfplay.selfplay_network import NetworkShape
from shengji_env.players.registry import make_player
from shengji_env.records.lost_deals import LOST_FORMAT
from shengji_env.records.reading import RecordReader
from shengji_env.records.replays import Replay
from shengji_env.render import render_record
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv
from shengji_table.season.season import played, shipped_season
from shengji_table.season.verdict import record_of_person
from tests.fuzz.alterations import (
    array_edits,
    byte_edits,
    edit_arrays,
    edit_document,
    edit_line,
    leaf_edits,
    splice,
    text_edits,
)
from tests.fuzz.files import COMMAND_CODES, folder, lines_of, packed_arrays, record_names, run_command
from tests.fuzz.target import target
from tests.helpers.policies import random_layers
from tests.helpers.selfplay_networks import write_random

_which = st.integers(0, 3)
_perhaps_bytes = st.just([]) | byte_edits

# ---- records


@target(weight=40, name=record_names, which=_which, edits=leaf_edits)
def test_records(name, which, edits):
    """Read a record one of whose lines is altered."""
    _read_all(edit_line(lines_of(name)[:4], which, edits))


@target(weight=40, name=record_names, edits=text_edits)
def test_record_texts(name, edits):
    """Read a record with pieces of text changed."""
    _read_all(splice("".join(lines_of(name)[:3]), edits))


@target(weight=30, name=record_names, edits=byte_edits)
def test_record_files(name, edits):
    """Give ``shengji replay`` a file with bytes changed."""
    path = folder() / "record.jsonl"
    path.write_bytes(splice("".join(lines_of(name)[:2]).encode(), edits))
    run_command(main, ["replay", str(path)], COMMAND_CODES)


@target(weight=30, name=record_names, which=_which, edits=leaf_edits)
def test_lost_deals(name, which, edits):
    """Give ``shengji replay`` a deal that broke off, altered."""
    header, line = map(json.loads, lines_of(name)[:2])
    for key in ("level_rank", "kitty", "buried", "tricks", "result"):
        line.pop(key, None)
    line["decisions"] = line["decisions"][: 20 * which]
    numbers = dict.fromkeys(("deal", "table", "round", "ply", "seat"), 0)
    fault = {**numbers, "player": "a", "phase": "LEAD", "error": "raised", "record": line}
    path = folder() / "lost.jsonl"
    documents = {**header, "format": LOST_FORMAT}, edit_document(fault, edits)
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    run_command(main, ["replay", str(path)], COMMAND_CODES)


@target(weight=10, which=_which, edits=leaf_edits)
def test_files_of_people(which, edits):
    """Give ``shengji people`` a file one of whose lines is altered."""
    path = folder() / "person.jsonl"
    path.write_text(edit_line(_lines_of_a_person(), which, edits), encoding="utf-8")
    run_command(main, ["people", str(path)])


@cache
def _lines_of_a_person() -> list[str]:
    season, greedy = shipped_season(), make_player("greedy")
    rounds = [played(season, number, greedy, make_player(season.others)) for number in range(3)]
    return record_of_person(season, "person", rounds).splitlines(keepends=True)


def _read_all(text: str) -> None:
    reader = RecordReader(io.StringIO(text))
    for replayed in reader:
        record = replayed.record
        render_record(record, reader.rules, players=record.get("players", reader.players), color=False)
        Replay(reader.rules, tuple(reader.players), (replayed,)).html().encode()


# ---- networks


def _write_network(name: str, header: Any, arrays: dict[str, Any], edits: tuple[Any, Any, Any]) -> str:
    """Write a network with edits of its header, its arrays and its bytes; return the path."""
    of_header, of_arrays, of_bytes = edits
    text = json.dumps(edit_document(header, of_header))
    path = folder() / name
    path.write_bytes(splice(packed_arrays(edit_arrays({"header": np.array(text), **arrays}, of_arrays)), of_bytes))
    return str(path)


_network_edits = st.tuples(leaf_edits, array_edits, _perhaps_bytes)


@target(weight=40, sample=st.booleans(), edits=_network_edits)
def test_policies(sample, edits):
    """Load an altered network, and let it decide."""
    network = random_layers()
    header = {**network.header, **VERSIONS, "rules": "two_deck", "rules_fingerprint": rule_set().fingerprint}
    player = PolicyPlayer.load(_write_network(POLICY_FILE, header, dict(network.arrays), edits), sample=sample)
    mask = np.zeros((2, NUM_ACTIONS), np.int8)
    mask[:, [3, 54]] = 1
    actions = player.act(np.full((2, OBSERVATION_SIZE), 3, np.int8), mask, np.arange(2, dtype=np.uint64))
    assert mask[[0, 1], actions].all()


@cache
def _played() -> BatchEnv:
    """An environment under way."""
    env = BatchEnv(3, "one_deck", seed=0, start="any")
    for _ in range(120):
        env.step(env.sample_actions())
    return env


@cache
def _selfplay_file() -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays of a small network of self-play."""
    write_random(folder(), shape=NetworkShape(32, 32, 32))
    return read_network(folder() / SELFPLAY_FILE)


@target(weight=30, edits=_network_edits)
def test_selfplay_files(edits):
    """Load an altered network of self-play, and let it decide."""
    player = SelfplayPlayer.load(_write_network(SELFPLAY_FILE, *_selfplay_file(), edits))
    env = _played()
    actions = player.decide(Decisions.at(env.tables, np.arange(3)))
    assert env.action_mask[np.arange(3), actions].all()


# ---- tournaments


@cache
def _tournament() -> Tournament:
    players = ("random", "tests.helpers.players_with_faults:cheats?when=300")
    return Tournament(players, rule_set("one_deck"), num_deals=8, batch_size=4, keeps_records=True)


@cache
def _kept() -> list[str]:
    """The file of a tournament that was played to its end; lost deals are there too."""
    play_tournament(_tournament(), folder() / "whole")
    kept = (folder() / "whole" / STORE_FILE).read_text(encoding="utf-8")
    assert '"error"' in kept
    return kept.splitlines(keepends=True)


@target(weight=20, which=_which, edits=leaf_edits, changed=_perhaps_bytes)
def test_tournament_files(which, edits, changed):
    """Go on with a tournament whose file is altered."""
    path = folder() / "altered" / STORE_FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(splice(edit_line(_kept(), which, edits).encode(), changed))
    kept: list[str] = []
    standings = play_tournament(_tournament(), path.parent, record=kept.append)
    json.dumps(standings.to_json())


# ---- shards of rollouts


@cache
def _shard() -> bytes:
    path = folder() / "shard"
    settings = RolloutSettings(rules="one_deck", playouts="champion?part=playouts", opponents={"greedy": 0.5})
    write_shard(path, generate(settings, 0, 4))
    return path.read_bytes()


@target(weight=40, edits=leaf_edits, changed=byte_edits, is_right=st.booleans())
def test_rollout_shards(edits, changed, is_right):
    """Read a shard with an altered header or altered arrays, whose checksum may have been put right."""
    line, _, body = _shard().partition(b"\n")
    body = splice(body, changed)
    header = edit_document(json.loads(line), edits)
    if is_right and isinstance(header, dict):
        header["crc32"] = zlib.crc32(body)
    path = folder() / "altered.rollouts"
    path.write_bytes(json.dumps(header).encode() + b"\n" + body)
    expand(read_shard(path))
