"""The values in questions to the referee and in its answers: cards, trumps, components.

Whatever is not of the form that a function here names is refused with a `NotationError`.

Source: docs/rules.md §1, §6, §7.
"""

import contextlib
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import MAX_DECKS, NUM_CARDS, RANKS, SUITS, card_text, format_cards, parse_card_list
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, TRUMP, card_of_slot, slot_of_card, suit_of_slot
from shengji_env.errors import IllegalActionError, NotationError, show

T = TypeVar("T")
Cards: TypeAlias = str | NDArray[Any]
"""A set of cards: text, or a count vector of shape (54,) with any integer dtype."""
Suit = Literal["C", "D", "H", "S"]
Rank = Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]

_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_NO_TRUMP_TEXT = "NT"
_MAX = 2**31 - 1
_WIDTH_NAMES = ("single", "pair", "triple", "quad")
_RUN_NAMES = ("", "tractor of {} pairs", "Titanic of {} triples", "run of {} quads")


class IllegalPlayError(IllegalActionError):
    """An illegal play in a question without a table: an `IllegalActionError` whose `seat` means nothing (-1)."""

    def __init__(self, phase: str, action: str, reason: str, legal: Sequence[str] = ()) -> None:
        super().__init__(phase, -1, action, reason, legal)

    def __str__(self) -> str:
        """One line: what was tried, why it is not allowed, what would be legal."""
        example = f"; legal: {self._legal_text()}" if self.legal else ""
        return f"{self.action!r} is not a legal {self.phase.lower()}: {self.reason}{example}"


@cache
def _slots(trump: int, level: int) -> NDArray[np.int64]:
    slots = np.array([slot_of_card(card, trump, level) for card in range(NUM_CARDS)], dtype=np.int64)
    slots.setflags(write=False)
    return slots


@dataclass(frozen=True)
class Trump:
    """What is trump in a round; its text is suit and level, ``S5`` or ``NT5``. Source: docs/rules.md §6."""

    suit: Suit | None
    """The trump suit; None is no trump."""
    level: Rank
    """The level rank."""

    def __post_init__(self) -> None:
        """Refuse an unknown suit or rank."""
        if self.suit is not None and not _is_one_of(self.suit, get_args(Suit)):
            raise NotationError(f"suit={show(self.suit)} is not a trump suit; it is one of {', '.join(SUITS)}, or None")
        if not _is_one_of(self.level, get_args(Rank)):
            raise NotationError(f"level={show(self.level)} is not a rank; it is one of {', '.join(RANKS)}")

    def __str__(self) -> str:
        """Text that `parse` reads back."""
        return f"{self.suit or _NO_TRUMP_TEXT}{self.level}"

    @staticmethod
    def parse(text: str) -> "Trump":
        """Read a trump: suit or ``NT``, then the level.

        Raises:
            NotationError: the text is not of that form.
        """
        check_text("trump", text)
        suit, level = text.strip()[:-1], text.strip()[-1:]
        try:
            return Trump(None if suit == _NO_TRUMP_TEXT else suit, level)  # type: ignore[arg-type]  # __post_init__ checks
        except NotationError as error:
            raise NotationError(f"{show(text)} is not a trump: {error}") from error

    @staticmethod
    @cache
    def of(suit: int, level: int) -> "Trump":
        """Make a trump of a suit 0..3, or 4 for no trump, and a level rank 0..12."""
        return Trump.parse(TRUMP_TEXTS[suit] + RANKS[level])

    @property
    def suit_index(self) -> int:
        """Suit 0..3 in the engine's order, 4 for no trump."""
        return NO_TRUMP if self.suit is None else SUITS.index(self.suit)

    @property
    def level_index(self) -> int:
        """Level rank 0..12."""
        return RANKS.index(self.level)

    @property
    def slots(self) -> NDArray[np.int64]:
        """Slot of each card id, shape (54,)."""
        return _slots(self.suit_index, self.level_index)

    def card(self, slot: int) -> int:
        """Return the card id of a slot."""
        return int(card_of_slot(slot, self.suit_index, self.level_index))

    def effective_suit(self, card: int) -> int:
        """Return a card id's effective suit: 4 for trumps, plain suits 0..3 as the engine's slots number them."""
        slot = int(slot_of_card(card, self.suit_index, self.level_index))
        return int(suit_of_slot(slot, self.suit_index))

    def suit_name(self, effective_suit: int) -> str:
        """Return what the cards of an effective suit are called."""
        if effective_suit == TRUMP:
            return "trumps"
        return _SUIT_NAMES[effective_suit if effective_suit < self.suit_index else effective_suit + 1]


def _is_one_of(value: Any, texts: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in texts


@dataclass(frozen=True, eq=False)
class Component:
    """`width` identical cards at each of `length` adjacent orders. Source: docs/rules.md §7."""

    width: int
    """Number of identical cards, 1..4."""
    length: int
    """Number of adjacent orders."""
    top: int
    """Card id of its highest cards."""
    cards: NDArray[np.int8]
    """Its cards as a count vector, shape (54,), read-only."""

    def __post_init__(self) -> None:
        """Freeze the cards too."""
        self.cards.setflags(write=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Width and length, by which components compare."""
        return (self.width, self.length)

    def __eq__(self, other: object) -> bool:
        """Whether the cards are the same."""
        return isinstance(other, Component) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        """Its cards as text."""
        return format_cards(self.cards)

    def __repr__(self) -> str:
        cards = f"parse_cards({str(self)!r})"
        return f"Component(width={self.width}, length={self.length}, top={self.top}, cards={cards})"

    def _key(self) -> tuple[int, int, int, bytes]:
        return (self.width, self.length, self.top, self.cards.tobytes())


def shape_text(width: int, length: int) -> str:
    """Return what a shape is called: ``pair``, ``tractor of 2 pairs``."""
    return _WIDTH_NAMES[width - 1] if length == 1 else _RUN_NAMES[width - 1].format(length)


def check_text(what: str, text: str) -> None:
    """Check that a value is text."""
    if not isinstance(text, str):
        raise NotationError(f"{what}={show(text)} is not a text")


def check_trump(trump: Trump) -> None:
    """Check that a value is a `Trump`."""
    if not isinstance(trump, Trump):
        raise NotationError(f"trump={show(trump)} is not a Trump; write Trump('S', '5'), or Trump.parse('S5')")


def read_number(name: str, number: int) -> int:
    """Return a whole number of 32 bits as an int."""
    try:
        index = operator.index(number)
    except TypeError:
        index = _MAX + 1
    if abs(index) > _MAX or isinstance(number, bool):
        raise NotationError(f"{name}={show(number)} is not a whole number from {-_MAX} to {_MAX}")
    return index


def read_seat(name: str, seat: int) -> int:
    """Return a seat as an int."""
    with contextlib.suppress(NotationError):
        number = read_number(name, seat)
        if number in range(NUM_SEATS):
            return number
    raise NotationError(f"{name}={show(seat)} is not a seat; seats are 0..{NUM_SEATS - 1}")


def read_all(name: str, given: Sequence[T], fewest: int, most: int) -> list[T]:
    """Return the values of a sequence of `fewest` to `most` values as a list."""
    is_list = isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim > 0)
    if not is_list or not fewest <= len(given) <= most:
        sizes = str(most) if fewest == most else f"{fewest}..{most}"
        raise NotationError(f"{name}={show(given)} must be a list of {sizes}")
    return list(given)


def read_cards(cards: Cards, *, decks: int = MAX_DECKS) -> NDArray[np.int8]:
    """Return the count vector of cards given as text or counts, at most `decks` of each; always a copy."""
    counts = _count_words(cards) if isinstance(cards, str) else _check_counts(cards)
    for card in range(NUM_CARDS):
        if not 0 <= counts[card] <= decks:
            raise NotationError(
                f"{counts[card]} copies of {card_text(card)!r}; {decks} deck{'s' * (decks > 1)} hold 0..{decks}"
            )
    return counts.astype(np.int8)


def _count_words(text: str) -> NDArray[np.int64]:
    listed = parse_card_list(text)
    return np.bincount(np.array(listed, dtype=np.int64), minlength=NUM_CARDS)


def _check_counts(cards: NDArray[Any]) -> NDArray[Any]:
    try:
        counts = np.asarray(cards)
    except Exception as error:  # lists of unequal lengths, tensors on another device
        raise NotationError(f"{show(cards)} is not a set of cards: {error}") from error
    if counts.shape != (NUM_CARDS,) or counts.dtype.kind not in "iu":
        raise NotationError(
            f"an array of shape {counts.shape}, {counts.dtype} is not a set of cards;"
            f" counts are ({NUM_CARDS},) integers"
        )
    return counts


def to_slots(counts: NDArray[np.int8], trump: Trump) -> NDArray[np.int8]:
    """Convert a count vector of cards to counts by slot."""
    by_slot = np.zeros(NUM_SLOTS, dtype=np.int8)
    by_slot[trump.slots] = counts
    return by_slot


def to_cards(by_slot: NDArray[np.int8], trump: Trump) -> NDArray[np.int8]:
    """Convert counts by slot to a count vector of cards."""
    counts: NDArray[np.int8] = by_slot[trump.slots]
    return counts


def excess_card(part: NDArray[np.int8], whole: NDArray[np.int8]) -> int | None:
    """Return the lowest card id of which `part` has more than `whole`, or None."""
    excess = np.flatnonzero(part > whole)
    return int(excess[0]) if len(excess) else None
