"""The bench for forms: what it reads is what players read, and what it fits is what it says."""

import json

import numpy as np
import pytest
import torch

from research.forms.__main__ import main
from research.forms.fitting import FormFitting, explained
from research.forms.form_player import FormPlayer
from research.forms.forms import FORMS, Form, RowsForm
from research.forms.labels import decide_all, describe_all, label_rounds, make_labeller, room_for, some_starts
from research.forms.reading import FormInputs, LabelPart
from shengji_env.arena import play_matchup
from shengji_env.datasets.labelling import written
from shengji_env.datasets.selfplay.label_kernels import COUNTED
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.players.networks.selfplay.selfplay_network import LEVEL, SCALE, network_of_parts
from shengji_env.players.networks.selfplay.selfplay_player import SelfplayPlayer

RULES = parse_rules("two_deck")
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def part():
    return LabelPart(label_rounds(make_labeller("champion", RULES), 1, 0, 3))


def test_rounds_are_the_same_in_any_blocks():
    labeller = make_labeller("champion", RULES)
    whole = label_rounds(labeller, 5, 0, 3)
    parts = [label_rounds(labeller, 5, first, first + 1) for first in range(3)]
    for name in ("smooth", "rows", "cards", "groups"):
        np.testing.assert_array_equal(getattr(whole, name), np.concatenate([getattr(each, name) for each in parts]))


def test_the_baseline_values_as_selfplay_does():
    shipped = SelfplayPlayer.shipped().file.playouts
    assert shipped is not None
    form = RowsForm(shipped.shape)
    parts, units = shipped.parts, shipped.shape.units
    rows = parts["rows"].reshape(-1, units).copy()
    rows[len(form.model.rows) :] = 0  # rows of the rules, which the form does not read
    labeller = make_labeller("champion", RULES, network_of_parts(shipped.shape, parts | {"rows": rows}))
    starts = some_starts(labeller, 2, 1)
    labels = room_for(len(starts))
    describe_all(starts, labeller, labels, np.zeros(len(starts), np.int64), np.zeros((len(starts), NUM_SLOTS), np.int8))
    part = LabelPart(written(labels, COUNTED))
    with torch.no_grad():
        form.model.factors.zero_()
        form.model.rows.copy_(torch.from_numpy(rows[: len(form.model.rows)] / SCALE))
        form.model.outputs.copy_(torch.from_numpy(parts["outputs"].reshape(-1, units)[:-1] / SCALE))
        values = form(FormInputs(part, np.arange(len(part)))).numpy()
    found = []
    for row in range(len(starts)):
        decide_all(starts[row : row + 1], labeller)
        d = labeller.memory.decision[0]
        found.append(d["values"][: d["number"]] / LEVEL)
    assert len(found) == len(part) > 20
    np.testing.assert_allclose(values, np.concatenate(found), atol=1e-3)


def test_who_values_as_the_champion_does_plays_as_it_does():
    player = FormPlayer("targets", lambda reading: reading.batch.targets, "champion", RULES)
    assert play_matchup(player, "champion", num_deals=2, rules=RULES, seed=3).levels_per_round == 0


@pytest.mark.parametrize("name", ["selfplay", "both-32", "joint-32"])
def test_a_form_holds_a_few_decisions_and_learns_alike_from_one_seed(name, part):
    form = Form(FORMS[name].make, 2e-3, 1024)
    first, again = (FormFitting(form, 4, part) for _ in range(2))
    for _ in range(3):
        first.learn(part, 0.0)
        again.learn(part, 0.0)
    assert explained(first.mean, part) == explained(again.mean, part)
    for _ in range(120):
        first.learn(part, 0.0)
    assert explained(first.model, part)["all"] > 0.9


def test_the_command_writes_what_it_prints(tmp_path, capsys):
    out = tmp_path / "forms.json"
    options = ["--rounds", "4", "--held-out", "2", "--deals", "2", "--forms", "selfplay,suits-32", "--out", str(out)]
    assert main(options) == 0
    printed = capsys.readouterr().out
    for found in json.loads(out.read_text())["forms"]:
        assert f"{found['explained']['all']:.4f}" in printed
        low, high = found["levels"][1:]
        assert low <= found["levels"][0] <= high
    assert main(["--forms", "none"]) == 2
