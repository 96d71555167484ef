"""The oracle against single sentences of the rules, and its own rounds checked by itself.

Source: docs/rules.md, the section named by each test.
"""

import random
from typing import Any

import pytest

from tests.helpers import oracle, oracle_rounds
from tests.helpers.oracle import PRESETS, Component, Options, Trump, parse, text

SPADES_2 = Trump(oracle.SUITS.index("S"), 0)
SPADES_5 = Trump(oracle.SUITS.index("S"), oracle.RANKS.index("5"))
NO_TRUMP_5 = Trump(None, oracle.RANKS.index("5"))
POLICIES = ("width_first", "triples_then_tractors", "tractors_first")


def texts(components: tuple[Component, ...]) -> list[str]:
    """Components as card notation."""
    return [text(component.cards) for component in components]


def packed_hands(
    seed: int, count: int, num_decks: int, smallest: int, largest: int
) -> list[tuple[oracle.Cards, Trump]]:
    """Random trump sets within a few adjacent orders, where many partitions compete."""
    generator = random.Random(seed)
    hands = []
    for _ in range(count):
        trump = Trump(generator.choice([None, 1, 3]), generator.randrange(13))
        low = generator.randrange(12) if trump.suit is not None else 0
        pool = [
            card
            for card in oracle.of_suit(range(54), oracle.TRUMP_SUIT, trump)
            if low <= oracle.order(card, trump) <= low + 4
        ] * num_decks
        size = min(generator.randint(smallest, largest), len(pool))
        hands.append((tuple(sorted(generator.sample(pool, size))), trump))
    return hands


# ---- §1 to §6


def test_1_points_are_100_a_deck() -> None:
    assert oracle.points(range(54)) == 100


def test_1_text_is_read_back() -> None:
    assert parse(text(range(54))) == tuple(range(54))


@pytest.mark.parametrize("name", PRESETS)
def test_2_every_preset_leaves_four_equal_hands(name: str) -> None:
    options = PRESETS[name]
    oracle_rounds.check_deal(oracle.cards_dealt(options), options)


def test_4_two_level_cards_are_below_two_little_jokers_below_two_big_ones() -> None:
    ranked = PRESETS["two_deck"]
    bids: list[oracle.Bid] = [(1, 0), (2, 3), (2, "LJ"), (2, "BJ"), (3, 1), (3, "LJ"), (3, "BJ")]
    strengths = [oracle.bid_strength(bid, ranked) for bid in bids]
    assert strengths == sorted(set(strengths))


def test_4_equal_jokers_do_not_overturn_each_other() -> None:
    hand = parse("BJ BJ")
    assert oracle.legal_bids(hand, 0, (2, "LJ"), False, PRESETS["two_deck"]) == ((2, "BJ"),)
    assert oracle.legal_bids(hand, 0, (2, "LJ"), False, PRESETS["three_deck"]) == ()


def test_4_the_holder_may_only_reinforce() -> None:
    hand = parse("S2 S2 H2 H2 BJ BJ")
    assert oracle.legal_bids(hand, 0, (1, 3), True, PRESETS["two_deck"]) == ((2, 3),)
    assert oracle.legal_bids(hand, 0, (1, 3), False, PRESETS["two_deck"]) == ((2, 2), (2, 3), (2, "BJ"))


def test_6_order_runs_over_the_level_cards() -> None:
    cards = ["SK", "SA", "D5", "S5", "LJ", "BJ"]
    orders = [oracle.order(parse(card)[0], SPADES_5) for card in cards]
    assert orders == list(range(orders[0], orders[0] + len(cards)))


def test_6_level_is_out_of_its_suit() -> None:
    four, six = parse("H4 H6")
    assert oracle.order(six, SPADES_5) - oracle.order(four, SPADES_5) == 1


# ---- §7


def test_7_runs_chain_through_the_boundary() -> None:
    cards = parse("SK SK SA SA D5 D5 S5 S5 LJ LJ")
    assert oracle.shapes_of(oracle.decompose(cards, SPADES_5)) == ((2, 5),)


def test_7_only_one_pair_of_equal_order_is_part_of_a_run() -> None:
    cards = parse("SA SA C5 C5 D5 D5 S5 S5")
    assert texts(oracle.decompose(cards, SPADES_5)) == [text(parse("SA SA C5 C5 S5 S5")), "D5 D5"]


def test_7_fewest_components_before_wider_ones() -> None:
    cards = parse("H7 H7 H8 H8 H8 H8 H9 H9")
    assert oracle.shapes_of(oracle.decompose(cards, SPADES_2)) == ((2, 3), (2, 1))


def test_7_a_run_of_singles_is_no_component() -> None:
    assert oracle.shapes_of(oracle.decompose(parse("H7 H8 H9"), SPADES_2)) == ((1, 1),) * 3


@pytest.mark.parametrize("num_decks", [2, 3, 4])
def test_7_decomposition_is_the_best_of_all_partitions(num_decks: int) -> None:
    for cards, trump in packed_hands(num_decks, 200, num_decks, 2, 9):
        best = min(oracle.all_partitions(cards, trump), key=oracle.partition_key)
        assert sorted(best) == sorted(oracle.decompose(cards, trump)), text(cards)


@pytest.mark.parametrize("num_decks", [2, 3, 4])
def test_7_partitions_as_good_differ_only_in_level_cards(num_decks: int) -> None:
    for cards, trump in packed_hands(10 + num_decks, 200, num_decks, 2, 9):
        partitions = list(oracle.all_partitions(cards, trump))
        best = min(oracle.partition_key(partition)[:2] for partition in partitions)
        outlines = {
            tuple(sorted(component[:3] for component in partition))
            for partition in partitions
            if oracle.partition_key(partition)[:2] == best
        }
        assert len(outlines) == 1, text(cards)


# ---- §8


def test_8_one_component_is_no_throw() -> None:
    assert oracle.beaten_components(parse("H4 H4"), [parse("HA HA")], SPADES_2) == ()


def test_8_a_pair_inside_a_triple_beats_a_pair() -> None:
    lead, other = parse("HQ H4 H4"), parse("H5 H5 H5")
    assert texts(oracle.beaten_components(lead, [other], SPADES_2)) == ["H4 H4"]


def test_8_choices_of_one_shape_and_top_are_one() -> None:
    lead, other = parse("C2 C2 D2 D2 S3"), parse("S2 S2 S4")
    assert texts(oracle.beaten_components(lead, [other], SPADES_2)) == ["C2 C2", "D2 D2", "S3"]
    assert texts(oracle.forced_choices(lead, [other], SPADES_2)) == ["C2 C2", "S3"]


def test_8_next_seat_chooses_among_several() -> None:
    lead, others = parse("HQ H4 H4"), [parse("HK"), parse("H5 H5")]
    forced = oracle.led_after_throw(lead, others, SPADES_2, "next_seat_chooses", parse("HQ"))
    assert text(forced) == "HQ"


def test_8_smallest_takes_the_fewest_cards_then_the_lower_top() -> None:
    lead, others = parse("HQ HJ H4 H4"), [parse("HK H5 H5")]
    assert text(oracle.led_after_throw(lead, others, SPADES_2, "smallest")) == "HJ"


def test_8_a_lead_is_any_set_of_one_suit_if_throws() -> None:
    hand = parse("H3 H3 H4 D5")
    assert len(oracle.legal_leads(hand, SPADES_2, True)) == 3 * 2 - 1 + 1
    assert [text(lead) for lead in oracle.legal_leads(hand, SPADES_2, False)] == ["D5", "H3", "H3 H3", "H4"]


# ---- §9


def test_9_ways_of_a_titanic_of_two_stand_as_written() -> None:
    names = {
        ((3, 2),): "titanic",
        ((3, 1),) * 2: "3·3",
        ((3, 1), (2, 1), (1, 1)): "3+2+1",
        ((3, 1), *((1, 1),) * 3): "3+1+1+1",
        ((2, 2), *((1, 1),) * 2): "tractor+1+1",
        (*((2, 1),) * 2, *((1, 1),) * 2): "2+2+1+1",
        ((2, 1), *((1, 1),) * 4): "2+1·4",
        ((1, 1),) * 6: "singles",
    }
    written = {policy: [names[way] for way in oracle.ways(3, 2, policy)] for policy in POLICIES}
    low = ["2+2+1+1", "2+1·4", "singles"]
    assert written == {
        "width_first": ["titanic", "3·3", "3+2+1", "3+1+1+1", "tractor+1+1", *low],
        "triples_then_tractors": ["titanic", "3·3", "tractor+1+1", "3+2+1", "3+1+1+1", *low],
        "tractors_first": ["titanic", "tractor+1+1", "3·3", "3+2+1", "3+1+1+1", *low],
    }


def test_9_every_tiling_covers_the_rectangle() -> None:
    for width in range(1, 5):
        for length in range(1, 5 if width > 1 else 2):
            ways = oracle.ways(width, length, "width_first")
            assert all(sum(piece[0] * piece[1] for piece in way) == width * length for way in ways)
            assert all(len(set(oracle.ways(width, length, policy))) == len(ways) for policy in POLICIES)


def test_9_pairs_come_out_of_triples() -> None:
    lead, hand = parse("H9 H9"), parse("H3 H3 H3 H4 H5")
    assert [text(play) for play in oracle.legal_follows(lead, hand, SPADES_2, "width_first")] == ["H3 H3"]


def test_9_a_tractor_comes_out_of_a_titanic() -> None:
    lead, hand = parse("H9 H9 HT HT"), parse("H3 H3 H3 H4 H4 H4 H6")
    plays = oracle.legal_follows(lead, hand, SPADES_2, "width_first")
    assert [text(play) for play in plays] == ["H3 H3 H4 H4"]


def test_9_a_short_suit_is_played_whole() -> None:
    lead, hand = parse("H9 H9"), parse("H3 D4 D5")
    plays = oracle.legal_follows(lead, hand, SPADES_2, "width_first")
    assert plays == [parse("H3 D4"), parse("H3 D5")]


def test_9_a_void_hand_plays_anything() -> None:
    assert len(oracle.legal_follows(parse("H9 H9"), parse("C3 C3 D5 S4"), SPADES_2, "width_first")) == 4


def test_9_policies_agree_where_width_is_at_most_two() -> None:
    leads = packed_hands(5, 300, 2, 2, 7)
    for (lead, trump), (hand, hand_trump) in zip(leads, packed_hands(5, 300, 4, 8, 12), strict=True):
        same_suit = oracle.of_suit(hand, oracle.TRUMP_SUIT, trump)
        if hand_trump == trump and len(same_suit) > len(lead):
            assert len({oracle.demand(lead, same_suit, trump, policy) for policy in POLICIES}) == 1


# ---- §10


def test_10_a_wider_holding_contends_by_its_parts() -> None:
    plays = [parse("HK HK HA"), parse("S3 S3 S3"), parse("S4 S4 S9"), parse("HQ HJ HT")]
    assert oracle.trick_winner(plays, SPADES_2) == 2


def test_10_the_highest_partition_counts() -> None:
    lead = parse("H7 H7 H8 H8 H9 HJ HJ")
    low, high = parse("S3 S3 S4 S4 SJ SJ SK"), parse("S9 S9 S6 ST ST S3 S3")
    assert oracle.trick_winner([lead, low, high, parse("D3 D4 D5 D6 D7 D8 D9")], SPADES_2) == 2


def test_10_the_principal_may_sit_at_either_end_of_a_run() -> None:
    run = parse("S5 S5 S6 S6 S7 S7")
    assert oracle.highest_top(run, ((2, 2), (2, 1)), SPADES_2) == oracle.order(run[-1], SPADES_2)


# ---- §11 to §13


def test_11_a_quad_counts_as_a_triple() -> None:
    assert oracle.kitty_multiplier(parse("H4 H4 H4 H4"), SPADES_2, "pattern") == 6


@pytest.mark.parametrize(
    ("cards", "factor", "alike"),
    [
        ("HA", 2, "exponential"),
        ("HA HA", 4, "exponential"),
        ("HA HA HA", 6, "pattern"),
        ("H3 H3 H4 H4", 8, "pattern"),
        ("HA HK HQ", 6, None),
    ],
)
def test_11_cards_counts_every_card_twice(cards: str, factor: int, alike: str | None) -> None:
    assert oracle.kitty_multiplier(parse(cards), SPADES_2, "cards") == factor
    assert alike is None or oracle.kitty_multiplier(parse(cards), SPADES_2, alike) == factor


@pytest.mark.parametrize("table", oracle.RESULT_TABLES)
def test_12_attackers_never_lose_by_more_points(table: str) -> None:
    def worth(points: int) -> int:
        winner, levels = oracle.settle(table, points)
        return levels if winner == "attackers" else -levels

    figures = [worth(points) for points in range(-40, 400, 5)]
    assert figures == sorted(figures)


def test_12_four_deck_table() -> None:
    points = (0, 5, 75, 80, 155, 160, 235, 240, 320)
    figures = [oracle.settle("four_deck", value) for value in points]
    assert [levels for _, levels in figures] == [3, 2, 2, 1, 1, 0, 0, 1, 2]
    assert [winner for winner, _ in figures] == ["declarers"] * 5 + ["attackers"] * 4


@pytest.mark.parametrize(
    ("level", "winner", "nominal", "after"),
    [
        ("2", "declarers", 3, "5"),
        ("3", "declarers", 3, "5"),
        ("3", "attackers", 2, "5"),
        ("3", "attackers", 9, "5"),
        ("5", "attackers", 2, "5"),
        ("5", "attackers", 0, "5"),
        ("5", "declarers", 3, "8"),
        ("9", "declarers", 3, "T"),
        ("T", "declarers", 3, "K"),
        ("T", "declarers", 2, "Q"),
        ("K", "declarers", 2, "A"),
        ("A", "attackers", 1, "A"),
    ],
)
def test_13_no_team_passes_a_level_that_it_must_defend(level: str, winner: str, nominal: int, after: str) -> None:
    before, there = oracle.RANKS.index(level), oracle.RANKS.index(after)
    declarer = 0 if winner == "declarers" else 1
    levels, risen = oracle.raise_levels((before, 4), declarer, winner, nominal, "pass_ace", "5TK")
    assert levels == (there, 4)
    assert risen == there - before


def test_13_levels_stop_at_ace() -> None:
    king, ace = oracle.RANKS.index("K"), oracle.ACE
    assert oracle.raise_levels((king, 0), 2, "declarers", 3, "reach_ace") == ((ace, 0), 1)


def test_13_winning_at_ace_counts_as_one_level() -> None:
    assert oracle.raise_levels((oracle.ACE, 0), 0, "declarers", 3, "pass_ace") == ((oracle.ACE, 0), 1)
    assert oracle.raise_levels((oracle.ACE, 0), 1, "attackers", 3, "pass_ace") == ((oracle.ACE, 0), 0)


# ---- whole rounds


def random_record(name: str, seed: int, declarer: int | None) -> tuple[dict[str, Any], Options]:
    """A round played at random."""
    options = PRESETS[name]
    generator = random.Random(seed)
    setup = oracle_rounds.random_setup(generator, options, declarer)
    return oracle_rounds.play_round(setup, options, oracle_rounds.random_chooser(generator, options)), options


@pytest.mark.parametrize("name", PRESETS)
def test_oracle_rounds_accepts_rounds_played_by_the_rules(name: str) -> None:
    for seed in range(4):
        record, options = random_record(name, seed, None if seed == 0 else seed)
        oracle_rounds.check_round(record, options)
        captured = sum(trick["points"] for trick in record["tricks"])
        assert captured + record["result"]["kitty_points"] == oracle.points(oracle.cards_dealt(options))


def test_oracle_rounds_names_the_ply_of_an_illegal_play() -> None:
    record, options = random_record("two_deck", 3, 1)
    ply = next(index for index, decision in enumerate(record["decisions"]) if "follow" in decision)
    held = record["decisions"][ply + 1]["follow"]
    record["decisions"][ply] = {"seat": record["decisions"][ply]["seat"], "follow": held + " LJ LJ LJ"}
    with pytest.raises(AssertionError, match=f"ply {ply}:"):
        oracle_rounds.check_round(record, options)


def test_oracle_rounds_names_the_ply_of_a_missing_decision() -> None:
    record, options = random_record("three_deck", 4, None)
    ply = len(record["decisions"]) - 1
    del record["decisions"][ply]
    with pytest.raises(AssertionError, match=f"ply {ply}:"):
        oracle_rounds.check_round(record, options)


@pytest.mark.parametrize("figure", ["attackers_points", "kitty_multiplier", "levels", "next_declarer"])
def test_oracle_rounds_refuses_wrong_figures(figure: str) -> None:
    record, options = random_record("two_deck", 5, 0)
    record["result"][figure] = 99
    with pytest.raises(AssertionError, match="result"):
        oracle_rounds.check_round(record, options)


def bidding_of(holdings: list[str], answers: list[str | None], options: Options) -> dict[str, Any]:
    """Play a round whose hands begin with these cards; the answers are its bids, then all pass.

    All other twos and jokers lie in the kitty, so nobody else can bid.
    """
    generator = random.Random(0)
    hands = [list(oracle.parse_in_order(holding)) for holding in holdings]
    named = [card for hand in hands for card in hand]
    bidders = {0, 13, 26, 39, oracle.LITTLE_JOKER, oracle.BIG_JOKER}
    pool = list(range(54)) * options.decks
    for card in named:
        pool.remove(card)
    harmless = [card for card in pool if card not in bidders]
    kitty = [card for card in pool if card in bidders]
    while len(kitty) < options.kitty:
        kitty.append(harmless.pop())
    size = (54 * options.decks - options.kitty) // 4
    for hand in hands:
        while len(hand) < size:
            hand.append(harmless.pop())
    deal = [hands[index % 4][index // 4] for index in range(4 * size)] + kitty
    setup = {
        "round": 0,
        "levels": ["2", "2"],
        "declarer": None,
        "first_drawer": 0,
        "redeals": options.max_redeals,
        "deal": text(deal),
    }
    play = oracle_rounds.random_chooser(generator, options)

    def choose(question: oracle_rounds.Question) -> str | None:
        if question.kind != "bid":
            return play(question)
        return answers.pop(0) if answers else None

    return oracle_rounds.play_round(setup, options, choose)


def bids_of(record: dict[str, Any]) -> list[tuple[int, int, str | None]]:
    """The bidding of a record: seat, cards drawn, bid."""
    return [(step["seat"], step["drawn"], step["bid"]) for step in record["decisions"] if "bid" in step]


def test_4_streaming_asks_the_drawer_after_each_card_and_again_at_the_end() -> None:
    passes: list[str | None] = [None] * 24
    record = bidding_of(["C2", "D2", "H3", "H4"], [*passes, None, "D2"], PRESETS["one_deck"])
    bids = bids_of(record)
    assert bids[:24] == [(seat, drawn + seat, None) for drawn in range(1, 48, 4) for seat in (0, 1)]
    assert bids[24:] == [(0, 48, None), (1, 48, "D2")]
    assert record["trump"] == "D"
    assert record["tricks"][0]["leader"] == 1


def test_4_sequential_bids_only_when_all_cards_are_drawn() -> None:
    options = Options(decks=1, kitty=6, no_trump_bids=False, bidding="sequential", result_table="one_deck")
    record = bidding_of(["C2", "D2", "H3", "H4"], ["C2"], options)
    assert bids_of(record) == [(0, 48, "C2")]


def test_4_the_last_deal_without_a_bid_is_flipped() -> None:
    record = bidding_of(["C2", "H5", "H3", "H4"], [], PRESETS["one_deck"])
    assert record["tricks"][0]["leader"] == 0
    assert record["trump"] == "D"


def test_4_reinforced_bid_stands_against_a_pair() -> None:
    options = Options(kitty=8, max_redeals=0)
    holdings = ["C2 C2", "D2 D2", "H3 S2", "LJ BJ"]
    record = bidding_of(holdings, ["C2", "C2 C2"], options)
    assert bids_of(record) == [(0, 1, "C2"), (0, 5, "C2 C2")]
