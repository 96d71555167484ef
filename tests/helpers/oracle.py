"""The rules a second time: slow, naive, plain Python, written directly from the text of the rules.

The oracle shares no code with `shengji_env`; the project's main test is that the two agree. A set of cards is a sorted
tuple of card ids 0..53 (each copy is listed), a shape is `(width, length)`, and lists of shapes are sorted high to low.
Rounds are replayed in `oracle_rounds`.

| question | answered by |
|---|---|
| what is in a set | `all_components`, `decompose` |
| what must be followed | `demand`, `is_legal_follow`, `legal_follows` |
| what may be led, and what a throw becomes | `legal_leads`, `forced_choices`, `led_after_throw` |
| who wins, what it is worth | `trick_winner`, `kitty_multiplier`, `settle` |
| who may bid what, who may rebel | `legal_bids`, `is_weak` |
| what the last trick may cost | `fallen_level` |

Source: docs/rules.md.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple

Cards = tuple[int, ...]
Shape = tuple[int, int]
Kind = int | Literal["LJ", "BJ"]
Bid = tuple[int, Kind]
ComponentKey = tuple[int, int, int, Cards]

SUITS = "CDHS"
RANKS = "23456789TJQKA"
LITTLE_JOKER = 52
BIG_JOKER = 53
TRUMP_SUIT = 4
NUM_SEATS = 4
ACE = RANKS.index("A")
CACHE_SIZE = 1 << 17


class Trump(NamedTuple):
    """What is trump in a round: a suit (None: no trump) and the level rank's index.

    Source: docs/rules.md §6.
    """

    suit: int | None
    level: int


class Component(NamedTuple):
    """`width` identical cards at each of `length` adjacent orders, the highest being `top`.

    Source: docs/rules.md §7.
    """

    width: int
    length: int
    top: int
    cards: Cards

    @property
    def shape(self) -> Shape:
        """Width and length, by which components compare."""
        return (self.width, self.length)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options on which the texts of the rules differ. Source: docs/rules.md §14."""

    decks: int = 2
    kitty: int = 8
    bidding: str = "streaming"
    no_trump_bids: bool = True
    joker_bids: str = "ranked"
    no_bid: str = "flip_kitty"
    max_redeals: int = 8
    throws: bool = True
    failed_throw: str = "next_seat_chooses"
    throw_penalty: int = 0
    follow_priority: str = "width_first"
    kitty_multiplier: str = "exponential"
    kitty_shape: str = "winner"
    last_trick_points: bool = True
    result_table: str = "two_deck"
    match_end: str = "reach_ace"
    match_rounds: int = 1
    must_defend: str = ""
    cards: str = ""
    bid_suits: str = "equal"
    overturn: bool = True
    first_declarer: str = "winning_bid"
    rebellion: str = "none"
    rebellion_points: int = 15
    rebellion_trumps: int = 3
    max_rebellions: int = 3
    kitty_retake: str = "none"
    throw_contest: str = "principal"
    last_trick_demotion: str = "none"
    bid_ladder: str = "strength"
    throw_penalty_per: str = "throw"


_ONE_DECK = Options(decks=1, kitty=6, no_trump_bids=False, result_table="one_deck")
_COMPETITION = Options(
    bidding="sequential",
    no_trump_bids=False,
    no_bid="partner_names",
    kitty_multiplier="double",
    result_table="competition",
    match_end="pass_ace",
)
_THREE_DECK = Options(
    decks=3,
    kitty=6,
    joker_bids="equal",
    follow_priority="triples_then_tractors",
    kitty_multiplier="pattern",
    result_table="three_deck",
)


def _small(cards: str, decks: int) -> Options:
    """The options of a preset of few cards. Source: docs/rules.md §14."""
    return Options(
        decks=decks,
        cards=cards,
        kitty=0,
        bidding="fixed",
        no_trump_bids=False,
        failed_throw="smallest",
        kitty_multiplier="none",
        result_table="share",
        match_end="rounds",
    )


PRESETS: dict[str, Options] = {
    "one_deck": _ONE_DECK,
    "one_deck_45": replace(
        _ONE_DECK, throws=False, kitty_multiplier="none", last_trick_points=False, result_table="one_deck_45"
    ),
    "two_deck": Options(failed_throw="smallest"),
    "competition": _COMPETITION,
    "duplicate": replace(_COMPETITION, bidding="fixed"),
    "three_deck": _THREE_DECK,
    "four_deck": Options(decks=4, result_table="four_deck"),
    "house": Options(
        failed_throw="smallest",
        kitty_multiplier="cards",
        result_table="competition",
        match_end="pass_ace",
        must_defend="5TK",
    ),
    "chaodipi": Options(
        failed_throw="smallest",
        kitty_multiplier="cards",
        result_table="competition",
        match_end="pass_ace",
        bid_suits="ranked",
        kitty_retake="overbid",
    ),
    "small_two_ranks": _small("HS TJ", 2),
    "small_three_ranks": _small("HS 9TJ", 2),
    "small_four_ranks": _small("HS TJQK", 1),
    "contest": Options(
        no_bid="no_trump",
        max_redeals=0,
        failed_throw="lowest",
        kitty_multiplier="cards",
        result_table="competition",
        match_end="beyond_ace",
        must_defend="25TK",
        rebellion="no_declarer",
        throw_contest="highest",
    ),
    "botzone": Options(
        bidding="drawing",
        bid_ladder="call_snatch",
        no_bid="random",
        max_redeals=0,
        failed_throw="lowest_card",
        throw_penalty=10,
        throw_penalty_per="card",
        kitty_multiplier="component",
        kitty_shape="lead",
        result_table="botzone",
    ),
}


# ---- §1 cards


def deck(cards: str) -> Cards:
    """The cards of one deck: all, or those of a text such as `HS 9TJ` or `CD 23456789TJQKA LJ`.

    Source: docs/rules.md §1.
    """
    if not cards:
        return tuple(range(54))
    suits, ranks, *jokers = cards.split()
    named = [suit + rank for suit in suits for rank in ranks] + jokers
    return parse(" ".join(named))


def cards_dealt(options: Options) -> Cards:
    """All cards of a deal. Source: docs/rules.md §1."""
    return tuple(sorted(deck(options.cards) * options.decks))


def suits_dealt(options: Options) -> tuple[int, ...]:
    """The suits that may be named as trumps without a bid. Source: docs/rules.md §1."""
    return tuple(sorted({card // 13 for card in deck(options.cards) if card < LITTLE_JOKER}))


def parse(notation: str) -> Cards:
    """Read cards such as `HK HK LJ`, in any order. Source: docs/rules.md §1."""
    return tuple(sorted(_parse_card(word) for word in notation.split()))


def parse_in_order(notation: str) -> Cards:
    """Read cards, keeping their order: a deal. Source: docs/rules.md §2."""
    return tuple(_parse_card(word) for word in notation.split())


def text(cards: Iterable[int]) -> str:
    """Write cards as `parse` reads them. Source: docs/rules.md §1."""
    return " ".join(_card_text(card) for card in cards)


def points(cards: Iterable[int]) -> int:
    """Points in a set: 5 for a five, 10 for a ten or a king. Source: docs/rules.md §1."""
    value = {"5": 5, "T": 10, "K": 10}
    return sum(value.get(RANKS[card % 13], 0) for card in cards if card < LITTLE_JOKER)


def contains(cards: Iterable[int], part: Iterable[int]) -> bool:
    """Whether `part` is a sub-multiset of `cards`."""
    return not Counter(part) - Counter(cards)


def without(cards: Iterable[int], part: Iterable[int]) -> Cards:
    """Take `part`, which must be in it, out of `cards`."""
    left = list(cards)
    for card in part:
        left.remove(card)
    return tuple(sorted(left))


def sub_multisets(cards: Cards, size: int) -> Iterator[Cards]:
    """Every distinct sub-multiset with `size` cards, once each."""
    if size == 0:
        yield ()
        return
    if size > len(cards):
        return
    first, rest = cards[0], tuple(card for card in cards if card != cards[0])
    for count in range(min(size, len(cards) - len(rest)), -1, -1):
        for others in sub_multisets(rest, size - count):
            yield (first,) * count + others


def _parse_card(word: str) -> int:
    if word in ("LJ", "BJ"):
        return LITTLE_JOKER if word == "LJ" else BIG_JOKER
    assert len(word) == 2, f"not a card: {word}"
    return 13 * SUITS.index(word[0]) + RANKS.index(word[1])


def _card_text(card: int) -> str:
    if card >= LITTLE_JOKER:
        return "LJ" if card == LITTLE_JOKER else "BJ"
    return SUITS[card // 13] + RANKS[card % 13]


# ---- §6 trumps and order


@lru_cache(CACHE_SIZE)
def effective_suit(card: int, trump: Trump) -> int:
    """The suit 0..3 that a card counts as, or TRUMP_SUIT. Source: docs/rules.md §6."""
    if card >= LITTLE_JOKER or card % 13 == trump.level or card // 13 == trump.suit:
        return TRUMP_SUIT
    return card // 13


def order(card: int, trump: Trump) -> int:
    """Place of a card in its effective suit; adjacent places differ by one. Source: docs/rules.md §6."""
    plain_ranks = [rank for rank in range(13) if rank != trump.level]
    after_plain = len(plain_ranks) if trump.suit is not None else 0
    after_level = after_plain + (2 if trump.suit is not None else 1)
    if card >= LITTLE_JOKER:
        return after_level + (card - LITTLE_JOKER)
    if card % 13 == trump.level:
        return after_plain + (1 if card // 13 == trump.suit else 0)
    return plain_ranks.index(card % 13)


def of_suit(cards: Iterable[int], suit: int, trump: Trump) -> Cards:
    """The cards of one effective suit. Source: docs/rules.md §6."""
    return tuple(sorted(card for card in cards if effective_suit(card, trump) == suit))


# ---- §7 components


@lru_cache(CACHE_SIZE)
def components_of_shape(cards: Cards, shape: Shape, trump: Trump) -> tuple[Component, ...]:
    """Every component of one shape contained in a set. Source: docs/rules.md §7."""
    width, length = shape
    if width == 1 and length > 1:
        return ()
    places: dict[tuple[int, int], list[int]] = {}
    for card, count in sorted(Counter(cards).items()):
        if count >= width:
            places.setdefault((effective_suit(card, trump), order(card, trump)), []).append(card)
    found = []
    for suit, bottom in places:
        run = [places.get((suit, bottom + step), []) for step in range(length)]
        for chosen in product(*run):
            found.append(Component(width, length, bottom + length - 1, tuple(sorted(chosen * width))))
    return tuple(sorted(found, key=component_key))


def all_components(cards: Cards, trump: Trump) -> tuple[Component, ...]:
    """Every component contained in a set, those inside wider or longer ones too. Source: docs/rules.md §7."""
    found: list[Component] = []
    for width in range(1, max(Counter(cards).values(), default=0) + 1):
        length = 1
        while some := components_of_shape(cards, (width, length), trump):
            found.extend(some)
            length += 1
    return tuple(sorted(found, key=component_key))


def component_key(component: Component) -> ComponentKey:
    """The order in which components are written: §7's tie-break. Source: docs/rules.md §7."""
    return (-component.width, -component.length, -component.top, component.cards)


def partition_key(partition: Iterable[Component]) -> tuple[int, list[Shape], list[ComponentKey]]:
    """Least for the best partition: fewest, lexicographically greatest, then the tie-break.

    Source: docs/rules.md §7.
    """
    keys = sorted(component_key(component) for component in partition)
    return (len(keys), [(key[0], key[1]) for key in keys], keys)


def all_partitions(cards: Cards, trump: Trump) -> Iterator[tuple[Component, ...]]:
    """Every partition of a set into components. Source: docs/rules.md §7."""
    if not cards:
        yield ()
        return
    for component in _components_with_lowest(cards, trump):
        for rest in all_partitions(without(cards, component.cards), trump):
            yield (component, *rest)


def decompose(cards: Cards, trump: Trump) -> tuple[Component, ...]:
    """The decomposition of a set of one effective suit, high to low. Source: docs/rules.md §7."""
    assert len({effective_suit(card, trump) for card in cards}) == 1, f"not of one suit: {text(cards)}"
    return _best_partition(tuple(sorted(cards)), trump)


def shapes_of(components: Iterable[Component]) -> tuple[Shape, ...]:
    """The shapes of some components, high to low. Source: docs/rules.md §7."""
    return tuple(sorted((component.shape for component in components), reverse=True))


@lru_cache(CACHE_SIZE)
def _best_partition(cards: Cards, trump: Trump) -> tuple[Component, ...]:
    # Memoised: partition_key orders multisets step by step, so the rest of a best partition is a best partition too.
    if not cards:
        return ()
    partitions: Iterator[tuple[Component, ...]] = (
        (component, *_best_partition(without(cards, component.cards), trump))
        for component in _components_with_lowest(cards, trump)
    )
    return tuple(sorted(min(partitions, key=partition_key), key=component_key))


def _components_with_lowest(cards: Cards, trump: Trump) -> list[Component]:
    lowest = min(cards, key=lambda card: (order(card, trump), card))
    return [component for component in all_components(cards, trump) if lowest in component.cards]


# ---- §9 follow


@lru_cache(None)
def ways(width: int, length: int, policy: str) -> tuple[tuple[Shape, ...], ...]:
    """Every way to break a component, the best first. Source: docs/rules.md §9."""
    full: dict[str, list[tuple[Shape, ...]]] = {"full": [], "run": [], "other": []}
    for way in sorted(tilings(width, length), reverse=True):
        has_run = any(piece_length > 1 for _, piece_length in way)
        if policy == "triples_then_tractors" and all(piece_width == width for piece_width, _ in way):
            full["full"].append(way)
        elif policy != "width_first" and has_run:
            full["run"].append(way)
        else:
            full["other"].append(way)
    return (*full["full"], *full["run"], *full["other"])


def tilings(width: int, length: int) -> set[tuple[Shape, ...]]:
    """Every tiling of a width x length rectangle, column by column. Source: docs/rules.md §9."""
    states: set[tuple[tuple[Shape, ...], tuple[Shape, ...]]] = {((), ())}
    for _ in range(length):
        states = {
            (opened, tuple(sorted(closed + dropped)))
            for running, closed in states
            for column in _integer_partitions(width, width)
            for opened, dropped in _joinings(column, running)
        }
    return {tuple(sorted(running + closed, reverse=True)) for running, closed in states}


def _integer_partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in _integer_partitions(total - part, part):
            yield (part, *rest)


def _joinings(column: tuple[int, ...], running: tuple[Shape, ...]) -> set[tuple[tuple[Shape, ...], tuple[Shape, ...]]]:
    """Each piece of a column starts anew or prolongs a running piece of its width (never a single)."""
    if not column:
        return {((), running)}
    width, rest = column[0], column[1:]
    found = {(tuple(sorted((*opened, (width, 1)))), dropped) for opened, dropped in _joinings(rest, running)}
    for index, (running_width, running_length) in enumerate(running):
        if running_width == width > 1:
            for opened, dropped in _joinings(rest, running[:index] + running[index + 1 :]):
                found.add((tuple(sorted((*opened, (width, running_length + 1)))), dropped))
    return found


def can_supply(cards: Cards, shapes: Iterable[Shape], trump: Trump) -> bool:
    """Whether a set contains components of all these shapes, disjointly. Source: docs/rules.md §9."""
    return packing(cards, shapes, trump) is not None


def packing(cards: Cards, shapes: Iterable[Shape], trump: Trump) -> Cards | None:
    """Some disjoint components of these shapes, as one set, or None. Source: docs/rules.md §9."""
    shapes = tuple(sorted(shapes, reverse=True))
    if sum(width * length for width, length in shapes) > len(cards):
        return None
    wide = tuple(shape for shape in shapes if shape[0] > 1)
    chosen = _pack(tuple(sorted(cards)), wide, trump)
    if chosen is None:
        return None
    return tuple(sorted(chosen + without(cards, chosen)[: len(shapes) - len(wide)]))


@lru_cache(CACHE_SIZE)
def _pack(cards: Cards, shapes: tuple[Shape, ...], trump: Trump) -> Cards | None:
    if not shapes:
        return ()
    if not _has_enough_blocks(cards, shapes):
        return None
    for component in components_of_shape(cards, shapes[0], trump):
        others = _pack(without(cards, component.cards), shapes[1:], trump)
        if others is not None:
            return component.cards + others
    return None


def _has_enough_blocks(cards: Cards, shapes: tuple[Shape, ...]) -> bool:
    """Necessary only, to end hopeless searches: count the disjoint blocks of 2, 3, 4 identical cards."""
    counts = Counter(cards).values()
    return all(
        sum(count // block for count in counts) >= sum(width // block * length for width, length in shapes)
        for block in (2, 3, 4)
    )


def demand(lead: Cards, hand: Cards, trump: Trump, policy: str) -> tuple[Shape, ...]:
    """What a hand with more cards of the led suit than were led must play. Source: docs/rules.md §9."""
    cards = of_suit(hand, effective_suit(lead[0], trump), trump)
    assert len(cards) > len(lead), "no demand on a hand that plays its whole suit"
    chosen: tuple[Shape, ...] = ()
    for component in decompose(lead, trump):
        chosen += next(
            way for way in ways(component.width, component.length, policy) if can_supply(cards, chosen + way, trump)
        )
    return tuple(sorted(chosen, reverse=True))


def is_legal_follow(play: Cards, lead: Cards, hand: Cards, trump: Trump, policy: str) -> bool:
    """Whether a play may follow what was led. Source: docs/rules.md §9."""
    if len(play) != len(lead) or not contains(hand, play):
        return False
    suit = effective_suit(lead[0], trump)
    held, played = of_suit(hand, suit, trump), of_suit(play, suit, trump)
    if len(held) <= len(lead):
        return played == held
    return len(played) == len(lead) and can_supply(play, demand(lead, hand, trump, policy), trump)


def legal_follows(lead: Cards, hand: Cards, trump: Trump, policy: str) -> list[Cards]:
    """Every legal follow, by trying every set of that size: keep hands small. Source: docs/rules.md §9."""
    hand = tuple(sorted(hand))
    return sorted(play for play in sub_multisets(hand, len(lead)) if is_legal_follow(play, lead, hand, trump, policy))


# ---- §8 lead


def is_legal_lead(play: Cards, hand: Cards, trump: Trump, throws: bool) -> bool:
    """Whether a set may be led, or attempted as a throw. Source: docs/rules.md §8."""
    if not play or not contains(hand, play):
        return False
    if len({effective_suit(card, trump) for card in play}) > 1:
        return False
    return throws or len(decompose(play, trump)) == 1


def legal_leads(hand: Cards, trump: Trump, throws: bool) -> list[Cards]:
    """Every legal lead, by trying every set of one effective suit. Source: docs/rules.md §8."""
    found = []
    for suit in range(TRUMP_SUIT + 1):
        cards = of_suit(hand, suit, trump)
        for size in range(1, len(cards) + 1):
            found += [play for play in sub_multisets(cards, size) if is_legal_lead(play, cards, trump, throws)]
    return sorted(found)


def beaten_components(lead: Cards, other_hands: Iterable[Cards], trump: Trump) -> tuple[Component, ...]:
    """The components of a throw that some other seat beats, high to low. Source: docs/rules.md §8."""
    components = decompose(lead, trump)
    if len(components) == 1:
        return ()
    suit = effective_suit(lead[0], trump)
    hands = [of_suit(hand, suit, trump) for hand in other_hands]
    return tuple(component for component in components if any(_beats(hand, component, trump) for hand in hands))


def forced_choices(lead: Cards, other_hands: Iterable[Cards], trump: Trump) -> tuple[Component, ...]:
    """The choices that a failed throw leaves: one for each shape and top. Source: docs/rules.md §8."""
    choices: dict[tuple[Shape, int], Component] = {}
    for component in sorted(beaten_components(lead, other_hands, trump), key=component_key):
        choices.setdefault((component.shape, component.top), component)
    return tuple(choices.values())


def led_after_throw(
    lead: Cards,
    other_hands: Iterable[Cards],
    trump: Trump,
    failed_throw: str,
    choice: Cards | None = None,
) -> Cards:
    """What is led in the end; `choice` is needed only where the next seat must choose.

    Source: docs/rules.md §8.
    """
    choices = forced_choices(lead, other_hands, trump)
    if not choices:
        return tuple(sorted(lead))
    if failed_throw == "smallest":
        return min(choices, key=_smallest_key).cards
    if failed_throw == "lowest":
        return min(decompose(lead, trump), key=_lowest_key).cards
    if failed_throw == "lowest_card":
        beaten = min(beaten_components(lead, other_hands, trump), key=lambda part: _by_suit_key(part, trump))
        return (min(beaten.cards, key=lambda card: order(card, trump)),)
    if len(choices) == 1:
        return choices[0].cards
    assert choice in [component.cards for component in choices], "the choice is none of the beaten components"
    return choice


def _beats(hand: Cards, component: Component, trump: Trump) -> bool:
    return any(other.top > component.top for other in components_of_shape(hand, component.shape, trump))


def _smallest_key(component: Component) -> tuple[int, int, Shape, ComponentKey]:
    return (len(component.cards), component.top, component.shape, component_key(component))


def throw_price(lead: Cards, other_hands: Iterable[Cards], trump: Trump, options: Options) -> int:
    """What the side of a seat pays whose throw fails. Source: docs/rules.md §8."""
    beaten = beaten_components(lead, other_hands, trump)
    if options.throw_penalty_per == "throw":
        return options.throw_penalty
    return options.throw_penalty * sum(len(component.cards) for component in beaten)


def _by_suit_key(component: Component, trump: Trump) -> tuple[int, int]:
    """The top, and of level cards that are equal the suit: spades, hearts, clubs, diamonds."""
    highest = max(component.cards, key=lambda card: order(card, trump))
    is_level = highest < LITTLE_JOKER and highest % 13 == trump.level
    return (component.top, "SHCD".index(SUITS[highest // 13]) if is_level else 0)


def _lowest_key(component: Component) -> tuple[int, int, ComponentKey]:
    return (component.top, len(component.cards), component_key(component))


# ---- §10 who wins the trick


def trick_winner(plays: Sequence[Cards], trump: Trump, throw_contest: str = "principal") -> int:
    """Index of the winning play; `plays` in turn order, the first is what was led.

    Source: docs/rules.md §10.
    """
    shapes = shapes_of(decompose(plays[0], trump))
    suit = effective_suit(plays[0][0], trump)
    best, best_strength = 0, _strength(plays[0], shapes, suit, trump)
    assert best_strength is not None
    tops: tuple[int, ...] | None = None
    for index, play in enumerate(plays[1:], start=1):
        strength = _strength(play, shapes, suit, trump)
        if strength is None:
            continue
        is_ruff = suit != TRUMP_SUIT and strength[0]
        if throw_contest == "highest" and is_ruff and len(shapes) > 1:
            strength = (True, max(order(card, trump) for card in play))
        if throw_contest == "all" and is_ruff and tops is not None:
            wins = [new for new in all_tops(play, shapes, trump) if all(map(int.__gt__, new, tops))]
            best, tops = (index, max(wins)) if wins else (best, tops)
        elif strength > best_strength:
            best, best_strength = index, strength
            tops = max(all_tops(play, shapes, trump)) if throw_contest == "all" and is_ruff else None
    return best


@lru_cache(CACHE_SIZE)
def all_tops(cards: Cards, shapes: tuple[Shape, ...], trump: Trump) -> frozenset[tuple[int, ...]]:
    """The tops of every partition into `shapes`, in their order and for equal shapes from high to low.

    Source: docs/rules.md §10.
    """
    if not shapes:
        return frozenset({()} if not cards else ())
    if shapes[0] == (1, 1):
        # Nothing but singles is left: there is one partition.
        return frozenset({tuple(sorted((order(card, trump) for card in cards), reverse=True))})
    found = set()
    for component in components_of_shape(cards, shapes[0], trump):
        for others in all_tops(without(cards, component.cards), shapes[1:], trump):
            same = shapes.count(shapes[0])
            tops = (component.top, *others)
            found.add((*sorted(tops[:same], reverse=True), *tops[same:]))
    return frozenset(found)


def highest_top(cards: Cards, shapes: tuple[Shape, ...], trump: Trump) -> int | None:
    """Highest top of the first shape over all partitions into `shapes`; None: there is none.

    Source: docs/rules.md §10.
    """
    return max(
        (
            component.top
            for component in components_of_shape(tuple(sorted(cards)), shapes[0], trump)
            if can_supply(without(cards, component.cards), shapes[1:], trump)
        ),
        default=None,
    )


def _strength(play: Cards, shapes: tuple[Shape, ...], led_suit: int, trump: Trump) -> tuple[bool, int] | None:
    """Whether it is trumps and how high, for a contending play; None for a discard."""
    suits = {effective_suit(card, trump) for card in play}
    if suits != {led_suit} and suits != {TRUMP_SUIT}:
        return None
    top = highest_top(play, shapes, trump)
    return None if top is None else (suits == {TRUMP_SUIT}, top)


# ---- §11 kitty


def kitty_multiplier(cards: Cards, trump: Trump, kind: str) -> int:
    """By how much the kitty's points count; `cards` are those that decide it. Source: docs/rules.md §11."""
    if kind == "none":
        return 0
    if kind == "double":
        return 2
    if kind == "cards":
        return 2 * len(cards)
    shapes = shapes_of(decompose(cards, trump))
    if kind == "component":
        return 2 * max(width * length for width, length in shapes)
    if kind == "exponential":
        return min(64, 1 << max(width * length for width, length in shapes))
    assert kind == "pattern", kind
    return _pattern_multiplier(shapes)


def _pattern_multiplier(shapes: tuple[Shape, ...]) -> int:
    titanics = [length for width, length in shapes if width >= 3 and length >= 2]
    if titanics:
        return int(2 * 3 ** max(titanics))
    if any(width >= 3 for width, _ in shapes):
        return 6
    tractors = [length for width, length in shapes if width == 2 and length >= 2]
    if tractors:
        return 2 << max(tractors)
    return 4 if any(width == 2 for width, _ in shapes) else 2


# ---- §12 result of a round


class ResultTable(NamedTuple):
    """Bounds with levels: the declarers' (below it), the attackers' (from it on), then one each `step`; 0: none.

    Source: docs/rules.md §12.
    """

    at_most_zero: int
    declarers: tuple[tuple[int, int], ...]
    attackers: tuple[tuple[int, int], ...]
    step: int


RESULT_TABLES: dict[str, ResultTable] = {
    "one_deck": ResultTable(2, ((40, 1),), ((40, 0), (80, 1), (100, 2), (120, 3)), 20),
    "two_deck": ResultTable(3, ((40, 2), (80, 1)), ((80, 1), (120, 2)), 40),
    "competition": ResultTable(3, ((40, 2), (80, 1)), ((80, 0), (120, 1)), 40),
    "three_deck": ResultTable(3, ((60, 2), (120, 1)), ((120, 0), (180, 1), (240, 2)), 60),
    "four_deck": ResultTable(3, ((80, 2), (160, 1)), ((160, 0), (240, 1)), 80),
    "botzone": ResultTable(3, ((40, 2), (80, 1)), ((80, 1), (120, 2), (160, 3)), 0),
}


def share_table(points_dealt: int) -> ResultTable:
    """The table for decks with other points. Source: docs/rules.md §12."""
    assert points_dealt % 5 == 0, points_dealt
    fifth = points_dealt // 5
    return ResultTable(3, ((fifth, 2), (2 * fifth, 1)), ((2 * fifth, 1), (3 * fifth, 2)), fifth)


def settle(
    result_table: str, attackers_points: int, attackers_won_last_trick: bool = False, points_dealt: int = 0
) -> tuple[str | None, int]:
    """Who wins the round and the table's figure of levels; winner None: a draw. Source: docs/rules.md §12."""
    if result_table == "one_deck_45":
        return _settle_45(attackers_points, attackers_won_last_trick)
    table = share_table(points_dealt) if result_table == "share" else RESULT_TABLES[result_table]
    if attackers_points <= 0:
        return ("declarers", table.at_most_zero)
    for bound, levels in table.declarers:
        if attackers_points < bound:
            return ("declarers", levels)
    last_bound, last_levels = table.attackers[-1]
    if attackers_points >= last_bound and table.step:
        return ("attackers", last_levels + (attackers_points - last_bound) // table.step)
    return ("attackers", max(levels for bound, levels in table.attackers if attackers_points >= bound))


def _settle_45(attackers_points: int, attackers_won_last_trick: bool) -> tuple[str | None, int]:
    reasons = (attackers_points >= 45) + attackers_won_last_trick
    if reasons:
        return ("attackers", reasons)
    return (None, 0) if attackers_points == 40 else ("declarers", 1)


def next_declarer(declarer: int, winner: str | None) -> int | None:
    """Who declares the next round; None after a draw. Source: docs/rules.md §12."""
    if winner is None:
        return None
    return (declarer + (2 if winner == "declarers" else 1)) % NUM_SEATS


def fallen_level(kind: str, winning_play: Cards, trump: Trump, winner: str | None) -> int | None:
    """Level to which the declarers fall if the attackers win the last trick with this play; None: they do not.

    Source: docs/rules.md §13.
    """
    jack = RANKS.index("J")
    is_of_level = all(card < LITTLE_JOKER and card % 13 == trump.level for card in winning_play)
    if kind == "none" or not is_of_level:
        return None
    if kind == "jack_ace":
        is_pair = len(winning_play) == 2 and len(set(winning_play)) == 1
        return 0 if trump.level in (jack, ACE) and (is_pair or len(winning_play) == 1) else None
    if trump.level != jack or len(winning_play) != 1:
        return None
    if kind == "jack_single":
        return 0
    assert kind == "jack_suit", kind
    if winner != "attackers":
        return None
    return 0 if winning_play[0] // 13 == trump.suit else RANKS.index("6")


def raise_levels(
    levels: tuple[int, int],
    declarer: int,
    winner: str | None,
    nominal: int,
    match_end: str,
    must_defend: str = "",
    fallen: int | None = None,
) -> tuple[tuple[int, int], int]:
    """The levels (rank indices, by team) after a round, and how many were really risen.

    `fallen` is the level to which the declarers fall before anybody rises.

    Source: docs/rules.md §13.
    """
    after = list(levels)
    if fallen is not None:
        after[declarer % 2] = fallen
    if winner is None:
        return (after[0], after[1]), 0
    team = declarer % 2 if winner == "declarers" else 1 - declarer % 2
    has_held = winner == "declarers" and fallen is None
    if match_end == "pass_ace" and has_held and levels[team] == ACE:
        return levels, 1
    before = after[team]
    required = [RANKS.index(rank) for rank in must_defend]
    raised = min(before + nominal, ACE + 1 if match_end == "beyond_ace" else ACE)
    if not has_held and before in required:
        raised = before
    # The first required level above the old one is as far as it goes.
    raised = min([raised, *(level for level in required if level > before)])
    after[team] = min(raised, ACE)
    return (after[0], after[1]), raised - before


def is_match_over(
    levels: tuple[int, int],
    new_levels: tuple[int, int],
    declarer: int,
    winner: str | None,
    rounds_played: int,
    options: Options,
    lost: int = 0,
    risen: int = 0,
) -> bool:
    """Whether a round ends the match; `levels` before it, `new_levels` after it.

    `lost` are the levels by which the declarers fell, `risen` those by which the winners then rose.

    Source: docs/rules.md §13.
    """
    if options.match_end == "rounds":
        return rounds_played >= options.match_rounds
    if options.match_end == "pass_ace":
        return winner == "declarers" and levels[declarer % 2] == ACE and not lost
    if options.match_end == "beyond_ace":
        if winner == "declarers":
            return levels[declarer % 2] - lost + risen > ACE
        return winner == "attackers" and levels[1 - declarer % 2] + risen > ACE
    return ACE in new_levels


# ---- §4 bidding


def legal_bids(
    hand: Iterable[int], level_rank: int, standing: Bid | None, standing_is_mine: bool, options: Options
) -> tuple[Bid, ...]:
    """Every bid that a seat may make (besides passing). Source: docs/rules.md §4."""
    held = Counter(hand)
    bids: list[Bid] = [(count, suit) for suit in range(4) for count in range(1, held[13 * suit + level_rank] + 1)]
    if options.no_trump_bids:
        bids += [(count, "LJ") for count in range(2, held[LITTLE_JOKER] + 1)]
        bids += [(count, "BJ") for count in range(2, held[BIG_JOKER] + 1)]
    if options.bid_ladder == "call_snatch":
        return _calls_and_snatches(bids, standing, standing_is_mine, options)
    if standing is None:
        return tuple(bids)
    if standing_is_mine:
        return tuple(bid for bid in bids if bid[1] == standing[1] and bid[0] > standing[0])
    if not options.overturn:
        return ()
    return tuple(bid for bid in bids if bid_strength(bid, options) > bid_strength(standing, options))


def _calls_and_snatches(bids: Iterable[Bid], standing: Bid | None, is_mine: bool, options: Options) -> tuple[Bid, ...]:
    """One level card, then once a pair, then nothing. Source: docs/rules.md §4."""
    if standing is None:
        return tuple(bid for bid in bids if bid[0] == 1)
    if standing[0] == 1 and (is_mine or options.overturn):
        return tuple(bid for bid in bids if bid[0] == 2)
    return ()


def bid_strength(bid: Bid, options: Options) -> tuple[int, int]:
    """Count, then kind: suits (equal, or D C H S from two cards on) below jokers. Source: docs/rules.md §4."""
    count, kind = bid
    if kind not in ("LJ", "BJ"):
        is_ranked = options.bid_suits == "ranked" and count >= 2
        return (count, "DCHS".index(SUITS[kind]) if is_ranked else 0)
    return (count, 5 if kind == "BJ" and options.joker_bids == "ranked" else 4)


def is_weak(hand: Cards, trump: Trump, options: Options) -> bool:
    """Whether a hand may rebel. Source: docs/rules.md §4."""
    trumps = of_suit(hand, TRUMP_SUIT, trump)
    return points(hand) <= options.rebellion_points or len(trumps) <= options.rebellion_trumps


def bid_cards(bid: Bid, level_rank: int) -> Cards:
    """The cards that a bid shows. Source: docs/rules.md §4."""
    count, kind = bid
    if kind == "LJ":
        return (LITTLE_JOKER,) * count
    if kind == "BJ":
        return (BIG_JOKER,) * count
    return (13 * kind + level_rank,) * count


def flipped_trump(kitty: Iterable[int]) -> int | None:
    """The trump suit that a turned up kitty gives; None: no trump. Source: docs/rules.md §4."""
    return next((card // 13 for card in kitty if card < LITTLE_JOKER), None)


def kitty_lot(kitty: Sequence[int], options: Options) -> tuple[int, int]:
    """The trump suit and the declarer that are drawn by lot from the kitty, in its order. Source: docs/rules.md §4."""
    suits = suits_dealt(options)
    lot = sum(place * card for place, card in enumerate(kitty, start=1))
    return suits[lot % len(suits)], lot // len(suits) % NUM_SEATS
