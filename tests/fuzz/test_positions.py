"""Positions: altered texts, and plays as text."""

from functools import cache
from itertools import islice

import numpy as np
from hypothesis import strategies as st

from shengji_env.engine.cards import CARD_TEXTS
from shengji_env.envs.positions import Position
from tests.fuzz.alterations import edit_line, leaf_edits, splice, text_edits
from tests.fuzz.target import target
from tests.fuzz.values import sometimes

_PLACES = 4
_rules = st.sampled_from(["one_deck", "two_deck", "duplicate", "competition"])
_place = st.integers(0, _PLACES - 1)
_words = st.lists(st.sampled_from([*CARD_TEXTS, "pass", "bid", "name", "S", "NT"]), max_size=9).map(" ".join)


@cache
def _positions(rules: str) -> list[Position]:
    """Some positions of a random round."""
    generator, walked = np.random.default_rng(1), [Position.new(rules, seed=1)]
    while not walked[-1].is_terminal():
        walked.append(walked[-1].apply(int(generator.choice(walked[-1].legal_actions()))))
    return [walked[place * (len(walked) - 1) // (_PLACES - 1)] for place in range(_PLACES)]


@target(weight=30, rules=_rules, place=_place, edits=text_edits)
def test_position_texts(rules, place, edits):
    """Read a position's text with pieces changed; what is read must be written and read again."""
    _read(splice(str(_positions(rules)[place]), edits))


@target(weight=30, rules=_rules, place=_place, edits=leaf_edits)
def test_position_documents(rules, place, edits):
    """Read a position's text with values changed."""
    _read(edit_line([str(_positions(rules)[place])], 0, edits))


def _read(text: str) -> None:
    position = Position.from_text(text)
    assert Position.from_text(str(position)) == position
    for seat in range(4):
        position.information_state_text(seat)


@target(weight=30, rules=_rules, place=_place, given=st.tuples(st.integers(0, 9), text_edits) | sometimes(_words))
def test_position_plays(rules, place, given):
    """Make a play given as text, or an altered legal one."""
    position = _positions(rules)[place]
    if isinstance(given, tuple):
        number, edits = given
        given = splice(next(islice(position.legal_plays(), number, None), ""), edits)
    position.apply_play(given)
