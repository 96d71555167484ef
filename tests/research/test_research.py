"""Research: each program that has figures on a page still runs, on a small scale."""

import importlib
import json
import pkgutil
import re
import sys

import numpy as np
import pytest

import research
from research import (
    draw,
    measure_pairing,
    measure_rules,
    measure_sprt,
    run_baselines,
)
from research.exploiting.__main__ import main as exploit
from research.iterating import main as iterate
from research.rank_agreement import agreement
from shengji_env.arena import play_matchup
from shengji_env.arena.sequential import LOOK
from shengji_env.players import make_player


def test_every_program_can_be_loaded():
    names = [module.name for module in pkgutil.walk_packages(research.__path__, "research.")]
    assert len(names) > 20
    for name in names:
        assert importlib.import_module(name).__doc__


@pytest.mark.thorough
def test_the_bound_is_what_the_chosen_response_wins_on_other_deals(tmp_path):
    options = ["--rules", "small_three_ranks", "--rounds", "1500", "--generations", "1"]
    options += ["--choosing-deals", "100", "--deals", "200", "--out", str(tmp_path)]
    assert exploit(["greedy", *options]) == 0
    result = json.loads((tmp_path / "result.json").read_text())
    last = result["response"]
    assert last["player"] == max(result["choosing"], key=lambda response: response["levels"])["player"]
    assert result["lower_bound"] == max(0.0, last["low"])
    again = play_matchup(last["player"], "greedy", num_deals=200, rules="small_three_ranks", seed=1 + 2**43)
    assert (again.levels_per_round, *again.interval) == pytest.approx((last["levels"], last["low"], last["high"]))


@pytest.mark.thorough
def test_a_network_learns_from_what_a_search_makes_of_its_decisions(tmp_path, capsys):
    options = ["--minutes", "0.1", "--worlds", "8", "--share", "0.5"]
    assert iterate([*options, "--out", str(tmp_path)]) == 0
    assert re.search(r"[1-9]\d+ decisions, [1-9]\d* overridden", capsys.readouterr().out)
    learned, shipped = (make_player(text).file for text in (f"selfplay:{tmp_path}", "champion"))
    assert (learned.network.weights != shipped.network.weights).any()
    np.testing.assert_array_equal(learned.playouts.weights, shipped.playouts.weights)
    assert iterate(["heuristic", "--out", str(tmp_path)]) == 2


def test_baselines_play_the_same_deals_and_go_on_where_they_were_stopped(tmp_path, monkeypatch):
    work = [[sys.executable, "-c", "pass"]]
    one = run_baselines.BaselineAlgorithm("", lambda *_: work, lambda _: "greedy")
    monkeypatch.setattr(run_baselines, "BASELINES", {"one": one})
    command = ["--hours", "0.005", "--points", "1", "--seeds", "4", "5", "--deals", "20", "--out", str(tmp_path)]
    for name in ("one-0.3-seed-4", "one-0.3-seed-5"):
        (tmp_path / name).mkdir()
    assert run_baselines.main(command) == 0
    first, second = json.loads((tmp_path / run_baselines.RUNS_FILE).read_text())["runs"]
    assert first["levels"] == second["levels"]
    found = play_matchup("greedy", "heuristic", num_deals=20, seed=run_baselines.MATCH_SEED)
    assert first["levels"]["heuristic"] == pytest.approx([found.levels_per_round, *found.interval], abs=1e-6)
    monkeypatch.setattr(run_baselines, "play", lambda player, folder, deals: second["levels"])
    assert run_baselines.main(command) == 0
    assert json.loads((tmp_path / run_baselines.RUNS_FILE).read_text())["runs"] == [first, second]


def test_the_mean_of_runs_has_an_interval_over_runs():
    runs = [run_baselines.BaselineRun("DMC", 20, seed, 20.0, {"heuristic": (0.1 * seed, 0, 1)}) for seed in (1, 2, 3)]
    (point,) = run_baselines.points_of(runs)
    student = 4.3027 * 0.1 / 3**0.5  # Student's t for three runs
    assert point["heuristic"]["mean"] == pytest.approx([0.2, 0.2 - student, 0.2 + student], abs=1e-4)


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], -1),
        ([1, 2, 3, 4], [1, 2, 4, 3], 2 / 3),
        ([12, 2, 1, 12, 2], [1, 4, 7, 1, 0], -0.4714045207910316),  # SciPy's example of τ-b
        ([1, 1 + 1e-12, 2], [1, 1, 2], 1),
    ],
)
def test_tau_of_known_figures(first, second, tau):
    assert agreement(first, second, samples=50).tau == pytest.approx(tau)


@pytest.mark.parametrize("chart", draw.CHARTS)
def test_charts_are_drawn(chart, tmp_path):
    draw.main([chart, str(tmp_path / "chart.png")])
    assert (tmp_path / "chart.png").stat().st_size > 5000


def test_two_players_are_compared_on_the_same_deals(capsys):
    options = ["--against", "random", "--rules", "two_deck", "--deals", "20"]
    assert measure_rules.main(["greedy", "--than", "random", *options]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| `two_deck` |"))
    mean, other, gain = (float(cell.split()[0]) for cell in row.split("|")[2:5])
    assert gain == pytest.approx(mean - other, abs=0.0011)


def test_who_sees_all_hands_wins_by_far():
    result = play_matchup("research.open_hands:OpenHands", "heuristic", num_deals=40, seed=3)
    assert result.interval[0] > 0.5


def test_intervals_of_adaptive_pairing_hold_the_truth_as_often_as_they_say():
    found = []
    for seed in range(6):
        world = measure_pairing.World(seed, 3000)
        found.append(measure_pairing.figures(world, measure_pairing.play(world, 3000, True), 100)[0])
    held = np.concatenate(found)[:, 2]
    assert len(held) == 6 * 19
    assert held.mean() > 0.88


@pytest.mark.parametrize(("mean", "wrong"), [(0.0, 1), (0.1, -1)])
def test_at_a_bound_the_sequential_test_is_wrong_in_five_of_a_hundred(mean, wrong):
    rng = np.random.default_rng(4)
    drawn = rng.choice([-1.5, -0.5, 0.0, 1.0], 10_000)
    moved = drawn - drawn.mean() + mean
    ends, deals = measure_sprt.run_tests(moved, 0.0, 0.1, tests=2000, limit=50_000, rng=rng)
    assert 0.02 < (ends == wrong).mean() < 0.065
    assert (ends == 0).mean() == 0
    assert (deals % LOOK == 0).all()
