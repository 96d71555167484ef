"""Compiled code: burials as the policy proposes them: the ways to empty suits, filled up with the cheapest cards."""

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import count_cards_at, fill_row
from shengji_env.engine.slots import TRUMP, suit_slots
from shengji_env.engine.state import Rules, State
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.decision import Decision
from shengji_env.players.networks.selfplay.priced_sets import Prices, add_set, take_cheapest

_PRICES = (Prices(10, 80, 60, 300), Prices(10, 20, 30, 300), Prices(3, 120, 10, 300))


@jit
def propose_burials(s: State, r: Rules, d: Decision) -> None:
    """Find for every set of plain suits that the kitty can hold the burials that empty these, at several prices."""
    for chosen in range(1 << TRUMP):
        first, is_there = 0, True
        for suit in range(TRUMP):
            if chosen >> suit & 1:
                block = d.sight.held1 & suit_slots(suit, s.trump)
                is_there = is_there and is_suit(suit, s.trump) and block != 0
                first |= block
        if not is_there or count_cards_at(s.hands[s.seat], first) > r.kitty:
            continue
        for index in range(len(_PRICES)):
            fill_row(d.cards[d.number], 0)
            take_cheapest(s, d, d.sight.held1, r.kitty, _PRICES[index], first)
            add_set(d)
