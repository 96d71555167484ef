"""The search player: legal, deterministic, blind to what its seat cannot know, and in time."""

import os
import subprocess
import sys
import time

import gymnasium
import numpy as np
import pytest

from shengji_env.arena import make_player, play_matchup
from shengji_env.engine.actions import DONE
from shengji_env.engine.play import CARDS, Plays
from shengji_env.engine.rule_sets import PRESETS, as_rules
from shengji_env.engine.slots import NUM_SLOTS, suit_of_slot
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE, Phase, Winner
from shengji_env.envs.seat import SeatEnv
from shengji_env.errors import PlayerError
from shengji_env.players import Decisions, Needs, Player, num_plays
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE
from shengji_env.players.candidates.finding import find_candidates
from shengji_env.players.candidates.scratch import make_scratch, value_of
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.playing import policies_of
from shengji_env.players.search import SearchPlayer
from shengji_env.players.search.comparing import Comparison
from shengji_env.players.search.judging import CautiousJudge
from shengji_env.players.search.playout import Outcomes, Playouts, play_samples
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.support.cores import num_cores
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import deal_again
from tests.helpers.phases import phases_of_cards
from tests.helpers.thorough import thorough

HEURISTIC = HeuristicPlayer()
FORCED_RULES = "two_deck(failed_throw=next_seat_chooses)"


def make_env(rules="two_deck", num_envs=8, seed=3, **options):
    options = {"skip_forced": True, "start": "any", "history": num_plays(as_rules(rules)), **options}
    return BatchEnv(num_envs, rules, seed=seed, **options)


def heuristic_actions(env):
    return HEURISTIC.act(env.observation, env.action_mask, np.zeros(env.num_envs, np.uint64))


def positions(rules="two_deck", steps=120, **options):
    """An environment during rounds of heuristic and random play."""
    env = make_env(rules, **options)
    for step in range(steps):
        yield step, env
        env.step(heuristic_actions(env) if step % 3 else env.sample_actions())


def see(env, rows):
    return Decisions.at(env.tables, np.asarray(rows))


# ---- playouts


@pytest.mark.parametrize("rules", [*PRESETS, FORCED_RULES])
def test_a_playout_is_what_heuristic_players_make_of_the_round(rules):
    env = make_env(rules, 20, skip_forced=False, start="first" if rules == "duplicate" else "any")
    for _ in range(40):
        env.step(env.sample_actions())
    scratch = make_scratch(env.tables.shared["rules"], 1)
    policies = policies_of(HEURISTIC, env.rules)
    results = np.zeros(20, env.result.dtype)
    redeals = env.states["redeals"].copy()
    first, no_cards = heuristic_actions(env), np.zeros((1, NUM_SLOTS), np.int8)
    for row in range(20):
        is_open, outcomes = np.ones(1, np.bool_), Outcomes.zeros(1, 1)
        samples = env.states[row : row + 1].copy()
        playouts = Playouts(Plays(first[row : row + 1], no_cards), is_open, samples, outcomes, 0, policies.packed)
        play_samples(playouts, 0, 1, scratch, 0)
        results[row] = scratch["state"]["result"][0]
    live = np.ones(20, np.bool_)
    while live.any():
        redeals[live] += env.states["redeals"][live] != redeals[live]
        env.step(np.where(live, heuristic_actions(env), -1))
        live &= ~env.terminated
    same = [results[row].tobytes() == env.result[row].tobytes() for row in range(20)]
    assert sum(same) >= 18  # a redeal has other cards


def test_a_playout_counts_levels_for_the_side_that_wins_them():
    result = make_env().result[:1].copy()
    result["declarer"], result["winner"], result["levels_nominal"] = 1, Winner.DECLARERS, 2
    result["attackers_points"] = 30
    assert value_of(result[0], 1, 0.0) == 2.0
    assert value_of(result[0], 0, 0.0) == -2.0
    assert value_of(result[0], 0, 0.01) == pytest.approx(-1.7)
    result["winner"] = Winner.ATTACKERS
    assert value_of(result[0], 0, 0.01) == pytest.approx(2.3)
    result["winner"], result["levels_nominal"] = Winner.DRAW, 0
    assert value_of(result[0], 1, 0.01) == pytest.approx(-0.3)


# ---- candidates


def candidates(env, row, most=10):
    tables = see(env, [row])
    found = np.zeros(1, CANDIDATE_LIST_DTYPE)
    number = find_candidates(tables.states[0], make_scratch(tables.rules_record, 1)[0], most, found[0])
    return found["actions"][0, :number], found["cards"][0, :number]


@pytest.mark.parametrize("rules", [*PRESETS, FORCED_RULES])
def test_candidates_are_different_legal_plays_and_the_first_is_the_heuristics(rules):
    phases = set()
    for step, env in positions(rules, 480 if rules == "contest" else 140):
        row = step % 8
        if env.states["taken_size"][row]:
            continue
        phases.add(int(env.phase[row]))
        actions, cards = candidates(env, row)
        assert 1 <= len(actions) <= (10 if env.phase[row] > Phase.NAME else 83)
        plays = {
            (int(action), play.tobytes() if action == CARDS else b"")
            for action, play in zip(actions, cards, strict=True)
        }
        assert len(plays) == len(actions)
        first = heuristic_actions(env)[row]
        for place, (action, play) in enumerate(zip(actions, cards, strict=True)):
            check_legal(env, row, int(action), play, first if place == 0 else None)
    assert phases_of_cards(rules) <= phases


def check_legal(env, row, action, play, first):
    """The environment lets the seat make the play; `first` is what its first action must be, if anything."""
    if action != CARDS:
        assert env.action_mask[row, action]
        assert first in (None, action)
        return
    snapshot = env.save()
    taken = np.zeros(NUM_SLOTS, np.int64)
    seat, tricks, phase = env.seat[row], env.states["tricks"][row], env.phase[row]
    actions = np.full(env.num_envs, -1)
    while True:
        left = [slot for slot in np.flatnonzero(env.action_mask[row][:NUM_SLOTS]) if play[slot] > taken[slot]]
        actions[row] = left[0] if left else DONE
        assert first in (None, actions[row])
        first = None
        taken = env.states["taken"][row].astype(np.int64)
        if actions[row] != DONE:
            taken[actions[row]] += 1
        env.step(actions)
        now = env.states[row]
        if (env.seat[row], now["tricks"], env.phase[row]) != (seat, tricks, phase) or not now["taken_size"]:
            break
        taken = now["taken"].astype(np.int64)
    env.load(snapshot)


def test_leads_of_every_suit_are_candidates():
    for step, env in positions(steps=200):
        row = step % 8
        if env.phase[row] == Phase.LEAD and not env.states["taken_size"][row]:
            _, cards = candidates(env, row)
            trump = int(env.states["trump"][row])
            assert suits_of(cards.sum(axis=0), trump) == suits_of(env.states["hands"][row, env.seat[row]], trump)


def suits_of(counts, trump):
    return {int(suit_of_slot(slot, trump)) for slot in np.flatnonzero(counts).tolist()}


# ---- decisions


def test_decisions_depend_neither_on_the_batch_nor_on_what_was_asked_before_nor_on_threads():
    player = SearchPlayer(20, threads=3)
    for step, env in positions(steps=40):
        if step % 4 == 0:
            together = SearchPlayer(20, threads=1).decide(see(env, range(8)))
            alone = [player.decide(see(env, [row]))[0] for row in reversed(range(8))]
            assert together.tolist() == alone[::-1]


@pytest.mark.parametrize(("worlds", "cards", "threads"), [(100, 200, 4), (16, 20, 3), (2, 2000, 2), (3, 1, 1)])
def test_threads_share_worlds_out_where_there_is_enough_to_do(worlds, cards, threads):
    comparison = Comparison(100, None, 4, playouts="heuristic")
    shares = []
    comparison._share_out(10, 10 + worlds, cards, lambda *share: shares.append(share))
    shares.sort()
    assert [thread for thread, _, _ in shares] == list(range(threads))
    assert [first for _, first, _ in shares] == [10, *(end for _, _, end in shares[:-1])]
    assert shares[-1][2] == 10 + worlds


def test_what_goes_wrong_in_a_thread_is_raised_once():
    def fail(thread, first, end):
        if thread:
            raise MemoryError

    comparison = Comparison(100, None, 2, playouts="heuristic")
    with pytest.raises(MemoryError):
        comparison._share_out(0, 100, 100, fail)
    comparison.wait()


@pytest.mark.parametrize(
    ("variables", "share"),
    [
        ({}, num_cores()),
        ({"NUMBA_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "x"}, num_cores()),
    ],
)
def test_threads_are_the_share_of_the_cores_unless_somebody_says_how_many(monkeypatch, variables, share):
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert SearchPlayer()._comparison.threads == share
    assert SearchPlayer(threads=5)._comparison.threads == 5


FORKED = """
import os, sys, warnings
import numpy as np
from shengji_env.players.playing import policies_of
from shengji_env.players.search import SearchPlayer
from shengji_env.players import Decisions, Needs, Player, num_plays
from shengji_env.engine.rule_sets import as_rules
from shengji_env.vector import BatchEnv

env = BatchEnv(8, "two_deck", seed=3, start="any", skip_forced=True, history=num_plays(as_rules("two_deck")))
player = SearchPlayer(20, threads=2)

def decide():
    return player.decide(Decisions.at(env.tables, np.arange(8))).tolist()

for _ in range(30):
    env.step(decide())
player._under_way.clear()
warnings.simplefilter("ignore")
child = os.fork()
chosen = decide()
if child == 0:
    print(chosen, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(chosen)
"""


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on Unix only")
def test_a_forked_process_has_threads_of_its_own():
    run = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=600, check=True)
    child, parent = run.stdout.splitlines()
    assert child == parent


def test_a_match_up_does_not_depend_on_its_batches():
    results = [play_matchup("search:4", "heuristic", num_deals=4, seed=9, batch_size=size) for size in (1, 4)]
    assert results[0].to_json() == results[1].to_json()


def test_a_play_goes_on_as_it_was_begun_though_nothing_is_remembered():
    env = make_env(num_envs=1, seed=4)
    player = SearchPlayer(12)
    middles = 0
    for _ in range(60):
        tables = see(env, [0])
        middles += int(tables.states["taken_size"][0] > 0)
        action = player.decide(tables)
        assert SearchPlayer(12).decide(tables) == action
        env.step(action)
    assert middles > 10


def test_another_seed_has_other_worlds():
    env = make_env(seed=6, num_envs=64)
    for _ in range(60):
        env.step(heuristic_actions(env))
    tables = see(env, range(64))
    chosen = [SearchPlayer(2, seed=seed, caution=0).decide(tables).tolist() for seed in (0, 0, 1)]
    assert chosen[0] == chosen[1] != chosen[2]


@pytest.mark.parametrize("text", ["search:8", "champion:8"])
@pytest.mark.parametrize("rules", ["two_deck", *thorough("one_deck", "competition", FORCED_RULES)])
def test_decisions_do_not_depend_on_what_the_seat_cannot_know(rules, text):
    rng = np.random.default_rng(5)
    player = make_player(text)
    changed = 0
    for step, env in positions(rules, 60):
        row = step % 8
        action = player.decide(see(env, [row]))
        kept = env.states[row : row + 1].copy()
        env.tables.states[row : row + 1] = deal_again(kept, int(env.seat[row]), env.rules, rng)
        changed += env.states[row : row + 1].tobytes() != kept.tobytes()
        assert make_player(text).decide(see(env, [row])) == action
        env.tables.states[row : row + 1] = kept
    assert changed > 50


@pytest.mark.thorough
def test_changes_gain_in_worlds_that_were_not_looked_at():
    env = make_env(num_envs=32, seed=12)
    player = SearchPlayer(100)
    gains = []
    for step in range(150):
        for row in range(step % 16, 32, 16):
            if env.phase[row] >= Phase.LEAD and not env.states["taken_size"][row]:
                gains.extend(gain_of_change(env, row, player))
        env.step(heuristic_actions(env))
    assert len(gains) > 20
    assert np.mean(gains) > 2 * np.std(gains) / len(gains) ** 0.5


def gain_of_change(env, row, player):
    """What another play than the heuristic player's comes to beyond it, in other worlds; nothing if there is none."""
    tables = see(env, [row])
    actions, cards = candidates(env, row)
    chosen = player.find_play(tables.states, tables.plays[0], tables.rules)
    best = [place for place in range(len(actions)) if (cards[place] == chosen[1]).all()]
    if len(actions) < 2 or best == [0]:
        return []
    sampler = Sampler(tables.rules_record)
    sampler.prepare(tables.states, tables.plays[0])
    worlds = np.zeros(100, STATE_DTYPE)
    sampler.draw(tables.states, 12345, 0, worlds)
    outcomes = Outcomes.zeros(len(actions), 100)
    is_open = np.ones(len(actions), np.bool_)
    team = int(env.seat[row]) % NUM_TEAMS
    policies = policies_of(HEURISTIC, tables.rules)
    playouts = Playouts(Plays(actions, cards), is_open, worlds, outcomes, team, policies.packed)
    play_samples(playouts, 0, 100, make_scratch(tables.rules_record, 1), 0)
    return [(outcomes.levels[best[0]] - outcomes.levels[0]).mean()]


def test_what_is_far_behind_is_given_up_but_the_heuristics_play_never():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 0.5, 50) + np.array([[0.0], [3.0], [-3.0], [2.9]]) + rng.normal(0, 0.5, (4, 50))
    is_open = np.ones(4, np.bool_)
    CautiousJudge(4, caution=1.0, points_weight=0.0).give_up(values, is_open, 100)
    assert is_open.tolist() == [True, True, False, True]


def test_a_gain_within_its_error_changes_nothing():
    judge = CautiousJudge(2, caution=1.0, points_weight=0.0)
    is_open = np.ones(2, np.bool_)
    noise = np.tile([1.0, -1.0], 25)
    assert judge.choose(np.array([np.zeros(50), noise + 0.05]), is_open) == 0
    assert judge.choose(np.array([np.zeros(50), noise + 0.5]), is_open) == 1
    assert judge.choose(np.zeros((2, 50)), is_open) == 0


def test_a_time_limit_is_kept():
    player = SearchPlayer(100_000, 0.05)
    player.decide(see(make_env(num_envs=1), [0]))
    spent = []
    for step, env in positions(steps=24):
        if step % 3 == 0:
            before = player.num_decisions
            began = time.perf_counter()
            player.decide(see(env, [step % 8]))
            if player.num_decisions > before:
                spent.append(time.perf_counter() - began)
    assert len(spent) >= 4
    assert np.median(spent) < 1  # all worlds take minutes
    assert len(spent) < player.num_samples < 100_000


def test_search_sits_at_the_single_agent_environment():
    env = SeatEnv(["search:4", "random", "search:4"], rules="two_deck", seat=0)
    for seed in (1, 2):
        env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
        assert info["result"]
    searched = [player.num_decisions for player in env.opponents[::2]]
    assert min(searched) > 10


def test_gymnasium_takes_search_as_an_opponent():
    env = gymnasium.make("shengji/Seat-v0", opponents="search:4")
    env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(np.flatnonzero(env.unwrapped.action_masks())[0]))
    assert info["result"]


class Onlooker(Player):
    """A user's own player of whole positions: it looks at what it is shown, and takes the first legal action."""

    name = "onlooker"
    needs = Needs.POSITIONS

    def __init__(self):
        self.hidden = self.looks = 0

    def decide(self, decisions):
        for state, plays in zip(decisions.states, decisions.plays, strict=True):
            others = [seat for seat in range(4) if seat != state["seat"]]
            self.hidden += int(state["hands"][others].sum())
            for seat in range(4):
                assert (plays[plays[:, 0] == seat + 1, 1:].sum(axis=0) == state["played"][seat]).all()
            self.looks += 1
        return decisions.action_mask.argmax(axis=1)


def test_any_player_may_be_shown_veiled_tables_with_all_plays():
    player = Onlooker()
    play_matchup(player, "random", num_deals=2, seed=3)
    assert player.hidden == 0
    assert player.looks > 100


# ---- texts


def test_numbers_may_be_numpys():
    player = SearchPlayer(np.int64(4), threads=np.int8(1), seed=np.uint64(3))
    assert player.name == "search:4"
    assert player.decide(see(make_env(num_envs=1), [0])) == SearchPlayer(4, threads=1, seed=3).decide(
        see(make_env(num_envs=1), [0])
    )


def test_texts_name_worlds_seconds_and_arguments():
    assert make_player("search").name == "search:100"
    assert make_player("search:30").name == "search:30"
    assert make_player("search:200:0.5").name == "search:200:0.5"
    assert make_player("search:30?threads=2&seed=4").name == "search:30"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("search:many", "write search:200"),
        ("search:", "write search:200"),
        ("search:20:soon", "write search:200"),
        ("search:1", "worlds=1"),
        ("search:20:0", "seconds=0"),
        ("search:20:-1", "seconds=-1"),
        ("search:20?threads=0", "threads=0"),
        ("search:20?candidates=1", "candidates=1"),
        ("search:20?depth=3", "depth"),
    ],
)
def test_errors_name_what_is_wrong(text, why):
    with pytest.raises(PlayerError, match=why):
        make_player(text)


def test_an_observation_alone_is_not_enough():
    alone = Decisions(np.zeros((1, 1), np.int8), np.zeros((1, 83), np.int8), np.zeros(1, np.uint64))
    with pytest.raises(PlayerError, match="observations alone"):
        SearchPlayer(4).decide(alone)
    env = make_env(num_envs=1, history=3)
    with pytest.raises(PlayerError, match="needs POSITIONS"):
        SearchPlayer(4).decide(see(env, [0]))


@pytest.mark.slow
def test_search_beats_heuristic():
    result = play_matchup("search:100", "heuristic", num_deals=100, seed=1)
    assert result.levels_per_round > 0.2
    assert result.interval[0] > 0
