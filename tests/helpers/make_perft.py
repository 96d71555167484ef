"""Make `data/perft.jsonl`: how many distinct leads, follows and buries are legal in fixed positions, by the oracle.

Run ``python -m tests.helpers.make_perft`` after adding positions; only the oracle counts, no code of `shengji_env`.
Each line is a position: `op` is leads, follows or buries, `trump` a text such as S5 or NT5, `hand` and `lead` are
cards, `count` is the answer. The options are `throws`, `follow_priority` and `kitty`, or all those of a `preset`.

Source: docs/rules.md §5, §8, §9.
"""

import json
import random
from collections.abc import Iterator
from typing import Any

from shengji_env.engine.rule_sets import RULE_SETS
from tests.helpers import oracle
from tests.helpers.oracle import RANKS, SUITS, Trump
from tests.helpers.oracle_positions import FOLLOW_KINDS, cases_of, random_follow, random_rules, random_set, random_trump
from tests.helpers.paths import DATA

PERFT = DATA / "perft.jsonl"
MOST = 20_000
HAND_MADE_LEADS = (
    ("S5", "H3 H3 H4 H4 H6 H6"),
    ("S5", "H3 H3 H3 H4 H4 H4 H6 H6"),
    ("S5", "SK SK SA SA D5 D5 S5 S5 LJ LJ"),
    ("NT5", "C5 C5 D5 D5 LJ LJ BJ BJ"),
    ("NT5", "C5 C5 C5 D5 D5 D5 LJ LJ LJ BJ"),
    ("S2", "H3 H3 H3 H3 H4 H4 H4 H4"),
    ("S2", "C3 D4 H5 S6 LJ"),
)
HAND_MADE_BURIES = (
    ("S5", "H3 H3 H4 H4 H6 H6", 2),
    ("S5", "C3 C4 D3 D3 H5 S5 LJ LJ BJ", 4),
    ("NTA", "C3 C4 C5 C6 C7 C8 D3 D4 D5 D6 D7 D8 H3 H4 H5 H6 H7 H8", 6),
    ("H9", "C3 C3 C4 C4 D5 D5 H9 H9 S9 S9 LJ LJ BJ BJ SA SA", 8),
)


def trump_text(trump: Trump) -> str:
    """A trump as text."""
    return ("NT" if trump.suit is None else SUITS[trump.suit]) + RANKS[trump.level]


def parse_trump(text: str) -> Trump:
    """A trump's text as the oracle's value."""
    suit = text[:-1]
    return Trump(None if suit == "NT" else SUITS.index(suit), RANKS.index(text[-1]))


def leads() -> Iterator[dict[str, Any]]:
    """Leads by hand and at random, with throws and without."""
    generator = random.Random("perft leads")
    hands = [(text, oracle.parse(hand)) for text, hand in HAND_MADE_LEADS]
    for _ in range(20):
        trump = random_trump(generator)
        hands.append((trump_text(trump), random_set(generator, random_rules(generator), trump, 10)))
    for text, hand in hands:
        for throws in (True, False):
            count = len(oracle.legal_leads(hand, parse_trump(text), throws))
            yield {"op": "leads", "trump": text, "hand": oracle.text(sorted(hand)), "throws": throws, "count": count}


def follows() -> Iterator[dict[str, Any]]:
    """Follows of every kind."""
    for kind in FOLLOW_KINDS:
        for case in cases_of(kind, 99, 20):
            policy = case.rules.follow_priority
            yield {
                "op": "follows",
                "trump": trump_text(case.trump),
                "lead": oracle.text(case.lead),
                "hand": oracle.text(case.hand),
                "follow_priority": policy,
                "count": len(oracle.legal_follows(case.lead, case.hand, case.trump, policy)),
            }


def buries() -> Iterator[dict[str, Any]]:
    """Buries: every set of the kitty's size."""
    for text, hand, kitty in HAND_MADE_BURIES:
        count = sum(1 for _ in oracle.sub_multisets(oracle.parse(hand), kitty))
        yield {"op": "buries", "trump": text, "hand": hand, "kitty": kitty, "count": count}


def of_presets() -> Iterator[dict[str, Any]]:
    """Leads, follows and buries by each preset's own options."""
    for preset in oracle.PRESETS:
        generator = random.Random(f"perft {preset}")
        for _ in range(4):
            yield _leads_of(preset, generator)
        for _ in range(6):
            yield _follows_of(preset, generator)
        for _ in range(2 if oracle.PRESETS[preset].kitty else 0):
            yield _buries_of(preset, generator)


def _leads_of(preset: str, generator: random.Random) -> dict[str, Any]:
    options, rules, trump = oracle.PRESETS[preset], RULE_SETS[preset], random_trump(generator)
    cards = random_set(generator, rules, trump, 6) + random_set(generator, rules, trump, 4)
    hand = tuple(card for card in sorted(set(cards)) for _ in range(min(cards.count(card), options.decks)))
    count = len(oracle.legal_leads(hand, trump, options.throws))
    return {"op": "leads", "preset": preset, "trump": trump_text(trump), "hand": oracle.text(hand), "count": count}


def _follows_of(preset: str, generator: random.Random) -> dict[str, Any]:
    options = oracle.PRESETS[preset]
    while True:
        case = random_follow(generator)
        is_throw = len(oracle.decompose(case.lead, case.trump)) > 1
        if case.rules.decks == options.decks and (options.throws or not is_throw):
            break
    return {
        "op": "follows",
        "preset": preset,
        "trump": trump_text(case.trump),
        "lead": oracle.text(case.lead),
        "hand": oracle.text(case.hand),
        "count": len(oracle.legal_follows(case.lead, case.hand, case.trump, options.follow_priority)),
    }


def _buries_of(preset: str, generator: random.Random) -> dict[str, Any]:
    options, trump = oracle.PRESETS[preset], random_trump(generator)
    hand = tuple(sorted(generator.sample(list(range(54)) * options.decks, options.kitty + 3)))
    count = sum(1 for _ in oracle.sub_multisets(hand, options.kitty))
    return {"op": "buries", "preset": preset, "trump": trump_text(trump), "hand": oracle.text(hand), "count": count}


def main() -> None:
    """Write the table."""
    asked = (*leads(), *follows(), *buries(), *of_presets())
    positions = [position for position in asked if position["count"] <= MOST]
    PERFT.write_text("".join(json.dumps(position) + "\n" for position in positions))
    print(f"{len(positions)} positions, {sum(position['count'] for position in positions)} plays: {PERFT}")


if __name__ == "__main__":
    main()
