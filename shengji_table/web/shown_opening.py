"""The opening of a round as it is shown: card by card, and bids as they are made.

The engine goes on at once to the next seat that can bid. What is shown must not: it goes from card to card, so that
nobody can tell who was asked. An `Opening` holds the cards of one deal, and makes the state that is shown from them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import PASS, action_text, parse_action
from shengji_env.engine.bids import LITTLE, bid_level
from shengji_env.engine.cards import CARD_TEXTS, LITTLE_JOKER, NUM_RANKS, RANKS, parse_card_list
from shengji_env.engine.opening import DRAWING
from shengji_env.engine.referee import legal_bids
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, slot_of_card
from shengji_env.engine.state import NOBODY, STATE_DTYPE, UNNAMED, Phase
from shengji_env.render.view import WATCHER, PublicHistory, ShownBid, View, view_table

_START = ("levels", "had_declarer", "first_drawer", "match_round", "round_index", "redeals")


class Opening:
    """One deal while it is drawn.

    Args:
        state: the table's state right after the deal.
        rules: the rules.

    Attributes:
        shown: how many cards have been shown as drawn.
        bids: the bids made so far.
    """

    def __init__(self, state: Any, rules: RuleSet) -> None:
        self.rules = rules
        self.shown = 0
        self.bids: list[ShownBid] = []
        self.total = NUM_SEATS * rules.hand
        self.deal: NDArray[np.int8] = state["deal"].copy()
        self._start = {name: state[name].copy() for name in _START}
        self.declarer = int(state["declarer"]) if state["had_declarer"] else NOBODY
        self.levels = [RANKS[level] for level in state["levels"].tolist()]

    @property
    def is_drawn(self) -> bool:
        """Whether all cards are shown as drawn."""
        return self.shown == self.total

    def hand(self, seat: int) -> str:
        """Return the cards that a seat has drawn, as text."""
        first = (seat - int(self._start["first_drawer"])) % NUM_SEATS
        return " ".join(CARD_TEXTS[card] for card in self.deal[first : self.shown : NUM_SEATS])

    def options(self, seat: int) -> list[str]:
        """Return the bids that a seat could make with what it has drawn."""
        last = (int(self._start["first_drawer"]) - 1) % NUM_SEATS
        if self.rules.bidding == "drawing" and self.is_drawn and seat != last:
            return []
        standing = (self.bids[-1].seat, self.bids[-1].cards) if self.bids else None
        declarer = None if self.declarer == NOBODY else self.declarer
        hand = self.hand(seat)
        return [bid.cards for bid in legal_bids(hand, self.levels, seat, standing, self.rules, declarer=declarer)]

    def action_of(self, seat: int, bid: str) -> int:
        """Return the action that makes a seat's bid."""
        level = int(bid_level(self._state(WATCHER), seat))
        return parse_action(f"bid {bid}", trump=NO_TRUMP, level=level)

    def text_of(self, seat: int, action: int) -> str:
        """Return a bid as its cards; nothing for a pass."""
        if action == PASS:
            return ""
        level = int(bid_level(self._state(WATCHER), seat))
        return action_text(action, trump=NO_TRUMP, level=level).removeprefix("bid ")

    def asked(self, seat: int) -> Any:
        """Return the state in which a seat is asked for a bid, as it is shown."""
        state = self._state(seat)
        state["seat"], state["circle_left"] = seat, NUM_SEATS if self.is_drawn else DRAWING
        if self.bids:
            shown = parse_card_list(self.bids[-1].cards)
            kind = shown[0] // NUM_RANKS if shown[0] < LITTLE_JOKER else LITTLE + shown[0] - LITTLE_JOKER
            state["bid_seat"], state["bid_count"], state["bid_kind"] = self.bids[-1].seat, len(shown), kind
        return state

    def view(self, viewer: int, names: tuple[str, ...]) -> View:
        """Return what a viewer sees."""
        return view_table(
            self._state(viewer), self.rules, viewer=viewer, names=names, public=PublicHistory(tuple(self.bids))
        )

    def _state(self, viewer: int) -> Any:
        """Return a state that holds the viewer's cards, and those that were shown, but no others."""
        state = np.zeros(1, STATE_DTYPE)[0]
        for name, value in self._start.items():
            state[name] = value
        state["phase"], state["trump"], state["level_rank"] = Phase.BID, UNNAMED, UNNAMED
        state["declarer"], state["drawn"] = self.declarer, self.shown
        for name in ("seat", "leader", "winning", "bid_seat"):
            state[name] = NOBODY
        if viewer in range(NUM_SEATS):
            level = int(bid_level(state, viewer))
            for card in parse_card_list(self.hand(viewer)):
                state["hands"][viewer, slot_of_card(card, NO_TRUMP, level)] += 1
        for bid in self.bids:
            shown = parse_card_list(bid.cards)
            state["known"][bid.seat, shown[0]] = max(state["known"][bid.seat, shown[0]], len(shown))
        return state
