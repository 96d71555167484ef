"""A fast policy: it leads its highest plain card, and otherwise plays the lowest cards. docs/tutorials/policy.md."""

from typing import Any

from shengji_env.engine.actions import DONE, PASS
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_SLOTS, order_of_slot, trump_start
from shengji_env.engine.state import Phase
from shengji_env.players import FastPlayer
from shengji_env.tables.policies import Policy

TRUMP_PRICE = 100


@jit
def next_action(s: Any, r: Any, slots: int, others: int, is_new: bool, key: Any, memory: Any) -> int:
    """Return the next action of the seat to move at the table `s`, one of the legal ones."""
    if s.phase == Phase.BID:
        return PASS
    if slots == 0:  # no card: the lead is complete, or trumps must be named
        return NUM_SLOTS + lowest_slot(others)
    if others != 0 and s.taken_size > 0:  # one card is enough
        return DONE
    best, most = -1, -1000
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        height = order_of_slot(slot, s.trump)
        is_trump = slot >= trump_start(s.trump)
        value = height - TRUMP_PRICE * is_trump if s.phase == Phase.LEAD else -height - TRUMP_PRICE * is_trump
        if value > most:
            best, most = slot, value
    return best


class HighLow(FastPlayer):
    """The player of this policy."""

    name = "high-low"

    def policy(self, rules: RuleSet) -> Policy:
        """Return the function; it needs no memory."""
        return Policy("high-low", next_action, (), uses_key=False)
