"""The preset `botzone` plays as Botzone's judge does: its rounds, and its rules one by one.

Source: docs/rules.md §4, §8, §11, §12; docs/botzone.md.
"""

import itertools
import json

import numpy as np
import pytest

from shengji_env.engine.actions import NUM_ACTIONS, PASS, action_text
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import CARD_TEXTS, RANKS, SUITS, count_cards, parse_card_list
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import begin_round
from shengji_env.engine.play import ILLEGAL, make_legal, take_play
from shengji_env.engine.referee import Trump, kitty_multiplier, led_after_throw, legal_bids, settle
from shengji_env.engine.referee.values import to_cards, to_slots
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import NOBODY, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase
from tests.helpers.paths import DATA

pytestmark = pytest.mark.nojit
RULES = rule_set("botzone")
RECORD = RULES.record()[0]
ROUNDS = {each["what"]: each for each in map(json.loads, (DATA / "botzone_rounds.jsonl").read_text().splitlines())}


class JudgedTable:
    """A table at which a round of the judge is played again, with the kitty in the order given."""

    def __init__(self, given, kitty):
        self.work = np.zeros(1, WORKSPACE_DTYPE)[0]
        self.states = np.zeros(1, STATE_DTYPE)
        s = self.s = self.states[0]
        first, hands = given["first_drawer"], [hand.split() for hand in given["draws"]]
        drawn = [hands[(first + index) % 4][index // 4] for index in range(100)]
        s.deal[:108] = parse_card_list(" ".join([*drawn, *kitty]))
        s.deal_given, s.trump, s.first_drawer = 1, UNNAMED, first
        s.levels[:] = RANKS.index(given["level"])
        s.declarer = NOBODY if given["first_round"] else given["banker"]
        begin_round(s, RECORD, self.work, SAME_CARDS)
        calls = {call["drawn"]: call["cards"] for call in given["calls"]}
        while s.phase == Phase.BID:
            call = calls.pop(int(s.drawn), None)
            assert make_legal(s, RECORD, self.work, SAME_CARDS, self.bids()[call] if call else PASS)
        assert not calls
        self.named = (SUITS[s.trump] if s.trump < NO_TRUMP else "NT", int(s.declarer))

    def bids(self):
        mask = np.zeros(NUM_ACTIONS, np.int8)
        write_mask(self.s, RECORD, self.work, mask)
        trump, level = (int(part) for part in reading_of(self.s, self.s.seat))
        actions = [action for action in np.flatnonzero(mask).tolist() if action != PASS]
        return {action_text(each, trump=trump, level=level).removeprefix("bid "): each for each in actions}

    def play(self, cards, states=None):
        s = (self.states if states is None else states)[0]
        by_slot = to_slots(count_cards(parse_card_list(cards)), self.trump)
        assert take_play(s, RECORD, self.work, by_slot, None) != ILLEGAL
        return s

    @property
    def trump(self):
        return Trump.of(int(self.s.trump), int(self.s.level_rank))

    def led(self, s):
        counts = to_cards(s["trick"][s["leader"]], self.trump)
        return " ".join(text for text, count in zip(CARD_TEXTS, counts, strict=True) for _ in range(count))


def table_of(given):
    """The judge draws its lot elsewhere: then the kitty is put into an order that draws the same."""
    kitty = given["kitty"].split()
    orders = [kitty] if given["calls"] or not given["first_round"] else itertools.permutations(kitty)
    tables = (JudgedTable(given, order) for order in orders)
    return next(table for table in tables if table.named[1] == given["declarer"] and table.named[0] == given["trump"])


@pytest.mark.parametrize("what", ["no trump", "many failed throws", "nobody called"])
def test_4_trumps_and_declarer_are_those_of_the_judge(what):
    table = table_of(ROUNDS[what])
    assert table.s.phase == Phase.BURY
    assert table.s.seat == ROUNDS[what]["declarer"]


def test_8_to_12_a_round_is_played_as_by_the_judge():
    given = ROUNDS["many failed throws"]
    table = table_of(given)
    table.play(given["buried"])
    num_failed = 0
    for turn in given["turns"]:
        assert (table.s.seat, table.s.attackers_points) == (turn["seat"], turn["points"])
        for tried, led, change in turn.get("failed", ()):
            s = table.play(tried, table.states.copy())
            assert (table.led(s), int(s["attackers_points"]) - turn["points"]) == (led, change)
            assert np.array_equal(s["known"], table.s.known)  # nobody has seen what was tried
            assert s["num_choices"] == 0
            num_failed += 1
        table.play(turn.get("attempt", turn["played"]))
    result = table.s.result
    assert num_failed > 10
    assert result.attackers_points == given["result"]["attackers_points"]
    assert result.kitty_multiplier == given["result"]["kitty_multiplier"]
    assert max(given["result"]["scores"]) == result.levels_nominal


@pytest.mark.parametrize(
    ("hand", "standing", "bids"),
    [
        ("S2 S2 BJ BJ", None, ["S2"]),
        ("S2 S2 H2 LJ LJ BJ", (1, "C2"), ["S2 S2", "LJ LJ"]),
        ("S2 S2 H2 H2 BJ BJ", (0, "H2"), ["H2 H2", "S2 S2", "BJ BJ"]),
        ("S2 S2 BJ BJ", (1, "C2 C2"), []),
        ("S2 S2 BJ BJ", (1, "LJ LJ"), []),
    ],
)
def test_4_one_card_is_called_and_a_pair_snatches_once(hand, standing, bids):
    assert [bid.cards for bid in legal_bids(hand, "22", 0, standing, RULES)] == bids
    own = legal_bids(hand, "22", 0, standing, rule_set("botzone", overturn=False))
    assert [bid.cards for bid in own] == (bids if standing is None or standing[0] == 0 else [])


@pytest.mark.parametrize(
    ("lead", "others", "trump", "led"),
    [
        ("C3 C9 C9 CK", ["CA", "CT CT", ""], "S2", "C3"),
        ("C9 C9 CK", ["CA", "CT CT", ""], "S2", "C9"),
        ("C8 C8 C9 C9 CK", ["CT CT CJ CJ", "", ""], "S2", "C8"),
        ("D2 S2 C2 H2", ["LJ", "", ""], "NT2", "S2"),
        ("D2 C2 H2", ["LJ", "", ""], "NT2", "H2"),
        ("D2 C2", ["BJ", "", ""], "NT2", "C2"),
        ("S3 D2 H2", ["LJ", "", ""], "S2", "S3"),
        ("H2 H2 D2", ["LJ LJ", "", ""], "S2", "H2"),
    ],
)
def test_8_the_lowest_card_of_the_lowest_beaten_component_is_led(lead, others, trump, led):
    counts = led_after_throw(lead, others, Trump.parse(trump), RULES)
    assert [text for text, count in zip(CARD_TEXTS, counts, strict=True) if count] == [led]
    assert counts.sum() == 1


def test_11_12_kitty_and_levels():
    spades = Trump("S", "2")
    assert [kitty_multiplier(cards, spades, RULES) for cards in ("C4", "C4 C4", "CA CK CQ", "C4 C4 C5 C5 CA")] == [
        2, 4, 2, 8,
    ]  # fmt: skip
    points = (-40, 0, 5, 40, 80, 115, 120, 160, 400)
    assert [settle(RULES, each, True).levels for each in points] == [3, 3, 2, 1, 1, 1, 2, 3, 3]
