"""Players under the rules that people bring: random rule sets, overbids for the kitty, rebellions, small decks."""

import random
from itertools import pairwise

import numpy as np
import pytest

from shengji_env.arena import play_matchup
from shengji_env.engine.actions import BID_SUIT, NUM_ACTIONS, PASS, REBEL
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import NUM_SUITS, card_id
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.play import CARDS
from shengji_env.engine.rule_options import CHOICES, OPTION_NAMES, TYPES
from shengji_env.engine.rule_sets import RuleSet, as_rules
from shengji_env.engine.slots import LEVEL_SLOT, NO_TRUMP, NUM_SLOTS, PLAIN_RANKS, TRUMP, card_of_slot, slot_of_card
from shengji_env.engine.state import RESULT_DTYPE, STATE_DTYPE, UNNAMED, Phase, Winner
from shengji_env.errors import NotationError, RuleSetError
from shengji_env.players import Decisions, make_player, num_plays
from shengji_env.players.answers import Decision
from shengji_env.players.candidates.scratch import value_of
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.search import begin_decisions
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.players.suit_blocks import block_of_suit, effective_suit_of
from shengji_env.tables.observation import OBSERVATION_SIZE, view
from shengji_env.vector import BatchEnv
from tests.helpers.selfplay_networks import write_random
from tests.players.test_candidates import Finder

HEURISTIC = HeuristicPlayer()
RETAKE = "two_deck(kitty_retake=overbid, bid_suits=ranked)"
REBELLION = "two_deck(rebellion=redeal)"
HEARTS, SPADES, TWO = 2, 3, 0
CARDS_OF_OPTION = (
    "",
    "",
    "CDHS 23456789TJQKA",
    "CDHS 23456789TJQKA BJ",
    "DHS 23456789TJQKA LJ BJ",
    "HS 9TJ",
    "CDH 3456789TJQKA",
)
NUMBERS = {
    "decks": (1, 2, 2, 3, 4), "max_redeals": (0, 1, 8), "throw_penalty": (0, 5, 20), "match_rounds": (1, 16),
    "rebellion_points": (15, 0, 100), "rebellion_trumps": (-1, 3, 8, 20), "max_rebellions": (1, 3, 20),
    "kitty": (2, 4, 6, 8, 10, 12, 0),
}  # fmt: skip


def random_rules(generator):
    """A rule set of random options, all of them."""
    while True:
        options = {"cards": generator.choice(CARDS_OF_OPTION), "must_defend": generator.choice(("", "5TK"))}
        for name in OPTION_NAMES:
            if name in CHOICES:
                options[name] = generator.choice(CHOICES[name])
            elif name in NUMBERS:
                options[name] = generator.choice(NUMBERS[name])
            elif TYPES[name] is bool:
                options[name] = generator.random() < 0.5
        try:
            return RuleSet(preset="two_deck", **options)
        except RuleSetError:
            continue


RULES = [str(random_rules(random.Random(number))) for number in range(30)]


@pytest.mark.parametrize("rules", RULES)
def test_all_players_play_legally_under_random_rules(rules):
    players = ("random", "greedy", "heuristic", "search:2", "champion")
    for player, other in pairwise((*players, players[0])):
        result = play_matchup(player, other, num_deals=2, rules=rules, seed=1)
        assert np.isfinite(result.levels).all()


def test_the_random_rules_have_every_new_option():
    options = [as_rules(rules).options for rules in RULES]
    for name in ("bid_suits", "first_declarer", "rebellion", "kitty_retake", "throw_contest", "last_trick_demotion"):
        assert {of[name] for of in options} == set(CHOICES[name])
    assert {of["cards"] != "" for of in options} == {True, False}


# ---- overbids


def tables_in(rules, wanted, tables=64, steps=400, seed=3):
    """States (1,) at which decisions begin that `wanted` picks, in rounds of heuristic and random play."""
    env = BatchEnv(tables, rules, seed=seed, start="any", history=num_plays(as_rules(rules)))
    for step in range(steps):
        for row in range(tables):
            state = env.states[row]
            if state["taken_size"] == 0 and wanted(state):
                yield env, row
        chosen = HEURISTIC.act(env.observation, env.action_mask, np.zeros(tables, np.uint64))
        env.step(np.where(np.arange(tables) % 7 == step % 7, env.sample_actions(), chosen))


def is_overbid(state):
    """Whether a seat is asked for an overbid."""
    return state["phase"] == Phase.BID and state["trump"] != UNNAMED


def test_a_suits_cards_are_in_its_block():
    for trump in range(NO_TRUMP + 1):
        for suit in range(NUM_SUITS):
            slot = int(slot_of_card(13 * suit + 5, trump, TWO))
            assert block_of_suit(suit, trump) == slot // PLAIN_RANKS
            assert effective_suit_of(suit, trump) == (TRUMP if suit == trump else slot // PLAIN_RANKS)
        assert block_of_suit(NO_TRUMP, trump) == NO_TRUMP


def overbid(hand, trump, *bids):
    """What seat 0 answers with this hand at level 2, when it may bid so many cards of some suits."""
    observations = view(np.zeros((1, OBSERVATION_SIZE), np.int8))
    observations["phase"][0, Phase.BID] = observations["trump"][0, trump] = observations["burier"][0, 1] = 1
    for card in hand.split():
        observations["hand"][0, slot_of_card(card_id(card), trump, TWO)] += 1
    observations["cards_left"] = len(hand.split())
    mask = np.zeros((1, NUM_ACTIONS), np.int8)
    mask[0, PASS] = 1
    for count, suit in bids:
        mask[0, BID_SUIT + 4 * (count - 1) + suit] = 1
    return int(HEURISTIC.act(observations.view(np.int8).reshape(1, -1), mask, np.zeros(1, np.uint64))[0])


def test_5_the_kitty_is_taken_for_trumps_that_suit_the_hand():
    assert overbid("S2 S2 S3 S5 S7 S9 H3 H4 D8", HEARTS, (2, SPADES)) == BID_SUIT + 4 + SPADES
    assert overbid("S2 H2 S3 S5 S7 S9 H3 H4 D8", HEARTS, (1, SPADES), (2, SPADES)) == BID_SUIT + SPADES


def test_5_the_kitty_is_not_taken_for_far_worse_trumps():
    assert overbid("C2 C2 S3 S5 S7 S9 ST SJ SQ SK", SPADES, (2, 0)) == PASS


def test_overbids_gain_levels():
    result = play_matchup(
        "heuristic", "tests.helpers.without_overbids:NeverOverbids", num_deals=300, rules=RETAKE, seed=9
    )
    levels = result.levels.mean(axis=1)
    assert levels.mean() > 2 * levels.std() / len(levels) ** 0.5


def test_4_weak_hands_rebel_and_strong_ones_do_not():
    observations = view(np.zeros((2, OBSERVATION_SIZE), np.int8))
    observations["phase"][:, Phase.REBEL] = observations["trump"][:, SPADES] = 1
    observations["cards_left"] = 25
    observations["hand"][0, :25] = 1
    observations["hand"][1, LEVEL_SLOT - PLAIN_RANKS : LEVEL_SLOT + 6] = 1
    mask = np.zeros((2, NUM_ACTIONS), np.int8)
    mask[:, [PASS, REBEL]] = 1
    chosen = HEURISTIC.act(observations.view(np.int8).reshape(2, -1), mask, np.zeros(2, np.uint64))
    assert chosen.tolist() == [REBEL, PASS]


def test_candidates_of_overbids_and_rebellions_are_all_actions_the_heuristics_first():
    for rules, wanted in ((RETAKE, is_overbid), (REBELLION, lambda state: state["phase"] == Phase.REBEL)):
        seen = 0
        for env, row in tables_in(rules, wanted, steps=130):
            actions, _, features, _ = Finder(rules)(env.states[row : row + 1])
            assert sorted(actions) == np.flatnonzero(env.action_mask[row]).tolist()
            assert CARDS not in actions
            chosen = HEURISTIC.act(env.observation, env.action_mask, np.zeros(env.num_envs, np.uint64))[row]
            assert actions[0] == chosen
            assert features["passes"][list(actions).index(PASS), 0] == 1
            seen += 1
            if wanted is is_overbid:
                trump, level = reading_of(env.states[row], int(env.seat[row]))
                for action, feature in zip(actions, features, strict=True):
                    if BID_SUIT <= action < BID_SUIT + 16:
                        suit = (action - BID_SUIT) % 4
                        assert feature["names"][effective_suit_of(suit, trump)] == 1
                        held = env.states[row]["hands"][env.seat[row]]
                        cards = [
                            card_of_slot(slot, trump, level) for slot in range(NUM_SLOTS) for _ in range(held[slot])
                        ]
                        assert feature["trumps"] == sum(
                            card >= 52 or card % 13 == level or card // 13 == suit for card in cards
                        )
        assert seen > 10


def test_a_network_decides_overbids_and_rebellions(tmp_path):
    knows = make_player(write_random(tmp_path))
    for rules, wanted in ((RETAKE, is_overbid), (REBELLION, lambda state: state["phase"] == Phase.REBEL)):
        seen = other = 0
        for env, row in tables_in(rules, wanted, steps=130):
            decisions = Decisions.at(env.tables, np.array([row]))
            plain = HEURISTIC.act(decisions.observation, decisions.action_mask, np.zeros(1, np.uint64))
            other += int(knows.decide(decisions)[0] != plain[0])
            seen += 1
        assert seen > 10
        assert other > 0


# ---- sampled deals


SAMPLED = (
    RETAKE,
    "competition(rebellion=new_declarer)",
    "three_deck(kitty_retake=overbid, rebellion=redeal, rebellion_trumps=20)",
)


@pytest.mark.parametrize("rules", SAMPLED)
def test_sampled_deals_agree_with_all_that_is_public(rules):
    phases = passed_on = 0
    for step, (env, row) in enumerate(tables_in(rules, lambda state: state["trump"] != UNNAMED, tables=8, steps=170)):
        truth = env.states[row]
        if step % 5 and truth["phase"] not in (Phase.BID, Phase.REBEL):
            continue
        decisions = Decisions.at(env.tables, np.array([row]))
        begin_decisions(decisions.states)
        sampler = Sampler(env.tables.shared["rules"].copy())
        sampler.prepare(decisions.states, decisions.plays[0])
        worlds = np.zeros(3, STATE_DTYPE)
        sampler.draw(decisions.states, 1, 0, worlds)
        for world in worlds:
            check_world(world, truth, env.rules)
        phases |= 1 << int(truth["phase"])
        passed_on += int(truth["passed_on"][truth["seat"]].any())
    options = as_rules(rules).options
    assert phases >> Phase.FOLLOW & 1
    assert phases >> Phase.REBEL & 1 or options["rebellion"] == "none"
    assert (phases >> Phase.BID & 1 and passed_on) or rules != RETAKE


def check_world(world, truth, rules):
    """The cards, the rooms and what the seat to move knows are those of the table."""
    seat = int(truth["seat"])
    assert (world["hands"].sum(axis=1) == truth["hands"].sum(axis=1)).all()
    assert (world["hands"][seat] == truth["hands"][seat]).all()
    cards = world["hands"].sum(axis=0) + world["played"].sum(axis=0) + world["buried"]
    if truth["num_takers"] == 0:
        assert not world["buried"].any()
        kitty = world["deal"][4 * rules.hand : rules.total].tolist()
        cards += np.bincount(
            [slot_of_card(card, *reading_of(truth, seat)) for card in kitty], minlength=NUM_SLOTS
        ).astype(cards.dtype)
    assert (cards == truth["slot_copies"]).all()
    assert world["buried"].sum() == truth["buried"].sum()
    if last_taker(truth) == seat:
        assert (world["buried"] == truth["buried"]).all()
    check_passed_on(world, truth)


def check_passed_on(world, truth):
    """What the seat to move has passed on lies with who took up the kitty after it, has been played, or lies there."""
    seat, takers = int(truth["seat"]), truth["takers"][: truth["num_takers"]].tolist()
    if truth["passed_on"][seat].any():
        holds_kitty = truth["phase"] == Phase.BURY
        first = max(i for i, taker in enumerate(takers) if taker == seat and not (holds_kitty and i == len(takers) - 1))
        there = {*takers[first + 1 :]}
        cards = sum((world["hands"][each] + world["played"][each] for each in there), world["buried"])
        assert (cards >= truth["passed_on"][seat]).all()


def test_13_levels_lost_count_for_the_attackers():
    result = np.zeros(1, RESULT_DTYPE)[0]
    result["declarer"], result["levels_nominal"], result["levels_lost"] = 1, 2, 5
    for winner, levels in ((Winner.DECLARERS, 3), (Winner.ATTACKERS, 7)):
        result["winner"] = winner
        assert (value_of(result, 0, 0.0), value_of(result, 1, 0.0)) == (levels, -levels)


# ---- a person's answers


def test_a_person_types_a_rebellion():
    env, row = next(tables_in(REBELLION, lambda state: state["phase"] == Phase.REBEL))
    decision = Decision(Decisions.at(env.tables, np.array([row])), 0)
    assert decision.options == ["rebel"]
    assert decision.read(" Rebel ") == REBEL
    assert (decision.text(REBEL), decision.text(PASS)) == ("rebel", "pass")
    with pytest.raises(NotationError, match="write rebel to have the cards dealt again, or pass"):
        decision.read("S2")


def test_a_person_types_an_overbid():
    env, row = next(tables_in(RETAKE, is_overbid))
    decision = Decision(Decisions.at(env.tables, np.array([row])), 0)
    assert decision.options
    for text in decision.options:
        assert env.action_mask[row, decision.read(text)]
    assert decision.hint() in np.flatnonzero(env.action_mask[row])
