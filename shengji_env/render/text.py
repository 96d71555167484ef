"""Pieces of text: suit symbols, colours, widths in terminal columns.

Colours are written as marks inside the text (private-use characters), so that widths can be counted; `finish` turns
the marks into ANSI codes or takes them out.
"""

import unicodedata
from collections.abc import Sequence
from typing import Literal

from shengji_env.engine.cards import CARD_TEXTS, LITTLE_JOKER, NUM_RANKS, NUM_SUITS, parse_card_list
from shengji_env.engine.slots import (
    NO_TRUMP,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    card_of_slot,
    slot_of_card,
    suit_end,
    suit_start,
)

Language = Literal["en", "zh"]
SYMBOLS = "♣♦♥♠"
_RED_SUITS = (1, 2)
BULLET = "• "
_NUMBER_WORDS = ("", "one", "two", "three", "four")
_JOKER_TEXTS = ("LJ", "BJ")
_BOLD, _DIM, _NORMAL, _RED, _GREEN, _PLAIN = (chr(0xE000 + style) for style in range(6))
_CODES = {
    _BOLD: "\x1b[1m", _DIM: "\x1b[2m", _NORMAL: "\x1b[22m", _RED: "\x1b[31m", _GREEN: "\x1b[32m", _PLAIN: "\x1b[39m",
}  # fmt: skip
_MARKS = {ord(mark): None for mark in _CODES}


def bold(text: str) -> str:
    """Make text stand out."""
    return _BOLD + text + _NORMAL


def dim(text: str) -> str:
    """Make text less prominent."""
    return _DIM + text + _NORMAL


def green(text: str) -> str:
    """Mark text about who is ahead."""
    return _GREEN + text + _PLAIN


def finish(text: str, *, color: bool) -> str:
    """Return the text with ANSI codes, or without any colour."""
    if not color:
        return text.translate(_MARKS)
    for mark, code in _CODES.items():
        text = text.replace(mark, code)
    return text


def width(text: str) -> int:
    """Return how many columns a text takes in a terminal: Chinese characters take two, marks none."""
    plain = text.translate(_MARKS)
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in plain)


def pad(text: str, columns: int) -> str:
    """Fill the text up with blanks on its right."""
    return text + " " * (columns - width(text))


def center(text: str, columns: int) -> str:
    """Center the text."""
    return pad(" " * ((columns - width(text)) // 2) + text, columns)


def wrap(text: str, columns: int) -> list[str]:
    """Break text at blanks into lines of at most `columns`; if it begins with BULLET, later lines are indented."""
    hanging = " " * width(BULLET) if text.startswith(BULLET) else ""
    lines: list[str] = []
    for word in text.split():
        if lines and width(lines[-1]) + 1 + width(word) <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(hanging + word if lines else word)
    return lines


def number(value: int) -> str:
    """Return a number as text, up to four as a word."""
    return _NUMBER_WORDS[value] if 0 < value < len(_NUMBER_WORDS) else str(value)


def plural(value: int, noun: str) -> str:
    """Return a number of things as text: ``two decks``, ``one level card``, ``8 cards``."""
    return f"{number(value)} {noun}{'' if value == 1 else 's'}"


def suit_symbol(suit: int) -> str:
    """Return the symbol of a suit 0..3, coloured, or ``NT``."""
    if suit == NO_TRUMP:
        return "NT"
    return f"{_RED}{SYMBOLS[suit]}{_PLAIN}" if suit in _RED_SUITS else SYMBOLS[suit]


def seat_text(seat: int, names: Sequence[str]) -> str:
    """Return what a seat is called: its number, with who sits there if that is known."""
    return f"{seat} {names[seat]}" if names else f"seat {seat}"


def card_symbol(card: int) -> str:
    """Return a card as suit symbol and rank, or as LJ, BJ."""
    if card >= LITTLE_JOKER:
        joker = _JOKER_TEXTS[card - LITTLE_JOKER]
        return f"{_RED}{joker}{_PLAIN}" if card > LITTLE_JOKER else joker
    return suit_symbol(card // NUM_RANKS) + CARD_TEXTS[card][1]


def cards_text(counts: Sequence[int], trump: int, level: int, columns: int) -> str:
    """Return cards in slot order by effective suit, such as ``♣ 3 5 5   ♠ 4 J ♥2 ♠2 BJ``.

    Args:
        counts: (54,), by slot.
        trump: 0..3 or NO_TRUMP, of the slots.
        level: rank 0..12, of the slots.
        columns: how many are available. If the text does not fit, it has fewer blanks; if it still does not, it is cut.
    """
    for gap, between in ((" ", "   "), ("", "  "), ("", " ")):
        text = between.join(_suit_texts(counts, trump, level, gap))
        if width(text) <= columns:
            return text
    plain = text.translate(_MARKS)
    return plain[: columns - 1] + "…"


def card_list_text(cards: str, trump: int, level: int, columns: int) -> str:
    """Return cards given as text, ``D5 D5 LJ``, as `cards_text` shows them once trumps are named."""
    counts = [0] * NUM_SLOTS
    for card in parse_card_list(cards):
        counts[slot_of_card(card, trump, level)] += 1
    return cards_text(counts, trump, level, columns)


def _suit_texts(counts: Sequence[int], trump: int, level: int, gap: str) -> list[str]:
    """Return one text for each effective suit with cards; trumps are last, the trump suit's cards under one symbol."""
    texts = []
    for suit in range(NUM_EFFECTIVE_SUITS):
        if trump < NO_TRUMP and suit == NUM_SUITS - 1:
            continue
        words: list[str] = []
        symbol = None
        for slot in range(suit_start(suit, trump), suit_end(suit, trump)):
            card = card_of_slot(slot, trump, level)
            for _ in range(counts[slot]):
                has_symbol = card >= LITTLE_JOKER or card % NUM_RANKS == level
                if not has_symbol and symbol is None:
                    symbol = suit_symbol(card // NUM_RANKS)
                    words.append(symbol)
                words.append(card_symbol(card) if has_symbol else CARD_TEXTS[card][1])
        if words:
            text = gap.join(words)
            texts.append(bold(text) if suit == TRUMP else text)
    return texts
