"""Starts given to `reset`: deal, levels, declarer, first drawer, trump."""

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS
from shengji_env.engine.state import Phase
from shengji_env.errors import DealError
from shengji_env.tables.observation import view


def shuffled(decks=2, seed=1):
    return np.random.default_rng(seed).permutation(np.tile(np.arange(NUM_CARDS), decks)).tolist()


def hand_of(env, seat):
    """Cards that a seat was dealt before the first decision, in its own slots."""
    return env.states["hands"][0][seat].sum()


@pytest.mark.parametrize("form", ["text", "ids", "texts", "array"])
def test_a_deal_in_any_form(form):
    deal = shuffled()
    texts = [CARD_TEXTS[card] for card in deal]
    given = {"text": " ".join(texts), "ids": deal, "texts": texts, "array": np.array(deal)}[form]
    env = shengji_v0.env()
    env.reset(seed=1, options={"deal": given, "first_drawer": 2})
    assert env.unwrapped.states["deal"][0][:108].tolist() == deal
    assert env.unwrapped.states["first_drawer"][0] == 2


def test_the_kitty_comes_last_in_a_deal():
    env = shengji_v0.raw_env("duplicate")
    deal = shuffled()
    env.reset(options={"deal": deal, "declarer": 1, "trump": "H", "levels": ["5", "7"]})
    state = env.states[0]
    assert (state["phase"], state["seat"], state["trump"], state["level_rank"]) == (Phase.BURY, 1, 2, 5)
    from shengji_env.engine.slots import card_of_slot

    held = sorted(card_of_slot(slot, 2, 5) for slot in range(54) for _ in range(state["hands"][1][slot]))
    assert held == sorted([*deal[0:100:4], *deal[100:]])


def test_a_deal_is_used_again_for_redeals_and_not_for_the_next_round():
    env = shengji_v0.raw_env(episode="match")
    deal = shuffled(seed=2)
    env.reset(seed=1, options={"deal": deal})
    while env.states["match_round"][0] == 0:
        assert env.states["deal"][0][:108].tolist() == deal
        legal = np.flatnonzero(env.last()[0]["action_mask"])
        env.step(54 if env.states["phase"][0] == Phase.BID and env.states["redeals"][0] < 2 else int(legal[-1]))
    assert env.states["deal"][0][:108].tolist() != deal


@pytest.mark.parametrize("levels", [["Q", "3"], {0: "Q", 1: "3"}, ("Q", "3")])
def test_levels_and_declarer(levels):
    env = shengji_v0.raw_env()
    env.reset(seed=3, options={"levels": levels, "declarer": 3})
    seen = view(env.last()[0]["observation"])
    assert env.states["levels"][0].tolist() == [10, 1]
    assert env.states["first_drawer"][0] == 3
    assert env.states["level_rank"][0] == 1
    assert seen["level_rank"].argmax() == 1


def test_what_is_not_given_stays_as_drawn():
    drawn, given = shengji_v0.raw_env(start="any"), shengji_v0.raw_env(start="any")
    for seed in range(20):
        drawn.reset(seed=seed)
        given.reset(seed=seed, options={"levels": ["9", "9"]})
        for field in ("deal", "first_drawer", "had_declarer"):
            assert (drawn.states[field] == given.states[field]).all()
        assert given.states["levels"][0].tolist() == [7, 7]


def test_a_first_drawer_given_means_that_nobody_is_declarer():
    env = shengji_v0.raw_env(start="any")
    for seed in range(8):
        env.reset(seed=seed, options={"first_drawer": 1})
        assert env.states["first_drawer"][0] == 1
        assert not env.states["had_declarer"][0]


def test_options_last_for_one_episode():
    env = shengji_v0.raw_env("duplicate")
    plain = shengji_v0.raw_env("duplicate")
    env.reset(seed=4, options={"deal": shuffled(), "levels": ["K", "K"], "declarer": 2, "trump": "S"})
    plain.reset(seed=4)
    env.reset()
    plain.reset()
    assert env.states.tobytes() == plain.states.tobytes()


@pytest.mark.parametrize(
    ("rules", "episode", "options", "message"),
    [
        ("two_deck", "round", {"deal": "S2 S3"}, r"2 cards holds 0 × C2; two_deck is played with 2 of each"),
        ("two_deck", "round", {"deal": shuffled(decks=1)}, r"54 cards holds 1 × C2"),
        ("one_deck", "round", {"deal": [*range(53), 52]}, r"holds 2 × LJ; one_deck is played with 1"),
        ("two_deck", "round", {"deal": "S2 X9"}, r"'X9' is not a card"),
        ("two_deck", "round", {"deal": [54]}, r"54 is not a card id"),
        ("two_deck", "round", {"deal": 7}, r"the deal cannot be read"),
        ("two_deck", "round", {"levels": ["2"]}, r"a rank for each team"),
        ("two_deck", "round", {"levels": 5}, r"a rank for each team"),
        ("two_deck", "round", {"levels": {2: "5"}}, r"a rank for each team"),
        ("two_deck", "round", {"levels": ["2", "1"]}, r"level '1' of team 1 is not a rank"),
        ("two_deck", "match", {"levels": ["2", "A"]}, r"team 1 cannot begin at A"),
        ("two_deck", "round", {"declarer": 4}, r"declarer=4 is not a seat"),
        ("two_deck", "round", {"declarer": "0"}, r"declarer='0' is not a seat"),
        ("two_deck", "round", {"declarer": 1, "first_drawer": 2}, r"the declarer, seat 1, draws first"),
        ("two_deck", "round", {"first_drawer": -1}, r"first_drawer=-1 is not a seat"),
        ("two_deck", "round", {"trump": "S"}, r"trumps are bid for under bidding='streaming'"),
        ("duplicate", "round", {"trump": "X"}, r"one of C, D, H, S$"),
        ("duplicate", "round", {"trump": "NT"}, r"one of C, D, H, S$"),
        ("two_deck", "round", {"levls": ["2", "2"]}, r"no option is called 'levls'"),
    ],
)
def test_impossible_starts_are_refused_and_change_nothing(rules, episode, options, message):
    env = shengji_v0.raw_env(rules, episode=episode)
    env.reset(seed=5)
    before = env.states.tobytes()
    with pytest.raises(DealError, match=message):
        env.reset(options=options)
    assert env.states.tobytes() == before


def test_level_ten_and_ace_are_ranks_of_a_round():
    env = shengji_v0.raw_env("duplicate(no_trump_bids=True)")
    env.reset(options={"levels": ["10", "A"], "declarer": 1, "trump": "NT"})
    assert env.states["levels"][0].tolist() == [8, 12]
    assert env.states["trump"][0] == 4
