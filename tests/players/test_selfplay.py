"""The player ``selfplay:PATH``: it plays any rules, sees nothing hidden, and its file is checked."""

import json
import os
import subprocess
import sys
from math import prod
from pathlib import Path

import numpy as np
import pytest

from shengji_env.arena import check_player, make_player, play_matchup
from shengji_env.engine.actions import PASS
from shengji_env.engine.compile import jit
from shengji_env.engine.frozen_rules import unseen_rules
from shengji_env.engine.result_tables import DRAW_MARGIN
from shengji_env.engine.results import settle
from shengji_env.engine.rule_sets import PRESETS, parse_rules
from shengji_env.engine.slots import NO_TRUMP, NUM_EFFECTIVE_SUITS, NUM_SLOTS, TRUMP, order_of_slot, suit_slots
from shengji_env.engine.state import UNNAMED, Phase
from shengji_env.errors import PlayerError
from shengji_env.players.networks.network_file import read_network, write_network
from shengji_env.players.networks.selfplay.choices import (
    PROPOSALS,
    WIDE,
    find_choices,
    make_selfplay_memory,
)
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.scaled_rows import find_result
from shengji_env.players.networks.selfplay.selfplay_file import (
    SELFPLAY_FILE,
    SelfplayFile,
    selfplay_digest,
    write_selfplay,
)
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    ACTION_INPUTS,
    BURY_GROUP,
    FIRST_ACTION_ROW,
    LEAD_GROUP,
    MAX_ROWS,
    first_rows,
)
from shengji_env.players.networks.selfplay.selfplay_network import NetworkShape, blank_network
from shengji_env.players.networks.selfplay.selfplay_player import SelfplayPlayer
from shengji_env.players.networks.selfplay.set_rows import list_set
from shengji_env.players.networks.selfplay.sight import look
from shengji_env.players.player import Player
from shengji_env.players.search import SearchPlayer
from shengji_env.players.whole_rounds import policy_rounds
from shengji_env.vector import BatchEnv
from tests.helpers.paths import ROOT
from tests.helpers.selfplay_networks import random_network, values_of_a_round, write_random
from tests.helpers.thorough import thorough


@pytest.fixture
def folder(tmp_path: Path, proposals: str) -> Path:
    write_random(tmp_path, proposals=proposals)
    return tmp_path


@pytest.mark.parametrize("proposals", PROPOSALS)
@pytest.mark.parametrize("rules", ["two_deck", "three_deck", "one_deck_45"])
def test_it_is_a_sound_player(folder: Path, rules: str) -> None:
    player = make_player(f"selfplay:{folder}")
    check_player(player, rules, num_deals=4)
    results, _ = policy_rounds(player, rules, seed=1, count=5, start="any")
    assert len(results) == 5


@pytest.mark.parametrize("proposals", ["wide"])
def test_a_file_that_is_not_compatible_is_refused(folder: Path) -> None:
    path = folder / SELFPLAY_FILE
    header, arrays = read_network(path)
    for changed, message in (
        ({**header, "inputs_version": 0}, "inputs_version"),
        ({**header, "proposals": "own"}, "proposals"),  # as files were written that proposed less
    ):
        write_network(path, changed, arrays)
        with pytest.raises(PlayerError, match=message):
            make_player(f"selfplay:{path}")
    write_network(path, header, {**arrays, "rows": arrays["rows"][1:]})
    with pytest.raises(PlayerError, match="rows is int16"):
        make_player(f"selfplay:{path}")


SHAPES = [NetworkShape(64), NetworkShape(160, 32), NetworkShape(96, last=64), NetworkShape(128, 64, 32, 1)]


@pytest.mark.parametrize("shape", [*SHAPES[:1], *thorough(*SHAPES[1:])], ids=str)
def test_a_file_says_its_own_shape_and_plays(tmp_path: Path, shape: NetworkShape) -> None:
    player = make_player(write_random(tmp_path, shape=shape))
    assert isinstance(player, SelfplayPlayer)
    assert player.file.network.shape == shape
    np.testing.assert_array_equal(player.file.network.weights, random_network(0, shape).weights)
    for rules in ("two_deck", "four_deck"):
        check_player(player, rules, num_deals=2)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"units": 96, "suit": 0, "last": 0, "chances": 0}, "rows is int16"),
        ({"units": 128, "suit": 32, "last": 0, "chances": 0}, "there must be rows, outputs, codes, suit_rows"),
        ({"units": 100, "suit": 0, "last": 0, "chances": 0}, "multiples of 32"),
        ({"units": 0, "suit": 0, "last": 0, "chances": 0}, "units above 0"),
        ({"units": 2**40, "suit": 0, "last": 0, "chances": 0}, "to 4096"),
        ({"units": 128.0, "suit": "0", "last": None, "chances": 0}, "its shape is"),
        ({"units": 128, "suit": 0, "last": 0, "chances": 2}, "chances: 0 or 1"),
        ({"units": 128}, "its shape is"),
        ("wide", "its shape is"),
    ],
)
def test_a_file_of_a_wrong_shape_is_refused(tmp_path: Path, shape: object, message: str) -> None:
    text = write_random(tmp_path)
    path = tmp_path / SELFPLAY_FILE
    header, arrays = read_network(path)
    write_network(path, {**header, "shape": shape}, arrays)
    with pytest.raises(PlayerError, match=message):
        make_player(text)


def test_the_shipped_network_is_that_of_the_page() -> None:
    """Tournaments of another digest are not continued, and tracks refuse it: a new network is a new digest."""
    assert selfplay_digest(SelfplayPlayer.champion().file) == "b9622c9a6e344d25032331076bb50cfd"


def test_the_shipped_file_is_read_once() -> None:
    assert make_player("champion").file is SelfplayPlayer.champion(part="policy").file


def test_the_champion_beats_heuristic() -> None:
    assert play_matchup("champion", "heuristic", num_deals=200, rules="two_deck", seed=1).interval[0] > 0.2


@pytest.mark.parametrize("rules", list(map(str, unseen_rules()[::6])))
def test_the_champion_plays_rules_that_nothing_has_learned(rules: str) -> None:
    assert play_matchup("champion", "greedy", num_deals=40, rules=rules, seed=1).interval[0] > 0.3


@pytest.mark.parametrize(
    "text", ["values:runs/old", "values", "distilled", "distilled?path=x", "selfplay", "selfplay?part=policy"]
)
def test_players_that_have_gone_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(PlayerError, match=r"names no player: .*(selfplay:PATH|champion)") as refused:
        make_player(text)
    assert "\n" not in str(refused.value)


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
def test_without_compilation_networks_of_all_shapes_value_alike(shape: NetworkShape) -> None:
    program = f"from tests.helpers.selfplay_networks import *; print(values_of_a_round({shape}))"
    ended = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, timeout=1800, cwd=ROOT, check=True,
    )  # fmt: skip
    values = values_of_a_round(shape)
    assert len(set(values)) > 100
    assert json.loads(ended.stdout) == values


def test_the_largest_set_has_room_for_its_rows() -> None:
    """A set of all slots, over five suits, larger than any hand."""
    env = BatchEnv(1, "two_deck", seed=1)
    while env.states[0]["phase"] != Phase.LEAD:
        env.step(env.sample_actions())
    memory = make_selfplay_memory(blank_network(), WIDE, env.rules)
    table = env.states[:1].copy()
    table["hands"][0, table["seat"][0]] = 1
    table["trump"] = NO_TRUMP
    for group in (BURY_GROUP, LEAD_GROUP):
        listed = rows_of(table, env.rules.record(), memory, group, np.ones(NUM_SLOTS, np.int8))
        assert 0 < listed <= MAX_ROWS


OVERBIDS = ("overbid_seats", "overbid_asked", "overbid_cards", "overbid_trumps", "overbid_jokers", "overbid_aces")


@pytest.mark.thorough
def test_an_overbid_says_who_declares_and_who_has_buried() -> None:
    """Bids before trumps are named list none of these rows; an overbid, or a pass in its place, one of each input."""
    env = BatchEnv(64, "chaodipi", seed=1, start="any")
    memory, first = make_selfplay_memory(blank_network(), WIDE, env.rules), first_rows(ACTION_INPUTS, FIRST_ACTION_ROW)
    ranges = [(first[name], first[name] + prod(ACTION_INPUTS[name])) for name in OVERBIDS]
    d, seen = memory.decision[0], set()
    for _ in range(300):
        chosen = env.sample_actions()
        for place in np.flatnonzero(env.states["phase"] == Phase.BID):
            table = env.states[place]
            number = choices_of(table[None], env.rules.record(), memory)
            for index in range(number if number > 1 else 0):
                rows = d["rows"][index, : d["num_rows"][index]]
                listed = [rows[(rows >= low) & (rows < high)] for low, high in ranges]
                assert [len(each) for each in listed] == [int(table["trump"] != UNNAMED)] * len(OVERBIDS)
                if table["trump"] != UNNAMED:
                    burier = table["takers"][table["num_takers"] - 1]
                    seats = [(int(seat) - int(table["seat"])) % 4 for seat in (table["declarer"], burier)]
                    passes, *found = np.unravel_index(listed[0][0] - first["overbid_seats"], (2, 4, 4))
                    assert (passes == 1) == (d["actions"][index] == PASS)
                    assert found == seats
                    seen.add((int(passes), *seats))
                    chosen[place] = max(chosen[place], d["actions"][index] * (passes == 0))  # many overbids are made
        env.step(chosen)
    assert {declarer for _, declarer, _ in seen} >= {1, 2, 3}
    assert any(declarer != burier for _, declarer, burier in seen)


@jit
def choices_of(table, rules, memory):
    return find_choices(table[0], rules[0], memory.works[0], memory)


@jit
def rows_of(table, rules, memory, group, cards):
    d = memory.decision[0]
    d.group = group
    look(table[0], d.sight)
    return list_set(table[0], rules[0], memory.works[0], d, cards, np.zeros(200, np.int16))


RULES_OF_TABLES = (*PRESETS, "two_deck(result_table=share)", "three_deck(result_table=one_deck)")


@pytest.mark.parametrize("rules", RULES_OF_TABLES)
def test_results_are_those_of_the_table(rules: str) -> None:
    """Within a result levels are the same, at its ends they are others, and results rise with the points."""
    record = parse_rules(rules).record()
    draws = int(record["attackers_from"][0, 0]) - DRAW_MARGIN if record["last_trick_wins"][0] else -1
    before = -1
    for points in range(0, 605, 5):
        number, low, high = result_of(record, points)
        assert low <= points
        assert points < high or record["attackers_step"][0] == 0
        assert before <= number
        before = number
        if points != draws:
            levels = levels_at(record, points)
            assert levels == levels_at(record, low)
            assert levels != levels_at(record, high) or record["attackers_step"][0] == 0


@jit
def result_of(rules, points):
    return find_result(rules[0], points)


@jit
def levels_at(rules, points):
    return settle(rules[0], points, False)


def test_the_smaller_network_of_a_file_plays_playouts(tmp_path: Path) -> None:
    smaller = random_network(1, NetworkShape(32))
    files = {"both": SelfplayFile(random_network(0), WIDE, playouts=smaller), "alone": SelfplayFile(smaller, WIDE)}
    for name, file in files.items():
        (tmp_path / name).mkdir()
        write_selfplay(tmp_path / name / SELFPLAY_FILE, file)
    text, rules = f"selfplay:{tmp_path / 'both'}", parse_rules("two_deck")
    whole, part, alone = (
        make_player(each) for each in (text, f"{text}?part=playouts", f"selfplay:{tmp_path / 'alone'}")
    )
    searching = make_player(f"{text}?worlds=4")
    assert isinstance(searching, SearchPlayer)
    assert searching.playouts == part.name == f"{text}?part=playouts"
    assert levels_of(part, alone) == 0 != levels_of(whole, alone)
    assert set(searching.identity(rules)) >= {*whole.identity(rules), *alone.identity(rules)}
    path = tmp_path / "both" / SELFPLAY_FILE
    header, arrays = read_network(path)
    for changed, kept in (
        ({**header, "playouts": None}, arrays),
        (header, {name: array for name, array in arrays.items() if name != "playouts/rows"}),
        (header, {name: array for name, array in arrays.items() if not name.startswith("playouts/")}),
        ({**header, "playouts": {"units": 64}}, arrays),
    ):
        write_network(path, changed, kept)
        with pytest.raises(PlayerError, match="is not a network of self-play"):
            make_player(text)


def levels_of(player: Player, other: Player) -> float:
    return play_matchup(player, other, num_deals=60, rules="two_deck", seed=3).levels_per_round


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("part=half", "part='half'"),
        ("part=whole", "part='whole'"),
        ("part=playouts", "has no smaller network"),
    ],
)
def test_options_that_are_wrong_are_refused(tmp_path: Path, options: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        make_player(f"{write_random(tmp_path)}?{options}")


@pytest.mark.thorough
@pytest.mark.parametrize("rules", ["two_deck", "three_deck"])
def test_wide_proposals_leave_nothing_out(rules: str) -> None:
    """A throw of single cards is ruffed by every trump; a suit is emptied, the kitty filled up from each other one."""
    env = BatchEnv(64, rules, seed=2)
    memory = make_selfplay_memory(blank_network(), WIDE, env.rules)
    decision, num_ruffs, num_burials = memory.decision[0], 0, 0
    for _ in range(350):
        for row in range(64):
            table = env.states[row : row + 1].copy()
            state, hand = table[0], table["hands"][0, table["seat"][0]]
            if state["taken_size"] > 0 or state["phase"] not in (Phase.FOLLOW, Phase.BURY):
                continue
            suits = [as_cards(suit_slots(suit, int(state["trump"]))) * hand for suit in range(NUM_EFFECTIVE_SUITS)]
            number = count_choices(table, env.rules.record(), memory)
            sets = decision["cards"][:number].astype(int)
            if state["phase"] == Phase.BURY:
                plain = [cards for suit, cards in enumerate(suits[:TRUMP]) if is_suit(suit, state["trump"])]
                num_burials += check_fillings(sets, plain, int(env.rules.kitty))
            elif is_free_ruff(state, suits):
                trumps = suits[TRUMP] > 0
                ruffed = sets[(sets * ~trumps).sum(axis=1) == 0].any(axis=0)
                assert orders_of(ruffed, state["trump"]) == orders_of(trumps, state["trump"])
                num_ruffs += 1
        env.step(env.sample_actions())
    assert num_ruffs > 5
    assert num_burials > 50


def as_cards(slots: int) -> np.ndarray:
    return np.array([slots >> slot & 1 for slot in range(NUM_SLOTS)])


def orders_of(cards, trump):
    return {order_of_slot(int(slot), int(trump)) for slot in np.flatnonzero(cards)}


def is_free_ruff(state, suits):
    """Whether single cards were led, of which the hand has none, and it has more trumps than that."""
    is_single = state["lead_size"] > 1 and state["num_components"] == state["lead_size"]
    return (
        is_single
        and state["lead_suit"] != TRUMP
        and suits[state["lead_suit"]].sum() == 0
        and suits[TRUMP].sum() > state["lead_size"]
    )


def check_fillings(sets, suits, kitty):
    """Check that each suit that has room is emptied, and the kitty filled up from each other one; count these."""
    number = 0
    for emptied in suits:
        for other in suits:
            if other is not emptied and 0 < emptied.sum() <= kitty <= emptied.sum() + other.sum():
                assert any((cards <= emptied + other).all() and (cards >= emptied).all() for cards in sets)
                number += 1
    return number


@jit
def count_choices(table, rules, memory):
    return find_choices(table[0], rules[0], memory.works[0], memory)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=SELFPLAY_FILE):
        make_player(f"selfplay:{tmp_path}")
