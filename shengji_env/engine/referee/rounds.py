"""Questions about rounds: bids, the kitty, the result.

Source: docs/rules.md §4, §11, §12.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from shengji_env.engine.actions import NUM_ACTIONS, action_text
from shengji_env.engine.bids import BIG, LITTLE, bid_actions, bid_level
from shengji_env.engine.cards import BIG_JOKER, LITTLE_JOKER, NUM_CARDS, NUM_RANKS, RANKS, card_text, format_cards
from shengji_env.engine.referee.play_position import PlayPosition
from shengji_env.engine.referee.values import Cards, Trump, check_trump, read_all, read_cards, read_number, read_seat
from shengji_env.engine.results import kitty_multiplier as engine_kitty_multiplier
from shengji_env.engine.results import settle as engine_settle
from shengji_env.engine.rule_sets import RuleSet, RulesLike, as_rules
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, slot_of_card
from shengji_env.engine.state import NOBODY, NUM_TEAMS, STATE_DTYPE, UNNAMED, State, Winner
from shengji_env.errors import NotationError, show

_BID_WORD = "bid "


@dataclass(frozen=True)
class RoundResult:
    """What the result table makes of a round. Source: docs/rules.md §12."""

    winner: Literal["declarers", "attackers"] | None
    """The side that wins; None is a draw."""
    levels: int
    """Levels by which it rises, before they stop at the ace."""


class Bid(NamedTuple):
    """A bid: who makes it, and the cards that it shows as text. Source: docs/rules.md §4."""

    seat: int
    cards: str


def kitty_multiplier(cards: Cards, trump: Trump, rules: RulesLike) -> int:
    """Return the factor of the kitty's points if the decomposition of `cards`, of one effective suit, decides it."""
    rules = as_rules(rules)
    check_trump(trump)
    counts = read_cards(cards, decks=rules.decks)
    suits = {trump.effective_suit(int(card)) for card in np.flatnonzero(counts)}
    if len(suits) != 1:
        raise NotationError(f"{format_cards(counts)!r} decides no kitty; it must be cards of one effective suit")
    position = PlayPosition(trump, rules)
    codes = position.decompose(counts)
    return int(engine_kitty_multiplier(rules.record()[0], position.state.components, len(codes)))


def settle(rules: RulesLike, attackers_points: int, attackers_won_last_trick: bool) -> RoundResult:
    """Return who wins a round, and the levels that the result table gives.

    `attackers_points` are the final points, kitty and penalties included.
    """
    record = as_rules(rules).record()[0]
    points = read_number("attackers_points", attackers_points)
    if not isinstance(attackers_won_last_trick, bool | np.bool_):
        raise NotationError(f"attackers_won_last_trick={show(attackers_won_last_trick)} must be True or False")
    winner, levels = engine_settle(record, points, bool(attackers_won_last_trick))
    if winner == Winner.DRAW:
        return RoundResult(None, int(levels))
    return RoundResult("declarers" if winner == Winner.DECLARERS else "attackers", int(levels))


def legal_bids(
    hand: Cards,
    levels: Sequence[str],
    seat: int,
    standing: tuple[int, str] | None,
    rules: RulesLike,
    *,
    declarer: int | None = None,
) -> tuple[Bid, ...]:
    """Return every bid that a seat may make now, weaker bids of a suit first.

    A seat may also pass at any time. With fixed bidding there are no bids.

    Args:
        hand: The seat's cards so far.
        levels: Level ranks of the teams {0, 2} and {1, 3}, such as ``("2", "T")``.
        seat: Who would bid, 0..3.
        standing: The standing bid, a `Bid` or (seat, cards), or None.
        rules: A rule set or its text.
        declarer: The declarer, with whose team's level everybody bids; None: each seat bids with its own team's.
    """
    rules = as_rules(rules)
    bidder = read_seat("seat", seat)
    counts = read_cards(hand, decks=rules.decks)
    s: State = np.zeros(1, dtype=STATE_DTYPE)[0]
    s.levels[:] = _read_levels(levels)
    s.seat, s.declarer = bidder, NOBODY if declarer is None else read_seat("declarer", declarer)
    s.had_declarer = declarer is not None
    s.bid_seat, s.trump = NOBODY, UNNAMED
    if standing is not None:
        _stand(s, standing, rules)
    if rules.bidding == "fixed":
        return ()
    level = int(bid_level(s, bidder))
    for card in range(NUM_CARDS):
        s.hands[bidder, slot_of_card(card, NO_TRUMP, level)] = counts[card]
    bids = int(bid_actions(s, rules.record()[0]))
    actions = (action for action in range(NUM_SLOTS, NUM_ACTIONS) if bids >> (action - NUM_SLOTS) & 1)
    texts = (action_text(action, trump=NO_TRUMP, level=level) for action in actions)
    return tuple(Bid(bidder, text.removeprefix(_BID_WORD)) for text in texts)


def _read_levels(levels: Sequence[str]) -> list[int]:
    ranks = read_all("levels", levels, NUM_TEAMS, NUM_TEAMS)
    if not all(isinstance(rank, str) and len(rank) == 1 and rank in RANKS for rank in ranks):
        raise NotationError(f"levels={show(levels)} are not two levels, ranks of {RANKS}")
    return [RANKS.index(rank) for rank in ranks]


def _stand(s: State, standing: tuple[int, str], rules: RuleSet) -> None:
    """Make a bid the standing one."""
    read_all("standing", standing, 2, 2)
    holder, cards = standing
    seat = read_seat("standing seat", holder)
    counts = read_cards(cards, decks=rules.decks)
    level = int(bid_level(s, seat))
    shown = [int(card) for card in np.flatnonzero(counts)]
    for card in shown:
        if card < LITTLE_JOKER and card % NUM_RANKS != level:
            raise NotationError(
                f"{card_text(card)!r} is not a card to bid with; seat {seat} bids with {RANKS[level]} or jokers"
            )
    if len(shown) != 1 or (shown[0] >= LITTLE_JOKER and counts[shown[0]] < 2):
        raise NotationError(
            f"{format_cards(counts)!r} is not a bid; a bid shows identical level cards, or 2 or more equal jokers"
        )
    s.bid_seat, s.bid_count = seat, counts[shown[0]]
    s.bid_kind = {LITTLE_JOKER: LITTLE, BIG_JOKER: BIG}.get(shown[0], shown[0] // NUM_RANKS)
