"""The oracle against the sentences about options that are off by default.

Source: docs/rules.md, the section named by each test.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.helpers import oracle, oracle_rounds
from tests.helpers.oracle import ACE, RANKS, SUITS, Options, Trump, parse, text
from tests.helpers.oracle_rounds import Deal, Question

JACK = RANKS.index("J")
SPADES_2 = Trump(SUITS.index("S"), 0)
TWO_DECKS = Options(bidding="sequential", max_redeals=0, kitty=12)


def deal_of(holdings: list[str], options: Options, kitty: str = "") -> str:
    """A deal in which the hands of seats 0 to 3 begin with these cards, and seat 0 draws first.

    What is not named is filled up with cards that no bid of level 2 shows; the twos and jokers that are left over lie
    in the kitty, so it must have room for them.
    """
    hands = [list(oracle.parse_in_order(holding)) for holding in holdings]
    pool = list(oracle.cards_dealt(options))
    bottom = list(oracle.parse_in_order(kitty))
    for card in [card for hand in hands for card in hand] + bottom:
        pool.remove(card)
    bottom += [card for card in pool if card >= oracle.LITTLE_JOKER or card % 13 == 0]
    harmless = [card for card in pool if card < oracle.LITTLE_JOKER and card % 13]
    random.Random(1).shuffle(harmless)
    size = (len(oracle.cards_dealt(options)) - options.kitty) // 4
    for hand in hands:
        hand += [harmless.pop() for _ in range(size - len(hand))]
    deal = [hands[index % 4][index // 4] for index in range(4 * size)] + bottom + harmless
    assert len(bottom + harmless) == options.kitty
    return text(deal)


Script = list[tuple[int, str]]
"""Bids and rebellions in order, with the seats that make them as soon as they are asked; all others pass."""
BURY = (-1, "")
"""In a script: wait until a kitty is buried."""


def first_drawn_by(seat: int, deal: str, options: Options) -> str:
    """The deal that gives the same hands if this seat draws first."""
    cards = deal.split()
    drawn = len(cards) - options.kitty
    by_seat = [cards[start:drawn:4] for start in range(4)]
    order = [by_seat[(seat + index) % 4][index // 4] for index in range(drawn)]
    return " ".join(order + cards[drawn:])


class Asked:
    """A chooser that follows a script, buries no jokers, plays at random, and keeps what it was asked."""

    def __init__(self, options: Options, script: Script) -> None:
        self.script = list(script)
        self.kitty = options.kitty
        self.play = oracle_rounds.random_chooser(random.Random(0), options)
        self.seen: list[Question] = []

    def __call__(self, question: Question) -> str | None:
        self.seen.append(question)
        if question.kind == "bury" and self.script[:1] == [BURY]:
            self.script.pop(0)
        if question.kind == "bury":
            return text(question.hand[: self.kitty])
        if question.kind not in ("bid", "rebel"):
            return self.play(question)
        is_due = self.script[:1] and self.script[0][0] == question.seat and self.script[0][1] in question.choices
        return self.script.pop(0)[1] if is_due else None

    def after_bury(self) -> list[tuple[str, int]]:
        """What was asked of whom between the first burial and the first lead."""
        asked = [(question.kind, question.seat) for question in self.seen]
        kinds = [kind for kind, _ in asked]
        return asked[kinds.index("bury") : kinds.index("lead")]

    def seats(self, kind: str) -> list[int]:
        """Who was asked."""
        return [question.seat for question in self.seen if question.kind == kind]


def played(deals: list[str], options: Options, script: Script, **setup: Any) -> tuple[dict[str, Any], Asked]:
    """A round of these deals; seat 0 draws first and there is no declarer unless told otherwise."""
    asked = Asked(options, script)
    start = {"round": 0, "levels": ["2", "2"], "declarer": None, "first_drawer": 0} | setup
    record = oracle_rounds.play_round(start, options, asked, numbered(deals))
    assert not asked.script, f"not asked for {asked.script}"
    return record, asked


def numbered(deals: list[str]) -> Iterator[Deal]:
    """Deals as they follow each other."""
    yield from enumerate(deals)


# ---- §1 cards


def test_1_a_deck_of_six_cards() -> None:
    assert text(oracle.deck("HS 9TJ")) == "H9 HT HJ S9 ST SJ"
    assert oracle.cards_dealt(Options(decks=2, cards="HS 9TJ")) == tuple(sorted(oracle.deck("HS 9TJ") * 2))
    assert oracle.suits_dealt(Options(cards="HS 9TJ LJ")) == (2, 3)


def test_1_ranks_that_are_not_dealt_keep_their_place() -> None:
    assert oracle.shapes_of(oracle.decompose(parse("H9 H9 HJ HJ"), SPADES_2)) == ((2, 1), (2, 1))


def test_1_only_suits_that_are_dealt_are_named_without_a_bid() -> None:
    options = replace(
        TWO_DECKS, cards="HS 23456789TJQKA LJ", kitty=6, no_bid="partner_names", no_trump_bids=False, decks=1
    )
    options = replace(options, kitty=7, result_table="one_deck")
    deal = deal_of(["H3", "S3", "H4", "S4"], options)
    _, asked = played([deal], options, [], declarer=0)
    assert [question.choices for question in asked.seen if question.kind == "name"] == [("H", "S")]


def test_2_nothing_is_buried_where_the_kitty_is_empty() -> None:
    options = Options(bidding="fixed", kitty=0)
    deal = list(oracle.cards_dealt(options))
    random.Random(3).shuffle(deal)
    record, asked = played([text(deal)], options, [], trump="H")
    assert asked.seats("bury") == []
    assert record["buried"] == record["kitty"] == ""
    assert record["result"]["kitty_points"] == 0
    assert len(record["tricks"][0]["led"]) > 0


# ---- §4 bids


def test_4_ranked_suits_are_below_the_jokers() -> None:
    options = Options(bid_suits="ranked")
    bids: list[oracle.Bid] = [(1, 1), (2, 1), (2, 0), (2, 2), (2, 3), (2, "LJ"), (2, "BJ"), (3, 1)]
    strengths = [oracle.bid_strength(bid, options) for bid in bids]
    assert strengths == sorted(set(strengths))
    assert oracle.legal_bids(parse("D2 C2 H2 S2"), 0, (1, 0), False, options) == ()
    hand = parse("D2 D2 C2 C2 H2 H2 S2 S2")
    assert oracle.legal_bids(hand, 0, (2, 0), False, options) == ((2, 2), (2, 3))


def test_4_without_overturn_only_the_holder_may_bid_on() -> None:
    options = Options(overturn=False)
    assert oracle.legal_bids(parse("S2 S2 BJ BJ"), 0, (1, 0), False, options) == ()
    assert oracle.legal_bids(parse("C2 C2 BJ BJ"), 0, (1, 0), True, options) == ((2, 0),)


@pytest.mark.parametrize(("first_declarer", "declarer"), [("winning_bid", 1), ("first_bid", 0)])
def test_4_the_first_bidder_may_be_the_declarer(first_declarer: str, declarer: int) -> None:
    options = replace(TWO_DECKS, first_declarer=first_declarer)
    deal = deal_of(["C2", "D2 D2", "H3", "H4"], options, "C2")
    record, _ = played([deal], options, [(0, "C2"), (1, "D2 D2")])
    assert record["trump"] == "D"
    assert record["tricks"][0]["leader"] == declarer


def test_4_the_level_is_that_of_the_first_bidder_s_team() -> None:
    options = replace(TWO_DECKS, first_declarer="first_bid")
    deal = deal_of(["C2", "D3 D3", "H2", "H4"], options, "C2")
    record, _ = played([deal], options, [(0, "C2"), (1, "D3 D3")], levels=["2", "3"])
    assert (record["trump"], record["level_rank"]) == ("D", "2")


# ---- §4 weak hands

ALL_REBEL = replace(TWO_DECKS, rebellion="redeal", rebellion_points=400)


def deals_of(options: Options, count: int) -> list[str]:
    """Deals in which seat 0 can bid clubs and nobody else can bid; seats 1 and 3 are asked if they are weak."""
    return [deal_of(["C2", "H6", "H3", "H4"], options, "C2") for _ in range(count)]


def test_4_a_weak_hand_has_few_points_or_few_trumps() -> None:
    hand = parse("H5 HT HK SA S2")
    for points, trumps, weak in ((24, 1, False), (25, -1, True), (-1, 2, True), (-1, 1, False), (-1, -1, False)):
        options = replace(TWO_DECKS, rebellion_points=points, rebellion_trumps=trumps)
        assert oracle.is_weak(hand, SPADES_2, options) == weak
    assert not oracle.is_weak(parse("H4 S4"), SPADES_2, replace(TWO_DECKS, rebellion_points=-1, rebellion_trumps=0))


def test_4_attackers_are_asked_in_turn_from_the_declarer_on() -> None:
    _, asked = played(deals_of(ALL_REBEL, 1), ALL_REBEL, [(0, "C2")])
    assert asked.seats("rebel") == [1, 3]


def test_4_nobody_is_asked_who_is_not_weak() -> None:
    options = replace(ALL_REBEL, rebellion_points=-1, rebellion_trumps=-1)
    _, asked = played(deals_of(options, 1), options, [(0, "C2")])
    assert asked.seats("rebel") == []


def test_4_after_a_rebellion_the_round_begins_again_as_it_began() -> None:
    record, asked = played(deals_of(ALL_REBEL, 2), ALL_REBEL, [(0, "C2"), (3, "rebel")])
    assert asked.seats("bid") == [0, 0]
    assert asked.seats("rebel") == [1, 3, 1, 3]
    assert [part["redeals"] for part in record["abandoned"]] == [0]
    assert record["abandoned"][0]["decisions"][-1] == {"seat": 3, "rebel": True}
    # Nobody has bid for the second deal: the first drawer declares.
    assert (record["redeals"], record["declarer"], record["tricks"][0]["leader"]) == (1, None, 0)
    oracle_rounds.check_round(record, ALL_REBEL)


def test_4_the_rebel_may_be_the_next_declarer() -> None:
    options = replace(ALL_REBEL, rebellion="new_declarer")
    script = [(0, "C2"), (3, "rebel"), (0, "C3")]
    first, second = (deal_of([holding, "H6", "H4", "H7"], options) for holding in ("C2", "C3"))
    deals = [first, first_drawn_by(3, second, options)]
    record, _ = played(deals, options, script, levels=["2", "3"])
    assert record["tricks"][0]["leader"] == 3
    assert record["level_rank"] == "3"
    assert record["declarer"] is None
    oracle_rounds.check_round(record, options)


def test_4_after_so_many_rebellions_nobody_is_asked() -> None:
    options = replace(ALL_REBEL, max_rebellions=2)
    script = [(0, "C2"), (1, "rebel"), (0, "C2"), (1, "rebel"), (0, "C2")]
    record, asked = played(deals_of(options, 3), options, script)
    assert asked.seats("rebel") == [1, 1]
    assert record["redeals"] == len(record["abandoned"]) == 2


def test_4_rebellions_do_not_count_as_deals_without_a_bid() -> None:
    options = replace(ALL_REBEL, max_redeals=1, max_rebellions=1)
    nobody_bids = deal_of(["C3", "H6", "H3", "H4"], replace(options, kitty=16))
    deals = [nobody_bids, *deals_of(replace(options, kitty=16), 2)]
    options = replace(options, kitty=16)
    record, _ = played(deals, options, [(0, "C2"), (1, "rebel"), (0, "C2")])
    assert (record["redeals"], [part["redeals"] for part in record["abandoned"]]) == (2, [1])
    with pytest.raises(AssertionError, match="dealt again too often"):
        oracle_rounds.check_round(record, replace(options, max_redeals=0))


def test_4_a_record_with_another_answer_is_refused() -> None:
    record, _ = played(deals_of(ALL_REBEL, 2), ALL_REBEL, [(0, "C2"), (1, "rebel"), (0, "C2")])
    record["abandoned"][0]["decisions"][-1]["rebel"] = False
    with pytest.raises(AssertionError, match="rebel"):
        oracle_rounds.check_round(record, ALL_REBEL)


# ---- §5 overbids

OVERBIDS = replace(TWO_DECKS, kitty_retake="overbid")


def test_5_an_overbid_takes_the_kitty_and_names_the_trumps() -> None:
    deal = deal_of(["C2", "D2 D2", "H2 H2", "LJ LJ"], OVERBIDS)
    record, asked = played([deal], OVERBIDS, [(0, "C2"), BURY, (1, "D2 D2"), BURY, (3, "LJ LJ")], declarer=0)
    buries = [question for question in asked.seen if question.kind == "bury"]
    assert [question.seat for question in buries] == [0, 1, 3]
    assert [question.trump for question in buries] == [Trump(0, 0), Trump(1, 0), Trump(None, 0)]
    burials = [step["bury"] for step in record["decisions"] if "bury" in step]
    assert oracle.contains(buries[1].hand, parse(burials[0]))
    assert oracle.contains(buries[2].hand, parse(burials[1]))
    assert parse(record["buried"]) == parse(burials[2])
    assert (record["trump"], record["level_rank"], record["tricks"][0]["leader"]) == ("NT", "2", 0)
    assert record["result"]["next_declarer"] in (1, 2)
    oracle_rounds.check_round(record, OVERBIDS)


def test_5_neither_the_burier_nor_the_holder_is_asked() -> None:
    """Seat 0 buries and could overbid; seat 2 holds the bid and could strengthen it; seat 3 has nothing."""
    deal = deal_of(["C2 C2", "S2 S2", "H2 H2", "H7"], OVERBIDS)
    _, asked = played([deal], OVERBIDS, [(2, "H2")], declarer=0)
    assert asked.after_bury() == [("bury", 0), ("bid", 1)]


def test_5_the_seats_after_the_burier_are_asked_once_each() -> None:
    deal = deal_of(["C2", "S2 S2", "H2 H2", "D2 D2"], OVERBIDS)
    _, asked = played([deal], OVERBIDS, [(0, "C2")], declarer=0)
    assert asked.after_bury() == [("bury", 0), ("bid", 1), ("bid", 2), ("bid", 3)]


def test_5_the_declarer_may_take_the_kitty_back() -> None:
    deal = deal_of(["C2 BJ BJ", "D2 D2", "H2", "H7"], OVERBIDS)
    _, asked = played([deal], OVERBIDS, [(2, "H2"), BURY, (1, "D2 D2"), BURY, (0, "BJ BJ")], declarer=0)
    assert asked.seats("bury") == [0, 1, 0]


def test_5_an_overbid_is_of_the_round_s_level() -> None:
    """Seat 1 holds twos of its own team's level, but the round is played at 3."""
    deal = deal_of(["C3", "S2 S2", "H4", "H6"], OVERBIDS)
    _, asked = played([deal], OVERBIDS, [(0, "C3")], levels=["3", "2"], declarer=0)
    assert asked.after_bury() == [("bury", 0)]


def test_5_nobody_is_asked_if_nobody_has_bid() -> None:
    deal = deal_of(["C2", "D2 D2", "H2 H2", "LJ LJ"], OVERBIDS)
    _, asked = played([deal], OVERBIDS, [], declarer=0)
    assert asked.after_bury() == [("bury", 0)]


# ---- §10 contests of ruffs


@pytest.mark.parametrize(
    ("first", "second", "principal", "every"),
    [
        ("S3 S3 S9", "S4 S4 S5", 2, 1),
        ("S3 S3 S9", "S4 S4 ST", 2, 2),
        ("S3 S3 S9", "S4 S4 S9", 2, 1),
        ("S3 S3 S9", "S2 S2 LJ", 2, 2),
        ("S3 S3 S3", "S4 S4 S4", 2, 2),
        ("S4 S4 S4", "S3 S3 SA", 1, 1),
    ],
)
def test_10_a_ruff_of_a_ruffed_throw_must_beat_every_component(
    first: str, second: str, principal: int, every: int
) -> None:
    plays = [parse("HK HK HA"), parse(first), parse(second), parse("C3 C4 C5")]
    assert oracle.trick_winner(plays, SPADES_2) == principal
    assert oracle.trick_winner(plays, SPADES_2, "all") == every


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("S4 S4 S7", "S3 S3 S8", 2),
        ("S4 S4 S7", "S5 S5 S7", 1),
        ("S4 S4 S7", "S8 S9 ST", 1),
        ("S3 S3 S3", "S4 S4 S4", 2),
    ],
)
def test_10_the_highest_card_may_decide_between_ruffs(first: str, second: str, winner: int) -> None:
    plays = [parse("HK HK HA"), parse(first), parse(second), parse("C3 C4 C5")]
    assert oracle.trick_winner(plays, SPADES_2, "highest") == winner


# ---- §8 the lowest component


@pytest.mark.parametrize(
    ("lead", "lowest"), [("HA H3 H3", "H3 H3"), ("HQ HQ HJ", "HJ"), ("C2 C2 D2", "D2"), ("C2 C2 D2 D2", "C2 C2")]
)
def test_8_the_lowest_component_is_led_beaten_or_not(lead: str, lowest: str) -> None:
    others = [parse("HK HK S2 S2"), (), ()]
    assert oracle.text(oracle.led_after_throw(parse(lead), others, SPADES_2, "lowest")) == lowest
    assert oracle.led_after_throw(parse(lead), [(), (), ()], SPADES_2, "lowest") == parse(lead)


# ---- §13 beyond the ace


@pytest.mark.parametrize(
    ("level", "winner", "nominal", "must_defend", "after", "risen", "is_over"),
    [
        ("A", "declarers", 1, "25TK", "A", 1, True),
        ("A", "attackers", 1, "25TK", "A", 1, True),
        ("A", "attackers", 0, "25TK", "A", 0, False),
        ("K", "declarers", 2, "25TK", "A", 2, True),
        ("K", "declarers", 3, "25TK", "A", 2, True),
        ("K", "declarers", 1, "25TK", "A", 1, False),
        ("K", "attackers", 3, "25TK", "K", 0, False),
        ("Q", "declarers", 3, "25TK", "K", 1, False),
        ("Q", "attackers", 3, "", "A", 3, True),
    ],
)
def test_13_a_match_may_end_beyond_the_ace(
    level: str, winner: str, nominal: int, must_defend: str, after: str, risen: int, is_over: bool
) -> None:
    levels = (RANKS.index(level), RANKS.index(level))
    found, steps = oracle.raise_levels(levels, 0, winner, nominal, "beyond_ace", must_defend)
    team = 0 if winner == "declarers" else 1
    assert (RANKS[found[team]], steps) == (after, risen)
    options = Options(match_end="beyond_ace")
    assert oracle.is_match_over(levels, found, 0, winner, 1, options, risen=steps) == is_over


def test_10_equal_shapes_are_compared_from_high_to_low() -> None:
    plays = [parse("HK HA"), parse("S3 S9"), parse("S4 ST"), parse("S5 S7")]
    assert oracle.trick_winner(plays[:3], SPADES_2, "all") == 2
    assert oracle.trick_winner([plays[0], plays[1], plays[3]], SPADES_2) == 1
    assert oracle.trick_winner([plays[0], parse("S3 S9"), parse("S2 S3")], SPADES_2) == 2
    assert oracle.trick_winner([plays[0], parse("S3 S9"), parse("S2 S3")], SPADES_2, "all") == 1


def test_10_a_ruff_wins_with_its_greatest_partition() -> None:
    """66 77 88 as a tractor and a pair: the tractor 77 88 is above, so the pair is 66."""
    lead, ruff = parse("HA HA HK HK HT HT"), parse("S6 S6 S7 S7 S8 S8")
    shapes = oracle.shapes_of(oracle.decompose(lead, SPADES_2))
    assert shapes == ((2, 2), (2, 1))
    tops = {oracle.order(parse(card)[0], SPADES_2) for card in ("S6", "S7", "S8")}
    low, middle, high = sorted(tops)
    assert oracle.all_tops(ruff, shapes, SPADES_2) == {(high, low), (middle, high)}
    over = parse("S9 S9 ST ST S7 S7")
    assert oracle.trick_winner([lead, ruff, over], SPADES_2, "all") == 2
    assert oracle.trick_winner([lead, ruff, parse("S9 S9 ST ST S5 S5")], SPADES_2, "all") == 1


# ---- §12 and §13


def test_12_share_is_the_table_of_two_decks_for_any_points() -> None:
    for points in range(-40, 400, 5):
        assert oracle.settle("share", points, points_dealt=200) == oracle.settle("two_deck", points)
        assert oracle.settle("share", 2 * points, points_dealt=400) == oracle.settle("two_deck", points)
    assert [oracle.settle("share", points, points_dealt=25)[1] for points in (0, 4, 5, 9, 10, 14, 15, 20)] == [
        *(3, 2, 1, 1, 1, 1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("kind", "play", "trump", "winner", "fallen"),
    [
        ("none", "HJ", "SJ", "attackers", None),
        ("jack_single", "HJ", "SJ", "attackers", "2"),
        ("jack_single", "HJ", "SJ", "declarers", "2"),
        ("jack_single", "HJ HJ", "SJ", "attackers", None),
        ("jack_single", "SA", "SJ", "attackers", None),
        ("jack_single", "LJ", "SJ", "attackers", None),
        ("jack_single", "SJ", "ST", "attackers", None),
        ("jack_suit", "SJ", "SJ", "attackers", "2"),
        ("jack_suit", "HJ", "SJ", "attackers", "6"),
        ("jack_suit", "HJ", "NTJ", "attackers", "6"),
        ("jack_suit", "SJ", "SJ", "declarers", None),
        ("jack_suit", "SJ SJ", "SJ", "attackers", None),
        ("jack_ace", "HJ", "SJ", "declarers", "2"),
        ("jack_ace", "HJ HJ", "SJ", "attackers", "2"),
        ("jack_ace", "HJ DJ", "SJ", "attackers", None),
        ("jack_ace", "HJ HJ HJ", "SJ", "attackers", None),
        ("jack_ace", "HA HA", "SA", "attackers", "2"),
        ("jack_ace", "HA", "SJ", "attackers", None),
        ("jack_ace", "HT", "ST", "attackers", None),
    ],
)
def test_13_the_last_trick_may_cost_levels(kind: str, play: str, trump: str, winner: str, fallen: str | None) -> None:
    suit = None if trump[:-1] == "NT" else SUITS.index(trump[0])
    found = oracle.fallen_level(kind, parse(play), Trump(suit, RANKS.index(trump[-1])), winner)
    assert found == (None if fallen is None else RANKS.index(fallen))


@pytest.mark.parametrize(
    ("level", "winner", "nominal", "fallen", "must_defend", "after", "risen"),
    [
        ("J", "attackers", 1, "2", "", ("2", "6"), 1),
        ("J", "attackers", 0, "6", "", ("6", "5"), 0),
        ("J", "declarers", 2, "2", "", ("4", "5"), 2),
        ("J", "declarers", 2, "2", "2", ("2", "5"), 0),
        ("J", "declarers", 3, "2", "3", ("3", "5"), 1),
        ("A", "declarers", 1, "2", "", ("3", "5"), 1),
    ],
)
def test_13_the_fall_comes_first(
    level: str, winner: str, nominal: int, fallen: str, must_defend: str, after: tuple[str, str], risen: int
) -> None:
    levels = (RANKS.index(level), RANKS.index("5"))
    found = oracle.raise_levels(levels, 0, winner, nominal, "pass_ace", must_defend, RANKS.index(fallen))
    assert found == ((RANKS.index(after[0]), RANKS.index(after[1])), risen)


def test_13_who_falls_has_not_won_at_the_ace() -> None:
    options = Options(match_end="pass_ace")
    assert oracle.is_match_over((ACE, 0), (ACE, 0), 0, "declarers", 1, options)
    assert not oracle.is_match_over((ACE, 0), (1, 0), 0, "declarers", 1, options, lost=12)


def test_13_a_round_names_the_levels_lost() -> None:
    """With the level J and jacks kept to the end, some last tricks are won with one; the others cost nothing."""
    options = Options(last_trick_demotion="jack_single", bidding="sequential", no_bid="partner_names")
    lost = set()
    for seed in range(60):
        generator = random.Random(seed)
        setup = oracle_rounds.random_setup(generator, options, 0) | {"levels": ["J", "2"]}
        record = oracle_rounds.play_round(setup, options, oracle_rounds.random_chooser(generator, options))
        figures = record["result"]
        lost.add(figures["levels_lost"])
        assert RANKS.index(figures["new_levels"][0]) <= JACK + figures["levels"]
    assert lost == {0, JACK}
