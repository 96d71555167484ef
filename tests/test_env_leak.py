"""The leak test: everything that a seat cannot know is dealt again; what it sees must not change by a bit.

The new worlds agree with the old one in what the seat has been shown, not in what it might conclude: they are more than
it holds possible, so the test is stricter than it needs to be. In FORCED the choices stay: the failed throw told all.
"""

import numpy as np
import pytest

from shengji_env.engine.actions import PASS
from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.masks import write_mask
from shengji_env.engine.slots import NO_TRUMP, slot_of_card
from shengji_env.engine.state import Phase
from shengji_env.envs.observation import OBSERVATION_SIZE
from shengji_env.envs.stepping import observe_seat
from shengji_env.envs.tables import Tables
from shengji_env.vector import ShengjiVectorEnv


def deal_again(state, seat, rules, rng):
    """A copy of a state, shape (1,), with everything that `seat` cannot know dealt again."""
    world = state.copy()
    s = world[0]
    if s["phase"] in (Phase.BID, Phase.NAME):
        deal_order_again(s, seat, rules, rng)
    else:
        deal_hands_again(s, seat, rng)
    if s["seat"] != seat:
        scramble_decision(s, rng)
    return world


def deal_order_again(s, seat, rules, rng):
    """While bids are made: all cards but those the seat drew and those that were shown."""
    dealt, total = 4 * rules.hand, rules.decks * NUM_CARDS
    drawer = np.where(np.arange(total) < dealt, (s["first_drawer"] + np.arange(total)) % 4, 4)
    drawn = np.arange(total) < s["drawn"]
    hidden = ~(drawn & (drawer == seat))
    for other in set(range(4)) - {seat}:
        for card in range(NUM_CARDS):
            places = np.flatnonzero(drawn & (drawer == other) & (s["deal"][:total] == card))
            hidden[places[: s["known"][other][card]]] = False
    places = np.flatnonzero(hidden)
    s["deal"][places] = rng.permutation(s["deal"][places])
    for other in range(4):
        level = s["levels"][(s["declarer"] if s["had_declarer"] else other) % 2]
        hand = np.zeros(54, np.int8)
        for card in s["deal"][:total][drawn & (drawer == other)].tolist():
            hand[slot_of_card(card, NO_TRUMP, level)] += 1
        assert other != seat or (hand == s["hands"][other]).all()
        s["hands"][other] = hand


def deal_hands_again(s, seat, rng):
    """Afterwards: the other hands but for what was shown, and the buried cards unless the seat buried them."""
    places = [s["hands"][other] for other in range(4) if other != seat]
    shown = [s["known"][other].copy() for other in range(4) if other != seat]
    if s["declarer"] != seat:
        places.append(s["buried"])
        shown.append(np.zeros(54, np.int8))
    hidden = [np.repeat(np.arange(54), place - kept) for place, kept in zip(places, shown, strict=True)]
    pool = rng.permutation(np.concatenate(hidden))
    for place, kept in zip(places, shown, strict=True):
        size = int((place - kept).sum())
        place[:] = kept + np.bincount(pool[:size], minlength=54)
        pool = pool[size:]
    rng.shuffle(s["deal"])


def scramble_decision(s, rng):
    """The decision under way belongs to another seat: so do the cards taken for it, and what it owes."""
    hand = np.repeat(np.arange(54), s["hands"][s["seat"]])
    taken = rng.permutation(hand)[: rng.integers(0, len(hand) + 1)]
    s["taken"] = np.bincount(taken, minlength=54)
    s["taken_size"] = len(taken)
    s["last_slot"] = rng.integers(54)
    s["must_match"] = rng.integers(2)
    s["num_owed"] = rng.integers(3)
    s["owed_width"][:3] = rng.integers(2, 4, 3)
    s["owed_length"][:3] = 1


class Eyes:
    """What a seat sees of any state."""

    def __init__(self, env):
        self.tables = Tables(env.rules, {"seed": 0}, np.zeros(1, np.int64))

    def see(self, state, seat):
        mask = np.zeros(82, np.int8)
        if state["seat"][0] == seat:
            write_mask(state[0], self.tables.shared[0]["rules"], self.tables.works[0], mask)
        observe_seat(state, self.tables.shared, 0, seat, self.tables.views)
        assert self.tables.views.nbytes == OBSERVATION_SIZE
        return self.tables.views.tobytes() + mask.tobytes()


@pytest.mark.parametrize(
    ("rules", "steps"),
    [
        ("two_deck", 500), ("two_deck(failed_throw=next_seat_chooses)", 400), ("one_deck", 300), ("one_deck_45", 300),
        ("competition", 400), ("duplicate", 300), ("three_deck", 500), ("four_deck", 500),
    ],
)  # fmt: skip
def test_nothing_that_a_seat_sees_depends_on_what_it_cannot_know(rules, steps):
    env = ShengjiVectorEnv(1, rules, seed=31, start="any")
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
        before = eyes.see(env.states, seat)
        if seat == env.seat[0]:
            assert before == env.observation.tobytes() + env.action_mask.tobytes()
        world = deal_again(env.states, seat, env.rules, rng)
        changed += world.tobytes() != env.states.tobytes()
        assert eyes.see(world, seat) == before, f"ply {env.ply[0]}, seat {seat}, {Phase(int(env.phase[0])).name}"
    return changed


@pytest.mark.parametrize(("rules", "named"), [("competition", True), ("two_deck", False), ("one_deck", False)])
def test_nothing_leaks_where_nobody_bids(rules, named):
    """The partner names trumps, or the kitty is turned up."""
    env = ShengjiVectorEnv(1, rules, seed=33, start="any")
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


def test_the_leak_test_would_notice(monkeypatch):
    """Another seat's hand must change what that seat sees."""
    env = ShengjiVectorEnv(1, "two_deck", seed=32, start="any")
    eyes = Eyes(env)
    rng = np.random.default_rng(32)
    for _ in range(200):
        env.step(env.sample_actions())
    world = deal_again(env.states, 0, env.rules, rng)
    assert eyes.see(world, 0) == eyes.see(env.states, 0)
    assert eyes.see(world, 1) != eyes.see(env.states, 1)
