"""A record's decisions made again: bids, names and cards as text become actions.

What the rules do not allow is refused with a `RecordError` that says why; `reading.py` adds the position in the file.

Source: docs/records.md.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, PASS, REBEL, parse_action
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import CARD_TEXTS, card_text, count_cards, format_cards, parse_card_list
from shengji_env.engine.referee import Trump, check_follow, check_lead
from shengji_env.engine.referee.play_position import slots_in_order
from shengji_env.engine.referee.values import excess_card, to_cards, to_slots
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import Phase
from shengji_env.errors import IllegalActionError, NotationError, RecordError, show
from shengji_env.records.transcript import KINDS, Transcript

LONGEST_NAME = 1000
"""Most characters of the name of who decided in a seat's place."""


def make_decision(transcript: Transcript, decision: Any) -> None:
    """Make one of a record's ``decisions``.

    Raises:
        RecordError: it is another seat's turn, or the decision does not have the form of its phase, or it is not legal.
    """
    phase, seat = transcript.phase, transcript.seat
    if phase == Phase.OVER:
        raise RecordError(f"{decision!r} comes after the end of the round")
    if transcript.is_abandoned:
        raise RecordError(f"{decision!r} comes after the rebellion that has ended the deal")
    kind = KINDS[phase]
    keys = {"seat", kind} | ({"drawn"} if phase == Phase.BID else set())
    if not isinstance(decision, dict) or set(decision) - {"by"} != keys or decision["seat"] != seat:
        raise RecordError(f"seat {seat} is to {kind}, with the keys {', '.join(sorted(keys))}, not {decision!r}")
    is_substituted = check_maker(decision)
    _answer(transcript, decision, phase)
    if is_substituted:
        transcript.decisions[-1]["by"] = decision["by"]


def check_maker(decision: Mapping[str, Any]) -> bool:
    """Return whether somebody else has made a decision in its seat's place.

    Raises:
        RecordError: its `by` is no name.
    """
    if "by" not in decision:
        return False
    by = decision["by"]
    if not isinstance(by, str) or not 0 < len(by) <= LONGEST_NAME:
        raise RecordError(f"by={show(by)} must be the name of who decided in the seat's place, or be left out")
    return True


def _answer(transcript: Transcript, decision: Mapping[str, Any], phase: Phase) -> None:
    """Make a decision that has the keys of its phase."""
    kind, seat = KINDS[phase], transcript.seat
    answer = decision[kind]
    if phase == Phase.REBEL:
        _rebel(transcript, answer)
        return
    if not isinstance(answer, str | None) or (answer is None and phase != Phase.BID):
        raise RecordError(f"{kind} {answer!r} is not a text")
    drawn = int(transcript.states["drawn"][0])
    if phase == Phase.BID and decision["drawn"] != drawn:
        raise RecordError(f"drawn is {decision['drawn']!r}, but {drawn} cards are dealt")
    try:
        if answer is None or phase in (Phase.BID, Phase.NAME):
            _choose(transcript, phase, answer)
        else:
            _take(transcript, phase, answer)
    except (NotationError, IllegalActionError) as error:
        raise RecordError(f"seat {seat}: {error}") from error


def _rebel(transcript: Transcript, answer: Any) -> None:
    if not isinstance(answer, bool):
        raise RecordError(f"rebel {answer!r} is neither true nor false")
    transcript.make(REBEL if answer else PASS)


def _choose(transcript: Transcript, phase: Phase, answer: str | None) -> None:
    """Bid or name trumps."""
    level = reading_of(transcript.states[0], transcript.seat)[1]
    text = "pass" if answer is None else f"{KINDS[phase]} {answer}"
    action = parse_action(text, trump=NO_TRUMP, level=level)
    if not transcript.is_legal(action):
        raise RecordError(f"seat {transcript.seat} may not {text} now")
    transcript.make(action)


def _take(transcript: Transcript, phase: Phase, answer: str) -> None:
    """Bury, lead, follow, or choose what is led after a failed throw."""
    states = transcript.states  # a field of them all is read several times as fast as one of `states[0]`
    trump = _trump_of(transcript)
    counts = count_cards(parse_card_list(answer))
    holder = int(states["leader"][0]) if phase == Phase.FORCED else transcript.seat
    hand = to_cards(states["hands"][0, holder], trump)
    _check_held(counts, hand, holder)
    number = int(counts.sum())
    needed = {Phase.BURY: transcript.rules.kitty, Phase.FOLLOW: int(states["lead_size"][0])}.get(phase, number)
    if number != needed or needed == 0:
        raise RecordError(f"seat {transcript.seat} is to {KINDS[phase]} {needed or 'some'} cards, not {number}")
    if phase == Phase.FORCED:
        _force(transcript, answer, trump.slots[np.flatnonzero(counts)])
        return
    led = to_cards(states["trick"][0, holder if phase != Phase.FOLLOW else int(states["leader"][0])], trump)
    led_suit = int(states["lead_suit"][0]) if phase == Phase.FOLLOW else None
    for slot in slots_in_order(to_slots(counts, trump), trump, led_suit):
        if not transcript.is_legal(slot):
            raise _refusal(transcript, phase, led, hand, counts)
        transcript.make(slot)
    if phase == Phase.LEAD and transcript.phase == Phase.LEAD:
        transcript.make(DONE)


def _trump_of(transcript: Transcript) -> Trump:
    states = transcript.states
    return Trump.of(int(states["trump"][0]), int(states["level_rank"][0]))


def _check_held(counts: NDArray[np.int8], hand: NDArray[np.int8], seat: int) -> None:
    card = excess_card(counts, hand)
    if card is not None:
        raise RecordError(f"seat {seat} holds {hand[card]} of {card_text(card)}, not {counts[card]}")


def _refusal(
    transcript: Transcript, phase: Phase, led: NDArray[np.int8], hand: NDArray[np.int8], play: NDArray[np.int8]
) -> RecordError:
    """Return the error that says why cards may not be played, in the referee's words."""
    trump = _trump_of(transcript)
    try:
        if phase == Phase.FOLLOW:
            check_follow(led, hand, play, trump, transcript.rules)
        elif phase == Phase.LEAD:
            check_lead(play, trump, transcript.rules)
    except IllegalActionError as error:
        return RecordError(f"seat {transcript.seat}: {error}")
    return RecordError(f"seat {transcript.seat} may not {KINDS[phase]} {format_cards(play)!r}")


def _force(transcript: Transcript, answer: str, slots: NDArray[np.int64]) -> None:
    """Choose the component of a failed throw that a text names."""
    choices = transcript.legal_actions()
    action = int(slots.max())
    if action in choices:
        transcript.make(action)
        if same_words(answer, transcript.decisions[-1]["forced"]):
            return
    trump = _trump_of(transcript)
    tops = ", ".join(CARD_TEXTS[trump.card(int(slot))] for slot in choices)
    raise RecordError(f"{answer!r} is not a beaten component of the throw; their highest cards are {tops}")


def same_words(given: str, made: str) -> bool:
    """Return whether two texts name the same cards, in any order."""
    return sorted(given.split()) == sorted(made.split())
