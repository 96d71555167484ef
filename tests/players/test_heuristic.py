"""The heuristic player's rules, on hand-made positions and over whole rounds."""

import numpy as np
import pytest
from numba import njit

from shengji_env.arena import make_player, play_matchup
from shengji_env.engine.actions import BID_SUIT, DONE, PASS
from shengji_env.engine.cards import card_id
from shengji_env.engine.masks import write_mask
from shengji_env.engine.rule_sets import PRESETS, as_rules
from shengji_env.engine.slots import NUM_SLOTS, TRUMP, slot_of_card
from shengji_env.engine.state import Phase
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.heuristic import HeuristicPlayer, keeping, parameters
from shengji_env.players.heuristic.chances import power
from shengji_env.players.heuristic.seeing import SEGMENTS, write_view
from shengji_env.tables.observation import OBSERVATION_SIZE, view
from shengji_env.tables.observing import write_observation
from shengji_env.tables.queries import observe_seat
from shengji_env.vector import BatchEnv
from tests.helpers.late_positions import HEURISTIC, NO_KEY, SPADES, TWO, Position, text_of


@pytest.mark.parametrize(
    ("hand", "forced"),
    [("HJ H3 D4 D5", "HT"), ("H6 H7 D4 D5", "H4"), ("H3 D4 D5 D6", "H4"), ("HK HJ D4 D5", "HT")],
)
def test_8_the_next_seat_forces_the_component_with_most_points_that_it_beats_or_else_the_lowest(hand, forced):
    hands = ["HQ HT H4 D3", hand, "D6 D7 D8 D9", "HA H6 C3 C4"]
    position = Position(hands, rules="two_deck(failed_throw=next_seat_chooses)").play("HQ HT H4")
    assert position.env.phase[0] == Phase.FORCED
    action = HEURISTIC.act(position.env.observation, position.env.action_mask, NO_KEY)[0]
    assert text_of(np.eye(NUM_SLOTS, dtype=np.int8)[action]) == forced


def test_points_go_to_a_partner_who_wins_for_sure():
    position = Position(["HA D3 D4", "H3 D5 D6", "H4 HT D7", "H5 H6 H7"]).play("HA").play("H3")
    assert position.decide() == "HT"


def test_points_are_withheld_from_an_opponent_who_wins_for_sure():
    position = Position(["HA D3 D4", "H4 HT D7", "H5 H6 D5", "H3 H7 D6"]).play("HA")
    assert position.decide() == "H4"


def test_the_last_seat_wins_with_the_lowest_card_that_does():
    position = Position(["HT D3 D4", "H3 D5 D6", "H4 D7 D8", "HJ HQ HA"]).play("HT").play("H3").play("H4")
    assert position.decide() == "HJ"


def test_a_ruff_takes_the_cheapest_trumps_of_the_shape():
    hands = ["HT HT D3 D4 D6", "H3 H4 D5 D6 D7", "H5 H6 D7 D8 D8", "S3 S3 S6 S6 SA"]
    position = Position(hands).play("HT HT").play("H3 H4").play("H5 H6")
    assert position.decide() == "S3 S3"


def test_an_over_ruff_takes_the_cheapest_trumps_that_win():
    hands = ["H5 HT D3 D4 D6", "H3 H4 D5 D6 D7", "S4 S4 D7 D8 D8", "S3 S3 S6 S6 SA"]
    hands[0] = "HT HT D3 D4 D6"
    position = Position(hands).play("HT HT").play("H3 H4").play("S4 S4")
    assert position.decide() == "S6 S6"


def test_trumps_without_the_shape_are_not_wasted():
    hands = ["HT HT D3 D4 D6", "H3 H4 D5 D6 D7", "H5 H6 D7 D8 D8", "S3 S5 SA C3 C4"]
    position = Position(hands).play("HT HT").play("H3 H4").play("H5 H6")
    assert position.decide() == "C3 C4"


def test_no_trump_is_spent_on_what_the_partner_wins_anyway():
    hands = ["D3 D4 D6", "HA H9 D5", "H5 D7 D8", "S3 S5 C5"]
    position = Position(hands, leader=1).play("HA").play("H5")
    assert position.decide() == "C5"


def test_what_stands_in_a_suit_is_thrown_together():
    position = Position(["HA HA HK C3", "H3 H4 H5 D5", "H6 H7 H8 D7", "H9 HT HJ D9"])
    assert position.decide() == "HK HA HA"


def test_a_card_that_may_be_beaten_is_not_thrown():
    position = Position(["HA HA HQ C3", "H3 H4 H5 D5", "H6 H7 H8 D7", "H9 HT HK D9"])
    assert position.decide() == "HA HA"


def test_the_hand_owes_its_pair_and_gives_the_cheaper_one():
    position = Position(["HA HA D3 D4", "H3 H3 HT HT", "H5 H6 D5 D6", "H7 H8 D7 D8"]).play("HA HA")
    assert position.decide() == "H3 H3"


def bury(hand):
    """What the declarer buries of 33 cards, spades being trumps and 2 the level."""
    position = Position([hand, "", "", ""])
    tables = position.env.tables
    s = tables.states[0]
    s["phase"], s["leader"], s["played"] = Phase.BURY, -1, 0
    tables.phases[0] = Phase.BURY
    write_mask(s, tables.shared[0]["rules"], tables.works[0], tables.masks[0])
    observe_seat(tables.states, tables.shared, 0, 0, tables.observations)
    taken = np.zeros(NUM_SLOTS, np.int64)
    while position.env.phase[0] <= Phase.BURY:
        action = HEURISTIC.act(position.env.observation, position.env.action_mask, NO_KEY)
        taken[action[0]] += 1
        position.env.step(action)
    return text_of(taken)


def test_burying_makes_suits_void_and_keeps_winners_pairs_and_trumps():
    kept = "HA HA HK HK HQ HQ HJ D8 D8 D9 D9 DA DA S3 S4 S6 S7 S8 S9 SJ SQ SA BJ LJ"
    assert bury(f"{kept} C3 C4 C6 C7 C8 C9 CJ CQ H3") == "C3 C4 C6 C7 C8 C9 CJ CQ"


def test_points_are_not_buried_while_other_cards_will_do():
    low, high = ["3", "4", "6", "7", "8", "9"], ["T", "K", "A"]
    hand = " ".join(suit + rank for suit in "CDH" for rank in low + high)
    buried = bury(f"{hand} S3 S4 S6 S7 S8 S9").split()
    assert {card[1] for card in buried} <= set(low)


def bid(hand, standing=None, bidder=3):
    """What seat 0 bids with these cards drawn, at level 2; `standing` is a bid that `bidder` made with one card."""
    env = BatchEnv(1, "two_deck", seed=0)
    observations = view(env.observation.copy())
    for field in ("hand", "bid_count", "bid_kind", "bidder", "declarer"):
        observations[field] = 0
    for card in hand.split():
        observations["hand"][0, slot_of_card(card_id(card), TRUMP, TWO)] += 1
    observations["cards_left"] = len(hand.split())
    observations["declarer"][0, 1] = 1
    mask = np.zeros((1, 83), np.int8)
    mask[0, PASS] = 1
    if standing is not None:
        observations["bid_count"], observations["bid_kind"][0, standing], observations["bidder"][0, bidder] = 1, 1, 1
    for suit, text in enumerate("CDHS"):
        for count in range(1, hand.split().count(f"{text}2") + 1):
            mask[0, BID_SUIT + 4 * (count - 1) + suit] = standing is None or count > 1
    return int(HEURISTIC.act(observations.view(np.int8).reshape(1, OBSERVATION_SIZE), mask, NO_KEY)[0])


LONG_SPADES = "S2 S2 S3 S5 S7 S9 SJ SQ SA BJ C3 D4 H8 HT"
SHORT_CLUBS = "C2 S3 S5 S7 S9 SJ D3 D5 D7 D9 H3 H5 H7 H9"


def test_a_long_suit_is_bid_with_all_its_level_cards():
    assert bid(LONG_SPADES) == BID_SUIT + 4 + SPADES


def test_a_short_suit_is_not_bid():
    assert bid(SHORT_CLUBS) == PASS


def test_opponents_are_overturned_and_a_partner_whose_trumps_suit_is_not():
    hand = LONG_SPADES.replace("C3 D4", "C3 C5 C7 C9")
    assert bid(hand, standing=0, bidder=3) == BID_SUIT + 4 + SPADES
    assert bid(LONG_SPADES.replace("S3 S5 S7 S9", "C5 C7 C9 CJ"), standing=0, bidder=2) == PASS


@pytest.mark.parametrize("rules", PRESETS)
def test_it_plays_legally_and_beats_random_under_every_preset(rules):
    is_small = as_rules(rules).hand <= 3  # two or three tricks are mostly luck
    result = play_matchup("heuristic", "random", num_deals=1000 if is_small else 20, rules=rules)
    assert result.level_rate > (0.52 if is_small else 0.8)


@pytest.mark.parametrize("rules", ["two_deck", "three_deck", "four_deck", "two_deck(failed_throw=next_seat_chooses)"])
def test_no_throw_of_it_ever_fails(rules):
    env = BatchEnv(64, rules, seed=3, start="any")
    sizes, throws = np.zeros(64, int), 0
    for _ in range(600):
        was_lead = env.phase == Phase.LEAD
        actions = HEURISTIC.act(env.observation, env.action_mask, np.zeros(64, np.uint64))
        sizes = np.where(was_lead, sizes + (actions != DONE), 0)
        env.step(actions)
        assert (env.phase != Phase.FORCED).all()
        led = was_lead & (env.phase == Phase.FOLLOW)
        shown = view(env.observation)
        assert (shown["lead_size"][led, 0] == sizes[led]).all()
        throws += int((shown["lead_shape"][led].sum(axis=(1, 2)) > 1).sum())
    assert throws > 50


def test_its_answers_depend_neither_on_the_batch_nor_on_its_scratch_memory():
    env = BatchEnv(64, seed=5, start="any", skip_forced=True)
    for _ in range(70):
        env.step(HEURISTIC.act(env.observation, env.action_mask, np.zeros(64, np.uint64)))
    chosen = HEURISTIC.act(env.observation, env.action_mask, np.zeros(64, np.uint64))
    for row in range(64):
        alone = HEURISTIC.act(env.observation[row : row + 1], env.action_mask[row : row + 1], NO_KEY)
        assert alone[0] == chosen[row]


@pytest.mark.parametrize("rules", PRESETS)
def test_in_playouts_it_sees_what_an_observation_says(rules):
    env = BatchEnv(24, rules, seed=3, start="any", skip_forced=True)
    record = env.tables.shared["rules"]
    whole, part = make_scratch(record, 1)["observation"], make_scratch(record, 1)["observation"]
    for name in set(part.dtype.names) - {"rules", "burier"}:
        part[name] = 77
    compared = set()
    for _ in range(60):
        for state in env.states:
            if state.phase in (Phase.BURY, Phase.LEAD, Phase.FOLLOW):
                write_observation(state, record[0], state.seat, whole[0])
                write_view(state, record[0], part[0])
                assert all((whole[name] == part[name]).all() for name in SEGMENTS)
                winning = np.flatnonzero(whole["winning"][0])
                assert (whole["trick"][0, winning] == part["trick"][0, winning]).all()
                compared.add(Phase(state.phase))
        env.step(env.sample_actions())
    assert {Phase.LEAD, Phase.FOLLOW} <= compared


def test_powers_are_those_of_compiled_code_to_the_last_bit():
    assert differing_powers(parameters.KEEP_STANDING_DECAY, parameters.KEEP_STANDING, keeping.STANDING_BELOW) == 0
    assert differing_powers(parameters.KEEP_PAIR_DECAY, parameters.KEEP_PAIR, keeping.PAIR_BELOW) == 0


@njit
def differing_powers(base, factor, products):
    differing = 0
    for exponent in range(products.size):
        differing += factor * base**exponent != products[exponent]
        share = base / (exponent + 1)
        differing += exponent < 128 and share**exponent != power(share, exponent)
    return differing


def test_against_itself_it_is_exactly_even():
    result = play_matchup("heuristic", "heuristic", num_deals=20)
    assert result.levels_per_round == 0.0
    assert result.interval == (0.0, 0.0)


def test_it_is_named_by_the_grammar():
    assert isinstance(make_player("heuristic"), HeuristicPlayer)


def test_it_beats_greedy_clearly():
    result = play_matchup("heuristic", "greedy", num_deals=200)
    assert result.levels_per_round > 0.9
    assert result.as_declarers.levels_per_round > 0.4
    assert result.as_attackers.levels_per_round > 0.9
