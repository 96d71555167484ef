"""Whole plays as text: what a seat may decide, its cards taken together.

| phase | text |
|---|---|
| BID | ``pass``, ``bid S2 S2`` |
| NAME | ``name S``, ``name NT`` |
| REBEL | ``rebel``, ``pass`` |
| BURY, LEAD, FOLLOW | the cards, ``H3 H3 H4``: a lead as attempted |
| FORCED | the component that is led, ``HK HK`` |

Cards are written with ascending card ids, and read in any order. Plays are listed in the order of their actions; those
of a decision under way hold the cards that are already taken.

Source: docs/environments/positions.md.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import action_text, parse_action
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import format_cards
from shengji_env.engine.play import ILLEGAL
from shengji_env.engine.referee import Trump, check_follow, check_lead
from shengji_env.engine.referee.play_position import walk_plays
from shengji_env.engine.referee.values import excess_card, read_cards, to_cards, to_slots
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import Phase
from shengji_env.envs.positions.histories import Game, copy_states
from shengji_env.envs.positions.position_kernels import take_left
from shengji_env.errors import IllegalActionError, NotationError, show

CARD_PHASES = (Phase.BURY, Phase.LEAD, Phase.FOLLOW)
"""Phases whose decisions are sets of cards, taken one by one."""


def trump_of(states: NDArray[Any]) -> Trump:
    """Return what is trump in a state (1,)."""
    return Trump.of(int(states["trump"][0]), int(states["level_rank"][0]))


def take(game: Game, states: NDArray[Any], cards: NDArray[np.int8], *, is_whole: bool) -> bytes | None:
    """Take cards, counts by card id, in a state (1,), which changes; return the actions, None if one is not legal.

    Args:
        game: the rules.
        states: the state.
        cards: cards that are not taken yet.
        is_whole: whether the decision must end with them.
    """
    scratch = game.scratch
    log = scratch.replay.actions
    number = take_left(states, scratch.memory, to_slots(cards, trump_of(states)), is_whole, log)
    return None if number == ILLEGAL else log[:number].tobytes()


def text_of(states: NDArray[Any], action: int) -> str:
    """Return the text of an action in a state (1,): a card, ``done``, ``pass``, ``bid S2 S2`` or ``name NT``."""
    phase, seat = _asked(states)
    trump, level = reading_of(states[0], seat)
    return action_text(action, trump=trump, level=level, is_bid=phase in (Phase.BID, Phase.REBEL))


def legal_plays(game: Game, states: NDArray[Any]) -> Iterator[str]:
    """Iterate over everything that the seat to move may decide in a state (1,), each play once."""
    phase = _asked(states)[0]
    if phase in CARD_PHASES:
        trump = trump_of(states)
        return (format_cards(to_cards(play, trump)) for play in walk_plays(states, game.legal_actions, game.after))
    text = _component if phase == Phase.FORCED else lambda _, *action: text_of(*action)
    return (text(game, states, action) for action in game.legal_actions(states))


def _component(game: Game, states: NDArray[Any], action: int) -> str:
    """Return the component of a failed throw that an action leads."""
    led = game.after(states, action)
    return format_cards(to_cards(led["trick"][0, led["leader"][0]], trump_of(led)))


def actions_of(game: Game, states: NDArray[Any], play: str) -> bytes:
    """Return the actions of a whole play in a state (1,).

    Raises:
        NotationError: the text is not a play.
        IllegalActionError: the play is not legal here.
    """
    if not isinstance(play, str):
        raise NotationError(f"{show(play)} is not a play: a play is written as text")
    phase, seat = _asked(states)
    if phase == Phase.OVER:
        raise _refusal(states, play, "the round is over")
    if phase in CARD_PHASES:
        return _take_left(game, states, play)
    legal = game.legal_actions(states)
    if phase == Phase.FORCED:
        wanted, choices = format_cards(read_cards(play, decks=game.rules.decks)), list(legal_plays(game, states))
        if wanted not in choices:
            raise _refusal(states, play, "it is not a beaten component of the throw", choices)
        return bytes([legal[choices.index(wanted)]])
    action = parse_action(play, trump=NO_TRUMP, level=reading_of(states[0], seat)[1])
    if action not in legal:
        raise _refusal(states, play, "the rules do not allow it now", list(legal_plays(game, states)))
    return bytes([action])


def _take_left(game: Game, states: NDArray[Any], play: str) -> bytes:
    """Return the actions that take the cards of a play that are not yet taken, and end the decision."""
    cards = read_cards(play, decks=game.rules.decks)
    taken = to_cards(states["taken"][0], trump_of(states))
    if (cards < taken).any():
        raise _refusal(states, play, f"{format_cards(taken)} is already taken for this decision")
    actions = take(game, copy_states(states), cards - taken, is_whole=True)
    if actions is None:
        raise _why_not(game, states, play, cards)
    return actions


def _why_not(game: Game, states: NDArray[Any], play: str, cards: NDArray[np.int8]) -> IllegalActionError:
    """Return the error that says why cards may not be played, in the referee's words."""
    state, rules, trump = states[0], game.rules, trump_of(states)
    phase, seat = _asked(states)
    hand = to_cards(state["hands"][seat], trump)
    if excess_card(cards, hand) is not None:
        return _refusal(states, play, f"the hand is {format_cards(hand)}")
    if phase == Phase.BURY:
        return _refusal(states, play, f"{rules.kitty} cards are buried, not {cards.sum()}")
    try:
        if phase == Phase.FOLLOW:
            check_follow(to_cards(state["trick"][state["leader"]], trump), hand, cards, trump, rules)
        else:
            check_lead(cards, trump, rules)
    except IllegalActionError as error:
        return _refusal(states, play, error.reason, error.legal)
    return _refusal(states, play, "its cards cannot follow those already taken")


def _asked(states: NDArray[Any]) -> tuple[Phase, int]:
    """Return what is to be decided in a state (1,), and by whom."""
    return Phase(int(states["phase"][0])), int(states["seat"][0])


def _refusal(
    states: NDArray[Any], play: str, reason: str, legal: tuple[str, ...] | list[str] = ()
) -> IllegalActionError:
    phase, seat = _asked(states)
    return IllegalActionError(phase.name, seat, play, reason, legal)
