"""Which cards a deck has: the texts of the option `cards`.

A text is suits, ranks and jokers as words, such as ``HS 9TJ`` or ``CDHS 3456789TJQKA LJ BJ``; the empty text stands for
all 54 cards.

Source: docs/rules.md §1.
"""

from functools import cache

from shengji_env.engine.cards import CARD_TEXTS, JOKERS, NUM_CARDS, RANKS, SUITS
from shengji_env.errors import RuleSetError, show

CARD_WORDS = (*SUITS, *RANKS, *JOKERS)
"""What a text is made of: suits and ranks, written together, and jokers."""


def sorted_cards(option: str, text: str) -> str:
    """Return a text of cards with suits and ranks in ascending order; the empty text if it names all cards.

    Raises:
        RuleSetError: it is not a text of cards.
    """
    if not text.strip():
        return ""
    words = text.upper().split()
    suits, ranks, jokers = words[0], "".join(words[1:2]), words[2:]
    parts = ((suits, SUITS), (ranks, RANKS), (jokers, JOKERS))
    if not suits or not ranks or any(len(set(part)) < len(part) or not set(part) <= set(all_) for part, all_ in parts):
        raise RuleSetError(
            f"{option}={show(text)} is not a set of cards; write suits, ranks and jokers, each once, such as HS 9TJ or "
            f"{SUITS} {RANKS} {' '.join(JOKERS)}"
        )
    if len(suits) + len(ranks) + len(jokers) == len(CARD_WORDS):
        return ""
    in_order = ["".join(sorted(part, key=all_.index)) for part, all_ in parts[:2]]
    return " ".join([*in_order, *sorted(jokers, key=JOKERS.index)])


def has_word(text: str, word: str) -> bool:
    """Return whether a sorted text names a suit, a rank or a joker; the empty text names none."""
    words = text.split()
    return word in words[2:] if word in JOKERS else any(word in part for part in words[:2])


def is_dealt(text: str, card: int) -> bool:
    """Return whether a deck of a sorted text has a card, given by its id."""
    name = CARD_TEXTS[card]
    if not text or name in JOKERS:
        return not text or has_word(text, name)
    suits, ranks = text.split()[:2]
    return name[0] in suits and name[1] in ranks


@cache
def cards_dealt(text: str) -> tuple[bool, ...]:
    """Return for each card id whether a deck of a sorted text has it."""
    return tuple(is_dealt(text, card) for card in range(NUM_CARDS))
