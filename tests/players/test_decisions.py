"""What players decide and networks compute is the same on every processor, and changes only on purpose."""

import json

import pytest

from tests.helpers.make_decisions import (
    DECISIONS,
    EVERY_PLAYER,
    PLAYERS,
    PRESETS,
    labels_under,
    logits_of,
    network,
    rounds_of,
)

PINNED = json.loads(DECISIONS.read_text(encoding="utf-8"))
CHANGED = "if this is meant, or a processor computes otherwise, see docs/howto.md and tests/helpers/make_decisions.py"


@pytest.mark.parametrize("player", PLAYERS)
def test_rounds_of_a_player(player):
    assert rounds_of(player) == PINNED["rounds"][player], CHANGED


@pytest.mark.nojit
@pytest.mark.parametrize("player", EVERY_PLAYER)
def test_a_round_of_every_player_with_and_without_the_jit(player):
    assert rounds_of(player, EVERY_PLAYER[player], 1) == PINNED["round"][player], CHANGED


@pytest.mark.parametrize("preset", PRESETS)
def test_labels_of_rollouts(preset):
    assert labels_under(preset) == PINNED["labels"][preset], CHANGED


def test_logits_of_a_policy_network():
    assert logits_of(network()) == PINNED["logits"]["layers"], CHANGED
