"""The tables and pictures made of what long runs wrote: baselines, crossplay, searches for best responses."""

import json

import pytest

from tools import draw_baselines, draw_exploitability
from tools.baselines import Outcome, matrix_table, runs_table, strangers_table
from tools.exploitability import searches, searches_table

RUNS = [
    Outcome("DMC", minutes, seed, taken, {"heuristic": (levels, levels - 0.02, levels + 0.02)})
    for minutes, seed, taken, levels in ((20, 1, 20.1, 0.1), (20, 2, 19.9, 0.2), (20, 3, 20.0, 0.3), (5, 1, 5.0, -0.4))
]


def search(player, hours, levels):
    """What a search wrote."""
    low, high = levels - 0.01, levels + 0.01
    response = {"player": "values:runs/x", "levels": levels, "low": low, "high": high, "deals": 20_000}
    plan = {"player": player, "rules": "two_deck", "rounds": 100_000, "generations": 2}
    return {**plan, "core_hours": hours, "response": response, "lower_bound": max(0.0, low)}


@pytest.fixture
def found(tmp_path):
    said = {"b": search("champion", 2.0, 0.005), "a": search("random", 0.5, 2.6), "c": search("champion", 1.0, -0.02)}
    said["b"]["continues"] = "c"
    for name, each in said.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(each))
    return searches(tmp_path)


def test_the_mean_of_runs_has_an_interval_over_runs():
    rows = runs_table(RUNS).splitlines()[2:]
    # Student's t for three runs: 4.3027 * 0.1 / 3 ** 0.5
    assert rows == [
        "| DMC | 5 | 5.0 | −0.400 | −0.400 |",
        "| DMC | 20 | 20.1 · 19.9 · 20.0 | +0.200 (−0.048 to +0.448) | +0.100 · +0.200 · +0.300 |",
    ]


def test_partners_are_named_by_algorithm_and_seed():
    strangers = {"levels": 0.1, "price": 0.05, "over_deals": (0.04, 0.06), "over_players": (-0.1, 0.2)}
    group = {"own": 0.15, "group": strangers, "others": strangers}
    crossplay = {
        "players": ["values:runs/value-learner-20-seed-1", "x:DMC?path=runs/DMC-20-seed-1"],
        "matrix": [[0.5, 0.25], [0.25, -0.5]],
        "groups": [{**group, "players": [0]}, {**group, "players": [1]}],
        "all": {**group, "players": [0, 1]},
    }
    assert "| DMC 1 | +0.25 | −0.50 |" in matrix_table(crossplay)
    rows = strangers_table(crossplay).splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == ["value learner", "DMC", "all"]
    assert rows[0].count("| +0.100 | +0.050 (+0.040 to +0.060) | −0.100 to +0.200 |") == 1


def test_searches_stand_in_the_order_of_players_and_hours(found):
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in searches_table(found).splitlines()[2:]]
    assert [(row[0], row[2], row[-1]) for row in rows] == [
        ("`random`", "0.50", "**2.590**"), ("`champion`", "1.00", "**0.000**"), ("`champion`", "3.00", "**0.000**"),
    ]  # fmt: skip
    assert [row[1] for row in rows] == ["2 × 100,000", "2 × 100,000", "4 × 100,000"]
    assert rows[1][4] == "−0.020 (−0.030 to −0.010)"


def test_pictures_can_be_drawn(found, tmp_path):
    draw_baselines.draw(RUNS, tmp_path / "baselines.png")
    draw_exploitability.draw(found, tmp_path / "exploitability.png")
    assert all((tmp_path / name).stat().st_size > 5000 for name in ("baselines.png", "exploitability.png"))
