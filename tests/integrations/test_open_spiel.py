"""The game of OpenSpiel: its own tests pass, its bounds hold, its states are positions."""

import pickle
from collections import defaultdict

import numpy as np
import pytest

from research.solving.regret_matching import average_strategy
from shengji_env.arena.small_games import build_tree, play_of
from shengji_env.arena.small_games.best_replies import odds_of, single_gains
from shengji_env.engine.actions import DONE
from shengji_env.engine.rule_sets import PRESETS, parse_rules
from shengji_env.engine.state import Phase
from shengji_env.envs.positions import Position
from shengji_env.errors import DealError, RuleSetError, ShengjiError
from shengji_env.players import make_player

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: make extras")

import shengji_open_spiel  # noqa: E402, F401  # registers the game

CHANCE, TERMINAL = pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.TERMINAL
TINY = "small_two_ranks(cards=H TJ, decks=4)"


def load(**parameters):
    return pyspiel.load_game("python_shengji", parameters)


def dealt(game, seed=0):
    """A state after the deal, drawn by chance."""
    generator = np.random.default_rng(seed)
    state = game.new_initial_state()
    while state.is_chance_node():
        actions, odds = zip(*state.chance_outcomes(), strict=True)
        assert sum(odds) == pytest.approx(1)
        state.apply_action(int(generator.choice(actions, p=odds)))
    return state


def played(state, steps, seed=0):
    """The state after some random actions; where the cards are dealt again, after the deal."""
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        if state.is_terminal():
            break
        legal = state.legal_actions()
        state.apply_action(int(generator.choice(legal)))
    return state


@pytest.mark.parametrize(
    "parameters",
    [{"rules": "one_deck"}, {"rules": "one_deck_45", "seed": 5}, {"rules": "one_deck(throws=False)", "levels": "2 A"}],
)
def test_open_spiels_own_test(parameters):
    pyspiel.random_sim_test(load(**parameters), num_sims=1, serialize=False, verbose=False)


def test_states_are_read_back_from_their_histories():
    state = played(dealt(load(rules="one_deck")), 50)
    game, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
    assert str(game) == str(state.get_game())
    assert again.position == state.position


@pytest.mark.slow
@pytest.mark.parametrize("rules", PRESETS)
def test_open_spiels_own_test_with_every_preset(rules):
    pyspiel.random_sim_test(
        load(rules=rules, reward="points"), num_sims=2, serialize=rules == "one_deck", verbose=False
    )


@pytest.mark.parametrize("rules", ["two_deck", "competition", "duplicate", "three_deck"])
def test_states_are_positions(rules):
    game = load(rules=rules)
    state = dealt(game)
    position = state.position
    generator = np.random.default_rng(1)
    while not state.is_terminal():
        assert state.current_player() == position.seat
        assert state.legal_actions() == position.legal_actions()
        action = int(generator.choice(state.legal_actions()))
        assert position.action_text(action) in state.action_to_string(action) or action == DONE
        state.apply_action(action)
        position = position.apply(action)
        assert state.position == position
    assert state.current_player() == TERMINAL
    assert state.returns() == position.returns()
    assert sum(state.returns()) == 0


def test_a_seed_gives_the_cards():
    state = load(seed=7, levels="5 K", declarer=3).new_initial_state()
    assert state.position == Position.new(seed=7, options={"levels": ["5", "K"], "declarer": 3})


def test_chance_draws_everything_that_is_not_given():
    names = [dealt(load(rules=rules, first_drawer=first)).full_history() for rules, first in (
        ("two_deck", -1), ("two_deck", 2), ("duplicate", -1), ("duplicate", 2))]  # fmt: skip
    assert [len(name) for name in names] == [109, 108, 110, 109]
    assert len(dealt(load(rules="duplicate", declarer=1)).full_history()) == 109
    assert dealt(load(first_drawer=2)).position.states["first_drawer"][0] == 2


def test_cards_are_dealt_again_by_chance():
    game = load()
    state = dealt(game)
    first = state.position.states["deal"].tobytes()
    while not state.is_chance_node():
        state.apply_action(54)
    state = dealt_on(state)
    assert state.position.states["redeals"][0] > 0
    assert state.position.states["deal"].tobytes() != first


def dealt_on(state, seed=5):
    generator = np.random.default_rng(seed)
    while state.is_chance_node():
        actions, odds = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(generator.choice(actions, p=odds)))
    return state


def test_clones_are_independent():
    state = played(dealt(load(first_drawer=0)), 30)
    clone = state.clone()
    before = str(clone)
    played(state, 10, seed=2)
    assert str(clone) == before
    assert clone.position == Position.from_text(before)


@pytest.mark.parametrize("rules", ["one_deck", "two_deck", "competition"])
def test_resampled_states_look_the_same_to_the_seat(rules):
    changed = 0
    for steps in (0, 3, 20, 60, 100):
        state = played(dealt(load(rules=rules), steps), steps, steps)
        if state.is_chance_node() or state.is_terminal():
            continue
        seat = state.current_player()
        world = state.resample_from_infostate(seat, np.random.default_rng(steps).random)
        assert world.information_state_string(seat) == state.information_state_string(seat)
        assert world.information_state_tensor(seat) == state.information_state_tensor(seat)
        assert world.legal_actions() == state.legal_actions()
        changed += str(world) != str(state)
        with pytest.raises(ShengjiError, match="not to move"):
            state.resample_from_infostate((seat + 1) % 4, np.random.default_rng(0).random)
    assert changed > 2
    with pytest.raises(ShengjiError, match="seed gives all cards"):
        load(seed=1).new_initial_state().resample_from_infostate(Position.new(seed=1).seat, None)


@pytest.mark.parametrize("phase", [Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW])
def test_search_over_information_sets_decides(phase):
    """With OpenSpiel's bot in Python; `pyspiel.ISMCTSBot` ends the interpreter with every game written in Python."""
    ismcts = pytest.importorskip("open_spiel.python.algorithms.ismcts")
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts")
    state = dealt(load(rules="one_deck", first_drawer=0))
    while state.position.phase != phase or len(state.legal_actions()) < 2:
        state = played(state, 1)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bot = ismcts.ISMCTSBot(state.get_game(), evaluator, 1.4, 20, random_state=np.random.RandomState(0))
    policy = bot.get_policy(state)
    assert {action for action, _ in policy} == set(state.legal_actions())
    assert sum(share for _, share in policy) == pytest.approx(1)


def test_legal_moves_are_told_in_words():
    texts = defaultdict(set)
    for seed in range(4):
        state, generator = load(rules="three_deck", seed=seed).new_initial_state(), np.random.default_rng(seed)
        while not state.is_terminal():
            phase, actions = Phase(int(state.position.states["phase"][0])), state.legal_actions()
            told = [state.action_to_string(action) for action in actions]
            assert len(set(told)) == len(told)
            texts[phase] |= set(told)
            state.apply_action(int(generator.choice(actions)))
    assert {"pass", "bid H2 H2"} <= texts[Phase.BID]
    assert "bury C5" in texts[Phase.BURY]
    assert {"lead C5", "lead these cards"} <= texts[Phase.LEAD]
    assert "play C5" in texts[Phase.FOLLOW]
    assert any(len(text.split()) == 3 for text in texts[Phase.FORCED])


def test_what_kaggles_arena_asks_of_a_state():
    state = load().new_initial_state()
    assert state.hides_state_from_agents()
    assert [state.team_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    state = played(dealt(load()), 5)
    waiting = (state.current_player() + 1) % 4
    assert state.legal_actions(waiting) == []


def test_what_a_player_sees():
    state = played(dealt(load()), 40)
    seat = state.current_player()
    assert state.observation_tensor(seat) == state.position.observation(seat).tolist()
    assert state.information_state_tensor(seat) == state.position.information_state(seat).tolist()
    assert state.information_state_string(seat) == state.position.information_state_text(seat)
    assert f"seat {seat}" in state.observation_string(seat)
    start = load().new_initial_state()
    assert not any(start.observation_tensor(0))
    assert start.observation_string(0) == "the cards are being dealt"


@pytest.mark.parametrize("rules", [*PRESETS, "two_deck(throws=False, kitty=12, must_defend=5TK)"])
def test_games_are_read_back_from_their_text(rules):
    game = load(rules=rules)
    for again in (pyspiel.load_game(str(game)), pickle.loads(pickle.dumps(game))):
        assert str(again) == str(game)
        assert again.rules == parse_rules(rules)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"rules": "no_deck"}, RuleSetError), ({"levels": "2"}, DealError), ({"levels": "X Y"}, DealError),
        ({"reward": "money"}, ShengjiError), ({"seed": -2}, ShengjiError), ({"declarer": 4}, ShengjiError),
        ({"declarer": 1, "first_drawer": 2}, DealError),
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused(parameters, error):
    with pytest.raises(error):
        load(**parameters)


@pytest.mark.parametrize("rules", PRESETS)
def test_no_round_is_longer_than_the_bound(rules):
    """Rounds in which everybody passes, and each lead is as long a throw as can be tried."""
    game = load(rules=rules, first_drawer=0)
    position = Position.new(rules, seed=3, options={"first_drawer": 0})
    decisions = 0
    while not position.is_terminal():
        legal = position.legal_actions()
        position = position.apply(54 if position.phase == Phase.BID else legal[0])
        decisions += 1
    assert decisions <= game.max_game_length()
    assert max(position.returns()) <= game.max_utility()
    assert game.min_utility() == -game.max_utility()


@pytest.mark.parametrize("rules", ["small_two_ranks", "small_four_ranks", "two_deck"])
def test_the_bound_of_points_is_rounded_as_returns_are(rules):
    """Returns are float32: one that reaches the bound must not be above it."""
    most = load(rules=rules, reward="points").max_utility()
    assert most == float(np.float32(most))


def test_the_bound_of_the_levels():
    """Two decks: 200 points in tricks and kitty, 80 of them in the kitty 64 times; a level for each 40 from 80 on."""
    assert load().max_utility() == 1 + (200 + 80 * 64 - 80) // 40
    assert load(reward="win").max_utility() == 1


# ---- small games


def policy_of(tree, strategy):
    """A strategy of a small game as a policy of OpenSpiel."""
    policies = pytest.importorskip("open_spiel.python.policy")
    game = load(rules=str(tree.rules), small=True)
    sets, odds = tree.single, {}
    numbers, nodes = np.unique(sets.of_node, return_index=True)
    for number, node in zip(numbers.tolist(), nodes.tolist(), strict=True):
        if number >= 0:
            position = tree.position(node)
            own = strategy[sets.first[number] : sets.first[number + 1]].tolist()
            odds[position.information_state_text(position.seat)] = dict(zip(position.legal_actions(), own, strict=True))

    class FromTree(policies.Policy):
        def action_probabilities(self, state, player_id=None):
            legal = state.legal_actions()
            return {legal[0]: 1.0} if len(legal) == 1 else odds[state.information_state_string()]

    return game, FromTree(game, list(range(4)))


def test_a_small_game_has_one_chance_node():
    game = load(rules="small_four_ranks", small=True)
    state = game.new_initial_state()
    outcomes, odds = zip(*state.chance_outcomes(), strict=True)
    assert len(outcomes) == game.max_chance_outcomes() == 2520
    assert sum(odds) == pytest.approx(1)
    assert state.action_to_string(7) == game.deals[7].text
    state.apply_action(7)
    assert not state.is_chance_node()
    assert state.position.states["deal"][0, :8].tolist() == list(game.deals[7].order)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert game.max_chance_nodes_in_history() == 1
    state = played(dealt(game, 1), 2)
    other = state.resample_from_infostate(state.current_player(), np.random.default_rng(3).random)
    assert other.information_state_string() == state.information_state_string()
    assert len(other.history()) == len(state.history())


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"rules": "small_two_ranks", "declarer": 1}, "leave declarer out"),
        ({"rules": "one_deck"}, "bids or a kitty"),
    ],
)
def test_what_is_no_small_game_is_refused(parameters, why):
    with pytest.raises(ShengjiError, match=why):
        load(small=True, **parameters)


@pytest.mark.parametrize("name", ["random", "greedy", pytest.param("heuristic", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", [TINY, pytest.param("small_two_ranks", marks=pytest.mark.slow)])
def test_nash_conv_of_a_small_game_is_the_sum_of_the_seats_gains(name, rules):
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    tree = build_tree(parse_rules(rules))
    strategy = play_of(tree, make_player(name))
    game, policy = policy_of(tree, strategy)
    found = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    gains = single_gains(tree, odds_of(tree, strategy))
    assert found.player_improvements == pytest.approx(gains)
    assert found.nash_conv == pytest.approx(sum(gains))


def test_cfr_on_a_small_game_is_that_on_its_arrays():
    cfr = pytest.importorskip("open_spiel.python.algorithms.cfr")
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    tree = build_tree(parse_rules(TINY))
    game = load(rules=str(tree.rules), small=True)
    solver = cfr.CFRSolver(game)
    for _ in range(4):
        solver.evaluate_and_update_policy()
    found = average_strategy(tree, 4)
    expected = exploitability.nash_conv(game, solver.average_policy())
    assert expected == pytest.approx(sum(single_gains(tree, odds_of(tree, found))))
    assert expected < sum(single_gains(tree, odds_of(tree, average_strategy(tree, 0))))
