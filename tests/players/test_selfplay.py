"""The player ``selfplay:PATH``: it plays any rules, sees nothing hidden, and its file is checked."""

from pathlib import Path

import numpy as np
import pytest

from shengji_env.arena import check_player, make_player
from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError
from shengji_env.players.networks.distilled.distilled_inputs import look
from shengji_env.players.networks.network_file import read_network, write_network
from shengji_env.players.networks.selfplay.choices import OWN, PROPOSALS, make_selfplay_memory
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, SelfplayFile, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_inputs import BURY_GROUP, LEAD_GROUP, MAX_ROWS
from shengji_env.players.networks.selfplay.selfplay_network import SelfplayNetwork, blank_network
from shengji_env.players.networks.selfplay.set_rows import list_set
from shengji_env.players.whole_rounds import policy_rounds
from shengji_env.vector import BatchEnv


def random_network(seed: int = 0) -> SelfplayNetwork:
    generator = np.random.default_rng(seed)
    rows, outputs = (generator.normal(0, 12, part.shape).astype(np.int16) for part in blank_network())
    outputs[-len(outputs) // 6 :] = 0
    return SelfplayNetwork(rows, outputs)


@pytest.fixture
def folder(tmp_path: Path, proposals: str) -> Path:
    write_selfplay(tmp_path / SELFPLAY_FILE, SelfplayFile(random_network(), proposals, {"seed": 1}))
    return tmp_path


@pytest.mark.parametrize("proposals", PROPOSALS)
@pytest.mark.parametrize("rules", ["two_deck", "three_deck", "one_deck_45"])
def test_it_is_a_sound_player(folder: Path, rules: str) -> None:
    player = make_player(f"selfplay:{folder}")
    check_player(player, rules, num_deals=4)
    results, _ = policy_rounds(player, rules, seed=1, count=5, start="any")
    assert len(results) == 5


@pytest.mark.parametrize("proposals", ["own"])
def test_a_file_that_is_not_compatible_is_refused(folder: Path) -> None:
    path = folder / SELFPLAY_FILE
    header, arrays = read_network(path)
    for changed, message in (
        ({**header, "inputs_version": 0}, "inputs_version"),
        ({**header, "proposals": "mine"}, "proposals"),
    ):
        write_network(path, changed, arrays)
        with pytest.raises(PlayerError, match=message):
            make_player(f"selfplay:{path}")
    write_network(path, header, {**arrays, "rows": arrays["rows"][1:]})
    with pytest.raises(PlayerError, match="rows is int16"):
        make_player(f"selfplay:{path}")


def test_the_largest_set_has_room_for_its_rows() -> None:
    """A set of all slots, over five suits, larger than any hand."""
    env = BatchEnv(1, "two_deck", seed=1)
    while env.states[0]["phase"] != Phase.LEAD:
        env.step(env.sample_actions())
    memory = make_selfplay_memory(blank_network(), OWN, env.rules)
    table = env.states[:1].copy()
    table["hands"][0, table["seat"][0]] = 1
    table["trump"] = NO_TRUMP
    for group in (BURY_GROUP, LEAD_GROUP):
        listed = rows_of(table, env.rules.record(), memory, group, np.ones(NUM_SLOTS, np.int8))
        assert 0 < listed <= MAX_ROWS


@jit
def rows_of(table, rules, memory, group, cards):
    own = memory.own[0]
    own.group = group
    look(table[0], own.sight)
    return list_set(table[0], rules[0], memory.works[0], own, cards, np.zeros(200, np.int16))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=SELFPLAY_FILE):
        make_player(f"selfplay:{tmp_path}")
