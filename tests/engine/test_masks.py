"""Masks of each phase: which actions are legal, and what they lead to.

`test_agrees.py` tests that the masks of leads and follows reach exactly the legal plays; here are the phases and
the corner cases.

Source: docs/environments/actions.md; docs/rules.md §4 to §9.
"""

import random
from typing import Any

import numpy as np
import pytest

from shengji_env.engine.actions import DONE, NUM_ACTIONS, PASS, action_text
from shengji_env.engine.cards import parse_cards
from shengji_env.engine.masks import NOTHING_LEGAL, random_legal
from shengji_env.engine.referee import Trump
from shengji_env.engine.referee.play_position import LEADER, PlayPosition, lead_position
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import NOBODY, Phase, Winner
from tests.helpers import oracle
from tests.helpers.oracle_positions import counts_of, random_throw, referee_trump
from tests.helpers.oracle_recorder import EngineTable

pytestmark = pytest.mark.nojit

SPADES_2 = Trump("S", "2")


def legal_texts(position: PlayPosition) -> list[str]:
    """The legal actions as text."""
    trump = position.trump
    return [action_text(action, trump=trump.suit_index, level=trump.level_index) for action in position.legal_actions()]


def play_texts(position: PlayPosition, *texts: str) -> None:
    """Take some cards, or `done`."""
    for text in texts:
        legal = dict(zip(legal_texts(position), position.legal_actions(), strict=True))
        position.apply(legal[text])


def lead(hand: str, *others: str, trump: Trump = SPADES_2, **options: Any) -> PlayPosition:
    hands = [parse_cards(other) for other in others]
    return lead_position(parse_cards(hand), hands, trump, rule_set("four_deck", **options))


def test_over_has_no_legal_action() -> None:
    position = lead("H3")
    position.state.phase = Phase.OVER
    assert position.legal_actions() == []


# ---- §8


def test_8_a_lead_goes_on_in_its_suit_upwards_or_is_done() -> None:
    position = lead("C3 H4 H4 H6 S3 H2")
    assert legal_texts(position) == ["C3", "H4", "H6", "S3", "H2"]
    play_texts(position, "H4")
    assert legal_texts(position) == ["H4", "H6", "done"]
    play_texts(position, "H6")
    assert position.state.phase == Phase.FOLLOW


def test_8_a_lead_that_cannot_go_on_ends_by_itself() -> None:
    position = lead("C3 H4 H4")
    play_texts(position, "C3")
    assert position.state.phase == Phase.FOLLOW
    assert position.state.seat == 1


def test_8_without_throws_a_run_must_be_finished() -> None:
    position = lead("H3 H3 H4 H4 H4 H6", throws=False)
    play_texts(position, "H3")
    assert legal_texts(position) == ["H3", "done"]
    play_texts(position, "H3")
    assert legal_texts(position) == ["H4", "done"]
    play_texts(position, "H4")
    assert legal_texts(position) == ["H4"]
    play_texts(position, "H4")
    assert position.state.phase == Phase.FOLLOW


def test_8_without_throws_a_run_goes_over_the_level_cards() -> None:
    position = lead("SA SA C2 C2 D2 D2 S2 S2 LJ LJ", throws=False)
    play_texts(position, "SA", "SA")
    assert legal_texts(position) == ["C2", "D2", "done"]
    play_texts(position, "D2", "D2")
    assert legal_texts(position) == ["S2", "done"]
    play_texts(position, "S2", "S2", "LJ", "LJ")
    assert position.state.phase == Phase.FOLLOW


def test_8_the_next_seat_names_a_beaten_component_by_its_highest_card() -> None:
    position = lead("H3 H3 H4 H4 H6 HK", "H5 H5 H6 H6", "HA", "")
    play_texts(position, "H3", "H3", "H4", "H4", "H6", "HK")
    assert (position.state.phase, position.state.seat) == (Phase.FORCED, 1)
    assert legal_texts(position) == ["H4", "H6", "HK"]
    play_texts(position, "H4")
    assert position.state.phase == Phase.FOLLOW
    assert position.state.lead_size == 4
    assert position.state.hands[LEADER].sum() == 2


def test_8_choices_never_share_their_highest_card() -> None:
    generator = random.Random(8)
    several = 0
    for _ in range(150):
        case = random_throw(generator)
        position = lead_position(
            counts_of(case.lead),
            [counts_of(hand) for hand in case.others],
            referee_trump(case.trump),
            rule_set("four_deck"),
        )
        position.take(counts_of(case.lead))
        if position.state.phase == Phase.FORCED:
            several += 1
            assert len(position.legal_actions()) == position.state.num_choices > 1
    assert several > 20


@pytest.mark.parametrize(("seat", "sign"), [(0, 1), (1, -1), (2, 1), (3, -1)])
def test_8_a_failed_throw_costs_the_thrower_s_side(seat: int, sign: int) -> None:
    position = lead("H3 H4", "", throw_penalty=10)
    s = position.state
    s.declarer, s.leader, s.seat = 0, seat, seat
    s.hands[:] = 0
    position.give(seat, parse_cards("H3 HK"))
    position.give((seat + 2) % 4, parse_cards("H4"))
    position.take(parse_cards("H3 HK"))
    assert s.attackers_points == 10 * sign
    assert s.known[seat].sum() == 1


# ---- §4, §5


def table_of(name: str, **options: Any) -> EngineTable:
    table = EngineTable(rule_set(name, **options), 7)
    table.draw_setup(any_start=False)
    return table


def test_4_a_bid_can_always_be_passed() -> None:
    table = table_of("two_deck")
    table.begin()
    assert table.state.phase == Phase.BID
    assert PASS in table.legal_actions()
    assert len(table.legal_actions()) > 1


@pytest.mark.parametrize(("no_trump", "names"), [(False, ["C", "D", "H", "S"]), (True, ["C", "D", "H", "S", "NT"])])
def test_4_the_partner_names_a_suit(no_trump: bool, names: list[str]) -> None:
    table = table_of("competition", no_trump_bids=no_trump)
    table.state.declarer = 1
    table.begin()
    while table.state.phase == Phase.BID:
        table.apply(PASS)
    assert (table.state.phase, table.state.seat) == (Phase.NAME, 3)
    legal = table.legal_actions()
    assert [action_text(action, trump=4, level=0) for action in legal] == [f"name {suit}" for suit in names]
    table.apply(legal[-1])
    assert (table.state.phase, table.state.seat) == (Phase.BURY, 1)
    assert table.state.trump == len(names) - 1


def test_4_a_first_round_without_bids_is_dealt_again_then_flipped() -> None:
    table = table_of("two_deck", max_redeals=2)
    table.begin()
    deals = {tuple(table.state.deal[:108])}
    while table.state.phase == Phase.BID:
        table.apply(PASS)
        deals.add(tuple(table.state.deal[:108]))
    assert len(deals) == 3
    assert table.state.redeals == 2
    assert table.state.declarer == table.state.first_drawer
    kitty = [int(card) for card in table.state.deal[100:108]]
    flipped = oracle.flipped_trump(kitty)
    assert table.state.trump == (4 if flipped is None else flipped)
    turned = table.cards(table.state.turned)
    assert turned.sum() == 1 + next(index for index, card in enumerate(kitty) if card < 52)


def test_4_a_kitty_of_jokers_gives_no_trump() -> None:
    table = table_of("two_deck", max_redeals=0, kitty=4)
    rest = [card for card in range(54) for _ in range(2) if card < 52]
    table.give_deal((*rest, 52, 53, 52, 53))
    table.begin()
    while table.state.phase == Phase.BID:
        table.apply(PASS)
    assert table.state.trump == 4
    assert table.state.turned.sum() == 4


def test_5_any_cards_are_buried_in_ascending_order() -> None:
    table = table_of("duplicate")
    table.begin()
    s = table.state
    assert s.phase == Phase.BURY
    assert s.hands[s.seat].sum() == 33
    generator = random.Random(5)
    declarer, taken = int(s.seat), []
    while s.phase == Phase.BURY:
        taken.append(generator.choice(table.legal_actions()))
        table.apply(taken[-1])
    assert taken == sorted(taken)
    assert len(taken) == 8
    assert [int(slot) for slot in np.flatnonzero(s.buried) for _ in range(s.buried[slot])] == taken
    assert (s.phase, s.seat, s.hands[declarer].sum()) == (Phase.LEAD, declarer, 25)


def test_5_a_bury_leaves_enough_cards_above() -> None:
    position = lead("H3 H4 H5 H6 H7 H8 H9 HT HJ")
    position.state.phase = Phase.BURY
    assert legal_texts(position) == ["H3", "H4"]
    play_texts(position, "H4")
    assert legal_texts(position) == ["H5"]


# ---- §9


def test_9_the_led_suit_is_taken_before_the_rest() -> None:
    position = lead("H9 H9 H9", "C3 D4 H5 S3")
    play_texts(position, "H9", "H9", "H9")
    assert legal_texts(position) == ["H5"]
    play_texts(position, "H5")
    assert legal_texts(position) == ["C3", "D4"]
    play_texts(position, "D4")
    assert legal_texts(position) == ["S3"]
    play_texts(position, "S3")
    assert position.state.seat == 2
    assert position.state.voids[1].sum() == 1


def test_9_a_card_that_leaves_no_room_for_the_pair_is_not_marked() -> None:
    position = lead("H9 H9 HT", "H3 H4 H5 H5 H6")
    play_texts(position, "H9", "H9", "HT")
    assert legal_texts(position) == ["H3", "H4", "H5"]
    play_texts(position, "H4")
    assert legal_texts(position) == ["H5"]
    play_texts(position, "H5")
    assert legal_texts(position) == ["H5"]


# ---- §11 to §13: the end of a round


def suit_deal() -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Three decks, first drawer 0: seat 1 holds all 39 spades, the kitty is 60 points; the deal and its hands."""
    spades = [card for card in range(39, 52) for _ in range(3)]
    kitty = [card for card in (11, 24) for _ in range(3)]
    others = [card for card in (*range(39), 52, 53) for _ in range(3) if card not in (11, 24)]
    hands = [tuple(others[:39]), tuple(spades), tuple(others[39:78]), tuple(others[78:])]
    return tuple(hands[place % 4][place // 4] for place in range(156)) + tuple(kitty), hands


def test_11_no_kitty_is_too_large_for_its_number() -> None:
    table = table_of("three_deck", bidding="fixed")
    deal, hands = suit_deal()
    s = table.state
    table.give_deal(deal)
    s.declarer, s.trump = 0, 3
    table.begin()
    kitty = sorted(deal[156:])
    for slot in table.slots(counts_of(kitty)):
        table.apply(slot)
    while s.phase != Phase.OVER:
        legal = table.legal_actions()
        # The declarer leads three clubs; seat 1 ruffs with three twos, and leads the Titanic of all its other spades.
        if s.phase == Phase.FOLLOW and s.seat == 1:
            table.apply(max(slot for slot in legal if table.card(slot) < 52))
        elif s.phase == Phase.LEAD and s.seat == 0:
            table.apply(DONE if s.taken_size == 3 else next(slot for slot in legal if table.card(slot) == 1))
        else:
            table.apply(legal[0])
    result = s.result
    assert result.kitty_points == 60
    titanic = oracle.without(hands[1], (39, 39, 39))
    assert result.kitty_multiplier == oracle.kitty_multiplier(titanic, oracle.Trump(3, 0), "pattern") == 2 * 3**12
    captured = int(result.attackers_points) - 60 * int(result.kitty_multiplier)
    assert 0 <= captured <= 240
    assert result.winner == Winner.ATTACKERS
    assert result.levels_nominal == 2 + (result.attackers_points - 240) // 60
    assert result.new_levels[1] == oracle.ACE


def test_13_a_draw_leaves_nobody_declarer() -> None:
    table = table_of("one_deck_45")
    seen = False
    generator = random.Random(13)
    for round_index in range(400):
        table.state.round_index = round_index
        table.state.trump = -1
        table.draw_setup(any_start=False)
        table.begin()
        while table.state.phase != Phase.OVER:
            table.apply(generator.choice(table.legal_actions()))
        if table.state.result.winner == Winner.DRAW:
            seen = True
            assert table.state.result.next_declarer == table.state.declarer == NOBODY
            assert table.state.result.levels == 0
            break
    assert seen


def test_random_legal_actions_are_legal_and_all_of_them() -> None:
    mask = np.zeros(NUM_ACTIONS, np.int8)
    assert random_legal(mask, np.uint64(1), 0) == NOTHING_LEGAL
    mask[[3, 54, 81]] = 1
    counts = np.bincount([random_legal(mask, np.uint64(7), counter) for counter in range(600)], minlength=NUM_ACTIONS)
    assert np.flatnonzero(counts).tolist() == [3, 54, 81]
    assert counts[counts > 0].min() > 150
