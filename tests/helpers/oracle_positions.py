"""Positions on which engine and oracle are compared: rich by construction, small enough to enumerate.

Random play hardly ever meets a tractor that must be followed or a throw of several pairs. So positions are built from
components: there is a stock of all copies of one effective suit, from which lead and hands take components and some
single cards.

| generator | what it makes |
|---|---|
| `random_set`, `random_level_set` | a set of one effective suit |
| `random_follow` and `FOLLOW_KINDS` | a lead and a hand |
| `random_throw` | a throw and three hands |
| `random_trick` | a lead and three follows, discards, ruffs and over-ruffs among them |

Source: docs/rules.md §7 to §10.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine import referee
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, rule_set
from tests.helpers import oracle
from tests.helpers.oracle import NUM_SEATS, RANKS, SUITS, TRUMP_SUIT, Cards, Shape, Trump

POLICIES = ("width_first", "triples_then_tractors", "tractors_first")
_STOCK_OF_A_SUIT = {
    (trump, suit): oracle.of_suit(range(54), suit, trump)
    for trump in (Trump(suit, level) for suit in (None, 0, 1, 2, 3) for level in range(13))
    for suit in range(TRUMP_SUIT + 1)
}


class FollowCase(NamedTuple):
    """A hand that has to follow a lead."""

    rules: RuleSet
    trump: Trump
    lead: Cards
    hand: Cards

    @property
    def suit(self) -> int:
        """Effective suit of the lead."""
        return oracle.effective_suit(self.lead[0], self.trump)

    @property
    def held(self) -> Cards:
        """What the hand holds of it."""
        return oracle.of_suit(self.hand, self.suit, self.trump)


class ThrowCase(NamedTuple):
    """A lead of several components and the hands that may beat it."""

    rules: RuleSet
    trump: Trump
    lead: Cards
    others: tuple[Cards, ...]


class TrickCase(NamedTuple):
    """A whole trick, in turn order from the leader."""

    rules: RuleSet
    trump: Trump
    plays: tuple[Cards, ...]


# ---- between the oracle's values and the package's


def counts_of(cards: Iterable[int]) -> NDArray[np.int8]:
    """Count vector of a set."""
    return np.bincount(np.array(list(cards), dtype=np.int64), minlength=54).astype(np.int8)


def cards_of(counts: NDArray[np.int8]) -> Cards:
    """A count vector's cards."""
    return tuple(card for card in range(54) for _ in range(counts[card]))


def referee_trump(trump: Trump) -> referee.Trump:
    """The package's value of a trump."""
    return referee.Trump.parse(f"{'NT' if trump.suit is None else SUITS[trump.suit]}{RANKS[trump.level]}")


def oracle_component(component: referee.Component, trump: Trump) -> oracle.Component:
    """The oracle's value of a component."""
    top = oracle.order(component.top, trump)
    return oracle.Component(component.width, component.length, top, cards_of(component.cards))


def random_rules(generator: random.Random, decks: int | None = None) -> RuleSet:
    """Any preset, with `throws` on and any follow priority."""
    fitting = [name for name, rules in RULE_SETS.items() if decks in (None, rules.decks)]
    name = generator.choice(fitting)
    return rule_set(name, follow_priority=generator.choice(POLICIES), throws=True)


def random_trump(generator: random.Random) -> Trump:
    """Any trump suit or none, any level."""
    return Trump(generator.choice((None, 0, 1, 2, 3)), generator.randrange(13))


# ---- stock


class Stock:
    """The copies of one effective suit that are still to be had, a few adjacent orders of it."""

    def __init__(self, generator: random.Random, trump: Trump, suit: int, decks: int, span: int) -> None:
        self.generator = generator
        self.trump = trump
        cards = _STOCK_OF_A_SUIT[trump, suit]
        orders = sorted({oracle.order(card, trump) for card in cards})
        low = generator.randrange(max(len(orders) - span, 0) + 1)
        window = orders[low : low + span]
        self.left = Counter({card: decks for card in cards if oracle.order(card, trump) in window})

    def __len__(self) -> int:
        return sum(self.left.values())

    def take(self, cards: Iterable[int]) -> Cards:
        """Take cards that are there."""
        taken = tuple(sorted(cards))
        self.left.subtract(taken)
        return taken

    def take_component(self, shape: Shape) -> Cards:
        """Take some component of a shape; nothing if there is none."""
        found = oracle.components_of_shape(tuple(sorted(self.left.elements())), shape, self.trump)
        return self.take(self.generator.choice(found).cards) if found else ()

    def take_some(self, size: int) -> Cards:
        """Take that many cards, or all."""
        left = sorted(self.left.elements())
        return self.take(self.generator.sample(left, min(size, len(left))))

    def take_shapes(self, shapes: Sequence[Shape]) -> Cards:
        """Take components of some shapes, as far as they are there."""
        return tuple(sorted(card for shape in shapes for card in self.take_component(shape)))


def random_shapes(generator: random.Random, decks: int, most: int) -> list[Shape]:
    """Shapes of at most `most` cards in all, wide ones and runs likely."""
    shapes: list[Shape] = []
    size = 0
    for _ in range(generator.randint(1, 4)):
        width = generator.randint(1, decks)
        length = generator.choice((1, 1, 2, 2, 3)) if width > 1 else 1
        if size + width * length <= most:
            shapes.append((width, length))
            size += width * length
    return shapes or [(1, 1)]


def random_suit(generator: random.Random) -> int:
    """An effective suit, trumps half of the time."""
    return generator.choice((0, 1, 2, 3, TRUMP_SUIT, TRUMP_SUIT, TRUMP_SUIT, TRUMP_SUIT))


def random_stock(generator: random.Random, trump: Trump, decks: int, span: int) -> Stock:
    """A stock with cards in it: the trump suit's own plain block is empty."""
    while True:
        stock = Stock(generator, trump, random_suit(generator), decks, span)
        if len(stock):
            return stock


def random_set(generator: random.Random, rules: RuleSet, trump: Trump, most: int) -> Cards:
    """A set of one effective suit, of 1 to `most` cards."""
    stock = random_stock(generator, trump, rules.decks, generator.randint(2, 8))
    if generator.random() < 0.5:
        return stock.take_some(generator.randint(1, most))
    cards = stock.take_shapes(random_shapes(generator, rules.decks, most))
    return cards or stock.take_some(1)


def random_level_set(generator: random.Random, rules: RuleSet, trump: Trump) -> Cards:
    """Trumps around the level cards, several of equal order: where the tie-break of §7 decides."""
    stock = Stock(generator, trump, TRUMP_SUIT, rules.decks, 16)
    level = next(card for card in stock.left if card < 52 and card % 13 == trump.level and card // 13 != trump.suit)
    near = [card for card in stock.left if abs(oracle.order(card, trump) - oracle.order(level, trump)) <= 2]
    counts = {card: generator.choice((0, 1, 2, 2, 3, 3, 4)) for card in near}
    return tuple(sorted(card for card in near for _ in range(min(counts[card], rules.decks)))) or (level,)


def _offsuit(generator: random.Random, trump: Trump, suit: int, size: int, besides: Cards = ()) -> Cards:
    others = [card for card in range(54) if oracle.effective_suit(card, trump) != suit and card not in besides]
    return tuple(generator.sample(others, size))


# ---- §9 follows


def random_follow(generator: random.Random, most: int = 6) -> FollowCase:
    """Any lead, any hand."""
    rules, trump = random_rules(generator), random_trump(generator)
    stock = random_stock(generator, trump, rules.decks, generator.randint(3, 8))
    lead = stock.take_shapes(random_shapes(generator, rules.decks, most)) or stock.take_some(1)
    hand = stock.take_shapes(random_shapes(generator, rules.decks, most + 2))
    hand += stock.take_some(generator.randint(0, 3))
    hand += _offsuit(generator, trump, oracle.effective_suit(lead[0], trump), len(lead))
    return FollowCase(rules, trump, lead, tuple(sorted(hand)))


def tractor_bound(generator: random.Random) -> FollowCase | None:
    """A run is led; the hand has one of that width and length, and more."""
    decks = generator.randint(2, 4)
    rules, trump = random_rules(generator, decks), random_trump(generator)
    shape = (generator.randint(2, min(decks, 3)), generator.choice((2, 2, 3)))
    stock = random_stock(generator, trump, decks, generator.randint(4, 9))
    lead, hand = stock.take_component(shape), stock.take_component(shape)
    hand += stock.take_component((2, 1)) + stock.take_some(generator.randint(1, 3))
    case = FollowCase(rules, trump, lead, tuple(sorted(hand)))
    return case if lead and len(hand) > len(lead) and is_tractor_bound(case) else None


def triple_for_a_pair(generator: random.Random) -> FollowCase | None:
    """A pair or a tractor is led; all that the hand has for it are triples and quads."""
    decks = generator.randint(3, 4)
    rules, trump = random_rules(generator, decks), random_trump(generator)
    stock = random_stock(generator, trump, decks, generator.randint(5, 9))
    lead = stock.take_component((2, generator.choice((1, 1, 2))))
    hand = stock.take_shapes([(generator.randint(3, decks), 1) for _ in range(generator.randint(1, 2))])
    singles = [card for card, count in stock.left.items() if count > 0 and card not in hand]
    hand += tuple(generator.sample(singles, min(3, len(singles))))
    case = FollowCase(rules, trump, lead, tuple(sorted(hand)))
    return case if lead and len(hand) > len(lead) and is_triple_for_a_pair(case) else None


def mixed_throw(generator: random.Random) -> FollowCase | None:
    """A throw of components of different shapes is led; the hand is as rich."""
    decks = generator.randint(2, 4)
    rules, trump = random_rules(generator, decks), random_trump(generator)
    stock = random_stock(generator, trump, decks, generator.randint(5, 10))
    lead = stock.take_shapes(generator.choice(_MIXED[:3] if decks == 2 else _MIXED))
    hand = stock.take_shapes(generator.choice(_MIXED)) + stock.take_some(generator.randint(2, 4))
    case = FollowCase(rules, trump, lead, tuple(sorted(hand)))
    return case if lead and len(case.held) > len(lead) and is_mixed_throw(case) else None


_MIXED: list[list[Shape]] = [
    [(2, 1), (1, 1)],
    [(2, 2), (2, 1)],
    [(2, 2), (1, 1), (1, 1)],
    [(3, 1), (2, 1)],
    [(3, 1), (2, 2)],
    [(3, 1), (2, 1), (1, 1)],
]


def equal_level_pairs(generator: random.Random) -> FollowCase | None:
    """Trumps are led; the hand has several level pairs of equal order, with what they may join."""
    decks = generator.randint(2, 4)
    rules, trump = random_rules(generator, decks), random_trump(generator)
    stock = Stock(generator, trump, TRUMP_SUIT, decks, 16)
    equal = [card for card in stock.left if card < 52 and card % 13 == trump.level and card // 13 != trump.suit]
    level_order = oracle.order(equal[0], trump)
    around = [card for card in stock.left if 0 < abs(oracle.order(card, trump) - level_order) <= 2]
    hand: Cards = ()
    for card in generator.sample(equal, 2) + generator.sample(around, generator.randint(1, 2)):
        hand += stock.take([card] * min(generator.randint(2, decks), stock.left[card]))
    lead = stock.take_component((2, generator.choice((1, 2, 2, 3)))) or stock.take_component((2, 2))
    hand += stock.take_some(generator.randint(0, 2))
    case = FollowCase(rules, trump, lead, tuple(sorted(hand)))
    return case if lead and len(hand) > len(lead) and has_equal_level_pairs(case) else None


def short_suit(generator: random.Random) -> FollowCase | None:
    """The hand has no more of the led suit than was led."""
    case = random_follow(generator)
    return case if is_short_suit(case) and len(case.lead) <= len(case.hand) else None


def long_run(generator: random.Random) -> FollowCase:
    """A long or wide run is led, of which the hand holds parts: the ladders of `follow_priority` to their depth."""
    decks = generator.randint(3, 4)
    rules, trump = random_rules(generator, decks), random_trump(generator)
    suit = generator.choice([suit for suit in range(TRUMP_SUIT) if suit != trump.suit])
    lead = Stock(generator, trump, suit, decks, 12).take_component(generator.choice(_LONG[: 4 if decks == 3 else None]))
    stock = Stock(generator, trump, suit, decks, 12)
    hand = stock.take_shapes([generator.choice(_PARTS) for _ in range(generator.randint(2, 4))])
    hand += stock.take_some(max(len(lead) + 1 - len(hand), 0) + generator.randint(0, 2))
    return FollowCase(rules, trump, lead, tuple(sorted(hand)))


_LONG: list[Shape] = [(3, 2), (3, 3), (3, 4), (2, 5), (4, 2), (4, 3), (4, 4)]
_PARTS: list[Shape] = [(3, 1), (3, 1), (3, 2), (2, 1), (2, 2), (2, 2), (2, 3)]


def is_tractor_bound(case: FollowCase) -> bool:
    """Whether the hand owes a run."""
    return any(length > 1 for _, length in _demand(case))


def is_triple_for_a_pair(case: FollowCase) -> bool:
    """Whether a pair is owed and only triples and quads can give it."""
    copies = Counter(case.held).values()
    return 2 not in copies and max(copies, default=0) > 2 and any(width == 2 for width, _ in _demand(case))


def is_mixed_throw(case: FollowCase) -> bool:
    """Whether the lead has components of several shapes."""
    return len(set(oracle.shapes_of(oracle.decompose(case.lead, case.trump)))) > 1


def has_equal_level_pairs(case: FollowCase) -> bool:
    """Whether the hand has two pairs of equal order."""
    level = [card for card in case.held if card < 52 and card % 13 == case.trump.level]
    pairs = [card for card, count in Counter(level).items() if count > 1 and card // 13 != case.trump.suit]
    return len(pairs) > 1


def is_short_suit(case: FollowCase) -> bool:
    """Whether the hand plays all that it holds of the led suit."""
    return len(case.held) <= len(case.lead)


def _demand(case: FollowCase) -> tuple[Shape, ...]:
    """What a hand owes; nothing but all of the suit, if that is short."""
    if is_short_suit(case):
        return ()
    return oracle.demand(case.lead, case.hand, case.trump, case.rules.follow_priority)


FOLLOW_KINDS: dict[str, Callable[[random.Random], FollowCase | None]] = {
    "tractor_bound": tractor_bound,
    "triple_for_a_pair": triple_for_a_pair,
    "mixed_throw": mixed_throw,
    "equal_level_pairs": equal_level_pairs,
    "short_suit": short_suit,
}


def cases_of(kind: str, seed: int, count: int) -> list[FollowCase]:
    """That many follows of one kind."""
    generator = random.Random(f"{kind} {seed}")
    found: list[FollowCase] = []
    for _ in range(200 * count):
        case = FOLLOW_KINDS[kind](generator)
        if case is not None:
            found.append(case)
        if len(found) == count:
            return found
    raise AssertionError(f"only {len(found)} of {count} cases of {kind}")


# ---- §8 throws


def random_throw(generator: random.Random) -> ThrowCase:
    """A lead of one suit and three hands with cards of it; all deck sizes that have pairs likely."""
    rules, trump = random_rules(generator), random_trump(generator)
    stock = random_stock(generator, trump, rules.decks, generator.randint(4, 16))
    lead = stock.take_shapes([shape for _ in range(2) for shape in random_shapes(generator, rules.decks, 6)])
    lead += stock.take_some(generator.randint(0 if lead else 1, 2))
    hands = (stock.take_shapes(random_shapes(generator, rules.decks, 5)) for _ in range(NUM_SEATS - 1))
    return ThrowCase(rules, trump, tuple(sorted(lead)), tuple(hands))


# ---- §10 tricks


def random_trick(generator: random.Random) -> TrickCase:
    """A lead, plain more often than not, and three follows that contend, fall short or discard."""
    rules, trump = random_rules(generator), random_trump(generator)
    suits = [suit for suit in range(4) if suit != trump.suit]
    suit = generator.choice((*suits, TRUMP_SUIT))
    led = Stock(generator, trump, suit, rules.decks, generator.randint(3, 8))
    trumps = led if suit == TRUMP_SUIT else Stock(generator, trump, TRUMP_SUIT, rules.decks, 8)
    shapes = random_shapes(generator, rules.decks, 6)
    lead = led.take_shapes(shapes) or led.take_some(1)
    shapes = list(oracle.shapes_of(oracle.decompose(lead, trump)))
    plays = [lead]
    for _ in range(NUM_SEATS - 1):
        source = generator.choice((led, trumps, trumps))
        play = source.take_shapes(shapes) if generator.random() < 0.7 else ()
        play += source.take_some(len(lead) - len(play))
        play += _offsuit(generator, trump, suit, len(lead) - len(play), play)
        plays.append(tuple(sorted(play)))
    return TrickCase(rules, trump, tuple(plays))


def is_over_ruff(case: TrickCase) -> bool:
    """Whether a ruff of a plain lead was beaten by a later one."""
    if _is_trump(case.plays[0], case.trump):
        return False
    best = [oracle.trick_winner(case.plays[:seen], case.trump) for seen in range(1, len(case.plays) + 1)]
    return any(before != after and _is_trump(case.plays[before], case.trump) for before, after in pairwise(best))


def _is_trump(play: Cards, trump: Trump) -> bool:
    return oracle.effective_suit(play[0], trump) == TRUMP_SUIT
