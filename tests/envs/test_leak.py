"""The leak test: everything that a seat cannot know is dealt again; what it sees must not change by a bit.

The new worlds agree with the old one in what the seat has been shown, not in what it might conclude. So some of them
are not possible for the seat, and the test is stricter than necessary. In FORCED the choices stay, since the failed
throw made them public.
"""

import numpy as np
import pytest

from shengji_env.engine.actions import PASS
from shengji_env.engine.state import Phase
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import Eyes, deal_again


@pytest.mark.parametrize(
    ("rules", "steps"),
    [
        ("two_deck", 500), ("two_deck(failed_throw=next_seat_chooses)", 400), ("one_deck", 300), ("one_deck_45", 300),
        ("competition", 400), ("duplicate", 300), ("three_deck", 500), ("four_deck", 500),
    ],
)  # fmt: skip
def test_nothing_that_a_seat_sees_depends_on_what_it_cannot_know(rules, steps):
    env = BatchEnv(1, rules, seed=31, start="any")
    eyes = Eyes(env)
    rng = np.random.default_rng(31)
    phases, changed = set(), 0
    for step in range(steps):
        env.step(env.sample_actions())
        if env.phase[0] in (Phase.BURY, Phase.FOLLOW) and step % 4:
            continue
        phases.add(int(env.phase[0]))
        changed += check_seats(env, eyes, rng)
    assert changed > steps
    expected = {Phase.BURY, Phase.LEAD, Phase.FOLLOW} | ({Phase.BID} if env.rules.bidding != "fixed" else set())
    expected |= {Phase.FORCED} if env.rules.failed_throw == "next_seat_chooses" and env.rules.throws else set()
    assert expected <= phases


def check_seats(env, eyes, rng):
    """No seat sees what it cannot know dealt again; returns how many of the four worlds so made were others."""
    changed = 0
    for seat in range(4):
        before = eyes.see(env.tables.states, seat)
        if seat == env.seat[0]:
            assert before == env.observation.tobytes() + env.action_mask.tobytes()
        world = deal_again(env.states, seat, env.rules, rng)
        changed += world.tobytes() != env.states.tobytes()
        assert eyes.see(world, seat) == before, f"ply {env.ply[0]}, seat {seat}, {Phase(int(env.phase[0])).name}"
    return changed


@pytest.mark.parametrize(("rules", "named"), [("competition", True), ("two_deck", False), ("one_deck", False)])
def test_nothing_leaks_where_nobody_bids(rules, named):
    """The partner names trumps, or the kitty is turned up."""
    env = BatchEnv(1, rules, seed=33, start="any")
    eyes = Eyes(env)
    rng = np.random.default_rng(33)
    names = turned = 0
    for step in range(240):
        env.step([PASS] if env.phase[0] == Phase.BID else env.sample_actions())
        names += env.phase[0] == Phase.NAME
        turned += env.states["turned"].any()
        if step % 4 == 0 or env.phase[0] == Phase.NAME:
            check_seats(env, eyes, rng)
    assert names > 0 if named else turned > 0


@pytest.mark.parametrize(
    "rules",
    [
        "two_deck(kitty_retake=overbid, bid_suits=ranked, first_declarer=first_bid)",
        "two_deck(rebellion=new_declarer, rebellion_points=60, kitty_retake=overbid, bid_suits=ranked)",
    ],
)
def test_nothing_leaks_where_the_kitty_is_taken_again_or_a_hand_is_weak(rules):
    """In the other worlds the next taker has buried other cards of those that it found in the kitty."""
    env = BatchEnv(1, rules, seed=35, start="any")
    eyes = Eyes(env)
    rng = np.random.default_rng(35)
    taken = rebels = 0
    for step in range(600):
        chosen = env.sample_actions()
        if env.phase[0] == Phase.BID:
            chosen = [weak_bid(env)]
        env.step(chosen)
        is_again = env.states["num_takers"][0] > 1
        taken += is_again
        rebels += env.phase[0] == Phase.REBEL
        if env.phase[0] == Phase.REBEL or (is_again and step % 3 == 0) or env.phase[0] == Phase.BID:
            check_seats(env, eyes, rng)
    assert taken > 50
    assert rebels > 0 or "rebellion" not in rules


def weak_bid(env):
    """The weakest bid, first and as an overbid; otherwise a pass."""
    bids = np.flatnonzero(env.action_mask[0])[1:]
    state = env.states[0]
    may_bid = bids.size and (state["bid_count"] == 0 or state["trump"] >= 0)
    return int(bids[0]) if may_bid else PASS


def test_what_the_next_taker_buried_of_the_cards_that_it_found_is_hidden_from_the_first():
    """Cards of the first burial are in the next taker's hand, or buried again: the others cannot tell."""
    env = BatchEnv(1, "two_deck(kitty_retake=overbid, bid_suits=ranked)", seed=36, start="any", history=4)
    eyes = Eyes(env)
    changed = 0
    for _ in range(600):
        env.step([weak_bid(env)] if env.phase[0] == Phase.BID else env.sample_actions())
        state = env.states[0]
        if state["num_takers"] != 2 or not state["buried"].any() or env.phase[0] == Phase.BURY:
            continue
        first, taker = (int(seat) for seat in state["takers"][:2])
        held = np.flatnonzero((state["passed_on"][first] > 0) & (state["hands"][taker] > state["known"][taker]))
        again = np.flatnonzero((state["buried"] > 0) & ~(state["hands"][taker] > 0))
        if not held.size or not again.size:
            continue
        world = env.states.copy()
        world["hands"][0, taker, held[0]] -= 1
        world["hands"][0, taker, again[0]] += 1
        world["buried"][0, held[0]] += 1
        world["buried"][0, again[0]] -= 1
        for seat in set(range(4)) - {taker}:
            assert eyes.see(world, seat) == eyes.see(env.states, seat)
        assert eyes.see(world, taker) != eyes.see(env.states, taker)
        changed += 1
    assert changed > 20


def test_the_leak_test_would_notice(monkeypatch):
    """Another seat's hand must change what that seat sees."""
    env = BatchEnv(1, "two_deck", seed=32, start="any")
    eyes = Eyes(env)
    rng = np.random.default_rng(32)
    for _ in range(200):
        env.step(env.sample_actions())
    world = deal_again(env.states, 0, env.rules, rng)
    assert eyes.see(world, 0) == eyes.see(env.tables.states, 0)
    assert eyes.see(world, 1) != eyes.see(env.tables.states, 1)
