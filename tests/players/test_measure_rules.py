"""The tool that says what a player is worth under many rule sets: its sums, and Holm's procedure."""

from types import SimpleNamespace

import numpy as np
import pytest

from shengji_env.engine.rule_sets import PRESETS, parse_rules
from tools.measure_rules import difference, losing, main, report, standard_error


def result(mean, error):
    return SimpleNamespace(levels_per_round=mean, interval=(mean - 1.96 * error, mean + 1.96 * error))


def test_the_error_follows_from_the_interval():
    assert standard_error(result(0.3, 0.02)) == pytest.approx(0.02)


def test_who_loses_is_corrected_for_the_number_of_tests():
    """Of four, the smallest chance must be below 0.05 / 4, the next below 0.05 / 3, and so on."""
    far, two, none = result(-0.1, 0.02), result(-0.04, 0.02), result(0.0, 0.02)
    assert losing([two]) == [0]
    assert losing([none, two, none, none]) == []
    assert losing([none, far, two, far]) == [1, 2, 3]
    assert losing([none, far, none, two]) == [1]
    assert losing([result(0.5, 0.02), none]) == []


def test_the_report_has_the_mean_and_its_interval():
    rules = [parse_rules("two_deck"), parse_rules("one_deck")]
    text = report(rules, [result(0.2, 0.03), result(-0.4, 0.04)])
    assert "| `two_deck` | +0.200 (+0.141 to +0.259) |" in text
    assert "Mean -0.100 (-0.149 to -0.051); below 0 beyond chance: `one_deck`" in text


def test_the_command_plays_every_preset(capsys):
    assert main(["greedy", "--against", "random", "--rules", "presets", "--deals", "4"]) == 0
    shown = capsys.readouterr().out
    assert all(f"| `{preset}` |" in shown for preset in PRESETS)
    assert "Mean +" in shown


def test_two_players_on_the_same_deals(capsys):
    """The difference is that of the means; a player has none to itself, whatever the deals."""
    assert main(["greedy", "--than", "random", "--against", "random", "--rules", "two_deck", "--deals", "20"]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| `two_deck` |"))
    mean, other, gain = (float(cell.split()[0]) for cell in row.split("|")[2:5])
    assert gain == pytest.approx(mean - other, abs=0.0011)
    assert main(["greedy", "--than", "greedy", "--against", "random", "--rules", "one_deck", "--deals", "20"]) == 0
    assert "| +0.000 (+0.000 to +0.000) |" in capsys.readouterr().out


def test_differences_on_the_same_deals_have_narrower_intervals():
    levels = np.random.default_rng(1).integers(-3, 4, (400, 2))
    one, other = SimpleNamespace(levels=levels + 1), SimpleNamespace(levels=levels)
    assert difference(one, other) == (1, 1, 1)
    mean, low, high = difference(SimpleNamespace(levels=levels), SimpleNamespace(levels=levels[::-1]))
    assert mean == pytest.approx(0)
    assert high - low == pytest.approx(2 * 1.96 * (levels - levels[::-1]).mean(axis=1).std(ddof=1) / 20)
