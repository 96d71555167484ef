"""Inputs of the referee: cards, trumps, seats, levels, bids, as text and as counts; and lines that people type."""

from itertools import islice

import numpy as np
from hypothesis import strategies as st

from shengji_env.engine import referee
from shengji_env.engine.actions import parse_action
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS, RANKS, card_id, parse_card_list
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_env.players.typed import read_typed_cards, read_typed_trump
from tests.fuzz.alterations import altered
from tests.fuzz.target import target
from tests.fuzz.values import anything, sometimes

# ---- questions to the referee

_hearts = [text for text in CARD_TEXTS if text[0] in "HB"]
_texts_of_cards = st.builds(
    " ".join, st.lists(st.sampled_from(_hearts), max_size=8) | st.lists(st.sampled_from(CARD_TEXTS), max_size=12)
)
_counts = st.lists(st.integers(0, 3), min_size=NUM_CARDS, max_size=NUM_CARDS).map(
    lambda counts: np.where(np.array(counts) > 1, counts, 0)
)
_cards = sometimes(_texts_of_cards | _counts, altered(_texts_of_cards) | anything)
_trump = sometimes(st.builds(referee.Trump, st.sampled_from([*"CDHS", None]), st.sampled_from(RANKS)))
_rules = sometimes(st.sampled_from(list(RULE_SETS)))
_seat = sometimes(st.integers(0, 3))
_levels = sometimes(st.lists(st.sampled_from(RANKS), min_size=2, max_size=2))
_bid = sometimes(st.none() | st.tuples(_seat, sometimes(st.sampled_from(["H2", "H2 H2", "LJ LJ", "BJ BJ BJ"]))))
_hands = sometimes(st.lists(_cards, max_size=3))

_ASKED = {
    "Trump": (sometimes(st.sampled_from([*"CDHS", None])), sometimes(st.sampled_from(RANKS))),
    "beaten_components": (_cards, _hands, _trump),
    "check_follow": (_cards, _cards, _cards, _trump, _rules),
    "check_lead": (_cards, _trump, _rules),
    "decompose": (_cards, _trump),
    "demand": (_cards, _cards, _trump, _rules),
    "is_legal_follow": (_cards, _cards, _cards, _trump, _rules),
    "kitty_multiplier": (_cards, _trump, _rules),
    "led_after_throw": (_cards, _hands, _trump, _rules, sometimes(st.none() | _cards)),
    "legal_bids": (_cards, _levels, _seat, _bid, _rules),
    "legal_follows": (_cards, _cards, _trump, _rules),
    "legal_leads": (_cards, _trump, _rules),
    "rule_set": (_rules,),
    "settle": (_rules, sometimes(st.integers(-100, 400)), sometimes(st.booleans())),
    "trick_winner": (sometimes(st.lists(_cards, max_size=4)), _seat, _trump, _rules),
}


_question = st.one_of(*(st.tuples(st.just(name), st.tuples(*parts)) for name, parts in _ASKED.items()))


@target(weight=80, question=_question)
def test_referee(question):
    """Ask a question; of many legal plays, look at the first."""
    name, arguments = question
    answer = getattr(referee, name)(*arguments)
    if name in ("legal_leads", "legal_follows"):
        list(islice(answer, 20))


# ---- texts

_READERS = {
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
        *("S2 HT DK", "H3 H3 LJ BJ", "h 3 3 s a", "♥ 3 3   ♠ A", "小王 大王", "h10,h10;s2", "S5", "NT5", "pass"),
        *("bid S2 S2", "name NT"),
    ]
)


@target(
    weight=80,
    reader=st.sampled_from(list(_READERS)),
    text=altered(_written) | st.text("CDHS23456789TJQKALB10♥ ,hs", max_size=20) | st.text(),
)
def test_notations(reader, text):
    """Read a text as one of the notations."""
    _READERS[reader](text)
