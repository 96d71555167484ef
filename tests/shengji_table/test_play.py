"""``shengji play``, end to end, with a person at the terminal."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from shengji_env.cli import main
from shengji_env.cli.commands import DEFAULT_PLAYERS
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.players.networks.policy import VERSIONS, LayerStack
from shengji_env.tables.observation import OBSERVATION_SIZE
from tests.helpers.paths import ROOT
from tests.helpers.typists import follow_hints, sit_down


def read(path):
    header, *rounds = map(json.loads, path.read_text().splitlines())
    return header, rounds


@pytest.mark.parametrize("rules", ["two_deck", "one_deck", "three_deck", "competition"])
def test_a_round_is_played_to_its_end_and_its_record_replays(rules, monkeypatch, tmp_path, capsys):
    screen = sit_down(monkeypatch, then=follow_hints)
    path = tmp_path / "round.jsonl"
    assert main(["play", "--rules", rules, "--seed", "4", "--record", str(path)]) == 0
    text = screen.getvalue()
    assert f"{rules} · seats 0 human · 1 heuristic · 2 heuristic · 3 heuristic · --seed 4 deals these cards" in text
    for word in ("▸ 0 human", "trump 主", "buried 扣底", "attackers' points 得分", "next declarer 庄家"):
        assert word in text
    header, rounds = read(path)
    assert (header["players"], header["seed"], len(rounds)) == (["human", *DEFAULT_PLAYERS[1:]], 4, 1)
    assert text.count("wins the trick") == len(rounds[0]["tricks"])
    assert main(["replay", str(path), "--check"]) == 0


def test_players_decide_as_they_do_without_a_person(monkeypatch, tmp_path):
    """A person who follows the hints is a heuristic player: the round is the one that four of them play."""
    for name, players in (("person", DEFAULT_PLAYERS), ("four", ["heuristic"] * 4)):
        sit_down(monkeypatch, then=follow_hints)
        assert main(["play", *players, "--seed", "6", "--record", str(tmp_path / name)]) == 0
    (person,), (four,) = (read(tmp_path / name)[1] for name in ("person", "four"))
    assert {**person, "players": None} == {**four, "players": None}


def test_four_players_are_watched(monkeypatch):
    screen = sit_down(monkeypatch)
    assert main(["play", "random", "greedy", "heuristic", "greedy", "--rules", "one_deck", "--seed", "1"]) == 0
    text = screen.getvalue()
    assert "▸" not in text
    assert [int(trick) for trick in re.findall(r"  trick (\d+)", text)] == list(range(1, 13))
    assert text.index("is declarer 庄家, takes up the kitty") < text.index("trick 1 ")


def test_rounds_are_told_in_the_language_of_the_locale(monkeypatch, tmp_path):
    path = str(tmp_path / "round.jsonl")
    sit_down(monkeypatch)
    assert main(["play", *["greedy"] * 4, "--rules", "one_deck", "--seed", "1", "--record", path]) == 0
    monkeypatch.setenv("LANGUAGE", "zh_CN")
    screen = sit_down(monkeypatch)
    assert main(["play", *["greedy"] * 4, "--rules", "one_deck", "--seed", "1"]) == 0
    told = re.findall(r"^  第 (\d+) 圈：\d 号领 ", screen.getvalue(), re.MULTILINE)
    assert list(map(int, told)) == list(range(1, 13))
    assert main(["replay", path]) == 0
    trick = r"^第 \d+ 圈：\d 号领 .*；\d 号 .*；\d 号 .*；\d 号 .*。\d 号赢，\d+ 分。$"
    assert len(re.findall(trick, screen.getvalue(), re.MULTILINE)) == 12
    assert len(re.findall("^ *本局结束：闲家 ", screen.getvalue(), re.MULTILINE)) == 2
    assert main(["replay", path, "--language", "en"]) == 0
    assert "kitty 底牌" in screen.getvalue()


def test_open_tables_show_all_hands(monkeypatch):
    command = ["play", "--rules", "one_deck", "--seed", "1"]
    hidden = sit_down(monkeypatch, then=follow_hints)
    assert main(command) == 0
    shown = sit_down(monkeypatch, then=follow_hints)
    assert main([*command, "--open"]) == 0
    assert re.search(r"\nseat 1 +\d+  \?", hidden.getvalue())
    assert not re.search(r"\nseat \d +\d+  \?", shown.getvalue())
    watched = sit_down(monkeypatch)
    assert main(["play", *["greedy"] * 4, "--rules", "one_deck", "--seed", "1", "--open"]) == 0
    assert watched.getvalue().count("to lead 出牌") == 11  # nobody has a choice in the last of the twelve tricks


def test_a_match_goes_on_to_its_end_and_its_record_replays(monkeypatch, tmp_path):
    sit_down(monkeypatch)
    path = tmp_path / "match.jsonl"
    rules = "one_deck(match_end=rounds, match_rounds=3)"
    assert main(["play", *["greedy"] * 4, "--rules", rules, "--seed", "2", "--match", "--record", str(path)]) == 0
    assert [line["match_round"] for line in read(path)[1]] == [0, 1, 2]
    assert main(["replay", str(path), "--check"]) == 0


def test_at_a_terminal_the_next_round_is_offered(monkeypatch, tmp_path):
    def play_two_rounds(text):
        if text.endswith("quit > "):
            menus = text.count("Enter: the next round")
            return {1: "tricks", 2: "rules", 3: "", 4: "quit"}[menus]
        return follow_hints(text)

    screen = sit_down(monkeypatch, then=play_two_rounds, is_terminal=True)
    path = tmp_path / "two.jsonl"
    assert main(["play", "--rules", "one_deck", "--seed", "2", "--record", str(path)]) == 0
    assert len(read(path)[1]) == 2
    text = screen.getvalue()
    assert "kitty 底牌" in text
    assert "Trumps and their order 主牌" in text
    assert "\x1b[1m" in text


@pytest.mark.parametrize("line", ["quit", None])
def test_leaving_keeps_the_rounds_that_were_finished(line, monkeypatch, tmp_path, capsys):
    sit_down(monkeypatch, *([] if line is None else [line]))
    path = tmp_path / "left.jsonl"
    assert main(["play", "--seed", "9", "--record", str(path)]) == 130
    printed = capsys.readouterr().err
    assert f"{path} holds the rounds that were finished" in printed
    assert "the round is left: --seed 9 begins again with the same cards" in printed
    assert ("interrupted: the input has ended" in printed) == (line is None)
    assert "Traceback" not in printed


def test_a_match_that_was_asked_for_is_not_interrupted_at_a_terminal(monkeypatch):
    screen = sit_down(monkeypatch, then=follow_hints, is_terminal=True)
    assert main(["play", "--rules", "one_deck(match_end=rounds, match_rounds=2)", "--seed", "2", "--match"]) == 0
    assert screen.getvalue().count("得分") > 2
    assert "Enter: the next round" not in screen.getvalue()


@pytest.mark.thorough
def test_what_an_encoding_cannot_write_is_replaced():
    command = [sys.executable, "-m", "shengji_env.cli", "play", *["greedy"] * 4, "--rules", "one_deck", "--seed", "1"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    played = subprocess.run(command, capture_output=True, env=environment, check=False, cwd=ROOT)
    assert played.returncode == 0
    assert b"wins the trick" in played.stdout


def test_a_network_trained_on_other_rules_is_noted(monkeypatch, capsys, tmp_path):
    path = tmp_path / "policy.npz"
    header = {**VERSIONS, **LayerStack(()).header, "rules": "one_deck", "rules_fingerprint": "0" * 12}
    weights = {"w0": np.zeros((OBSERVATION_SIZE, NUM_ACTIONS), np.float32), "b0": np.zeros(NUM_ACTIONS, np.float32)}
    np.savez(path, header=json.dumps(header), **weights)
    sit_down(monkeypatch)
    assert main(["play", f"policy:{path}", *["greedy"] * 3, "--rules", "one_deck_45"]) == 0
    assert f"note: policy:{path} was trained on one_deck (000000000000)" in capsys.readouterr().err


def test_a_seed_is_drawn_and_said(monkeypatch):
    seeds = set()
    for _ in range(2):
        screen = sit_down(monkeypatch)
        assert main(["play", *["random"] * 4, "--rules", "one_deck"]) == 0
        seeds.update(re.findall(r"--seed (\d+) deals", screen.getvalue()))
    assert len(seeds) == 2


def test_two_people_share_the_terminal(monkeypatch):
    screen = sit_down(monkeypatch, then=follow_hints)
    players = ["human?name=Ann", "greedy", "human?name=Bo", "greedy"]
    assert main(["play", *players, "--rules", "one_deck", "--seed", "1"]) == 0
    text = screen.getvalue()
    assert "▸ 0 Ann" in text
    assert "2 Bo, follow" in text
    assert text.count("wins the trick") == 12
    assert text.count("next declarer") == 1


@pytest.mark.parametrize("kind", ["raises", "cheats"])
def test_a_player_that_goes_wrong_is_named_with_seat_and_ply(kind, monkeypatch, capsys):
    sit_down(monkeypatch)
    players = ["greedy", f"tests.helpers.players_with_faults:{kind}?when=3", "greedy", "greedy"]
    assert main(["play", *players, "--seed", "1"]) == 2
    printed = capsys.readouterr().err
    assert re.fullmatch(rf"shengji: error: player '{kind}' \(deal 0, ply \d+, seat 1, [A-Z]+\): .*\n", printed)
