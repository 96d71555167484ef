"""Reading records back: every decision is made again, every value compared.

`RecordReader` reads a record line by line. A record that breaks the rules, or whose values disagree with its own
decisions, is refused with the line (from 1) and the ply (the index in ``decisions``, from 0).

Source: docs/records.md.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from shengji_env.engine.cards import MAX_DECKS, NUM_CARDS
from shengji_env.engine.rule_options import ABOUT, DEFAULTS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet, rule_set
from shengji_env.engine.state import Phase
from shengji_env.errors import DealError, RecordError, RuleSetError
from shengji_env.records.replaying import make_decision, same_words
from shengji_env.records.transcript import KINDS, Transcript
from shengji_env.records.writing import RECORD_FORMAT, record_header
from shengji_env.render.round_record import AbandonedDeal, Round, RoundSoFar
from shengji_env.support.announcing import part
from shengji_env.support.text_files import TOO_DEEP, lines_of, open_text, parse_json
from shengji_env.tables.reset_options import read_options

_OPTIONAL = {"table": int, "players": list, "match_round": int, "abandoned": list}
_REQUIRED = {
    "round": int,
    "levels": list,
    "declarer": int | None,
    "first_drawer": int,
    "redeals": int,
    "deal": str,
    "decisions": list,
}
_OF_ABANDONED: dict[str, type] = {"deal": str, "redeals": int, "decisions": list}
_JOINED = (
    "another header: several records have been joined into this file, but one record has one; cut the file before each "
    "header, or take this one out if rules and players are the same"
)
_MAX = {"round": np.iinfo(np.int32).max, "match_round": np.iinfo(np.int16).max}
_TYPE_TEXTS: dict[Any, str] = {int: "a number", str: "a text", list: "a list", int | None: "a number or null"}


class ReplayedRound(NamedTuple):
    """A round that has been checked."""

    line: int
    """Number of its line in the record, from 1."""
    record: Round
    """The content of the line."""
    actions: tuple[int, ...]
    """The actions that make up its decisions."""


class RecordReader:
    """The rounds of a record, each checked as it is read.

    How many rounds there are to be is not known: lines that are missing at the end are not noticed, and a header alone
    is a record without rounds.

    A match continues from line to line: a line whose ``match_round`` is not 0 must start as the previous line of the
    same table ended.

    Args:
        lines: a path, or the lines of a record, for example an open file; the header is read at once.

    Attributes:
        rules: the rules of all rounds.
        players: who sits in the four seats.
        seed: the seed of the deals that the header names, or None.
        characters: number of characters read so far.

    Raises:
        RecordError: the header is missing or invalid; while iterating: a round is wrong.
    """

    def __init__(self, lines: Iterable[str] | str | os.PathLike[str]) -> None:
        compile_replay()
        self.characters = 0
        self._lines = self._numbered(lines)
        header = next(self._lines, None)
        if header is None:
            raise RecordError("line 1: a header is missing; the record is empty")
        self.rules, self.players, self.seed = read_header(header[1])
        self._last_rounds: dict[int, tuple[Round, bool]] = {}

    def _numbered(self, lines: Iterable[str] | str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not blank, with their numbers."""
        if isinstance(lines, str | os.PathLike):
            with open_text(Path(lines), RecordError) as file:
                yield from self._numbered(file)
            return
        for number, text in enumerate(lines_of(lines, RecordError), start=1):
            self.characters += len(text)
            if text.strip():
                yield number, text

    def __iter__(self) -> Iterator[ReplayedRound]:
        for number, text in self._lines:
            with Reading(number) as position:
                line = object_of(text)
                if "format" in line:
                    raise RecordError(_JOINED)
                given = check_round(line, self.rules)
                yield ReplayedRound(number, given, tuple(self._replay(given, position).actions))

    def _replay(self, given: Round, position: "Reading") -> Transcript:
        if given.get("match_round", 0):
            self._check_goes_on(given)
        transcript = begin_transcript(given, self.rules)
        for ply, decision in enumerate(given["decisions"]):
            position.ply = ply
            make_decision(transcript, decision)
        if transcript.phase != Phase.OVER:
            position.ply = len(given["decisions"])
            raise RecordError(f"the round breaks off: seat {transcript.seat} is to {KINDS[transcript.phase]}")
        position.ply = None
        compare("", given, transcript.record())
        if "match_round" in given:
            is_over = bool(transcript.states["result"]["match_over"][0])
            self._last_rounds[given.get("table", 0)] = (given, is_over)
        return transcript

    def _check_goes_on(self, given: Mapping[str, Any]) -> None:
        """Check that a round starts as the previous round of its match ended."""
        table, number = given.get("table", 0), given["match_round"]
        before = self._last_rounds.get(table)
        if before is None or before[0]["match_round"] != number - 1:
            raise RecordError(f"match_round={number} does not follow a line with match_round={number - 1}")
        if before[1]:
            raise RecordError(f"match_round={number}, but the match was over with match_round={number - 1}")
        result = before[0]["result"]
        for name, ended in {"levels": result["new_levels"], "declarer": result["next_declarer"]}.items():
            if given[name] != ended:
                raise RecordError(f"{name} is {given[name]!r}, but the round before ended with {ended!r}")


class Reading:
    """A position in the file: a RecordError raised in the block names it at the beginning of its message."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.ply: int | None = None

    def __enter__(self) -> "Reading":
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, RecordError | RecursionError):
            ply = "" if self.ply is None else f", ply {self.ply}"
            what = error if isinstance(error, RecordError) else TOO_DEEP
            raise RecordError(f"line {self.line}{ply}: {what}") from error.__cause__


@part("replay", "the engine: records read back")
def compile_replay() -> None:
    """Begin to read a round."""
    deal = np.tile(np.arange(NUM_CARDS), MAX_DECKS)
    transcript = Transcript(rule_set("two_deck"), {"deal": deal})
    transcript.make(int(transcript.legal_actions()[0]))


def object_of(text: str) -> dict[str, Any]:
    """Return a line's object.

    Raises:
        RecordError: the line is no JSON object.
    """
    try:
        value = parse_json(text, RecordError)
    except RecordError as error:
        cut = "" if text.endswith("\n") else "; the file is cut off here"
        raise RecordError(f"{error}{cut}") from error.__cause__
    if not isinstance(value, dict):
        raise RecordError(f"a line is one JSON object, not {text.strip()[:40]!r}")
    return value


def read_header(line: str, form: str = RECORD_FORMAT) -> tuple[RuleSet, list[str], int | None]:
    """Return the rules, the players and the seed of a record, or of a file of another format, given its first line.

    Raises:
        RecordError: the line is not a header.
    """
    with Reading(1):
        header = object_of(line)
        if header.get("format") != form:
            raise RecordError(f"format={header.get('format')!r}; this reads {form!r}")
        return _read_header(header)


def _read_header(header: Mapping[str, Any]) -> tuple[RuleSet, list[str], int | None]:
    if not isinstance(header.get("rules"), dict) or not isinstance(header["rules"].get("options"), dict):
        raise RecordError("the header lacks rules: preset, options and fingerprint")
    try:
        rules = RuleSet.from_json(header["rules"])
    except RuleSetError as error:
        raise RecordError(f"rules: {error}") from error
    players, seed = _read_players(header.get("players")), header.get("seed")
    if seed is not None and type(seed) is not int:
        raise RecordError(f"seed={seed!r} is not a whole number or null")
    if header["rules"] != _as_written(rules, header["rules"]["options"]):
        raise RecordError("rules must name every option and the fingerprint, and nothing else")
    known = record_header(rules, [], None)
    for name in header:
        if name not in known:
            raise RecordError(f"unknown key {name!r}; a header has {', '.join(known)}")
    return rules, players, seed


def _as_written(rules: RuleSet, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules as a header has them; one written when their preset was another may leave defaults out."""
    written = rules.to_json()
    options = {
        name: value
        for name, value in written["options"].items()
        if name in named or ABOUT[name].edition == 1 or value != DEFAULTS[name]
    }
    return {**written, "options": options}


def _read_players(players: Any) -> list[str]:
    if not isinstance(players, list) or len(players) != NUM_SEATS or not all(isinstance(name, str) for name in players):
        raise RecordError(f"players={players!r} are not {NUM_SEATS} names")
    return players


def check_round(given: Mapping[str, Any], rules: RuleSet) -> Round:
    """Return a line as a round, if the fields that a replay starts from have their types."""
    _check_fields(given, rules, {**_REQUIRED, "trump": str})
    return cast("Round", given)


def check_begun(given: Mapping[str, Any], rules: RuleSet) -> RoundSoFar:
    """Return a round that need not be over, if the fields that a replay starts from have their types."""
    _check_fields(given, rules, {**_REQUIRED, "trump": str} if rules.bidding == "fixed" else _REQUIRED)
    return cast("RoundSoFar", given)


def _check_fields(given: Mapping[str, Any], rules: RuleSet, required: Mapping[str, Any]) -> None:
    for name, kind in {**required, **_OPTIONAL}.items():
        if name not in given:
            if name in required:
                raise RecordError(f"the round lacks {name!r}")
        elif not isinstance(given[name], kind) or isinstance(given[name], bool):
            raise RecordError(f"{name}={given[name]!r} must be {_TYPE_TEXTS[kind]}")
    if "players" in given:
        _read_players(given["players"])
    abandoned = given.get("abandoned", [])
    _check_abandoned(abandoned, rules)
    most = rules.max_redeals + len(abandoned)
    if not len(abandoned) <= given["redeals"] <= most:
        why = "" if rules.rebellion == "none" else f", since 'abandoned' has {len(abandoned)} deals"
        raise RecordError(f"redeals={given['redeals']} must be {len(abandoned)}..{most}{why}")
    for name, most in _MAX.items():
        if not 0 <= given.get(name, 0) < most:
            raise RecordError(f"{name}={given[name]} is not a number of a round")


def _check_abandoned(deals: Sequence[Any], rules: RuleSet) -> None:
    """Check the form of the deals that rebellions have ended."""
    most = 0 if rules.rebellion == "none" or rules.bidding == "fixed" else rules.max_rebellions
    if len(deals) > most:
        raise RecordError(f"{len(deals)} deals are abandoned; under these rules there may be {most}")
    for number, deal in enumerate(deals):
        is_deal = isinstance(deal, dict) and set(deal) == set(_OF_ABANDONED)
        if not is_deal or not all(type(deal[name]) is kind for name, kind in _OF_ABANDONED.items()):
            raise RecordError(f"abandoned[{number}] is not a deal, its redeals and its decisions")


def begin_transcript(given: Round | RoundSoFar, rules: RuleSet) -> Transcript:
    """Return the transcript of a round at the first decision of its last deal, given its line.

    The deals that rebellions have ended before are played, too.

    Raises:
        RecordError: the round cannot begin like this, or an abandoned deal is wrong; the message names its ply.
    """
    start, match_round = start_of(given, rules), given.get("match_round")
    abandoned: list[AbandonedDeal] = []
    for number, deal in enumerate(given.get("abandoned", ())):
        try:
            abandoned.append(_replay_abandoned(deal, rules, start, abandoned))
        except RecordError as error:
            raise RecordError(f"abandoned[{number}]: {error}") from error.__cause__
    _check_redeals([*(deal["redeals"] for deal in abandoned), given["redeals"]], rules)
    return Transcript(rules, start, redeals=given["redeals"], abandoned=abandoned, match_round=match_round)


def _replay_abandoned(
    given: AbandonedDeal, rules: RuleSet, start: Mapping[str, Any], before: Sequence[AbandonedDeal]
) -> AbandonedDeal:
    """Return a deal as its own decisions make it."""
    try:
        deal = read_options({"deal": given["deal"]}, rules, is_match=False, is_recorded=True)["deal"]
    except DealError as error:
        raise RecordError(str(error)) from error
    transcript = Transcript(rules, {**start, "deal": deal}, redeals=given["redeals"], abandoned=before)
    for ply, decision in enumerate(given["decisions"]):
        try:
            make_decision(transcript, decision)
        except RecordError as error:
            raise RecordError(f"ply {ply}: {error}") from error.__cause__
    if not transcript.is_abandoned:
        raise RecordError("its last decision is no rebellion")
    return transcript.as_abandoned()


def _check_redeals(redeals: Sequence[int], rules: RuleSet) -> None:
    """Check how many deals came before each deal of a round; where the last rebel declares, it is never without bid."""
    without_bid = [number - rebellions for rebellions, number in enumerate(redeals)]
    is_fixed = rules.rebellion == "new_declarer"
    for before, after in pairwise(without_bid):
        if after < before or (is_fixed and after != before):
            raise RecordError(f"redeals are {', '.join(map(str, redeals))}, which cannot follow one another")


def start_of(given: Mapping[str, Any], rules: RuleSet) -> dict[str, Any]:
    """Return the fields of the state with which the round begins."""
    names = ["deal", "levels", "declarer", "first_drawer", *["trump"] * (rules.bidding == "fixed")]
    try:
        is_match = "match_round" in given
        start = read_options({name: given[name] for name in names}, rules, is_match=is_match, is_recorded=True)
    except DealError as error:
        raise RecordError(str(error)) from error
    return {**start, "round_index": given["round"]}


def compare(where: str, given: Any, made: Any) -> None:
    """Refuse a record that differs from the result of its own decisions; `where` is the path inside the round."""
    if isinstance(made, dict) and isinstance(given, dict):
        for name in [*made, *given]:
            path = f"{where}.{name}" if where else name
            if name not in given:
                raise RecordError(f"the round lacks {path!r}")
            if name in made:
                compare(path, given[name], made[name])
            elif where or name not in _OPTIONAL:
                raise RecordError(f"unknown key {path!r}")
    elif isinstance(made, list) and isinstance(given, list) and len(made) == len(given):
        for index, (here, there) in enumerate(zip(given, made, strict=True)):
            compare(f"{where}[{index}]", here, there)
    elif not _same(given, made):
        raise RecordError(f"{where} is {given!r}, but the decisions come to {made!r}")


def _same(given: Any, made: Any) -> bool:
    """Return whether two values mean the same; cards may be written in any order."""
    if isinstance(given, str) and isinstance(made, str):
        return same_words(given, made)
    return type(given) is type(made) and bool(given == made)
