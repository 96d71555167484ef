"""Belief scores: the command and its tables."""

import json
import re

from research.score_beliefs import main, report
from shengji_env.arena.beliefs import BeliefSet, score_all
from shengji_env.arena.beliefs.belief_models import Uniform


def test_the_command_prints_tables_and_writes_scores(tmp_path, capsys):
    file = tmp_path / "scores.json"
    models = ["uniform?deals=5", "no_trumps_buried?deals=5"]
    assert main([*models, "--rounds", "2", "--seed", "3", "--json", str(file)]) == 0
    said = capsys.readouterr()
    assert "two_deck, 2 rounds each, seed 3, version 2" in said.err
    assert re.search(r"^\| no_trumps_buried\?deals=5 − uniform\?deals=5 \| -0\.\d+ ± 0\.\d+ \|", said.out, re.MULTILINE)
    assert "| rounds of search:20?threads=1 (" in said.out
    written = json.loads(file.read_text())
    count = len(written["positions"]["round"])
    assert f"{count:,} positions of 6 rounds" in said.out
    assert len(written["scores"]["uniform?deals=5"]["log loss"]) == count
    for wrong, why in ((["nobody"], "'nobody' is unknown"), (["uniform", "uniform"], "a belief model is named twice")):
        assert main(wrong) == 2
        assert why in capsys.readouterr().err


def test_the_tables_have_every_group_that_has_positions():
    positions = BeliefSet(rounds=3, seed=1, players=("heuristic", "greedy"))
    text = report(score_all(positions, [Uniform(50), Uniform(50, trumps_buried=False)]))
    for name in ("rounds of heuristic", "rounds of greedy", "before a lead", "before a follow", "trick 1", "from 16"):
        assert f"| {name} (" in text
