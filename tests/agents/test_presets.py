"""`train.py` on every preset: a tiny run is killed, resumed and evaluated; the arena plays the exported network.

Source: docs/rules.md §14.
"""

import json
from pathlib import Path

import pytest

import train
from agents.evaluation import OPPONENTS
from shengji_env.arena import play_matchup
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_env.players.networks.policy import PolicyPlayer
from tests.agents.test_run import ROLLOUT, arguments, progress, start_in_subprocess, weights

LONG = 4
"""Rollouts as long as four of the tiny runs: some rounds end in them, even with four decks."""


def settings_of(rules: str) -> tuple[str, ...]:
    return (f'environment.rules="{rules}"', f"training.rollout_steps={LONG * 32}")


def check_finished(folder: Path, rules: str, steps: int) -> None:
    """The run ended with its steps, was evaluated under its rules, and left a policy that plays them."""
    result = json.loads((folder / "result.json").read_text())
    assert result["stages"][-1]["amount"] == progress(folder)["steps"] == steps
    assert tuple(result["opponents"]) == OPPONENTS
    matchup = play_matchup(f"policy:{folder}", "greedy", num_deals=4, rules=rules, seed=5)
    assert (matchup.rules, matchup.num_deals) == (RULE_SETS[rules], 4)
    assert PolicyPlayer.load(folder).rules_fingerprint == RULE_SETS[rules].fingerprint


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_killed_run_of_every_preset_is_resumed_and_evaluated(rules: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start_in_subprocess(folder, *settings_of(rules), count=2)
    process.kill()
    process.wait()
    saved = progress(folder)
    assert saved["updates"] >= 2
    goal = int(saved["steps"]) + LONG * ROLLOUT
    budget = [f"training.steps={goal}", "training.seconds=0"]
    assert train.main(["--resume", str(folder), "--set", budget[0], "--set", budget[1]]) == 0
    check_finished(folder, rules, goal)


def test_a_run_of_another_preset_than_the_default_is_resumed_and_evaluated(tmp_path: Path) -> None:
    folder, rules = tmp_path / "run", "one_deck_45"
    goals = [LONG * ROLLOUT, 2 * LONG * ROLLOUT]
    assert train.main(["--out", str(folder), *arguments(*settings_of(rules), f"training.steps={goals[0]}")]) == 0
    before = weights(folder)
    assert train.main(["--resume", str(folder), "--set", f"training.steps={goals[1]}"]) == 0
    assert any((before[name] != array).any() for name, array in weights(folder).items())
    check_finished(folder, rules, goals[1])
