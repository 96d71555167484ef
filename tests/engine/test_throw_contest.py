"""Which of two ruffs of a throw wins.

Source: docs/rules.md §10, `throw_contest`.
"""

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from shengji_env.engine.referee import Trump, trick_winner
from shengji_env.engine.rule_sets import rule_set

pytestmark = pytest.mark.nojit

TRUMP = Trump("S", "2")
RULES = {kind: rule_set("two_deck", throw_contest=kind) for kind in ("principal", "highest", "all")}
SPADE_RANKS = "3456789TJQKA"


def winner(kind: str, *plays: str) -> int:
    return trick_winner(plays, 0, TRUMP, RULES[kind])


@pytest.mark.parametrize(
    ("plays", "principal", "every"),
    [
        (("HA HK", "S5 S4", "S6 S3"), 2, 1),
        (("HA HK", "S5 S4", "S6 S4"), 2, 1),
        (("HA HK", "S5 S4", "S6 S5"), 2, 2),
        (("HA HA HK", "S3 S3 S7", "S4 S4 S6"), 2, 1),
        (("HA HA HK", "S3 S3 S7", "S4 S4 S8"), 2, 2),
        (("HA HA HK", "S3 S3 S7", "S4 S4 S6", "S4 S4 S8"), 2, 3),
        (("HA HA HK HK HQ", "S3 S3 S4 S4 S7", "S5 S5 S6 S6 S9"), 2, 2),
        (("HA HA HQ HQ", "S3 S3 S9 S9", "ST ST S4 S4"), 2, 2),
        (("HA HA HQ HQ", "S3 S3 S9 S9", "ST ST S3 S3"), 2, 1),
        # Level cards of plain suits are equal: none of them beats another.
        (("HA HK", "D2 S3", "C2 S4"), 1, 1),
        (("HA HK", "D2 S3", "S2 S4"), 2, 2),
        # One component alone is compared alike under both.
        (("HA HA", "S3 S3", "S4 S4"), 2, 2),
        (("HA HK", "DA DK", "S4 D3"), 0, 0),
    ],
)
def test_10_a_later_ruff_must_beat_the_principal_or_every_component(
    plays: tuple[str, ...], principal: int, every: int
) -> None:
    assert winner("principal", *plays) == principal
    assert winner("all", *plays) == every


@pytest.mark.parametrize(
    ("plays", "principal", "highest"),
    [
        (("HA HA HK", "S4 S4 S7", "S3 S3 S8"), 1, 2),
        (("HA HA HK", "S4 S4 S7", "S5 S5 S7"), 2, 1),
        (("HA HA HK", "S4 S4 S7", "S5 S5 S6"), 2, 1),
        (("HA HA HK", "S4 S4 S7", "S7 S7 S3", "S3 S3 S9"), 2, 3),
        (("HA HA HK", "S4 S4 D2", "S5 S5 C2"), 2, 1),
        (("HA HA HK", "S4 S4 D2", "S3 S3 S2"), 1, 2),
        # What does not have the lead's shapes does not contend, nor do ruffs of a lead of trumps exist.
        (("HA HA HK", "S4 S4 S7", "S8 S9 LJ"), 1, 1),
        (("SA SA SK", "S4 S4 S7", "S5 S5 S8"), 0, 0),
        # One component alone is compared alike under both.
        (("HA HA", "S3 S3", "S4 S4"), 2, 2),
        (("HA HK", "S5 S4", "S6 S3"), 2, 2),
    ],
)
def test_10_a_later_ruff_may_have_to_beat_the_highest_card(
    plays: tuple[str, ...], principal: int, highest: int
) -> None:
    assert winner("principal", *plays) == principal
    assert winner("highest", *plays) == highest


@pytest.mark.parametrize("level", ["C2", "D2", "H2"])
def test_10_a_ruff_may_hold_the_highest_tractor_with_any_of_the_equal_level_cards(level: str) -> None:
    lead, ruff = "H3 H3 H4 H4 H5 H5 H6 H6 H8", f"{level} {level} S2 S2 LJ LJ BJ BJ S3"
    assert winner("all", lead, ruff) == 1


def test_15_rbtying_s_example_of_partitions() -> None:
    plays = ("D4 D5 D5 DK", "C2 C2 S4 S4", "D2 D2 SK SK", "S2 S2 S5 SQ")
    assert winner("all", *plays) == 3


def tops(play: list[str]) -> Iterator[tuple[int, ...]]:
    """The tops of every partition of trumps into two pairs and the rest, as the rule writes them."""
    counts = Counter(SPADE_RANKS.index(card[1]) for card in play)
    pairs = [rank for rank, count in counts.items() if count == 2]
    for first in pairs:
        for second in pairs:
            if first > second:
                rest = counts - Counter({first: 2, second: 2})
                yield (first, second, *sorted(rest.elements(), reverse=True))


@pytest.mark.parametrize("seed", range(200))
def test_10_ruffs_of_two_pairs_and_singles_agree_with_all_partitions(seed: int) -> None:
    rng = random.Random(seed)
    lead = "HA HA HQ HQ HT H8"
    best: tuple[int, ...] | None = None
    expected, plays = 0, [lead]
    for seat in (1, 2, 3):
        pairs = rng.sample(SPADE_RANKS, 3)
        singles = rng.sample([rank for rank in SPADE_RANKS if rank not in pairs], 2)
        cards = [rank for rank in pairs[:2] for _ in range(2)] + ([pairs[2]] * 2 if rng.random() < 0.5 else singles)
        play = [f"S{rank}" for rank in cards]
        plays.append(" ".join(play))
        wins = [found for found in tops(play) if best is None or all(a > b for a, b in zip(found, best, strict=True))]
        if wins:
            best, expected = max(wins), seat
    assert winner("all", *plays) == expected


def test_10_a_ruff_wins_with_the_greatest_partition() -> None:
    # 9 9 and 7 7 are the pairs, 5 5 the singles; so 9 8 7 6 with pairs would not do.
    assert winner("all", "HA HA HQ HQ HT H8", "S9 S9 S7 S7 S5 S5", "ST ST S8 S8 S6 S4") == 1
    assert winner("all", "HA HA HQ HQ HT H8", "S9 S9 S7 S7 S5 S5", "ST ST S8 S8 SJ S6") == 2


def test_10_titanics_that_take_different_level_cards() -> None:
    rules = rule_set("four_deck", throw_contest="all")
    lead = "HA HA HA HK HK HK HJ HJ"
    ruff = "SA SA SA D2 D2 D2 D2 D2"
    with pytest.raises(Exception, match="D2"):
        trick_winner([lead, ruff], 0, TRUMP, rules)
    first, second = "SA SA SA D2 D2 D2 S3 S3", "SA SA SA D2 D2 D2 D2 C2"
    assert trick_winner([lead, first], 0, TRUMP, rules) == 1
    assert trick_winner([lead, first, second], 0, TRUMP, rules) == 1
    assert trick_winner([lead, first, "D2 D2 D2 S2 S2 S2 S4 S4"], 0, TRUMP, rules) == 2
    assert trick_winner([lead, first, "D2 D2 D2 S2 S2 S2 S3 S3"], 0, TRUMP, rules) == 1
