"""The player ``selfplay:PATH``: it plays any rules, sees nothing hidden, and its file is checked."""

from pathlib import Path

import numpy as np
import pytest

from shengji_env.arena import check_player, make_player
from shengji_env.errors import PlayerError
from shengji_env.players.networks.network_file import read_network, write_network
from shengji_env.players.networks.selfplay.choices import PROPOSALS
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, SelfplayFile, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_network import SelfplayNetwork, blank_network
from shengji_env.players.whole_rounds import policy_rounds


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


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=SELFPLAY_FILE):
        make_player(f"selfplay:{tmp_path}")
