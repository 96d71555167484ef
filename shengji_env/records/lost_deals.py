"""Deals that players' faults have broken off (`lost.jsonl` of the arena), read back as tables to look at.

The first line is a header as a record has it, with a format of its own. Each other line is a lost deal: who lost it,
where and why, and as ``record`` the round so far, whose decisions are made again as a record's are.

Source: docs/records.md.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase
from shengji_env.errors import RecordError
from shengji_env.records.reading import Reading, begin_transcript, check_begun, compile_replay, object_of, read_header
from shengji_env.records.replaying import make_decision
from shengji_env.records.transcript import Transcript
from shengji_env.records.writing import record_header
from shengji_env.support.text_files import lines_of, open_text

LOST_FORMAT = "shengji-lost/1"
_TEXTS, _NUMBERS = ("player", "error"), ("deal", "table", "round", "ply", "seat")


class LostDeal(NamedTuple):
    """A deal that broke off."""

    line: int
    """Number of its line, from 1."""
    fault: Mapping[str, Any]
    """What is said of it: ``player``, ``deal``, ``table``, ``seat``, ``error`` and so on."""
    players: tuple[str, ...]
    """Who sits in the four seats."""
    transcript: Transcript
    """The round as it broke off, at the decision that was not made."""


def lost_header(rules: RuleSet, players: Sequence[str], seed: int | None) -> dict[str, Any]:
    """Return the first line of a file of lost deals."""
    return {**record_header(rules, players, seed), "format": LOST_FORMAT}


def holds_lost_deals(path: Path) -> bool:
    """Return whether a file begins like one of lost deals; a pipe, which would lose its beginning, does not."""
    if not path.is_file():
        return False
    with open_text(path, RecordError) as file:
        try:
            return object_of(next(lines_of(file, RecordError), "")).get("format") == LOST_FORMAT
        except RecordError:
            return False


def read_lost_deals(path: str | os.PathLike[str]) -> Iterator[LostDeal]:
    """Yield the deals of a file, each checked.

    Raises:
        RecordError: the header or a deal is wrong.
    """
    compile_replay()
    with open_text(Path(path), RecordError) as file:
        lines = enumerate(lines_of(file, RecordError), start=1)
        rules, _, _ = read_header(next(lines)[1], LOST_FORMAT)
        for number, text in lines:
            with Reading(number) as position:
                fault = object_of(text)
                _check(fault)
                transcript = _replay(fault["record"], rules, position)
            yield LostDeal(number, fault, tuple(map(str, fault["record"].get("players", ()))), transcript)


def _check(fault: Mapping[str, Any]) -> None:
    """Refuse what is no lost deal."""
    for names, kind, what in ((_TEXTS, str, "a text"), (_NUMBERS, int, "a number"), (("record",), dict, "a round")):
        for name in names:
            if type(fault.get(name)) is not kind:
                raise RecordError(f"{name}={fault.get(name)!r} of a lost deal must be {what}")


def _replay(given: Mapping[str, Any], rules: RuleSet, position: Reading) -> Transcript:
    """Make the decisions of a round that broke off."""
    begun = check_begun(given, rules)
    transcript = begin_transcript(begun, rules)
    for ply, decision in enumerate(given["decisions"]):
        position.ply = ply
        make_decision(transcript, decision)
    position.ply = None
    if transcript.phase == Phase.OVER:
        raise RecordError("the round has not broken off: it is over")
    return transcript
