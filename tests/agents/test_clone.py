"""Cloning from records: a short run learns, can be repeated, and its policy plays as the network does."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from agents import clone_single_file
from agents.clone_single_file import Args, Clone, clone, export, logits_of, matched
from shengji_env.arena import make_player
from shengji_env.datasets.recorded import Collection, RecordedRounds, collect
from shengji_env.engine.rule_sets import RULE_SETS

SMALL = Args(width=32, steps=60, batch=256, deals=4, validation_share=0.3)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("rounds")
    collect(folder, Collection(("greedy",), RULE_SETS["one_deck"], seed=1), 120)
    return str(folder)


def test_a_run_learns_on_deals_that_it_has_not_seen(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.manual_seed(0)
    untaught = matched(Clone(32), RecordedRounds(data, part="validation", validation_share=0.3))
    player = clone(dataclasses.replace(SMALL, data=data, out=str(tmp_path)))
    printed = capsys.readouterr().out
    share = float(printed.split("matched: all ")[1].split("%")[0]) / 100
    assert share > untaught["all"] + 0.1
    assert [f"vs {name}" in printed for name in ("random", "greedy", "heuristic")] == [True] * 3
    assert make_player(player).rules_fingerprint == RULE_SETS["one_deck"].fingerprint


def test_a_run_can_be_repeated(data: str, tmp_path: Path) -> None:
    files = []
    for name, seed in (("one", 1), ("again", 1), ("another", 2)):
        clone(dataclasses.replace(SMALL, data=data, steps=5, seed=seed, out=str(tmp_path / name)))
        files.append((tmp_path / name / "policy.npz").read_bytes())
    assert files[0] == files[1] != files[2]


def test_the_exported_policy_decides_like_the_network(data: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    network, rounds = Clone(32), RecordedRounds(data)
    network.scale.uniform_(0.1, 2.0)
    player = make_player(export(network, rounds, str(tmp_path)))
    batch = next(rounds.batches(2000))
    with torch.no_grad():
        likeliest = logits_of(network, batch).argmax(1).numpy()
    chosen = player.act(batch.observation, batch.action_mask, np.zeros(len(batch), np.uint64))
    assert (chosen == likeliest).mean() > 0.99
    assert (batch.action_mask[np.arange(len(batch)), likeliest] == 1).all()


def test_every_setting_is_an_option(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = dataclasses.asdict(dataclasses.replace(SMALL, data=data, player="greedy", steps=2, out=str(tmp_path)))
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    monkeypatch.setattr("sys.argv", ["clone_single_file", *words])
    clone_single_file.main()
    assert "matched: all" in capsys.readouterr().out
    assert (tmp_path / "policy.npz").exists()
