"""`NAME:N`: the player itself if its values count for enough; a function of what the seat knows; names, digests."""

import itertools
import pickle

import numpy as np
import pytest

from shengji_env.arena import play_matchup
from shengji_env.arena.identities import player_digests
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.errors import PlayerError
from shengji_env.players import make_player
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_network import DEFAULT_SHAPE
from shengji_env.players.playing import HEURISTIC
from shengji_env.players.search import SearchPlayer
from shengji_env.players.search.judging import PriorJudge
from shengji_env.players.search.playout import Outcomes
from shengji_env.players.search.replaying import ReplayingSampler
from shengji_env.players.smoothing import smooth_levels
from tests.helpers.selfplay_networks import write_random
from tests.players.test_replaying import moments
from tests.players.test_search import FORCED_RULES, positions, see

TWO_DECK = rule_set("two_deck")

# ---- decisions


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "competition", FORCED_RULES])
def test_it_plays_whole_rounds_legally(rules):
    assert play_matchup("champion:4", "random", num_deals=2, rules=rules, seed=5).levels_per_round > 0


def test_it_is_the_player_itself_if_its_values_count_for_enough():
    sure, unsure, champion = (make_player("champion" + rest) for rest in (":16?weight=1e9", ":16?weight=1e-9", ""))
    same = np.zeros(2)
    for step, env in positions(steps=40):
        if step % 4 == 0:
            asked = see(env, range(8))
            chosen = champion.decide(asked)
            assert sure.decide(asked).tolist() == chosen.tolist()
            same += (unsure.decide(asked) == chosen).sum(), len(chosen)
    assert same[0] < 0.9 * same[1]


def test_decisions_depend_neither_on_the_batch_nor_on_threads_nor_on_a_copy():
    player = make_player("champion:20?threads=3")
    for step, env in positions(steps=24):
        if step % 6 == 0:
            together = make_player("champion:20?threads=1").decide(see(env, range(8)))
            alone = [player.decide(see(env, [row]))[0] for row in reversed(range(8))]
            assert together.tolist() == alone[::-1]
            player = pickle.loads(pickle.dumps(player))


def test_the_seed_says_which_deals_are_sampled():
    chosen = {seed: [] for seed in (0, 1)}
    for step, env in positions(steps=30):
        if step % 3 == 0:
            for seed, actions in chosen.items():
                actions += make_player(f"champion:4?seed={seed}&weight=0.1").decide(see(env, range(8))).tolist()
    assert chosen[0] != chosen[1]


@pytest.mark.thorough
def test_another_file_than_the_shipped_one_plays_everywhere(tmp_path):
    """Its values, its playouts and its likelihoods are those of the file."""
    text = write_random(tmp_path, shape=DEFAULT_SHAPE)  # a small one values some choices exactly alike
    mine, one = make_player(f"{text}?worlds=16&weight=1e9"), make_player(text)
    assert mine.name == f"{text}?worlds=16&weight=1000000000.0"
    assert mine.playouts == text
    assert mine.identity(TWO_DECK) == one.identity(TWO_DECK) != make_player("champion").identity(TWO_DECK)
    for _, seen, plays in itertools.islice(moments(tables=1), 20, 40):
        samples, likely = np.zeros(8, STATE_DTYPE), []
        for by in (one, make_player("champion")):
            sampler = ReplayingSampler(TWO_DECK, by, proposals=1)
            sampler.prepare(seen, plays)
            sampler.draw(seen, 1, 0, samples)
            likely.append(sampler.log_likelihoods(samples).tolist())
        assert likely[0] != likely[1]
    for step, env in positions(steps=20):
        if step % 4 == 0:
            asked = see(env, range(8))
            assert mine.decide(asked).tolist() == one.decide(asked).tolist()


def test_a_copy_of_the_shipped_file_decides_like_it(tmp_path):
    write_selfplay(tmp_path / SELFPLAY_FILE, make_player("champion").file)
    players = make_player("champion:8"), make_player(f"selfplay:{tmp_path}?worlds=8")
    for step, env in positions(steps=30):
        if step % 5 == 0:
            asked = see(env, range(8))
            assert players[0].decide(asked).tolist() == players[1].decide(asked).tolist()


# ---- its name and digest


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("champion:100", "champion:100"),
        ("champion:100:0.5", "champion:100:0.5"),
        ("champion:100?seed=3&threads=1", "champion:100"),
        ("champion:100?weight=50&playouts=heuristic", "champion:100?weight=50&playouts=heuristic"),
        ("champion:100?weight=200", "champion:100?weight=200"),
        ("champion:100?margin=1", "champion:100?margin=1"),
        ("champion:100?proposals=1", "champion:100?proposals=1"),
        ("champion:100?proposals=2", "champion:100"),
        ("champion?worlds=100&seconds=0.5", "champion:100:0.5"),
        ("champion:100:2?weight=50&threads=1", "champion:100:2?weight=50"),
        ("champion:100?playouts=champion", "champion:100?playouts=champion"),
        ("champion:100?playouts=champion?part=playouts", "champion:100"),
        ("champion?part=playouts&worlds=9", "champion?part=playouts&worlds=9"),
    ],
)
def test_its_name_says_what_it_is(text, name):
    assert make_player(text).name == name


def test_its_digest_is_of_the_network_and_of_who_plays_out_and_replays():
    without = "champion:9?playouts=heuristic&proposals=1"
    players = [
        "champion",
        "search:9",
        "search:9?playouts=champion?part=playouts",
        "champion:9",
        "champion:9?proposals=1",
        without,
    ]
    digests = player_digests([*players, "champion:9?playouts=heuristic"], TWO_DECK)
    assert set(players) - set(digests) == {"search:9"}
    assert digests[without] == digests["champion"]
    assert digests["champion:9?playouts=heuristic"] == digests["champion:9?proposals=1"] == digests["champion:9"]
    assert len(set(digests.values())) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("champion:", "'champion:' is not a player that searches; write champion:200 or champion:200:0.5"),
        ("champion:x", "is not a player that searches"),
        ("champion:1", "worlds=1 must"),
        ("champion:9?weight=0", "weight=0 must be a number above 0"),
        ("champion:9?weight=inf", "weight=inf must be a number above 0"),
        ("champion:9?margin=-1", "margin=-1 must be a number above 0"),
        ("champion:9?margin=true", "margin=True must be a number above 0"),
        (
            "champion:9?playouts=search:4",
            "search:4 has no policy in compiled code; it must be",
        ),
        ("champion:9?proposals=0", "proposals=0 must be"),
        ("champion:9?caution=1", "caution"),
        ("champion:9?player=greedy", "player"),
        ("champion:9:soon", "write champion:200 or champion:200:0.5"),
        ("selfplay:9-runs", "no network of self-play at 9-runs"),
        ("selfplay:nowhere?worlds=9", "no network of self-play at nowhere"),
        ("champion?margin=1", "margin"),
    ],
)
def test_impossible_players_are_refused(text, message):
    with pytest.raises(PlayerError, match=message):
        make_player(text)


def test_name_and_playouts_of_search_without_the_champion_are_as_before():
    assert SearchPlayer().name == "search:100"
    assert SearchPlayer().playouts == HEURISTIC


# ---- the judge


def judge(prior, weight=10.0, growth=0.0, margin=1.0):
    return PriorJudge(np.array(prior), weight, growth, margin, TWO_DECK)


def test_what_the_network_puts_far_behind_is_not_compared():
    assert judge([0.0, 0.5, 1.0], margin=0.6).first_open().tolist() == [False, True, True]
    assert judge([0.0, 0.5, 1.0], margin=0.1).choose(np.zeros((3, 0)), np.array([False, False, True])) == 2


def test_the_score_is_the_mean_of_prior_and_outcomes():
    is_open = np.ones(2, np.bool_)
    for number, best in ((9, 0), (11, 1)):  # ten deals' worth of prior against so many deals
        assert judge([1.0, 0.0]).choose(np.stack([np.zeros(number), np.ones(number)]), is_open) == best


def test_the_prior_counts_more_beside_more_outcomes():
    is_open = np.ones(2, np.bool_)
    for number, best in ((19, 0), (21, 1)):  # ten deals' worth of prior, and half a deal's for each
        assert judge([1.0, 0.0], growth=0.5).choose(np.stack([np.zeros(number), np.ones(number)]), is_open) == best


def test_outcomes_are_levels_and_smoothed_levels_without_impossible_deals():
    rng = np.random.default_rng(0)
    points, is_attacker = rng.integers(0, 40, (3, 6)) * 5, np.ones((3, 6), np.bool_)
    outcomes = Outcomes(points // 40 - 2, points, is_attacker)
    contradicts = np.array([False, True, False, False, True, False])
    values = judge([0.0, 0.0, 0.0]).values(outcomes, contradicts)
    smooth = smooth_levels(outcomes.levels, points, is_attacker, TWO_DECK)
    np.testing.assert_array_equal(values, ((outcomes.levels + smooth) / 2)[:, ~contradicts])


@pytest.mark.parametrize(
    ("growth", "number", "looks", "near"), [(0.0, 200, 40, 0.1), (0.35, 200, 40, 0.1), (0.35, 20_000, 300, 0.1)]
)
def test_what_can_hardly_become_the_best_is_given_up(growth, number, looks, near):
    """By simulation: of what is given up, hardly anything would have been chosen in the end."""
    rng, start = np.random.default_rng(1), 50.0
    given_up = wrongly = 0
    for _ in range(300):
        prior = rng.normal(0, near, 4)
        truth = prior + rng.normal(0, 1 / start**0.5, 4)
        means = truth + rng.normal(0, (growth / start) ** 0.5, 4)
        values = means[:, None] + rng.normal(0, 1, (4, number))
        is_open = np.ones(4, np.bool_)
        judged = judge(prior, start, growth)
        judged.give_up(values[:, :looks], is_open, number)
        final = judged.choose(values, np.ones(4, np.bool_))
        given_up += (~is_open).sum()
        wrongly += not is_open[final]
        assert is_open.any()
    assert given_up > 100
    assert wrongly < 0.05 * given_up


@pytest.mark.parametrize("samples", [200, 20_000, 10**9])
def test_outcomes_count_however_many_are_to_come(samples):
    """A candidate a little behind for the network and far ahead in playouts stays open, and the other does not."""
    rng, is_open = np.random.default_rng(2), np.ones(2, np.bool_)
    values = np.stack([np.zeros(400), np.full(400, 0.5)]) + rng.normal(0, 0.5, (2, 400))
    judge([0.03, 0.0], 60.0, 0.35).give_up(values, is_open, samples)
    assert is_open.tolist() == [False, True]


def test_nothing_is_given_up_without_outcomes():
    is_open = np.ones(2, np.bool_)
    judge([1.0, 0.0]).give_up(np.zeros((2, 0)), is_open, 100)
    assert is_open.all()


def test_without_a_single_possible_deal_the_network_decides():
    outcomes = Outcomes.zeros(2, 3)
    values = judge([0.0, 1.0]).values(outcomes, np.ones(3, np.bool_))
    assert values.shape == (2, 0)
    assert judge([0.0, 1.0]).choose(values, np.ones(2, np.bool_)) == 1
