"""Rounds from elsewhere, people's games above all, as records: a deal and what was done, in card text, checked.

A reader of another format makes `GivenRound`s; `import_rounds` writes them as a record. Nothing is believed: every
decision is made through the engine, and the first that the rules do not allow is refused with its turn and what would
have been legal.

| a turn's text | in which phase |
|---|---|
| ``bid S2 S2``, ``pass`` | bids; passes may be left out: then a bid is made as soon as its seat may make it |
| ``name S``, ``name NT`` | naming trumps |
| ``rebel``, ``pass`` | rebelling, or not (`GivenRound.abandoned` holds the deals that rebellions have ended) |
| ``H3 H4 …`` | burying, leading (a throw as it was attempted), following, choosing from a failed throw |

Source: docs/offline.md.
"""

import gzip
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shengji_env.engine.actions import NAME, TRUMP_TEXTS, action_text
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import format_cards
from shengji_env.engine.referee import Trump, legal_follows
from shengji_env.engine.referee.values import to_cards
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import Phase, State
from shengji_env.errors import RecordError, ShengjiError, show
from shengji_env.records.reading import begin_transcript, check_round, compile_replay, read_header
from shengji_env.records.replaying import make_decision
from shengji_env.records.transcript import KINDS, Transcript
from shengji_env.records.writing import record_header, record_line
from shengji_env.render.round_record import AbandonedDeal, Round
from shengji_env.support.arguments import check_seat
from shengji_env.support.text_files import COMPRESSED
from shengji_env.support.whole_files import write_whole

_MAX_SHOWN = 6
"""Legal plays that an error lists, as an example if there are as many."""
_LEGAL = "; legal: "
_BID, _PASS, _NAME, _REBEL = "bid", "pass", "name", "rebel"
_PASSED = (Phase.BID, Phase.REBEL)
"""Phases in which passes may be left out."""


@dataclass(frozen=True, kw_only=True)
class GivenRound:
    """A round as somebody else has noted it."""

    turns: Sequence[tuple[int, str]]
    """What was done in order: the seat, and its text as in the table above."""
    deal: str
    """All cards in the order drawn, the kitty last; `deal_of` makes it of hands."""
    levels: Sequence[str] = ("2", "2")
    """Ranks of the teams {0, 2} and {1, 3}."""
    declarer: int | None = None
    """Who declares; None: it is bid for."""
    first_drawer: int = 0
    """Who draws first if nobody declares yet."""
    trump: str | None = None
    """What is trumps, where they are not bid for: C, D, H, S or NT."""
    redeals: int = 0
    """How often cards were dealt again before this deal, since nobody had bid."""
    abandoned: Sequence[AbandonedDeal] = ()
    """The deals that rebellions have ended, as in a record; `redeals` counts them too."""
    players: Sequence[str] = ("", "", "", "")
    """Who sat in the four seats."""
    name: str = "the round"
    """What errors call it."""


def deal_of(hands: Sequence[str], kitty: str, *, first_drawer: int = 0) -> str:
    """Return a deal in which the seats get these hands, and draw their cards in the order written.

    Args:
        hands: the cards of seats 0 to 3.
        kitty: the cards of the kitty.
        first_drawer: who draws first.

    Raises:
        RecordError: there are not four hands, or they are not of one size.
    """
    first = check_seat("first_drawer", first_drawer, error=RecordError)
    dealt = [hand.split() for hand in hands]
    sizes = [len(hand) for hand in dealt]
    if len(dealt) != NUM_SEATS or len(set(sizes)) > 1:
        raise RecordError(f"the hands have {', '.join(map(str, sizes))} cards; there are {NUM_SEATS}, of one size")
    drawn = itertools.chain.from_iterable(zip(*dealt[first:], *dealt[:first], strict=True))
    return " ".join([*drawn, *kitty.split()])


def import_rounds(path: Path, rounds: Iterable[GivenRound], rules: RuleSet, *, players: Sequence[str]) -> int:
    """Write rounds as a record, compressed if its name ends with ``.gz``; return how many.

    Args:
        path: the record; it is written whole, or not at all if a round is refused.
        rounds: the rounds.
        rules: the rules of all of them.
        players: who sits in the four seats, for the header; each round names its own too.

    Raises:
        RecordError: a round does not follow the rules, or `players` are not four names.
        OSError: the file cannot be written.
    """
    lines = [record_line(record_header(rules, players, None))]
    read_header(lines[0])
    for number, given in enumerate(rounds):
        lines.append(record_line({"table": number, "players": list(given.players), **as_record(given, rules)}))
    content = "".join(lines).encode()
    write_whole(path, gzip.compress(content, mtime=0) if path.suffix == COMPRESSED else content)
    return len(lines) - 1


def as_record(given: GivenRound, rules: RuleSet) -> Round:
    """Return a round as a record's line has it.

    Raises:
        RecordError: it does not follow the rules; the message names the round, the turn (from 1) and what was legal.
    """
    compile_replay()
    transcript = _begin(given, rules)
    for number, turn in enumerate(given.turns, start=1):
        try:
            seat, text = _read_turn(turn)
            if text == _PASS:
                _pass(transcript, seat)
            else:
                _make_passes(transcript, seat, text)
                _take_turn(transcript, seat, text)
        except ShengjiError as error:
            raise RecordError(f"{given.name}, turn {number}, {show(turn)}: {error}") from error
    if transcript.phase != Phase.OVER:
        to_do = f"seat {transcript.seat} is to {KINDS[transcript.phase]}"
        raise RecordError(f"{given.name} breaks off after turn {len(given.turns)}: {to_do}")
    return transcript.record()


def _begin(given: GivenRound, rules: RuleSet) -> Transcript:
    for name in ("turns", "levels", "abandoned", "players"):
        if not isinstance(getattr(given, name), list | tuple):
            raise RecordError(f"{given.name}: {name}={show(getattr(given, name))} must be a list or a tuple")
    start = {name: getattr(given, name) for name in ("deal", "declarer", "first_drawer", "redeals", "trump")}
    if given.abandoned:
        start["abandoned"] = list(given.abandoned)
    start |= {"levels": list(given.levels), "round": 0, "decisions": [], "players": list(given.players)}
    if given.declarer is not None:
        start["first_drawer"] = given.declarer
    if rules.bidding != "fixed":
        start["trump"] = ""
    try:
        return begin_transcript(check_round(start, rules), rules)
    except ShengjiError as error:
        raise RecordError(f"{given.name}: {error}") from error


def _read_turn(turn: tuple[int, str]) -> tuple[int, str]:
    try:
        seat, text = turn
        words = text.split()
    except (TypeError, ValueError, AttributeError):
        raise RecordError("a turn is a seat and a text, as (1, 'bid S2')") from None
    return check_seat("seat", seat, error=RecordError), " ".join(words)


def _pass(transcript: Transcript, seat: int) -> None:
    """Pass, if the seat is asked now: one that could not bid, or has no weak hand, is not."""
    if transcript.phase in _PASSED and transcript.seat == seat:
        _make(transcript, None)


def _make_passes(transcript: Transcript, seat: int, text: str) -> None:
    """Make the passes that come before a turn and have been left out."""
    offered: dict[str, None] = {}
    is_bid = text.partition(" ")[0] == _BID
    while transcript.phase in _PASSED:
        if transcript.seat == seat:
            level = reading_of(transcript.states[0], seat)[1]
            legal = [action_text(int(action), trump=NO_TRUMP, level=level) for action in transcript.legal_actions()]
            if text in legal or (text == _REBEL and transcript.phase == Phase.REBEL):
                return
            offered |= dict.fromkeys(legal[1:])
        try:
            _make(transcript, None)
        except RecordError:  # nobody has bid, so the cards would be dealt again
            if is_bid:
                break
            raise
    if is_bid:
        legal_bids = ", ".join(offered) or "nothing, it cannot bid"
        raise RecordError(f"{_why_not(transcript, seat, text)}{_LEGAL}{legal_bids}")


def _why_not(transcript: Transcript, seat: int, text: str) -> str:
    """Return why a seat cannot make a bid, as far as the standing one says."""
    last = next((step for step in reversed(transcript.decisions) if step.get("bid")), None)
    refused = f"no time comes at which seat {seat} may {text}"
    if last is None:
        return refused
    if last["seat"] != seat:
        return f"{refused}, over the standing bid of seat {last['seat']}, {last['bid']}"
    may = "it may only reinforce it, with more of the same card, until the kitty is taken up"
    return f"seat {seat} holds the standing bid, {last['bid']}, so it may not {text}: {may}"


def _take_turn(transcript: Transcript, seat: int, text: str) -> None:
    """Make a decision; an error says what would have been legal."""
    phase, before = transcript.phase, transcript.states.copy()
    if phase == Phase.OVER:
        raise RecordError("the round is over before it")
    word, _, rest = text.partition(" ")
    try:
        if seat != transcript.seat:
            raise RecordError(f"it is the turn of seat {transcript.seat}, to {KINDS[phase]}")
        if (word == _NAME) != (phase == Phase.NAME):
            raise RecordError(f"seat {seat} is to {KINDS[phase]}")
        _make(transcript, rest if word in (_BID, _NAME) else text)
    except ShengjiError as error:
        why, _, example = str(error).partition(_LEGAL)  # of all that is legal, the referee names an example
        legal = _legal_text(transcript, before[0]) or example
        raise RecordError(f"{why}{_LEGAL}{legal}" if legal else why) from error


def _make(transcript: Transcript, answer: str | None) -> None:
    """Make the decision of the seat whose turn it is."""
    is_rebel = transcript.phase == Phase.REBEL
    decision: dict[str, Any] = {
        "seat": transcript.seat,
        KINDS[transcript.phase]: answer == _REBEL if is_rebel else answer,
    }
    if transcript.phase == Phase.BID:
        decision["drawn"] = int(transcript.states["drawn"][0])
    make_decision(transcript, decision)


def _legal_text(transcript: Transcript, state: State) -> str:
    """Return what was legal at the beginning of a decision, as far as it is not said otherwise."""
    phase, rules = Phase(int(state["phase"])), transcript.rules
    if phase == Phase.NAME:
        return ", ".join(f"name {TRUMP_TEXTS[action - NAME]}" for action in transcript.legal_actions())
    if phase not in (Phase.BURY, Phase.LEAD, Phase.FOLLOW):
        return ""
    trump = Trump.of(int(state["trump"]), int(state["level_rank"]))
    hand = to_cards(state["hands"][state["seat"]], trump)
    if phase == Phase.FOLLOW:
        led = to_cards(state["trick"][state["leader"]], trump)
        plays = [format_cards(play) for play in itertools.islice(legal_follows(led, hand, trump, rules), _MAX_SHOWN)]
        return ", ".join([*plays, "…"] if len(plays) == _MAX_SHOWN else plays)
    number = f"{rules.kitty} cards" if phase == Phase.BURY else "a lead"
    return f"{number} out of {format_cards(hand)}"
