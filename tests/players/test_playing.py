"""Policies play whole rounds as their players do at a table, and each other's seats too."""

import numpy as np
import pytest

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.deal import Deals
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import WORKSPACE_DTYPE, Phase
from shengji_env.envs.seat import SeatVectorEnv
from shengji_env.errors import PlayerError
from shengji_env.players import Decisions, make_player
from shengji_env.players.networks.policy import LayerStack, PolicyPlayer
from shengji_env.players.playing import play_next, policies_of
from shengji_env.players.whole_rounds import policy_rounds
from shengji_env.support.text_files import FileText
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.policies import Policies
from shengji_env.vector import BatchEnv

PLAYERS = ("greedy", "heuristic", "champion?part=playouts", "champion", "champion?part=playouts", "policy")


def player_of(text):
    if text != "policy":
        return make_player(text)
    drawn = np.random.default_rng(5)
    layers = [
        (drawn.normal(size=(inputs, outputs)).astype(np.float32), drawn.normal(size=outputs).astype(np.float32))
        for inputs, outputs in ((OBSERVATION_SIZE, 8), (8, NUM_ACTIONS))
    ]
    return PolicyPlayer(LayerStack(tuple(layers)), {}, name="policy:drawn")


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize(
    ("rules", "start"),
    [("two_deck", "any"), ("one_deck_45", "first"), ("three_deck(kitty_shape=lead)", "any"), ("duplicate", "first")],
)
def test_rounds_by_a_policy_are_those_of_its_player_at_a_batch_of_tables(player, rules, start):
    made = player_of(player)
    results, plies = policy_rounds(made, rules, seed=5, count=12, start=start)
    env = BatchEnv(12, rules, seed=5, start=start)
    live, sizes, rows = np.ones(12, np.bool_), np.zeros(12, np.int64), np.arange(12)
    while live.any():
        sizes += live
        env.step(np.where(live, made.decide(Decisions.at(env.tables, rows)), -1))
        live &= ~env.terminated
    assert results.tobytes() == env.result.tobytes()
    assert plies.tolist() == sizes.tolist()


@pytest.mark.thorough
def test_each_seat_may_have_another_policy():
    """Which of three policies sits where is decided when they play, not when anything is compiled."""
    rules = rule_set("two_deck")
    players = [player_of(text) for text in ("greedy", "champion?part=playouts", "champion")]
    policies = Policies([player.policy(rules) for player in players])
    env = SeatVectorEnv(1, [players[1], players[2], players[0]], rules=rules, seat=0, autoreset_mode="Disabled")
    env.reset(seed=3)
    tables = env._seats.tables
    states, works, record = tables.states.copy(), np.zeros(1, WORKSPACE_DTYPE), rules.record()
    deals = Deals(tables.shared["seed"][0], int(tables.progress["number"][0]))
    done = False
    while not done:
        chosen = int(players[0].decide(Decisions.at(tables, np.zeros(1, np.int64)))[0])
        done = bool(env.step(np.array([chosen]))[2][0])
    while states["phase"][0] != Phase.OVER:
        policy = (0, 1, 2, 0)[int(states["seat"][0])]
        play_next(states[0], record[0], works[0], deals, policies.packed, policy, np.uint64(7))
    assert states["result"][0].tobytes() == tables.progress["result"][0].tobytes()


@pytest.mark.parametrize("text", ["search:4?playouts=os:system", "champion:4?playouts=exec:true"])
def test_no_file_names_code_that_plays_playouts(text):
    with pytest.raises(PlayerError, match=r"stands in a file, and names .*: if you trust"):
        make_player(FileText(text))


def test_who_plays_playouts_belongs_to_who_somebody_is():
    rules = rule_set("two_deck")
    champion = make_player("champion").identity(rules)
    playouts = make_player("champion?part=playouts").identity(rules)
    assert make_player("search:4").identity(rules) == ()
    assert make_player("search:4?playouts=champion").identity(rules) == champion
    assert make_player("champion:4?playouts=champion&proposals=1").identity(rules) == champion
    assert make_player("champion:4").identity(rules) == (*champion, *playouts)


def test_a_player_without_a_policy_plays_no_rounds():
    with pytest.raises(PlayerError, match=r"search:4 has no policy in compiled code"):
        policy_rounds("search:4", seed=1, count=2)
    drawn = player_of("policy")
    drawn.sample = True
    with pytest.raises(PlayerError, match=r"policy:drawn has no policy in compiled code under these rules"):
        policies_of(drawn, rule_set())
