"""Cards: ids, texts, points.

A card id is ``13 * suit + rank`` with C=0 D=1 H=2 S=3 and 2=0 … A=12; the little joker is 52, the big joker 53. A set
of cards is a count vector of 54. A card's text is suit then rank (``S2 HT DK``), ``LJ`` or ``BJ``; cards are separated
by blanks and a repeated card is written again.

Source: docs/rules.md §1.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shengji_env.errors import NotationError, show

SUITS = "CDHS"
RANKS = "23456789TJQKA"
NUM_SUITS = len(SUITS)
NUM_RANKS = len(RANKS)
LITTLE_JOKER = NUM_SUITS * NUM_RANKS
BIG_JOKER = LITTLE_JOKER + 1
NUM_CARDS = BIG_JOKER + 1
MAX_DECKS = 4
MAX_TOTAL = MAX_DECKS * NUM_CARDS

FIVE, TEN, KING, ACE = (RANKS.index(rank) for rank in "5TKA")
JOKERS = ("LJ", "BJ")
CARD_TEXTS = (*(suit + rank for suit in SUITS for rank in RANKS), *JOKERS)
_CARDS = np.arange(NUM_CARDS)
_CARD_IDS = {text: card for card, text in enumerate(CARD_TEXTS)}
CARD_POINTS: NDArray[np.int16] = np.array(
    [{FIVE: 5, TEN: 10, KING: 10}.get(card % NUM_RANKS, 0) if card < LITTLE_JOKER else 0 for card in range(NUM_CARDS)],
    dtype=np.int16,
)
DECK_POINTS = int(CARD_POINTS.sum())


def card_text(card: int) -> str:
    """Return the text of a card id.

    Raises:
        NotationError: `card` is not in 0..53.
    """
    if not 0 <= card < NUM_CARDS:
        raise NotationError(f"{card} is not a card id; ids are 0..{NUM_CARDS - 1}")
    return CARD_TEXTS[card]


def card_id(text: str) -> int:
    """Return the id of a card's text.

    Raises:
        NotationError: `text` is not a card.
    """
    if text not in _CARD_IDS:
        raise NotationError(f"{show(text)} is not a card; write suit ({SUITS}) then rank ({RANKS}), or LJ or BJ")
    return _CARD_IDS[text]


def parse_card_list(text: str) -> list[int]:
    """Return card ids in the order in which the text names them (for example, a deal's order)."""
    return [card_id(word) for word in text.split()]


def parse_cards(text: str) -> NDArray[np.int8]:
    """Return the count vector, shape (54,), of cards written as text.

    Raises:
        NotationError: a word is not a card, or a card occurs more often than four decks hold it.
    """
    counts = count_cards(parse_card_list(text))
    if counts.max(initial=0) > MAX_DECKS:
        card = int(counts.argmax())
        raise NotationError(f"{counts[card]} copies of {card_text(card)}; {MAX_DECKS} decks hold {MAX_DECKS}")
    return counts


def count_cards(cards: Iterable[int]) -> NDArray[np.int8]:
    """Return the count vector, shape (54,), of card ids."""
    return np.bincount(np.fromiter(cards, dtype=np.int64), minlength=NUM_CARDS).astype(np.int8)


def format_cards(counts: NDArray[np.int8]) -> str:
    """Return the text of a count vector, shape (54,), ids ascending."""
    return " ".join([CARD_TEXTS[card] for card in np.repeat(_CARDS, counts).tolist()])
