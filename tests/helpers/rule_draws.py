"""Rule sets drawn at random: all options together, whatever makes a game.

| function | what it draws |
|---|---|
| `any_rules` | a preset with some options overridden |
| `any_game` | every option anew; small decks, empty kitties, rebellions and overbids are likely |
| `games` | that many games, each value of `OPTION_VALUES` among them |

Source: docs/rules.md §1, §2 and §14.
"""

import random
from collections.abc import Iterator
from typing import Any

from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.rule_sets import NUM_SEATS, RULE_SETS, RuleSet, rule_set
from shengji_env.errors import RuleSetError
from tests.helpers import oracle

OPTION_VALUES: dict[str, tuple[Any, ...]] = CHOICES | {
    "decks": (1, 2, 3, 4),
    "kitty": (0, 2, 4, 6, 8, 10, 12),
    "no_trump_bids": (True, False),
    "max_redeals": (0, 1, 8, 100),
    "throws": (True, False),
    "throw_penalty": (0, 5, 10, 100),
    "last_trick_points": (True, False),
    "match_rounds": (1, 2, 16, 1000),
    "must_defend": ("", "5TK", "2", "23456789TJQK"),
    "cards": ("", "CDHS 23456789TJQKA", "DHS 23456789TJQKA BJ", "CH 23456789TJQKA LJ BJ", "HS 9TJ", "CDS 456TK LJ BJ"),
    "overturn": (True, False),
    "rebellion_points": (-1, 0, 15, 50, 400),
    "rebellion_trumps": (-1, 0, 3, 9, 54),
    "max_rebellions": (1, 2, 3, 20),
}
"""Values that tests try, by option: all words, and some of everything else."""

LEAST_POINTS = {"share": 5, "one_deck": 40, "one_deck_45": 45, "three_deck": 120, "four_deck": 160}
"""Points that must be dealt for a result table; 80 for all others. Source: docs/rules.md §12."""


def any_rules(generator: random.Random) -> RuleSet:
    """A preset with some options overridden, whatever makes a game together."""
    while True:
        try:
            return _overridden(generator)
        except RuleSetError:
            continue


def _overridden(generator: random.Random) -> RuleSet:
    preset = generator.choice(sorted(RULE_SETS))
    decks = generator.choice((RULE_SETS[preset].decks, generator.randint(1, oracle.NUM_SEATS)))
    options = {name: generator.choice(values) for name, values in OPTION_VALUES.items()}
    options["max_redeals"] = generator.choice((0, 1, 8))
    options["throws"] = generator.random() < 0.8
    options["cards"] = options["cards"] if generator.random() < 0.3 else ""
    least = 0 if options["bidding"] == "fixed" else 1
    dealt = {
        "decks": decks,
        "kitty": generator.choice(kitties_of(decks, options["cards"], least)[:3] or [8]),
        "no_trump_bids": decks > 1 and generator.random() < 0.5,
    }
    dealt |= {"cards": options["cards"], "bidding": options["bidding"]} if options["cards"] else {}
    others = sorted(set(options) - set(dealt) - {"cards"})
    chosen = generator.sample(others, generator.randint(1, len(others)))
    if options["cards"] or decks != RULE_SETS[preset].decks or generator.random() < 0.5:
        chosen += dealt
    options |= dealt
    return rule_set(preset, **{name: options[name] for name in chosen})


def any_game(generator: random.Random) -> RuleSet:
    """A game of which every option is drawn anew."""
    while True:
        options = {name: generator.choice(values) for name, values in OPTION_VALUES.items()}
        options["bidding"] = generator.choice(("streaming", "drawing", "sequential", "sequential", "fixed"))
        options["decks"] = generator.choice((1, 1, 2, 2, 2, 3, 3, 4))
        options["cards"] = any_cards(generator, options["bidding"] == "fixed") if generator.random() < 0.5 else ""
        options["throws"] = generator.random() < 0.8
        options["overturn"] = generator.random() < 0.85
        options["kitty_retake"] = "overbid" if options["overturn"] and generator.random() < 0.8 else "none"
        if _fit_the_deal(options, generator):
            return rule_set(generator.choice(sorted(RULE_SETS)), **options)


def any_cards(generator: random.Random, is_fixed: bool) -> str:
    """A deck's cards; every rank, if they are bid for."""
    suits = generator.sample(oracle.SUITS, generator.randint(1, 4))
    ranks = generator.sample(oracle.RANKS, generator.randint(2, 13)) if is_fixed else oracle.RANKS
    jokers = generator.sample(("LJ", "BJ"), generator.randint(0, 2))
    return " ".join(("".join(suits), "".join(ranks), *jokers))


def _fit_the_deal(options: dict[str, Any], generator: random.Random) -> bool:
    """Choose kitty, result table and bids of jokers that fit the cards; whether there are such."""
    kitties = kitties_of(options["decks"], options["cards"], 0 if options["bidding"] == "fixed" else 1)
    deck = oracle.deck(options["cards"])
    points = options["decks"] * oracle.points(deck)
    tables = [name for name in CHOICES["result_table"] if LEAST_POINTS.get(name, 80) <= points]
    if not kitties or not tables:
        return False
    options["kitty"] = generator.choice((kitties[0], generator.choice(kitties[:4]), generator.choice(kitties)))
    options["result_table"] = "share" if generator.random() < 0.2 else generator.choice(tables)
    has_jokers = options["decks"] > 1 and deck[-1] >= oracle.LITTLE_JOKER
    options["no_trump_bids"] = has_jokers and generator.random() < 0.6
    return True


def games(seed: int, count: int) -> Iterator[RuleSet]:
    """That many games, the same for the same seed."""
    for index in range(count):
        yield any_game(random.Random(f"games {seed} {index}"))


def kitties_of(decks: int, cards: str = "", least: int = 1) -> list[int]:
    """Every size of a kitty that leaves four equal hands, none smaller than it, ascending. Source: docs/rules.md §2."""
    total = decks * len(oracle.deck(cards))
    return [
        size
        for size in range(least, total)
        if (total - size) % NUM_SEATS == 0 and max(size, 1) <= (total - size) // NUM_SEATS
    ]
