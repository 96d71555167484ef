"""Collections: who sits where, the same bytes for any workers and after any interruption, strange folders refused."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from shengji_env.arena.chunks import known_player
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.cli import main
from shengji_env.datasets.recorded import Collection, RecordedRounds, collect
from shengji_env.datasets.recorded.collecting import COLLECTION_FILE
from shengji_env.engine.cards import NUM_CARDS, RANKS, parse_card_list
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_env.envs.batch import BatchEnv
from shengji_env.errors import PlayerError, RecordError, ShengjiError
from shengji_env.players.networks.policy import write_policy
from shengji_env.records import RecordReader
from shengji_env.support.workers.pools import Pool
from tests.helpers.policies import random_layers

RULES = RULE_SETS["one_deck"]
TWO = Collection(("random", "greedy"), RULES, seed=1)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def rounds_of(files):
    for path in files:
        with gzip.open(path, "rt") as file:
            yield from (replayed.record for replayed in RecordReader(file))


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A folder, its files, and their rounds."""
    folder = tmp_path_factory.mktemp("two")
    files = collect(folder, TWO, 60, file_rounds=20)
    return folder, files, list(rounds_of(files))


# ---- the rounds


def test_rounds_are_those_of_the_tables_with_their_numbers(two):
    assert [path.name[7:28] for path in two[1]] == [f"{first:010}-{first + 20:010}" for first in (0, 20, 40)]
    env = BatchEnv(60, RULES, seed=1, start="any")
    for number, given in enumerate(two[2]):
        state = env.states[number]
        assert given["table"] == number
        assert given["levels"] == [RANKS[level] for level in state["levels"]]
        if not given["redeals"]:
            assert parse_card_list(given["deal"]) == state["deal"][: RULES.decks * NUM_CARDS].tolist()


@pytest.mark.parametrize(
    ("players", "seats"),
    [
        (("a",), ["aaaa", "aaaa"]),
        (("a", "b"), ["abab", "baba", "abab"]),
        (("a", "b", "c", "d"), ["abcd", "bcda", "cdab", "dabc", "abcd"]),
    ],
)
def test_everybody_moves_on_by_a_seat(monkeypatch, players, seats):
    monkeypatch.setattr(Collection, "__post_init__", lambda self: None)
    lineup = Collection(players, RULES).lineup(range(len(seats)))
    assert ["".join(players[place] for place in row) for row in lineup] == seats


def test_records_name_who_sat_where(two):
    seated = [given["players"] for given in two[2]]
    assert seated[:2] == [["random", "greedy"] * 2, ["greedy", "random"] * 2]
    samples = list(RecordedRounds(two[0], players=("greedy",)).samples())
    assert all(((each.seat + each.round) % 2 == 1).all() for each in samples)


def test_players_decide_as_in_the_arena(two):
    players = tuple(Collection(("random", "greedy"), RULES).seated)
    lineup = np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
    batch = DealBatch(players, RULES, 1, range(2), lineup=lineup)
    _, lines = batch.play_out(keeps_lines=True)
    assert [json.loads(line) for line in lines] == two[2][:2]


# ---- the folder


@pytest.mark.thorough
def test_workers_and_interruptions_change_no_byte(two, tmp_path):
    whole = content(two[0])
    with Pool(2) as pool:
        files = collect(tmp_path / "pool", TWO, 60, file_rounds=20, executor=pool)
    assert content(tmp_path / "pool") == whole
    files[1].unlink()
    (tmp_path / "pool" / f".{files[1].name}.part").write_bytes(b"half")
    collect(tmp_path / "pool", TWO, 60, file_rounds=20)
    assert content(tmp_path / "pool") == whole


def test_more_rounds_are_added_and_none_are_taken_away(two, tmp_path):
    files = collect(tmp_path, TWO, 30, file_rounds=20)
    assert list(rounds_of(files)) == two[2][:30]
    files = collect(tmp_path, TWO, 60, file_rounds=25)
    assert [path.name[7:28] for path in files] == [
        "0000000000-0000000020", "0000000020-0000000030", "0000000030-0000000050", "0000000050-0000000060",
    ]  # fmt: skip
    assert list(rounds_of(files)) == two[2]
    assert collect(tmp_path, TWO, 10) == files


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Collection(("greedy", "random"), RULES, seed=1), "players was"),
        (Collection(("random", "greedy"), RULES, seed=2), "seed was 1, now 2"),
        (
            Collection(("random", "greedy"), RULE_SETS["two_deck"], seed=1),
            "rules.preset was 'one_deck', now 'two_deck'",
        ),
    ],
)
def test_folders_of_other_collections_are_refused(two, other, words):
    before = content(two[0])
    with pytest.raises(RecordError, match=words):
        collect(two[0], other, 60)
    assert content(two[0]) == before


def test_a_network_that_has_changed_is_another_player(tmp_path):
    headers = []
    for seed in (0, 1):
        write_policy(random_layers(seed=seed), tmp_path / "policy.npz", rules="one_deck")
        known_player.cache_clear()  # a player is made once in a process
        headers.append(Collection((f"policy:{tmp_path / 'policy.npz'}",), RULES).header())
    assert headers[0]["networks"] != headers[1]["networks"]
    assert {**headers[0], "networks": 0} == {**headers[1], "networks": 0}


def test_folders_of_something_else_are_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(RecordError, match=r"holds something else \(thesis.txt\)"):
        collect(tmp_path, TWO, 10)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other/1"}', "{"])
def test_damaged_headers_are_refused(tmp_path, text):
    (tmp_path / COLLECTION_FILE).write_text(text)
    with pytest.raises(RecordError, match=r"collection.json cannot be read.*choose another folder"):
        collect(tmp_path, TWO, 10)


@pytest.mark.parametrize(
    ("players", "words"),
    [
        ((), "name one"),
        (("random",) * 3, "name one"),
        (("human",), "a person plays"),
        (("nobody",), "no player is called"),
    ],
)
def test_players_that_cannot_play_are_refused(players, words):
    with pytest.raises(ShengjiError, match=words):
        Collection(players, RULES)


def test_arguments_that_make_no_sense_are_refused(tmp_path):
    for wrong in ({"num_rounds": 0}, {"num_rounds": 10, "file_rounds": 0}):
        with pytest.raises(ShengjiError, match="must be a whole number"):
            collect(tmp_path, TWO, **wrong)
    with pytest.raises(ShengjiError, match="seed"):
        Collection(("random",), RULES, seed=-1)
    with pytest.raises(ShengjiError, match="RuleSet"):
        Collection(("random",), "one_deck")


def test_a_players_fault_ends_the_run_and_finished_files_stay(tmp_path, monkeypatch):
    collection = Collection((f"{__name__}:Tires",), RULES)
    files = collect(tmp_path, collection, 20, file_rounds=20)
    monkeypatch.setattr(Tires, "is_tired", True)
    with pytest.raises(PlayerError, match="it is tired"):
        collect(tmp_path, collection, 60, file_rounds=20)
    assert list(tmp_path.glob("rounds-*")) == files


class Tires:
    """Takes the first legal action, until it is tired."""

    name = "tires"
    is_tired = False

    def act(self, observation, action_mask, key):
        if self.is_tired:
            raise RuntimeError("it is tired")
        return action_mask.argmax(axis=1)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills a process group")
def test_a_killed_run_is_gone_on_with(tmp_path):
    whole = {path.name: path.read_bytes() for path in collect(tmp_path / "whole", TWO, 2000, file_rounds=100)}
    command = [sys.executable, "-m", "shengji_env.cli", "collect", *TWO.players, "--rules", "one_deck", "--seed", "1"]
    command += ["--rounds", "2000", "--file", "100", "--workers", "2", "--out", str(tmp_path / "killed")]
    run = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    while len(list((tmp_path / "killed").glob("rounds-*"))) < 3 and run.poll() is None:
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert len(list((tmp_path / "killed").glob("rounds-*"))) < 20
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    assert {path.name: path.read_bytes() for path in (tmp_path / "killed").glob("rounds-*")} == whole


# ---- the command


def test_the_command_collects_and_goes_on(tmp_path, capsys):
    out = tmp_path / "rounds"
    words = ["collect", "random", "greedy", "--rules", "one_deck", "--workers", "1", "--file", "20", "--out", str(out)]
    assert main([*words, "--rounds", "20"]) == 0
    assert main([*words, "--rounds", "50"]) == 0
    printed = capsys.readouterr()
    assert f"{out} has 50 rounds in 3 files" in printed.out
    assert "random, greedy; rules one_deck" in printed.err
    assert "note: 20 of 50 rounds were played before\n" in printed.err
    assert main(["replay", str(next(out.glob("rounds-*"))), "--check"]) == 0
    assert "20 rounds" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["random", "--rounds", "0"], "num_rounds=0"),
        (["random", "greedy", "random", "--rounds", "5"], "3 players are named"),
        (["random", "--rounds", "5", "--file", "0"], "file_rounds=0"),
        (["random", "--rounds", "5", "--rules", "poker"], "poker"),
    ],
)
def test_wrong_commands_are_refused_in_one_line(tmp_path, capsys, words, reason):
    assert main(["collect", *words, "--out", str(tmp_path / "rounds")]) == 2
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1
