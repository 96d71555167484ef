"""Positions: altered texts, and plays as text."""

import json
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shengji_env.engine.cards import CARD_TEXTS
from shengji_env.envs.positions import Position
from tests.fuzz.alterations import edit_document, edit_text, leaf_edits, text_edits
from tests.fuzz.values import sometimes

_RULES = ("one_deck", "two_deck", "duplicate", "competition")
_PLACES = 4
_place = st.tuples(st.sampled_from(_RULES), st.integers(0, _PLACES - 1))
texts = st.tuples(_place, text_edits)
documents = st.tuples(_place, leaf_edits)
_words = st.lists(st.sampled_from([*CARD_TEXTS, "pass", "bid", "name", "S", "NT"]), max_size=9).map(" ".join)
plays = st.tuples(_place, st.tuples(st.integers(0, 9), text_edits) | sometimes(_words))


@cache
def _positions(rules: str) -> list[Position]:
    """Some positions of a random round."""
    generator, walked = np.random.default_rng(1), [Position.new(rules, seed=1)]
    while not walked[-1].is_terminal():
        walked.append(walked[-1].apply(int(generator.choice(walked[-1].legal_actions()))))
    return [walked[place * (len(walked) - 1) // (_PLACES - 1)] for place in range(_PLACES)]


def prepare() -> None:
    """Make the positions."""
    for rules in _RULES:
        _positions(rules)


def read_text(case: tuple[tuple[str, int], Any]) -> None:
    """Read a position's text with pieces changed; what is read must be written and read again."""
    (rules, place), edits = case
    _read(edit_text(str(_positions(rules)[place]), edits))


def read_document(case: tuple[tuple[str, int], Any]) -> None:
    """Read a position's text with values changed."""
    (rules, place), edits = case
    _read(json.dumps(edit_document(json.loads(str(_positions(rules)[place])), edits)))


def _read(text: str) -> None:
    position = Position.from_text(text)
    assert Position.from_text(str(position)) == position
    for seat in range(4):
        position.information_state_text(seat)


def play(case: tuple[tuple[str, int], Any]) -> None:
    """Make a play given as text, or an altered legal one."""
    (rules, place), given = case
    position = _positions(rules)[place]
    if isinstance(given, tuple):
        number, edits = given
        given = edit_text(next(islice(position.legal_plays(), number, None), ""), edits)
    position.apply_play(given)
