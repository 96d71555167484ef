"""Whole plays as text: what a seat may decide, its cards taken together.

| phase | text |
|---|---|
| BID | ``pass``, ``bid S2 S2`` |
| NAME | ``name S``, ``name NT`` |
| BURY, LEAD, FOLLOW | the cards, ``H3 H3 H4``: a lead as attempted |
| FORCED | the component that is led, ``HK HK`` |

Cards are written with ascending card ids, and read in any order. Plays are listed in the order of their actions; those
of a decision under way hold the cards that are already taken.

Source: docs/positions.md.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, parse_action
from shengji_env.engine.bids import bid_level
from shengji_env.engine.cards import format_cards
from shengji_env.engine.referee import Trump, check_follow, check_lead
from shengji_env.engine.referee.position import in_order
from shengji_env.engine.referee.values import excess_card, read_cards, to_cards
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import Phase
from shengji_env.envs.positions.game import Game
from shengji_env.envs.positions.kernels import ILLEGAL, make_action
from shengji_env.errors import IllegalActionError, NotationError, show

if TYPE_CHECKING:
    from shengji_env.envs.positions.position import Position

CARD_PHASES = (Phase.BURY, Phase.LEAD, Phase.FOLLOW)
"""Phases whose decisions are sets of cards, taken one by one."""
_NO_SEED = np.uint64(0)


def trump_of(states: NDArray[Any]) -> Trump:
    """Return what is trump in a state (1,)."""
    return Trump.of(int(states["trump"][0]), int(states["level_rank"][0]))


def take_cards(game: Game, states: NDArray[Any], cards: NDArray[np.int8]) -> bytes | None:
    """Take cards, counts by card id, in a state (1,), which changes; return the actions, None if one is not legal."""
    trump = trump_of(states)
    led = int(states["lead_suit"][0]) if states["phase"][0] == Phase.FOLLOW else None
    actions = bytes(in_order(cards, trump, led))
    for action in actions:
        if make_action(states, states, game.shared, game.scratch.works, _NO_SEED, 0, action) == ILLEGAL:
            return None
    return actions


def legal_plays(position: "Position") -> Iterator[str]:
    """Iterate over everything that the seat to move may decide, each play once."""
    if position.phase in CARD_PHASES:
        yield from _walk(position)
        return
    for action in position.legal_actions():
        if position.phase == Phase.FORCED:
            led = position.apply(action).states
            yield format_cards(to_cards(led["trick"][0, led["leader"][0]], trump_of(led)))
        else:
            yield position.action_text(action)


def _walk(position: "Position") -> Iterator[str]:
    decision, trump = (position.phase, position.seat), trump_of(position.states)
    trail = [(position, iter(position.legal_actions()))]
    while trail:
        before, actions = trail[-1]
        action = next(actions, None)
        if action is None:
            trail.pop()
            continue
        after = before.apply(action)
        if (after.phase, after.seat) == decision:
            trail.append((after, iter(after.legal_actions())))
            continue
        taken = before.states["taken"][0]
        if action != DONE:
            taken[action] += 1
        yield format_cards(to_cards(taken, trump))


def apply_play(position: "Position", play: str) -> "Position":
    """Return the position after a whole play.

    Raises:
        NotationError: the text is no play.
        IllegalActionError: the play is not legal here.
    """
    if not isinstance(play, str):
        raise NotationError(f"{show(play)} is no play: a play is written as text")
    if position.is_terminal():
        raise _refusal(position, play, "the round is over")
    if position.phase in CARD_PHASES:
        return _take(position, play)
    if position.phase == Phase.FORCED:
        return _force(position, play)
    level = int(bid_level(position.states[0], position.seat))
    action = parse_action(play, trump=NO_TRUMP, level=level)
    if action not in position.legal_actions():
        legal = [position.action_text(legal) for legal in position.legal_actions()]
        raise _refusal(position, play, "the rules do not allow it now", legal)
    return position.apply(action)


def _take(position: "Position", play: str) -> "Position":
    """Take the cards of a play that are not yet taken, and end the decision."""
    states = position.states
    trump, taken = trump_of(states), states["taken"][0].copy()
    cards = read_cards(play, decks=position.rules.decks)
    left = cards - to_cards(taken, trump)
    if (left < 0).any():
        raise _refusal(position, play, f"{format_cards(to_cards(taken, trump))} is already taken for this decision")
    led = int(states["lead_suit"][0]) if position.phase == Phase.FOLLOW else None
    later, decision = position, (position.phase, position.seat)
    for action in in_order(left, trump, led):
        if (later.phase, later.seat) != decision or action not in later.legal_actions():
            raise _why_not(position, play, cards)
        later = later.apply(action)
    if (later.phase, later.seat) == decision:
        if DONE not in later.legal_actions():
            raise _why_not(position, play, cards)
        later = later.apply(DONE)
    return later


def _why_not(position: "Position", play: str, cards: NDArray[np.int8]) -> IllegalActionError:
    """Return the error that says why cards may not be played, in the referee's words."""
    state, rules = position.states[0], position.rules
    trump = trump_of(position.states)
    hand = to_cards(state["hands"][position.seat], trump)
    if excess_card(cards, hand) is not None:
        return _refusal(position, play, f"the hand is {format_cards(hand)}")
    if position.phase == Phase.BURY:
        return _refusal(position, play, f"{rules.kitty} cards are buried, not {cards.sum()}")
    try:
        if position.phase == Phase.FOLLOW:
            check_follow(to_cards(state["trick"][state["leader"]], trump), hand, cards, trump, rules)
        else:
            check_lead(cards, trump, rules)
    except IllegalActionError as error:
        return _refusal(position, play, error.reason, error.legal)
    return _refusal(position, play, "its cards cannot follow those already taken")


def _force(position: "Position", play: str) -> "Position":
    """Choose the component of a failed throw that a play names."""
    wanted = format_cards(read_cards(play, decks=position.rules.decks))
    choices = list(legal_plays(position))
    if wanted not in choices:
        raise _refusal(position, play, "it is no beaten component of the throw", choices)
    return position.apply(position.legal_actions()[choices.index(wanted)])


def _refusal(
    position: "Position", play: str, reason: str, legal: tuple[str, ...] | list[str] = ()
) -> IllegalActionError:
    return IllegalActionError(position.phase.name, position.seat, play, reason, legal)
