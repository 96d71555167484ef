"""A state is rebuilt from the fields that cannot be derived; anything wrong in the others is found."""

import numpy as np
import pytest

from shengji_env.engine.actions import PASS
from shengji_env.engine.bids import LITTLE
from shengji_env.engine.deal import SAMPLE_STREAM, Deals, draw_setup, stream_key
from shengji_env.engine.flaws import (
    BAD_BIDDING,
    BAD_BURIED,
    BAD_DEAL,
    BAD_KNOWN,
    BAD_PHASE,
    BAD_PLAY,
    BAD_PLAYED,
    BAD_POINTS,
    BAD_START,
    BAD_TRUMP,
    BAD_VOIDS,
    SOUND,
)
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions, random_action
from shengji_env.engine.opening import begin_round
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.engine.state import STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase
from tests.helpers.rebuilding import Rebuilder

pytestmark = pytest.mark.nojit


class Round:
    """A round of random play, its states one after another, and its actions since it was last dealt."""

    def __init__(self, text, levels=None, number=0):
        rules = parse_rules(text)
        self.rules, self.work = rules.record()[0], np.zeros(1, WORKSPACE_DTYPE)[0]
        self.rebuilder = Rebuilder(rules)
        self.states = np.zeros(1, STATE_DTYPE)
        self.actions = np.zeros(400, np.int8)
        self.size = self.ply = 0
        self.deals = Deals(np.uint64(71), number)
        state = self.states[0]
        state["trump"] = UNNAMED
        draw_setup(state, self.rules, self.deals, True)
        if levels is not None:
            state["levels"] = levels
        begin_round(state, self.rules, self.work, self.deals)

    def step(self, action=None):
        """Make an action, by default a random one."""
        state, redeals = self.states[0], int(self.states["redeals"][0])
        slots, others = legal_actions(state, self.rules, self.work)
        if action is None:
            action = random_action(slots, others, np.uint64(stream_key(*self.deals, 0, SAMPLE_STREAM)), self.ply)
        apply_action(state, self.rules, self.work, self.deals, action)
        self.actions[self.size] = action
        self.ply += 1
        self.size = self.size + 1 if state["redeals"] == redeals else 0

    def rebuilt(self, states=None):
        """What is wrong with states, by default the round's, and whether they come out as they are."""
        given = self.states if states is None else states
        flaw, again = self.rebuilder.rebuilt(given)
        return flaw, again.tobytes() == given.tobytes()


@pytest.mark.parametrize(
    ("rules", "levels"),
    [("one_deck", None), ("competition(kitty=20)", None), ("contest", None), ("two_deck(match_end=beyond_ace)", 12)],
)
def test_states_of_a_round_are_rebuilt_and_played_again(rules, levels):
    game = Round(rules, levels)
    while game.states["phase"][0] != Phase.OVER:
        if game.ply % 9 == 0:
            assert game.rebuilt() == (SOUND, True)
        game.step()
    is_legal, again = game.rebuilder.replayed(game.states, game.actions[: game.size])
    assert is_legal
    assert again.tobytes() == game.states.tobytes()
    assert levels is None or game.states["result"]["match_over"][0]
    assert game.rebuilt()[0] == BAD_PHASE
    game.actions[game.size - 1] = 81
    assert not game.rebuilder.replayed(game.states, game.actions[: game.size])[0]


@pytest.mark.parametrize(
    ("rules", "phases"),
    [
        ("two_deck(rebellion=new_declarer, rebellion_trumps=9)", {Phase.BID, Phase.REBEL, Phase.BURY}),
        ("two_deck(rebellion=no_declarer, rebellion_trumps=9)", {Phase.BID, Phase.REBEL, Phase.BURY}),
        ("two_deck(bidding=fixed)", {Phase.BURY}),
        ("two_deck(first_declarer=first_bid)", {Phase.BID, Phase.BURY}),
        ("botzone", {Phase.BID, Phase.BURY}),
    ],
)
def test_states_before_the_first_lead_are_rebuilt(rules, phases):
    seen = set()
    for number in range(8):
        game = Round(rules, number=number)
        while game.states["phase"][0] != Phase.LEAD:
            seen.add(int(game.states["phase"][0]))
            assert game.rebuilt() == (SOUND, True)
            game.step()
    assert seen == phases


def test_after_a_rebellion_that_leaves_no_declarer_there_was_none():
    game = Round("two_deck(rebellion=no_declarer, rebellion_trumps=9)", number=3)
    while game.states["rebellions"][0] == 0:
        game.step()
    assert game.rebuilt() == (SOUND, True)
    game.states["had_declarer"], game.states["declarer"] = 1, game.states["first_drawer"]
    assert game.rebuilt()[0] == BAD_START


@pytest.mark.parametrize("number", range(4))
def test_trumps_are_named_where_nobody_bids(number):
    game = Round("two_deck(no_bid=partner_names)", number=number)
    while game.states["phase"][0] == Phase.BID:
        game.step(PASS)
    assert game.states["phase"][0] == (Phase.BURY if game.states["had_declarer"][0] == 0 else Phase.NAME)
    for _ in range(4):
        assert game.rebuilt() == (SOUND, True)
        game.step()


@pytest.mark.parametrize(
    "rules", [f"chaodipi({options}first_declarer=first_bid)" for options in ("", "bidding=sequential, ")]
)
def test_states_with_overbids_are_rebuilt(rules):
    num_retaken = 0
    for number in (10, 12, 17, 19):
        game = Round(rules, number=number)
        while game.states["phase"][0] != Phase.LEAD:
            assert game.rebuilt() == (SOUND, True)
            game.step()
        num_retaken += game.states["num_takers"][0] > 1
    assert num_retaken >= 2


def test_without_overturning_the_first_bid_stands():
    for number in range(4):
        game = Round("two_deck(overturn=False)", number=number)
        while game.states["bid_count"][0] == 0:
            game.step()
        assert game.rebuilt() == (SOUND, True)
        for seat in {0, 1, 2, 3} - {int(game.states["bid_seat"][0])}:
            states = game.states.copy()
            states["first_bidder"] = seat
            assert game.rebuilt(states)[0] == BAD_BIDDING


@pytest.mark.parametrize(
    ("name", "index", "value", "flaw"),
    [
        ("takers", 0, -1, BAD_BIDDING),
        ("takers", 1, 4, BAD_BIDDING),
        ("takers", 1, 1, BAD_BIDDING),
        ("num_takers", 0, 126, BAD_BIDDING),
        ("bid_kind", 0, 7, BAD_BIDDING),
        ("first_bidder", 0, 4, BAD_BIDDING),
        ("rebellions", 0, 1, BAD_START),
        ("levels", 1, 13, BAD_START),
        ("first_drawer", 0, 4, BAD_START),
        ("had_declarer", 0, 2, BAD_START),
        ("deal_given", 0, 2, BAD_START),
        ("match_round", 0, -1, BAD_START),
        ("deal", 5, 54, BAD_DEAL),
        ("trump", 0, 5, BAD_TRUMP),
    ],
)
def test_what_is_wrong_with_an_overbid_is_told(name, index, value, flaw):
    game = Round("chaodipi", number=10)
    while game.states["num_takers"][0] < 3 or game.states["phase"][0] != Phase.BURY:
        game.step()
    states = game.states.copy()
    states[name].flat[index] = value
    assert game.rebuilt(states)[0] == flaw


@pytest.mark.parametrize(("name", "value"), [("bid_seat", 4), ("bid_kind", 7), ("bid_count", -1)])
def test_a_standing_bid_that_is_none_is_told(name, value):
    game = Round("two_deck")
    while game.states["bid_count"][0] == 0:
        game.step()
    assert game.rebuilt() == (SOUND, True)
    game.states[name] = value
    assert game.rebuilt()[0] == BAD_BIDDING


def test_before_the_first_bid_seats_are_asked_from_the_first_drawer_on():
    is_elsewhere = set()
    for number in range(6):
        game = Round("two_deck(bidding=sequential)", number=number)
        assert game.rebuilt() == (SOUND, True)
        is_elsewhere.add(game.states["seat"][0] != 0)
        for seat in {0, 1, 2, 3} - {int(game.states["seat"][0])}:
            states = game.states.copy()
            states["seat"] = seat
            assert game.rebuilt(states)[0] == BAD_BIDDING
    assert True in is_elsewhere


@pytest.mark.parametrize(("per", "cards"), [("throw", 1), ("card", 25)])
def test_points_may_fall_and_rise_by_penalties(per, cards):
    game = Round(f"two_deck(throw_penalty=10, throw_penalty_per={per})")
    while game.states["tricks"][0] < 3:
        game.step()
        assert game.rebuilt() == (SOUND, True)
    states = game.states.copy()
    most = int((states["played"][0].sum(axis=0) * states["slot_points"][0]).sum())
    penalties = 10 * 4 * cards
    for points, flaw in ((-penalties, SOUND), (most + penalties, SOUND), (-penalties - 5, BAD_POINTS),
                         (most + penalties + 5, BAD_POINTS)):  # fmt: skip
        states["attackers_points"] = points
        assert game.rebuilt(states)[0] == flaw


def test_nobody_takes_the_kitty_up_twice_running():
    game = Round("chaodipi", number=10)
    while game.states["num_takers"][0] < 2 or game.states["phase"][0] != Phase.BURY:
        game.step()
    assert game.rebuilt() == (SOUND, True)
    game.states["takers"][0, 1] = game.states["bid_seat"] = game.states["takers"][0, 0]
    assert game.rebuilt()[0] == BAD_BIDDING


def test_one_joker_is_no_overbid_of_a_seat_that_buried_twice():
    game = Round("chaodipi(bidding=sequential)", number=1133)
    while game.states["phase"][0] != Phase.LEAD:
        game.step()
    assert game.states["takers"][0].tolist()[:3] == [3, 2, 3]
    assert (game.states["bid_kind"][0], game.states["bid_count"][0]) == (LITTLE, 2)
    assert game.rebuilt() == (SOUND, True)
    game.states["bid_count"] = 1
    assert game.rebuilt()[0] == BAD_BURIED


def test_takers_that_buried_twice_hold_as_many_cards_as_they_must():
    game = Round("chaodipi", number=10)
    while game.states["phase"][0] != Phase.LEAD:
        game.step()
    hands = game.states["hands"][0]
    slot = int(np.flatnonzero(hands[1])[0])
    hands[1, slot] -= 1
    hands[2, slot] += 1
    assert game.rebuilt()[0] == BAD_BURIED


@pytest.mark.parametrize("count", [0, 5])
def test_an_overbid_of_a_seat_that_buried_twice_is_of_its_cards(count):
    game = Round("chaodipi", number=10)
    while game.states["phase"][0] != Phase.LEAD:
        game.step()
    assert game.states["takers"][0].tolist()[:3] == [1, 2, 1]
    assert game.rebuilt() == (SOUND, True)
    game.states["bid_count"] = count
    assert game.rebuilt()[0] == BAD_BURIED


@pytest.mark.parametrize(
    ("name", "value", "flaw"),
    [
        ("phase", -1, BAD_PHASE),
        ("levels", 13, BAD_START),
        ("redeals", 9, BAD_START),
        ("deal", 0, BAD_DEAL),
        ("trump", 7, BAD_TRUMP),
        ("buried", 1, BAD_BURIED),
        ("played", 4, BAD_PLAYED),
        ("leader", 9, BAD_PLAYED),
        ("attackers_points", 7, BAD_POINTS),
        ("known", 4, BAD_KNOWN),
        ("voids", 1, BAD_VOIDS),
        ("voids", 2, BAD_VOIDS),
        ("trick", 0, BAD_PLAYED),
        ("taken", 1, BAD_PLAY),
    ],
)
def test_what_is_wrong_is_told(name, value, flaw):
    game = Round("one_deck")
    while game.states["tricks"][0] < 2 or game.states["position"][0] < 2:
        game.step()
    states = game.states.copy()
    states[name] = value
    assert game.rebuilt(states)[0] == flaw
    assert game.rebuilt() == (SOUND, True)


@pytest.mark.parametrize(
    "name", ["seat", "hands", "winning", "winning_top", "lead_size", "level_rank", "turned", "drawn"]
)
def test_what_follows_from_the_rest_must_be_that(name):
    game = Round("one_deck")
    while game.states["tricks"][0] < 2 or game.states["position"][0] < 2:
        game.step()
    states = game.states.copy()
    states[name] += 1
    assert game.rebuilt(states) == (SOUND, False)
