"""The tool that says what a player is worth under many rule sets: its sums, and Holm's procedure."""

from types import SimpleNamespace

import pytest

from shengji_env.engine.rule_sets import PRESETS, parse_rules
from tools.measure_rules import losing, main, report, standard_error


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
