"""Lines of a record as arrays for compiled code (`recorded_arrays.py`): texts become numbers, nothing is judged yet.

What cannot be right raises one of `WRONG`; the caller has `RecordReader` say what it is.
"""

import functools
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.recorded.recorded_arrays import RECORDED_DECISION_DTYPE, START_DTYPE
from shengji_env.engine.actions import BID_LITTLE, PASS, REBEL, parse_action
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS, RANKS
from shengji_env.engine.play import CARDS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import UNNAMED, Phase
from shengji_env.errors import ShengjiError
from shengji_env.records.reading import check_round
from shengji_env.records.replaying import check_maker
from shengji_env.records.transcript import KINDS, start_after
from shengji_env.tables.reset_options import read_options

WRONG = (ShengjiError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What a line that is not a round may raise here."""

SeatsOf = Callable[[Sequence[str]], int]
"""Says whose decisions are wanted, given the players' names by seat: bit i is seat i."""

_CARD_IDS: Mapping[str, int] = {text: card for card, text in enumerate(CARD_TEXTS)}
_WITH_CARDS = tuple((KINDS[phase], int(phase)) for phase in (Phase.FOLLOW, Phase.LEAD, Phase.BURY, Phase.FORCED))
_FIELDS = ("phase", "seat", "drawn", "action", "rank", "num_cards", "is_substituted")
"""The fields of RECORDED_DECISION_DTYPE, in the order of `_decision`."""
_NO_RANK = -1
_REBEL_ANSWERS = {False: PASS, True: REBEL}


@dataclass(frozen=True, eq=False)
class Decoded:
    """Rounds as compiled code reads them."""

    starts: NDArray[Any]
    """(R,) START_DTYPE."""
    decisions: NDArray[Any]
    """RECORDED_DECISION_DTYPE, by round and order."""
    cards: NDArray[np.int8]
    """Card ids of all decisions."""
    tables: list[int]
    """Number of the table of each round, -1 without one."""


def decode(rounds: Sequence[Any], rules: RuleSet, players: Sequence[str], seats_of: SeatsOf) -> Decoded:
    """Decode rounds.

    Args:
        rounds: what JSON makes of their lines.
        rules: their rules.
        players: the header's, for rounds that name none.
        seats_of: says whose decisions are wanted.
    """
    starts: NDArray[Any] = np.zeros(len(rounds), START_DTYPE)
    decisions: list[int] = []
    words: list[str] = []
    for start, given in zip(starts, rounds, strict=True):
        check_round(given, rules)
        _write_start(start, given, rules)
        start["kept_seats"] = seats_of(given.get("players", players))
        for decision in given["decisions"]:
            decisions += _decision(decision, words)
            decisions.append(check_maker(decision))
    _write_deals(starts, rounds, rules)
    return Decoded(
        starts, _decisions(decisions), np.fromiter(map(_CARD_IDS.__getitem__, words), np.int8, len(words)),
        [given.get("table", -1) for given in rounds],
    )  # fmt: skip


def _write_start(start: Any, given: Mapping[str, Any], rules: RuleSet) -> None:
    wanted = {name: given[name] for name in ("levels", "declarer", "first_drawer")}
    start["trump"] = UNNAMED
    if rules.bidding == "fixed":
        wanted["trump"] = given["trump"]
    for name, value in read_options(wanted, rules, is_match="match_round" in given).items():
        start[name] = value
    abandoned = given.get("abandoned", ())
    for name, value in start_after(rules, abandoned).items():
        start[name] = value
    start["rebellions"] = len(abandoned)
    start["redeals"], start["round_index"] = given["redeals"], given["round"]
    start["match_round"] = given.get("match_round", 0)
    start["num_decisions"] = len(given["decisions"])


def _write_deals(starts: NDArray[Any], rounds: Sequence[Mapping[str, Any]], rules: RuleSet) -> None:
    size = rules.total
    words = [given["deal"].split() for given in rounds]
    deals = np.fromiter(map(_CARD_IDS.__getitem__, chain.from_iterable(words)), np.int8)
    deals = deals.reshape(len(rounds), size)
    if (np.sort(deals, axis=1) != np.repeat(np.arange(NUM_CARDS), rules.copies)).any():
        raise ValueError("a deal does not hold every card as often as it is dealt")
    starts["deal"][:, :size] = deals


def _decision(decision: Mapping[str, Any], words: list[str]) -> tuple[int, int, int, int, int, int]:
    """Return a decision as RECORDED_DECISION_DTYPE has it but for its maker, and add its cards to `words`."""
    seat = decision["seat"]
    num_keys = len(decision) - ("by" in decision)
    if num_keys == 2:
        for kind, phase in _WITH_CARDS:
            if kind in decision:
                cards = decision[kind].split()
                words += cards
                return phase, seat, 0, CARDS, _NO_RANK, len(cards)
        if "rebel" in decision:
            return Phase.REBEL, seat, 0, _REBEL_ANSWERS[decision["rebel"]], _NO_RANK, 0
        return Phase.NAME, seat, 0, parse_action(f"name {decision['name']}", trump=NO_TRUMP, level=0), _NO_RANK, 0
    if num_keys != 3:
        raise ValueError("a decision has other keys")
    bid, drawn = decision["bid"], decision["drawn"]
    if bid is None:
        return Phase.BID, seat, drawn, PASS, _NO_RANK, 0
    return Phase.BID, seat, drawn, *_bid(bid), 0


@functools.lru_cache(maxsize=256)
def _bid(text: str) -> tuple[int, int]:
    """Return the action of a bid, and the rank of the level cards that it shows."""
    rank = RANKS.find(text.split()[0][1])
    action = parse_action(f"bid {text}", trump=NO_TRUMP, level=max(rank, 0))
    return action, rank if action < BID_LITTLE else _NO_RANK


def _decisions(flat: list[int]) -> NDArray[Any]:
    """Return decisions as records; numbers that these cannot hold are refused."""
    columns = np.frombuffer(array("q", flat), np.int64).reshape(-1, len(_FIELDS))
    decisions: NDArray[Any] = np.zeros(len(columns), RECORDED_DECISION_DTYPE)
    for index, name in enumerate(_FIELDS):
        decisions[name] = columns[:, index]
        if (decisions[name] != columns[:, index]).any():
            raise OverflowError(name)
    if ((decisions["seat"] < 0) | (decisions["seat"] >= NUM_SEATS)).any():
        raise ValueError("a seat is none")
    return decisions
