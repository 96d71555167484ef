"""What a person is asked, which cards may join those chosen, and how an answer is read.

The person may answer in any order of cards; the referee says why an answer is refused.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import card_text, count_cards, format_cards, parse_card_list
from shengji_env.engine.referee import decompose, demand
from shengji_env.engine.referee.values import excess_card, to_cards
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import Phase
from shengji_env.errors import NotationError
from shengji_env.players.answers import Answer, Decision
from shengji_table.web.extensions import (
    Extensions,
    follow_extensions,
    follow_objections,
    forced_cards,
    lead_extensions,
    lead_objections,
)
from shengji_table.web.messages import Ask, Extend

_MAX_TEXT = 400
"""Most characters of cards in a message."""
_OF_CARDS = (Phase.BURY, Phase.LEAD, Phase.FOLLOW)


def ask_of(decision: Decision, truth: Any, *, is_forced: bool) -> Ask:
    """Return what a person is asked at a decision of the play; `truth` is the state with all cards."""
    kind, kitty = decision.phase.name.lower(), _taken_up(decision, truth)
    led = components_of(decision, decision.led) if decision.phase == Phase.FOLLOW else ()
    return Ask(kind, size_of(decision), tuple(decision.options), is_forced=is_forced, kitty=kitty, components=led)


def components_of(decision: Decision, cards: NDArray[np.int8]) -> tuple[tuple[int, int], ...]:
    """Return width and length of each component of a lead, counted by card id."""
    return tuple(component.shape for component in decompose(cards, decision.trump))


def _taken_up(decision: Decision, truth: Any) -> str:
    """Return the kitty that a seat is to bury again: as it was dealt, or what the taker before it has buried."""
    if decision.phase != Phase.BURY:
        return ""
    takers = truth["takers"][: truth["num_takers"]].tolist()
    if len(takers) == 1:
        first = NUM_SEATS * decision.rules.hand
        return format_cards(count_cards(truth["deal"][first : first + decision.rules.kitty]))
    return format_cards(to_cards(truth["passed_on"][takers[-2]], decision.trump))


def size_of(decision: Decision) -> int | None:
    """Return how many cards are to be chosen; None: any number, or none."""
    sizes = {Phase.BURY: decision.rules.kitty, Phase.FOLLOW: int(decision.state["lead_size"])}
    return sizes.get(decision.phase)


def read_cards(text: str) -> str:
    """Return the cards of a message in a fixed form.

    Raises:
        NotationError: it does not consist of cards.
    """
    if len(text) > _MAX_TEXT:
        raise NotationError(f"{len(text)} characters are more than a hand of cards")
    return format_cards(count_cards(parse_card_list(text)))


def read_answer(decision: Decision, text: str) -> Answer:
    """Read a whole answer.

    Raises:
        NotationError: it cannot be read.
        IllegalPlayError: the rules do not allow it; the reason says why.
    """
    if decision.phase == Phase.NAME:
        if text not in TRUMP_TEXTS:
            raise NotationError(f"trumps are one of {', '.join(TRUMP_TEXTS)}")
        return decision.read(text)
    return decision.read(read_cards(text))


def extend(decision: Decision, text: str, move: int) -> Extend:
    """Return which cards may join those that a person has chosen.

    Raises:
        NotationError: the text does not consist of cards that the hand holds.
    """
    cards = count_cards(parse_card_list(read_cards(text)))
    if excess_card(cards, decision.hand) is not None:
        raise NotationError(f"the hand does not hold {format_cards(cards)}")
    found = _extensions(decision, cards)
    owed: tuple[tuple[int, int], ...] = ()
    forced = ""
    if decision.phase == Phase.FOLLOW:
        follower = (decision.led, decision.hand, decision.trump, decision.rules)
        owed, forced = demand(*follower), format_cards(forced_cards(*follower))
    reasons: dict[str, str | None] = {card_text(card): reason for card, reason in found.reasons.items()}
    is_dead = not found.is_whole and all(reasons.values())
    wrong = objections(decision, text) if is_dead else []
    return Extend(move, format_cards(cards), found.is_whole, reasons, list(owed), size_of(decision), wrong, forced)


def objection(decision: Decision, text: str) -> tuple[str, str]:
    """Return the code of why a play is illegal, and the card that it is about; text that was read before."""
    if decision.phase not in _OF_CARDS:
        return "illegal", ""
    wrong = objections(decision, text)
    return (wrong[0][1], wrong[0][0]) if wrong else ("too_few", "")


def objections(decision: Decision, text: str) -> list[tuple[str, str]]:
    """Return the cards of a text that may not join those before them, and why; text that was read before."""
    cards, rules = parse_card_list(text), decision.rules
    excess = excess_card(count_cards(cards), decision.hand)
    if excess is not None:
        return [(card_text(excess), "unread")]
    if decision.phase == Phase.LEAD:
        wrong = lead_objections(decision.hand, cards, decision.trump, rules)
    elif decision.phase == Phase.FOLLOW:
        wrong = follow_objections(decision.led, decision.hand, cards, decision.trump, rules)
    else:
        wrong = [(card, "enough") for card in cards[rules.kitty :]]
    return [(card_text(card), reason) for card, reason in wrong]


def _extensions(decision: Decision, cards: NDArray[np.int8]) -> Extensions:
    """Return how the chosen cards may go on."""
    rules, trump = decision.rules, decision.trump
    if decision.phase == Phase.LEAD:
        return lead_extensions(decision.hand, cards, trump, rules)
    if decision.phase == Phase.FOLLOW:
        return follow_extensions(decision.led, decision.hand, cards, trump, rules)
    if decision.phase == Phase.BURY:
        return _bury_extensions(decision, cards)
    raise NotationError("no cards of the hand are to be chosen now")


def _bury_extensions(decision: Decision, cards: NDArray[np.int8]) -> Extensions:
    kitty, size = decision.rules.kitty, int(cards.sum())
    left = [int(card) for card in np.flatnonzero(decision.hand > cards)]
    return Extensions(size == kitty, dict.fromkeys(left, "enough" if size >= kitty else None))


def text_of(decision: Decision, answer: Answer) -> str:
    """Return an answer as the page shows it; nothing for no bid."""
    if isinstance(answer, int):
        text = decision.text(answer)
        return "" if text == "pass" else text
    return format_cards(to_cards(answer, decision.trump))
