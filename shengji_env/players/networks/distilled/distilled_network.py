"""Compiled code: the card with the most. Sums of rows of integers, a product for each card.

The value of a card is the product of its suit's hidden units, negative ones as 0, with two rows of the second layer: of
its rank and of its class. A play is chosen card by card, as an environment takes it. Everything follows from the state
as the seat to move knows it, the cards taken so far included: so it does not matter when a play is looked at first, and
nothing is kept from one decision to another.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit, jit_inline, record_type
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP, suit_of_slot
from shengji_env.engine.state import Phase, State
from shengji_env.players.networks.distilled.distilled_rows import (
    MAX_LISTED,
    OF_DONE,
    class_output,
    decision_of,
    list_common,
    list_suit,
    list_taken,
    rank_output,
)
from shengji_env.players.networks.integer_rows import product, sum_rows
from shengji_env.players.networks.sight import SIGHT_DTYPE, look

WIDTH = 64
"""Hidden units of a suit."""
_PLAIN, _NOTHING, _WITH_TAKEN = NUM_EFFECTIVE_SUITS, NUM_EFFECTIVE_SUITS + 2, NUM_EFFECTIVE_SUITS + 3
"""Sums besides those of the suits: what plain suits have in common, then trumps; none; a suit's with cards taken."""
_UNIT = 1 / 65_536
"""What the integers of values count as, in logits."""
_LEAST = -4.0
"""Least logarithm of a probability: nothing is taken to be less likely."""


class DistilledNetwork(NamedTuple):
    """The weights, flat as in `integer_rows`."""

    rows: NDArray[np.int16]
    """(NUM_ROWS · WIDTH,) the first layer's."""
    outputs: NDArray[np.int16]
    """(NUM_OUTPUTS · WIDTH,) the second layer's."""
    biases: NDArray[np.int64]
    """(NUM_OUTPUTS,)"""


NO_NETWORK = DistilledNetwork(np.zeros(0, np.int16), np.zeros(0, np.int16), np.zeros(0, np.int64))

DISTILLED_DTYPE = record_type(
    [
        ("sight", SIGHT_DTYPE),
        ("ready", np.int64),  # bits: the sums that have been made for this decision
        ("rows", np.int32, (MAX_LISTED,)),
        ("sums", np.int16, ((_WITH_TAKEN + 1) * WIDTH,)),
    ]
)
"""Scratch memory for asking the network."""


@jit
def is_for_network(s: State) -> bool:
    """Return whether the network decides: leads, and follows of one card."""
    return bool(s.phase == Phase.LEAD or (s.phase == Phase.FOLLOW and s.lead_size == 1))


@jit
def look_at(s: State, scratch: Any) -> None:
    """Look at a decision for the network, before cards are chosen for it; cards may have been taken."""
    look(s, scratch.sight)
    scratch.ready = 0


@jit
def _sum_suit(s: State, scratch: Any, network: DistilledNetwork, suit: int) -> None:
    """Sum up a suit's hidden units, but for the cards taken."""
    common = _PLAIN + (suit == TRUMP)
    if scratch.ready >> common & 1 == 0:
        scratch.ready |= 1 << common
        number = list_common(s, scratch.sight, suit == TRUMP, scratch.rows)
        sum_rows(scratch.sums, common, _NOTHING, network.rows, scratch.rows, number, WIDTH)
    number = list_suit(s, scratch.sight, suit, scratch.rows)
    sum_rows(scratch.sums, suit, common, network.rows, scratch.rows, number, WIDTH)


@jit
def _add_taken(s: State, scratch: Any, network: DistilledNetwork, suit: int) -> None:
    """Write the sums of a suit's hidden units, the cards taken included."""
    if scratch.ready >> suit & 1 == 0:
        scratch.ready |= 1 << suit
        _sum_suit(s, scratch, network, suit)
    number = list_taken(s, suit, scratch.rows)
    sum_rows(scratch.sums, _WITH_TAKEN, suit, network.rows, scratch.rows, number, WIDTH)


@jit
def choose_card(s: State, slots: int, may_end: bool, scratch: Any, network: DistilledNetwork) -> int:
    """Return the legal card with the most, or DONE.

    Args:
        s: a state at which the network decides; `look_at` has been called for the decision.
        slots: the legal cards, one or more unless the lead may only end.
        may_end: whether a lead may end here.
        scratch: scratch memory, DISTILLED_DTYPE.
        network: the network.
    """
    trump = s.trump
    decision = decision_of(s, slots)
    best, most = DONE, -(1 << 60)
    suit = -1
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if suit != suit_of_slot(slot, trump):
            suit = suit_of_slot(slot, trump)
            _add_taken(s, scratch, network, suit)
        value = _value_of_card(s, slot, decision, suit, scratch, network)
        if value > most:
            best, most = slot, value
    if may_end and suit >= 0 and _value_of_end(scratch, network, suit) > most:
        return DONE
    return best


@jit
def log_chance(s: State, slots: int, may_end: bool, scratch: Any, network: DistilledNetwork, action: int) -> float:
    """Return the logarithm of the probability of a legal card, or DONE, by a softmax of what the network says.

    The other arguments are those of `choose_card`.
    """
    decision = decision_of(s, slots)
    chosen, most, total, suit = 0.0, -np.inf, 0.0, -1
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if suit != suit_of_slot(slot, s.trump):
            suit = suit_of_slot(slot, s.trump)
            _add_taken(s, scratch, network, suit)
        logit = _value_of_card(s, slot, decision, suit, scratch, network) * _UNIT
        most, total = _add_chance(most, total, logit)
        if slot == action:
            chosen = logit
    if may_end and suit >= 0:
        logit = _value_of_end(scratch, network, suit) * _UNIT
        most, total = _add_chance(most, total, logit)
        if action == DONE:
            chosen = logit
    return max(chosen - most - math.log(total), _LEAST)


@jit
def _add_chance(most: float, total: float, logit: float) -> tuple[float, float]:
    """Add a chance to a sum of chances in units of the largest; return the logarithm of the largest, and the sum."""
    if logit > most:
        return logit, total * math.exp(most - logit) + 1.0
    return most, total + math.exp(logit - most)


@jit_inline
def _value_of_card(s: State, slot: int, decision: int, suit: int, scratch: Any, network: DistilledNetwork) -> int:
    """Return the value of a card of a suit, whose sums have just been made."""
    rank = rank_output(decision, suit, slot, s.trump)
    of = class_output(decision, suit, int(scratch.sight.of_slot[slot]))
    value = product(scratch.sums, _WITH_TAKEN, network.outputs, rank, of, WIDTH)
    return int(value + network.biases[rank] + network.biases[of])


@jit
def _value_of_end(scratch: Any, network: DistilledNetwork, suit: int) -> int:
    """Return the value of ending a lead of cards of a suit, whose sums have just been made."""
    row = OF_DONE + suit // TRUMP
    return int(product(scratch.sums, _WITH_TAKEN, network.outputs, row, OF_DONE + 2, WIDTH) + network.biases[row])
