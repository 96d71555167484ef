"""What a person types: cards and trumps, in more forms than records use.

| typed | cards |
|---|---|
| ``H3 H3``, ``h3,h3``, ``♥3 ♥3`` | two threes of hearts |
| ``h 3 3 s a``, ``♥ 3 3   ♠ A`` | the same and the ace of spades: a suit applies until the next one |
| ``ht``, ``h10`` | the ten of hearts |
| ``lj bj``, ``小王 大王`` | little and big joker |
"""

import re

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import SUITS, card_id, parse_cards
from shengji_env.errors import NotationError

_SYMBOLS = str.maketrans("♣♦♥♠♧♢♡♤", "CDHSCDHS")
_JOKERS = {"小王": " LJ ", "大王": " BJ "}
_SEPARATORS = re.compile(r"[\s,;.+/|·，、；-]+")
_PIECES = re.compile(r"LJ|BJ|10|[CDHS]|[2-9TJQKA]")
_TRUMP_NAMES = {"CLUBS": 0, "DIAMONDS": 1, "HEARTS": 2, "SPADES": 3, "NOTRUMP": 4, "无主": 4}


def read_typed_cards(text: str) -> NDArray[np.int8]:
    """Read cards that a person typed, as a count vector of shape (54,).

    Raises:
        NotationError: a word is not a card.
    """
    suit = ""
    cards: list[str] = []
    for word in _words(text):
        is_suit_open = False
        for piece in _pieces(word):
            is_suit_open = piece in SUITS
            if is_suit_open:
                suit = piece
            elif piece in ("LJ", "BJ"):
                cards.append(piece)
            elif suit:
                cards.append(suit + piece.replace("10", "T"))
            else:
                raise NotationError(f"{word!r} has no suit; write {'H' + piece!r}, say")
        if is_suit_open and len(word) > 1:
            raise NotationError(f"{word!r} ends with a suit that has no rank")
    return parse_cards(" ".join(cards))


def _words(text: str) -> list[str]:
    for name, joker in _JOKERS.items():
        text = text.replace(name, joker)
    return [word for word in _SEPARATORS.split(text.translate(_SYMBOLS).upper()) if word]


def _pieces(word: str) -> list[str]:
    """Split a word into suits, ranks and jokers."""
    pieces = _PIECES.findall(word)
    if "".join(pieces) != word:
        card_id(word)
    return pieces


def read_typed_trump(text: str) -> int:
    """Read a trump suit 0..3, or 4 for no trump, that a person typed: ``h``, ``♥``, ``hearts``, ``NT``.

    Raises:
        NotationError: the text names no suit.
    """
    word = "".join(_words(text))
    if word in TRUMP_TEXTS:
        return TRUMP_TEXTS.index(word)
    if word not in _TRUMP_NAMES:
        raise NotationError(f"{text.strip()!r} names no trumps; write one of {', '.join(TRUMP_TEXTS)}")
    return _TRUMP_NAMES[word]
