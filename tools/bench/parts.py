"""Cases about single parts: the referee's questions, beginning a round, copying a position."""

import copy
from collections.abc import Callable
from functools import partial

from shengji_env import shengji_v0
from shengji_env.engine.referee import Trump, is_legal_follow, legal_follows
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.envs.positions import Position
from shengji_env.vector import BatchEnv
from tools.bench.timing import Case, Group, Trial, Work, counted, rate, trial_of_work

_CALLS, _NANOSECONDS = ("calls/s",), ("ns",)
TRUMP = Trump("S", "2")
HAND = "C3 C5 C5 C8 CT CK D4 D6 D6 D9 DJ DA H3 H3 H4 H5 H5 H9 HQ S2 S6 S8 SK LJ BJ"
FOLLOWS = (("HT", "H4"), ("C7 C7", "C5 C5"), ("H7 H7 H8 H8", "H3 H3 H5 H5"), ("D7 D7 D8 D8", "D4 D6 D6 D9"))
"""Leads with a legal follow: a single, a pair, a tractor followed by two pairs, one by a pair and two singles."""
_BEGUN = 1024
_SEED = 0
_APPLY_NOTE = "with a list of the legal actions; the position before stays"


def cases() -> list[Case]:
    """Return all cases about parts."""
    num_plays = sum(_count_follows(lead) for lead, _ in FOLLOWS) / len(FOLLOWS)
    return [
        Case("referee.is_legal_follow", Group.PARTS, _is_legal, _CALLS, note="cards given as text, 25 in hand"),
        Case(
            "referee.legal_follows",
            Group.PARTS,
            _list_legal,
            _CALLS,
            note=f"all plays listed, {num_plays:.3g} a call; cards given as text, 25 in hand",
        ),
        Case(
            f"reset, {DEFAULT_RULES}, N={_BEGUN:,}",
            Group.PARTS,
            _begin,
            _NANOSECONDS,
            note="a table: deal, the way to the first decision, observation and mask",
        ),
        Case(f"Position.clone, {DEFAULT_RULES}", Group.PARTS, partial(_branch, Position.clone), _NANOSECONDS),
        Case(f"Position.apply, {DEFAULT_RULES}", Group.PARTS, partial(_branch, _apply), _NANOSECONDS, note=_APPLY_NOTE),
        Case(f"raw_env, copy.deepcopy, {DEFAULT_RULES}", Group.PARTS, _deepcopy, _NANOSECONDS),
    ]


def _calls(ask: Callable[[str, str], object]) -> Trial:
    def work() -> int:
        for lead, play in FOLLOWS:
            ask(lead, play)
        return len(FOLLOWS)

    work()
    return trial_of_work(work)


def _count_follows(lead: str) -> int:
    return sum(1 for _ in legal_follows(lead, HAND, TRUMP, DEFAULT_RULES))


def _is_legal() -> Trial:
    return _calls(lambda lead, play: is_legal_follow(lead, HAND, play, TRUMP, DEFAULT_RULES))


def _list_legal() -> Trial:
    return _calls(lambda lead, _: _count_follows(lead))


def _nanoseconds(work: Work) -> Trial:
    work()
    return Trial(lambda seconds: (1e9 / rate(work, seconds),))


def _begin() -> Trial:
    return _nanoseconds(counted(BatchEnv(_BEGUN, DEFAULT_RULES, seed=0).reset, _BEGUN))


def _apply(position: Position) -> Position:
    return position.apply(position.legal_actions()[0])


def _branch(make: Callable[[Position], Position]) -> Trial:
    """Go on from positions of one round."""
    positions = [Position.new(DEFAULT_RULES, seed=_SEED)]
    while not positions[-1].is_terminal():
        positions.append(_apply(positions[-1]))
    del positions[-1]

    def work() -> int:
        for position in positions:
            make(position)
        return len(positions)

    return _nanoseconds(work)


def _deepcopy() -> Trial:
    env = shengji_v0.raw_env(DEFAULT_RULES)
    env.reset(seed=_SEED)
    return _nanoseconds(counted(lambda: copy.deepcopy(env), 1))
