"""Compiled code: leads as the policy proposes them: all components of the hand, and the throws that stand."""

from shengji_env.engine.compile import jit
from shengji_env.engine.components import most_at
from shengji_env.engine.rows import fill_row, lowest_slot, num_slots
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, first_slot, num_equal, num_orders, suit_slots
from shengji_env.engine.state import Rules, State
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.decision import DecisionRecord
from shengji_env.players.networks.selfplay.priced_sets import add_copies, add_set


@jit
def propose_leads(s: State, r: Rules, d: DecisionRecord) -> None:
    """Find every single card, every component of several, and for each suit the cards that nobody can beat."""
    hand = s.hands[s.seat]
    for suit in range(NUM_EFFECTIVE_SUITS):
        held = d.sight.held1 & suit_slots(suit, s.trump)
        if not is_suit(suit, s.trump) or held == 0:
            continue
        if r.throws:
            _find_throws(s, d, held)
        while held:
            slot = lowest_slot(held)
            held &= held - 1
            for copies in range(1, hand[slot] + 1):
                add_copies(d, slot, copies)
        if num_slots(d.sight.held2 & suit_slots(suit, s.trump)) > 1:
            _find_runs(s, d, suit)


@jit
def _find_throws(s: State, d: DecisionRecord, held: int) -> None:
    """Find the throw of all cards of a suit that stand, as singles or as pairs."""
    hand, cards = s.hands[s.seat], d.cards[d.number]
    standing, pairs = held & d.sight.standing, held & d.sight.boss_pairs
    if num_slots(standing | pairs) < 2:
        return
    fill_row(cards, 0)
    left = standing | pairs
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        cards[slot] = hand[slot] if standing >> slot & 1 else 2
    add_set(d)


@jit
def _find_runs(s: State, d: DecisionRecord, suit: int) -> None:
    """Find all tractors of a suit."""
    hand = s.hands[s.seat]
    for top in range(1, num_orders(suit, s.trump)):
        for width in range(2, most_at(hand, top, suit, s.trump) + 1):
            for length in range(2, top + 2):
                if most_at(hand, top - length + 1, suit, s.trump) < width:
                    break
                fill_row(d.cards[d.number], 0)
                add_run(s, d, suit, top, length, width)
                add_set(d)


@jit
def add_run(s: State, d: DecisionRecord, suit: int, top: int, length: int, width: int) -> None:
    """Add the cards of a component that the hand holds to the set that is being put together."""
    hand, cards = s.hands[s.seat], d.cards[d.number]
    for order in range(top - length + 1, top + 1):
        slot = first_slot(order, suit, s.trump)
        for equal in range(num_equal(order, suit, s.trump)):
            if hand[slot + equal] - cards[slot + equal] >= width:
                cards[slot + equal] += width
                break
