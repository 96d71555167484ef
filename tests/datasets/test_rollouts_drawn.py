"""Rollouts whose rules are drawn: each block of rounds has its own, which stand in the shard; random opponents."""

import dataclasses
import json

import numpy as np
import pytest

from shengji_env.datasets.rollouts import RolloutSettings, expand, generate, label, read_shard
from shengji_env.datasets.rollouts.generating import blocks_of
from shengji_env.datasets.rollouts.rollout_settings import BLOCK
from shengji_env.datasets.rollouts.shard_sections import SECTIONS
from shengji_env.datasets.rollouts.shards import read_header, write_shard
from shengji_env.engine.drawn_rules import drawn_rules
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.errors import RecordError, ShengjiError
from shengji_env.tables.observation import view
from tests.helpers.thorough import thorough

DRAWN = RolloutSettings(draws_rules=True, seed=5)
ROUNDS = 3 * BLOCK


@pytest.fixture(scope="module")
def shard():
    return generate(DRAWN, 0, ROUNDS)


def arrays(shard):
    return {name: getattr(shard, name).tobytes() for name in SECTIONS}


def test_rounds_of_a_block_are_those_of_its_rules(shard):
    for block in range(3):
        own = RolloutSettings(rules=drawn_rules(5, block), seed=5)
        alone = generate(own, BLOCK * block, BLOCK)
        part = generate(DRAWN, BLOCK * block, BLOCK)
        assert arrays(part) == arrays(alone)
    assert len({DRAWN.rules_of(number).fingerprint for number in range(ROUNDS)}) > 1


def test_a_round_does_not_depend_on_the_shard_that_it_is_in(shard):
    middle = generate(DRAWN, BLOCK - 3, BLOCK)
    actions = np.split(shard.actions, np.cumsum(shard.rounds["num_actions"])[:-1])
    assert (np.concatenate(actions[BLOCK - 3 : 2 * BLOCK - 3]) == middle.actions).all()
    assert blocks_of(DRAWN, BLOCK - 3, 2 * BLOCK - 3) == [(BLOCK - 3, BLOCK), (BLOCK, 2 * BLOCK - 3)]
    assert blocks_of(RolloutSettings(), 3, 100) == [(3, 100)]


def test_decisions_are_read_back_under_the_rules_of_their_rounds(shard):
    decisions = expand(shard)
    features = view(decisions.observations)["rules"]
    for number, seen in zip(decisions.rounds.tolist(), features, strict=True):
        assert (seen == DRAWN.rules_of(number).record()["features"][0]).all()
    some = expand(shard, 20, 40)
    chosen = (decisions.rounds >= 20) & (decisions.rounds < 40)
    assert (some.observations == decisions.observations[chosen]).all()
    assert (some.smooth == decisions.smooth[np.repeat(chosen, np.diff(decisions.offsets))]).all()


def test_the_rules_stand_in_the_shard_and_others_are_refused(shard, tmp_path):
    path = tmp_path / "one.rollouts"
    write_shard(path, shard)
    line, _, body = path.read_bytes().partition(b"\n")
    said = json.loads(line)
    assert said["drawn"] == [str(drawn_rules(5, block)) for block in range(3)]
    assert read_header(path).settings == DRAWN
    assert arrays(read_shard(path)) == arrays(shard)
    said["drawn"][1] = "four_deck"
    path.write_bytes(json.dumps(said).encode().ljust(len(line)) + b"\n" + body)
    with pytest.raises(RecordError, match="its rules are not those that are drawn by this version"):
        read_shard(path)


def test_rules_that_have_no_use_are_refused():
    with pytest.raises(ShengjiError, match="rules=one_deck has no use"):
        RolloutSettings(rules="one_deck", draws_rules=True)
    with pytest.raises(ShengjiError, match="draws_rules='yes' must be True or False"):
        RolloutSettings(draws_rules="yes")
    with pytest.raises(ShengjiError, match="draws_rules must be False"):
        label(np.zeros(0, STATE_DTYPE), DRAWN)


def test_settings_read_back(shard):
    assert RolloutSettings.from_json(DRAWN.to_json()) == DRAWN
    assert "draws_rules" not in RolloutSettings().to_json()
    opposed = RolloutSettings(opponents={"random": 0.5})
    assert RolloutSettings.from_json(opposed.to_json()) == opposed


@pytest.mark.parametrize("playouts", ["heuristic", *thorough("champion?part=playouts")])
def test_random_opponents_sit_in_both_seats_and_play_on_there(playouts):
    settings = RolloutSettings(seed=3, others_share=0.0, opponents={"random": 1.0}, playouts=playouts, noise=(0.0,))
    shard = generate(settings, 0, 100)
    assert (shard.rounds["others"] == settings.others.index("random opponents")).all()
    assert arrays(generate(settings, 0, 100)) == arrays(shard)
    against = shard.candidates["levels"].mean()
    greedy = dataclasses.replace(settings, opponents={"greedy": 1.0})
    assert against > generate(greedy, 0, 100).candidates["levels"].mean() + 0.5
