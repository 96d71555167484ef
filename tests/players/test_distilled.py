"""The distilled network: its arithmetic, what it decides from, its file, and who plays playouts."""

import copy
import pickle

import numpy as np
import pytest

from shengji_env.arena import make_player, play_matchup
from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.play import CARDS, Plays
from shengji_env.engine.rows import slots_with
from shengji_env.engine.rule_sets import PRESETS, rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError
from shengji_env.players.candidates.scratch import make_scratch, value_of
from shengji_env.players.decisions import Decisions
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks import integer_rows
from shengji_env.players.networks.distilled import DistilledPlayer
from shengji_env.players.networks.distilled.distilled_file import (
    DISTILLED_FILE,
    distilled_digest,
    read_distilled,
    shipped_network,
    write_distilled,
)
from shengji_env.players.networks.distilled.distilled_network import (
    DISTILLED_DTYPE,
    WIDTH,
    choose_card,
    look_at,
)
from shengji_env.players.networks.distilled.distilled_rows import NUM_OUTPUTS, NUM_ROWS
from shengji_env.players.networks.integer_rows import add_products, exchange, product, sum_rows
from shengji_env.players.playing import policies_of
from shengji_env.players.search import SearchPlayer
from shengji_env.players.search.playout import Outcomes, Playouts, play_samples
from shengji_env.vector import BatchEnv

DIGEST = "afbe768eefaf6a9bac660b716031a1a2"
NO_KEYS = np.zeros(0, np.uint64)


@jit
def _sum(sums, to, source, table, rows, number, width):
    sum_rows(sums, to, source, table, rows, number, width)


@jit
def _multiply(sums, row, table, first, second, width):
    return product(sums, row, table, first, second, width)


@jit
def _add(sums, table, width):
    add_products(sums, 2, 1, table, 3, sums, 0, width, width)
    exchange(sums, 1, 0, 2, width)


@jit
def _choose(states, mask, memory, network):
    look_at(states[0], memory[0])
    return choose_card(states[0], slots_with(mask, 1), mask[DONE] != 0, memory[0], network)


# ---- arithmetic


@pytest.mark.parametrize("width", [32, 96, 128, 160])
@pytest.mark.parametrize("largest", [300, 2**15 - 1])
def test_rows_are_added_and_multiplied_as_numpy_does(largest, width):
    """What is too large wraps around in both."""
    rng = np.random.default_rng(largest)
    table = rng.integers(-largest, largest + 1, 200 * width, np.int16)
    for number in (0, 1, 7, 40):
        rows = rng.integers(0, 20, 40, np.int32)
        sums, expected = (table[: 3 * width].copy() for _ in range(2))
        _sum(sums, 2, 1, table, rows, number, width)
        integer_rows._sum_rows_plain(expected, 2, 1, table, rows, number, width)
        assert sums.tobytes() == expected.tobytes()
        first, second = rows[:2].tolist()
        value = integer_rows._product_plain(sums, 2, table, first, second, width)
        assert _multiply(sums, 2, table, first, second, width) == value
        _add(sums, table, width)
        integer_rows._add_products_plain(expected, 2, 1, table, 3, expected, 0, width, width)
        integer_rows._exchange_plain(expected, 1, 0, 2, width)
        assert sums.tobytes() == expected.tobytes()


# ---- what is decided


def is_networks(state):
    """Whether the network decides at a state, (1,)."""
    follows_with_one = state["phase"][0] == Phase.FOLLOW and state["lead_size"][0] == 1
    return bool(state["phase"][0] == Phase.LEAD or follows_with_one)


def in_midst(rules, steps, tables=24, seed=5):
    """Tables at which `heuristic` plays, and now and then any legal action is taken."""
    env, heuristic = BatchEnv(tables, rules, seed=seed, start="any"), HeuristicPlayer()
    for step in range(steps):
        chosen = heuristic.act(env.observation, env.action_mask, NO_KEYS)
        env.step(np.where(np.arange(tables) % 7 == step % 7, env.sample_actions(), chosen))
        yield env


@pytest.mark.parametrize("rules", [*PRESETS, "two_deck(no_trump_bids=True)", "one_deck(throws=False)"])
def test_the_player_is_the_network_in_leads_and_follows_of_one_card_and_otherwise_heuristic(rules):
    player, heuristic, memory = DistilledPlayer(), HeuristicPlayer(), np.zeros(1, DISTILLED_DTYPE)
    asked = set()
    for step, env in enumerate(in_midst(rules, 150)):
        chosen = player.decide(Decisions.at(env.tables, np.arange(24)))
        by_heuristic = heuristic.act(env.observation, env.action_mask, NO_KEYS)
        for row in range(step % 3, 24, 3):
            state, mask = env.tables.states[row : row + 1].copy(), env.action_mask[row]
            asks_network = is_networks(state)
            asked.add((int(state["phase"][0]), asks_network))
            expected = _choose(state, mask, memory, player.network) if asks_network else by_heuristic[row]
            assert chosen[row] == expected
            assert mask[chosen[row]]
    assert {(Phase.LEAD, True), (Phase.FOLLOW, True)} <= asked
    only_singles = rules in ("one_deck_45", "one_deck(throws=False)")
    assert ((Phase.FOLLOW, False) in asked) != only_singles


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "competition"])
def test_playouts_are_the_players_play_at_a_table(rules):
    """The plays under way are candidates; the value of each is that of the round as the player goes on with it."""
    player, rows = DistilledPlayer(), np.arange(16)
    env = BatchEnv(16, rules, seed=8, start="any")
    while not ((env.tables.states["phase"] == Phase.FOLLOW) & (env.tables.states["taken_size"] == 0)).all():
        is_early = (env.tables.states["phase"] != Phase.FOLLOW) | (env.tables.states["taken_size"] > 0)
        env.step(np.where(is_early, player.decide(Decisions.at(env.tables, rows)), -1))
    starts = env.tables.states.copy()
    cards, results = np.zeros((16, NUM_SLOTS), np.int8), {}
    left = starts["lead_size"].astype(int)
    while len(results) < 16:
        chosen = player.decide(Decisions.at(env.tables, rows))
        taking = np.flatnonzero(left > 0)
        cards[taking, chosen[taking]] += 1
        left[taking] -= 1
        env.step(chosen)
        for row in np.flatnonzero(env.terminated).tolist():
            results.setdefault(row, env.result[row : row + 1].copy())
    scratch, policies = make_scratch(rule_set(rules).record(), 1), policies_of(player, rule_set(rules))
    for row in range(16):
        candidates, outcomes = Plays(np.array([CARDS]), cards[row : row + 1].copy()), Outcomes.zeros(1, 1)
        samples = starts[row : row + 1].copy()
        playouts = Playouts(candidates, np.ones(1, np.bool_), samples, outcomes, 0, policies.packed)
        play_samples(playouts, 0, 1, scratch, 0)
        assert outcomes.with_points(0.01)[0, 0] == value_of(results[row][0], 0, 0.01)


def test_it_wins_from_greedy():
    result = play_matchup("distilled", "greedy", num_deals=100, rules="two_deck", seed=3)
    assert result.levels.sum(axis=1).mean() > 1


def test_copies_decide_alike():
    player = DistilledPlayer()
    env = BatchEnv(16, "two_deck", seed=3)
    for _ in range(60):
        env.step(player.decide(Decisions.at(env.tables, np.arange(16))))
    expected = player.decide(Decisions.at(env.tables, np.arange(16))).tolist()
    for twin in (copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        assert twin.decide(Decisions.at(env.tables, np.arange(16))).tolist() == expected


# ---- files


def test_the_shipped_network_is_pinned():
    """Tournaments of another digest are not continued: a new network is a new digest, on purpose."""
    assert distilled_digest(shipped_network()) == DIGEST


def test_a_file_is_read_as_it_was_written(tmp_path):
    network = shipped_network()._replace(biases=np.arange(NUM_OUTPUTS))
    write_distilled(tmp_path / DISTILLED_FILE, network, {})
    assert distilled_digest(read_distilled(tmp_path / DISTILLED_FILE)) == distilled_digest(network)
    assert distilled_digest(network) != DIGEST
    player = make_player(f"distilled?path={tmp_path}")
    assert player.name == f"distilled?path={tmp_path}"
    assert player.network.biases.tolist() == list(range(NUM_OUTPUTS))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rows": np.zeros(NUM_ROWS * WIDTH, np.int32)}, "rows is int32"),
        ({"outputs": np.zeros(7, np.int16)}, r"outputs is int16 \(7,\); it must be int16"),
        ({"more": np.zeros(1)}, "there are the weights"),
        ({"header": np.array('{"format": "shengji-distilled/0"}')}, "is not compatible: format is"),
    ],
)
def test_other_files_are_refused(change, said, tmp_path):
    file = tmp_path / DISTILLED_FILE
    write_distilled(file, shipped_network(), {})
    with np.load(file) as arrays:
        np.savez(file, **{**arrays, **change})
    with pytest.raises(PlayerError, match=said):
        DistilledPlayer(file)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(PlayerError, match=r"no distilled network at .*; PATH is a distilled.npz"):
        make_player(f"distilled?path={tmp_path}")


# ---- playouts


def test_an_unknown_player_of_playouts_is_refused():
    for player in (3, "greedy", make_player("search:4")):
        with pytest.raises(PlayerError, match="has no policy in compiled code; it must be heuristic or distilled"):
            SearchPlayer(10, playouts=player)
    with pytest.raises(PlayerError, match="no player is called 'gready'"):
        make_player("search:10?playouts=gready")


def test_search_with_other_playouts_has_a_name_of_its_own_and_decides_otherwise():
    old, new = SearchPlayer(20), make_player("search:20?playouts=distilled")
    assert (old.name, new.name) == ("search:20", "search:20?playouts=distilled")
    differ = 0
    env = BatchEnv(4, "two_deck", seed=2, history=100)
    heuristic = HeuristicPlayer()
    for step in range(160):
        if step % 8 == 7:
            decisions = Decisions.at(env.tables, np.arange(4))
            chosen = new.decide(decisions)
            assert chosen.tolist() == pickle.loads(pickle.dumps(new)).decide(decisions).tolist()
            differ += (chosen != old.decide(decisions)).sum()
        env.step(heuristic.act(env.observation, env.action_mask, NO_KEYS))
    assert differ > 0
