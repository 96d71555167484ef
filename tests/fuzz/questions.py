"""Inputs of the referee: cards, trumps, seats, levels, bids, as text and as counts; and lines that people type."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from shengji_env.engine import referee
from shengji_env.engine.actions import parse_action
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS, RANKS, card_id, parse_card_list
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_env.players.typed import read_typed_cards, read_typed_trump
from tests.fuzz.alterations import edit_text, text_edits
from tests.fuzz.values import anything, sometimes

# ---- questions to the referee

_hearts = [text for text in CARD_TEXTS if text[0] in "HB"]
_texts_of_cards = st.builds(
    " ".join, st.lists(st.sampled_from(_hearts), max_size=8) | st.lists(st.sampled_from(CARD_TEXTS), max_size=12)
)


def _count(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    """Counts by card id of (card, count) pairs."""
    counts = np.zeros(NUM_CARDS, np.int64)
    for card, count in pairs:
        counts[card] = count
    return counts


_counts = st.lists(st.tuples(st.integers(0, NUM_CARDS - 1), st.integers(0, 4)), max_size=8).map(_count)
_cards = st.builds(
    " ".join, st.lists(st.sampled_from(_hearts), max_size=8) | st.lists(st.sampled_from(CARD_TEXTS), max_size=12)
)
_counts = st.lists(st.integers(0, 3), min_size=NUM_CARDS, max_size=NUM_CARDS).map(
    lambda counts: np.where(np.array(counts) > 1, counts, 0)
)
_cards = sometimes(
    _texts_of_cards | _counts, st.tuples(_texts_of_cards, text_edits).map(lambda made: edit_text(*made)) | anything
)
_trump = sometimes(st.builds(referee.Trump, st.sampled_from([*"CDHS", None]), st.sampled_from(RANKS)))
_rules = sometimes(st.sampled_from(list(RULE_SETS)))
_seat = sometimes(st.integers(0, 3))
_levels = sometimes(st.lists(st.sampled_from(RANKS), min_size=2, max_size=2))
_bid = sometimes(st.none() | st.tuples(_seat, sometimes(st.sampled_from(["H2", "H2 H2", "LJ LJ", "BJ BJ BJ"]))))
_hands = sometimes(st.lists(_cards, max_size=3))

_ASKED: dict[str, tuple[Any, ...]] = {
    "decompose": (_cards, _trump),
    "demand": (_cards, _cards, _trump, _rules),
    "is_legal_follow": (_cards, _cards, _cards, _trump, _rules),
    "check_follow": (_cards, _cards, _cards, _trump, _rules),
    "legal_follows": (_cards, _cards, _trump, _rules),
    "check_lead": (_cards, _trump, _rules),
    "legal_leads": (_cards, _trump, _rules),
    "beaten_components": (_cards, _hands, _trump),
    "led_after_throw": (_cards, _hands, _trump, _rules, sometimes(st.none() | _cards)),
    "trick_winner": (sometimes(st.lists(_cards, max_size=4)), _seat, _trump, _rules),
    "kitty_multiplier": (_cards, _trump, _rules),
    "settle": (_rules, sometimes(st.integers(-100, 400)), sometimes(st.booleans())),
    "legal_bids": (_cards, _levels, _seat, _bid, _rules),
    "Trump": (sometimes(st.sampled_from([*"CDHS", None])), sometimes(st.sampled_from(RANKS))),
    "rule_set": (_rules,),
}
questions = st.sampled_from(sorted(_ASKED)).flatmap(lambda name: st.tuples(st.just(name), st.tuples(*_ASKED[name])))
_MAX_PLAYS = 20


def ask(case: tuple[str, tuple[Any, ...]]) -> None:
    """Ask a question; of many legal plays, look at the first."""
    name, arguments = case
    answer = getattr(referee, name)(*arguments)
    if name in ("legal_leads", "legal_follows"):
        list(islice(answer, _MAX_PLAYS))


# ---- texts

_READERS: dict[str, Callable[[Any], object]] = {
    "parse_cards": referee.parse_cards,
    "parse_card_list": parse_card_list,
    "card_id": card_id,
    "Trump.parse": referee.Trump.parse,
    "parse_action": lambda text: parse_action(text, trump=3, level=0),
    "typed cards": read_typed_cards,
    "typed trump": read_typed_trump,
}
_written = st.sampled_from(
    [
        "S2 HT DK",
        "H3 H3 LJ BJ",
        "h 3 3 s a",
        "♥ 3 3   ♠ A",
        "小王 大王",
        "h10,h10;s2",
        "S5",
        "NT5",
        "pass",
        "bid S2 S2",
        "name NT",
    ]
)
notations = st.tuples(
    st.sampled_from(sorted(_READERS)),
    st.tuples(_written, text_edits).map(lambda made: edit_text(*made))
    | st.text("CDHS23456789TJQKALB10♥ ,hs", max_size=20)
    | st.text(),
)


def read_notation(case: tuple[str, str]) -> None:
    """Read a text as one of the notations."""
    reader, text = case
    _READERS[reader](text)
