"""The bench for forms: it learns what it lists, plays what it has learned, and says what it found."""

import json

import numpy as np
import pytest

from agents.selfplay.fitting import PolicyFitting
from research.forms.__main__ import main
from research.forms.bench import MINIBATCH, LabelPart, explained
from research.forms.form_player import FormPlayer
from research.forms.forms import FORMS
from research.forms.labels import label_rounds, make_labeller
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.engine.state import Phase
from shengji_env.players import make_player
from shengji_env.players.decisions import Decisions
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.networks.selfplay.choices import CANDIDATES
from shengji_env.players.networks.selfplay.selfplay_file import SelfplayFile
from shengji_env.vector import BatchEnv
from tests.helpers.selfplay_networks import random_network

RULES = parse_rules("two_deck")
pytestmark = pytest.mark.thorough


def test_rounds_are_the_same_in_any_blocks():
    labeller = make_labeller("champion", RULES)
    whole = label_rounds(labeller, 5, 0, 3)
    parts = [label_rounds(labeller, 5, first, first + 1) for first in range(3)]
    for name in ("smooth", "rows", "groups"):
        np.testing.assert_array_equal(getattr(whole, name), np.concatenate([getattr(each, name) for each in parts]))


@pytest.mark.parametrize("name", ["selfplay", "joint-32-chances"])
def test_a_form_holds_a_few_decisions_and_learns_alike_from_one_seed(name):
    part = LabelPart(label_rounds(make_labeller("champion", RULES), 1, 0, 3))
    first, again = (PolicyFitting(4, 20, False, FORMS[name].shape) for _ in range(2))
    decisions = part.read_by(first.model)
    for fitting in (first, again):
        for _ in range(3):
            fitting.fit([decisions], MINIBATCH, 2e-3)
    assert explained(first.mean, decisions) == explained(again.mean, decisions)
    for _ in range(120):
        first.fit([decisions], MINIBATCH, 2e-3)
    assert explained(first.model, decisions)["all"] > 0.9


def test_a_form_decides_about_cards_and_whom_it_learned_from_the_rest():
    network = random_network()
    form, teacher = FormPlayer("form", network, "heuristic"), make_player("heuristic")
    alone = SelfplayPlayer(SelfplayFile(network, CANDIDATES), name="alone")
    env, rows, differing = BatchEnv(16, RULES, seed=3), np.arange(16), 0
    for _ in range(150):
        asked = Decisions.at(env.tables, rows)
        of_cards = np.isin(env.tables.states["phase"], [Phase.BURY, Phase.LEAD, Phase.FOLLOW])
        chosen, *others = (player.decide(asked) for player in (form, alone, teacher))
        np.testing.assert_array_equal(chosen, np.where(of_cards, *others))
        differing += int((others[0] != others[1]).sum())
        env.step(chosen)
    assert differing > 100


def test_the_command_writes_what_it_prints(tmp_path, capsys):
    out = tmp_path / "forms.json"
    options = ["--rounds", "4", "--held-out", "2", "--deals", "2", "--forms", "selfplay,joint-32", "--out", str(out)]
    assert main(options) == 0
    printed = capsys.readouterr().out
    for found in json.loads(out.read_text())["forms"]:
        assert f"{found['explained']['all']:.4f}" in printed
        low, high = found["levels"][1:]
        assert low <= found["levels"][0] <= high
    assert main(["--forms", "none"]) == 2
