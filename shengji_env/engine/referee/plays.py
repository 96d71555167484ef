"""Questions about plays: components, leads, follows, tricks.

Source: docs/rules.md §7–§10.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_CARDS, card_text, format_cards
from shengji_env.engine.components import add_component, length_of, top_slot_of, width_of
from shengji_env.engine.leads import is_beaten
from shengji_env.engine.referee.play_position import (
    FOLLOWER,
    LEADER,
    PlayPosition,
    follow_position,
    lead_position,
)
from shengji_env.engine.referee.values import (
    Cards,
    Component,
    IllegalPlayError,
    Trump,
    check_trump,
    excess_card,
    read_all,
    read_cards,
    read_seat,
    shape_text,
    to_cards,
)
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet, RulesLike, as_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.errors import NotationError

_MAX_OPPONENTS = NUM_SEATS - 1
_ANY_RULES = RuleSet(preset="four_deck", decks=4)


def decompose(cards: Cards, trump: Trump) -> tuple[Component, ...]:
    """Return the components of cards, which must be of one effective suit, high to low."""
    check_trump(trump)
    counts = read_cards(cards)
    if not counts.any():
        return ()
    reason = _fault_of_suits(counts, trump)
    if reason is not None:
        raise NotationError(f"{format_cards(counts)!r} has no decomposition: {reason}")
    position = PlayPosition(trump, _ANY_RULES)
    codes = position.decompose(counts)
    return tuple(_component(code, position.suit_of(counts), trump) for code in codes)


def demand(lead: Cards, hand: Cards, trump: Trump, rules: RulesLike) -> tuple[tuple[int, int], ...]:
    """Return what a hand owes to a lead: (width, length) of each component, high to low.

    A hand that holds no more of the led suit than was led owes all of it, written as singles.
    """
    rules = as_rules(rules)
    position = follow_position(_read_lead(lead, trump, rules), read_cards(hand, decks=rules.decks), trump, rules)
    return _owed(position)


def is_legal_follow(lead: Cards, hand: Cards, play: Cards, trump: Trump, rules: RulesLike) -> bool:
    """Return whether a hand may follow a lead with a play; a play that the hand does not hold is not legal."""
    rules = as_rules(rules)
    led = _read_lead(lead, trump, rules)
    held, played = (read_cards(cards, decks=rules.decks) for cards in (hand, play))
    if played.sum() != led.sum() or excess_card(played, held) is not None:
        return False
    return follow_position(led, held, trump, rules).take(played) is None


def check_follow(lead: Cards, hand: Cards, play: Cards, trump: Trump, rules: RulesLike) -> None:
    """Check that a hand may follow a lead with a play; if not, the IllegalActionError says what the hand owes."""
    rules = as_rules(rules)
    led = _read_lead(lead, trump, rules)
    held, played = (read_cards(cards, decks=rules.decks) for cards in (hand, play))
    reason = _objection(led, held, played, trump, rules)
    if reason is not None:
        example = next(legal_follows(led, held, trump, rules), None)
        legal = () if example is None else (format_cards(example),)
        raise IllegalPlayError("FOLLOW", format_cards(played), reason, legal)


def legal_follows(lead: Cards, hand: Cards, trump: Trump, rules: RulesLike) -> Iterator[NDArray[np.int8]]:
    """Iterate over every play with which a hand may follow a lead, each once: count vectors, shape (54,).

    There can be thousands; a hand that is smaller than the lead has none.
    """
    rules = as_rules(rules)
    led, held = _read_lead(lead, trump, rules), read_cards(hand, decks=rules.decks)
    if held.sum() < led.sum():
        return iter(())
    return follow_position(led, held, trump, rules).walk()


def check_lead(lead: Cards, trump: Trump, rules: RulesLike) -> None:
    """Check that cards may be led, or attempted as a throw, by a seat that holds them."""
    _read_lead(lead, trump, as_rules(rules))


def legal_leads(hand: Cards, trump: Trump, rules: RulesLike) -> Iterator[NDArray[np.int8]]:
    """Iterate over every set that a hand may lead or attempt as a throw, each once: count vectors, shape (54,).

    There can be many thousands.
    """
    rules = as_rules(rules)
    check_trump(trump)
    return lead_position(read_cards(hand, decks=rules.decks), [], trump, rules).walk()


def beaten_components(lead: Cards, other_hands: Sequence[Cards], trump: Trump) -> tuple[Component, ...]:
    """Return the components of a throw that another seat beats, high to low; none if the lead is one component."""
    led = _read_lead(lead, trump, _ANY_RULES)
    position = lead_position(led, _read_hands(other_hands, _ANY_RULES), trump, _ANY_RULES)
    codes, suit = position.decompose(led), position.suit_of(led)
    if len(codes) < 2:
        return ()
    hands = position.state.hands
    return tuple(
        _component(code, suit, trump) for code in codes if is_beaten(hands, LEADER, code, suit, trump.suit_index)
    )


def led_after_throw(
    lead: Cards, other_hands: Sequence[Cards], trump: Trump, rules: RulesLike, choice: Cards | None = None
) -> NDArray[np.int8]:
    """Return what is led in the end when `lead` is attempted: count vector, shape (54,).

    Args:
        lead: What the leader puts down.
        other_hands: The other seats' hands, in turn order after the leader.
        trump: What is trump.
        rules: A rule set or its text.
        choice: The component that the next seat picks, one of the beaten ones; used only if it has to choose.
    """
    rules = as_rules(rules)
    led = _read_lead(lead, trump, rules)
    position = lead_position(led, _read_hands(other_hands, rules), trump, rules)
    position.take(led)
    if position.state.phase == Phase.FORCED:
        position.apply(_forced_action(position, None if choice is None else read_cards(choice, decks=rules.decks)))
    return position.cards_of(LEADER)


def trick_winner(plays: Sequence[Cards], leader: int, trump: Trump, rules: RulesLike) -> int:
    """Return the seat that wins a trick, or is winning it if there are fewer than four plays.

    Args:
        plays: What each seat played, in turn order from the leader: the lead, then 0..3 follows. Of the follows, only
            the sizes are checked.
        leader: Seat of the leader, 0..3.
        trump: What is trump.
        rules: A rule set or its text.
    """
    rules = as_rules(rules)
    first_seat = read_seat("leader", leader)
    lead, *follows = read_all("plays", plays, 1, NUM_SEATS)
    led = _read_lead(lead, trump, rules)
    position = PlayPosition(trump, rules)
    position.lead(led)
    for seat, play in enumerate(follows, start=1):
        played = read_cards(play, decks=rules.decks)
        if played.sum() != led.sum():
            raise IllegalPlayError("FOLLOW", format_cards(played), _size_objection(led, played))
        position.lay(seat, played)
        position.contest(seat)
    return (first_seat + int(position.state.winning)) % NUM_SEATS


def _read_lead(lead: Cards, trump: Trump, rules: RuleSet) -> NDArray[np.int8]:
    """Read a lead, and refuse what no seat may lead."""
    check_trump(trump)
    counts = read_cards(lead, decks=rules.decks)
    if not counts.any():
        raise IllegalPlayError("LEAD", "", "a lead has at least one card")
    reason = _fault_of_suits(counts, trump)
    if reason is not None:
        raise IllegalPlayError("LEAD", format_cards(counts), reason)
    if not rules.throws and len(parts := decompose(counts, trump)) > 1:
        listed = " | ".join(str(part) for part in parts)
        raise IllegalPlayError(
            "LEAD", format_cards(counts), f"it is {len(parts)} components ({listed}), and throws is off"
        )
    return counts


def _read_hands(hands: Sequence[Cards], rules: RuleSet) -> list[NDArray[np.int8]]:
    listed = read_all("other_hands", hands, 0, _MAX_OPPONENTS)
    return [read_cards(hand, decks=rules.decks) for hand in listed]


def _fault_of_suits(counts: NDArray[np.int8], trump: Trump) -> str | None:
    """Return what is wrong with cards that are not all of one effective suit, or None."""
    first, *others = (int(card) for card in np.flatnonzero(counts))
    suit = trump.effective_suit(first)
    for card in others:
        if trump.effective_suit(card) != suit:
            names = trump.suit_name(trump.effective_suit(card)), trump.suit_name(suit)
            return f"{card_text(card)!r} is of {names[0]}, {card_text(first)!r} of {names[1]}"
    return None


def _component(code: int, suit: int, trump: Trump) -> Component:
    by_slot = np.zeros(NUM_SLOTS, dtype=np.int8)
    add_component(code, suit, trump.suit_index, by_slot, 1)
    top = trump.card(int(top_slot_of(code, suit, trump.suit_index)))
    return Component(int(width_of(code)), int(length_of(code)), top, to_cards(by_slot, trump))


def _owed(position: PlayPosition) -> tuple[tuple[int, int], ...]:
    s = position.state
    if not s.must_match:
        return ((1, 1),) * len(_cards_of_suit(position, FOLLOWER))
    wide = [(int(s.owed_width[piece]), int(s.owed_length[piece])) for piece in range(s.num_owed)]
    singles = int(s.lead_size) - sum(width * length for width, length in wide)
    return (*sorted(wide, reverse=True), *((1, 1),) * singles)


def _cards_of_suit(position: PlayPosition, seat: int) -> list[int]:
    """Return the cards of the led suit that a seat holds, each as often as it is held."""
    trump, hand = position.trump, to_cards(position.state.hands[seat], position.trump)
    of_suit = (card for card in range(NUM_CARDS) if trump.effective_suit(card) == position.state.lead_suit)
    return [card for card in of_suit for _ in range(hand[card])]


def _objection(
    led: NDArray[np.int8], held: NDArray[np.int8], played: NDArray[np.int8], trump: Trump, rules: RuleSet
) -> str | None:
    """Return why a hand may not follow with a play, or None."""
    card = excess_card(played, held)
    if card is not None:
        return f"the hand holds {held[card]} of {card_text(card)!r}, the play {played[card]}"
    if played.sum() != led.sum():
        return _size_objection(led, played)
    position = follow_position(led, held, trump, rules)
    owed, of_suit = _owed(position), _cards_of_suit(position, FOLLOWER)
    refused = position.take(played)
    if refused is None:
        return None
    name = trump.suit_name(trump.effective_suit(int(np.flatnonzero(led)[0])))
    if len(of_suit) <= led.sum():
        texts = " ".join(card_text(card) for card in of_suit)
        return f"the hand owes all its {name}, {texts}, before {card_text(refused)!r}"
    return f"the hand owes {_owed_text(owed)} of {name}; {card_text(refused)!r} leaves no room for that"


def _size_objection(led: NDArray[np.int8], played: NDArray[np.int8]) -> str:
    return (
        f"it has {played.sum()} card{'' if played.sum() == 1 else 's'}, the lead {format_cards(led)!r} has {led.sum()}"
    )


def _owed_text(owed: tuple[tuple[int, int], ...]) -> str:
    """Return a demand in words: ``a pair and 2 more cards``."""
    wide = [f"a {shape_text(width, length)}" for width, length in owed if width > 1]
    num_singles = len(owed) - len(wide)
    if num_singles:
        wide.append(f"{num_singles}{' more' if wide else ''} card{'s' * (num_singles > 1)}")
    return " and ".join(wide)


def _forced_action(position: PlayPosition, choice: NDArray[np.int8] | None) -> int:
    """Return the action that makes a choice after a failed throw."""
    trump, s = position.trump, position.state
    suit = position.suit_of(position.cards_of(LEADER))
    codes = [int(code) for code in s.choices[: s.num_choices]]
    choices = [_component(code, suit, trump) for code in codes]
    for code, component in zip(codes, choices, strict=True):
        if choice is not None and np.array_equal(choice, component.cards):
            return int(top_slot_of(code, suit, trump.suit_index))
    tried = "" if choice is None else format_cards(choice)
    raise IllegalPlayError("FORCED", tried, "the next seat chooses a beaten component", [str(part) for part in choices])
