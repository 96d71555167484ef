"""MaskablePPO under every preset: a tiny run is gone on with and evaluated; the arena plays the exported network.

Source: docs/rules.md §14.
"""

import dataclasses
import json
from pathlib import Path

import pytest

from agents import sb3_single_file
from agents.evaluation import OPPONENTS
from shengji_env.arena import play_matchup
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_env.players.networks.policy import PolicyPlayer
from tests.agents.test_sb3_single_file import ROLLOUT, small

QUICK = "one_deck_45"


@pytest.mark.parametrize(
    "rules", [pytest.param(name, marks=[pytest.mark.slow] * (name != QUICK)) for name in RULE_SETS]
)
def test_a_run_of_every_preset_goes_on_and_is_evaluated(rules: str, tmp_path: Path) -> None:
    args = small(tmp_path, rules=rules, steps=ROLLOUT)
    assert sb3_single_file.train(args)
    assert sb3_single_file.train(dataclasses.replace(args, steps=2 * ROLLOUT))
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["steps"] == 2 * ROLLOUT
    assert tuple(result["opponents"]) == OPPONENTS
    matchup = play_matchup(f"policy:{tmp_path}", "greedy", num_deals=4, rules=rules, seed=5)
    assert (matchup.rules, matchup.num_deals) == (RULE_SETS[rules], 4)
    assert PolicyPlayer.load(tmp_path).rules_fingerprint == RULE_SETS[rules].fingerprint
