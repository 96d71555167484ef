"""Compiled code: burials as the policy proposes them: the ways to empty suits, filled up with the cheapest cards."""

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import count_cards_at, fill_row
from shengji_env.engine.slots import TRUMP, suit_slots
from shengji_env.engine.state import Rules, State
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.decision import DecisionRecord
from shengji_env.players.networks.selfplay.priced_sets import Prices, add_set, take_cheapest

_PRICES = (Prices(10, 80, 60, 300), Prices(10, 20, 30, 300), Prices(3, 120, 10, 300))
_NUM_OF_LARGE = 2
"""How many of the prices are asked for suits that the kitty cannot hold."""


@jit
def propose_burials(s: State, r: Rules, d: DecisionRecord) -> None:
    """Find for every set of plain suits the burials that empty these, at several prices.

    They are filled up from one other suit, too; of a set that the kitty cannot hold, the cheapest cards are buried.
    """
    for chosen in range(1 << TRUMP):
        first, is_there = 0, True
        for suit in range(TRUMP):
            if chosen >> suit & 1:
                block = d.sight.held1 & suit_slots(suit, s.trump)
                is_there = is_there and is_suit(suit, s.trump) and block != 0
                first |= block
        if not is_there:
            continue
        if count_cards_at(s.hands[s.seat], first) <= r.kitty:
            for index in range(len(_PRICES)):
                _bury(s, r, d, first, first, index)
            _fill_from_one_suit(s, r, d, first)
        else:
            for index in range(_NUM_OF_LARGE):
                _bury(s, r, d, 0, first, index)


@jit
def _fill_from_one_suit(s: State, r: Rules, d: DecisionRecord, emptied: int) -> None:
    """Find the burials of all cards of some suits and the cheapest of each other one."""
    for suit in range(TRUMP):
        block = d.sight.held1 & suit_slots(suit, s.trump)
        if is_suit(suit, s.trump) and block & ~emptied:
            _bury(s, r, d, emptied, block, 0)


@jit
def _bury(s: State, r: Rules, d: DecisionRecord, emptied: int, first: int, index: int) -> None:
    """Find the burial of all cards of some suits, then the cheapest, those of others first."""
    fill_row(d.cards[d.number], 0)
    number = take_cheapest(s, d, emptied, r.kitty, _PRICES[index], 0)
    take_cheapest(s, d, d.sight.held1, r.kitty - number, _PRICES[index], first)
    add_set(d)
