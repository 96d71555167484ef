"""Compiled code: follows as the policy proposes them.

A follow of one card is any legal card. Of several cards these are found: the cheapest cards at several prices, for each
suit with its cards first; of a single component led, every component of its shape; ruffs of every height.
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.components import length_of, most_at, width_of
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.play import CARDS
from shengji_env.engine.rows import count_cards_at, fill_row, lowest_slot, write_slots
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS, TRUMP, num_orders, suit_slots
from shengji_env.engine.state import Rules, State, Workspace
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.decision import DecisionRecord
from shengji_env.players.networks.selfplay.priced_sets import Prices, add_set, take_cheapest
from shengji_env.players.networks.selfplay.proposed_leads import add_run

_PRICES = (
    Prices(10, 60, 40, 300),
    Prices(10, -60, 40, 300),
    Prices(10, 0, 0, 300),
    Prices(-10, 0, 0, 0),
    Prices(10, 30, -80, 300),
    Prices(2, -60, 20, 60),
    Prices(10, 200, 150, 200),
)
_WITHHOLDS, _GIVES, _FIRST_OF_RUFFS = 0, 1, 5


@jit
def propose_cards(s: State, slots: int, d: DecisionRecord) -> None:
    """Find follows of one card: all legal ones."""
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        d.actions[d.number] = CARDS
        write_slots(d.cards[d.number], 1 << slot)
        d.number += 1


@jit
def propose_follows(s: State, r: Rules, w: Workspace, d: DecisionRecord) -> None:
    """Find follows of several cards."""
    block = suit_slots(s.lead_suit, s.trump)
    held = count_cards_at(s.hands[s.seat], block)
    if held <= s.lead_size:
        _find_discards(s, d, held)
        return
    if s.num_components == 1:
        _find_shapes(s, d, int(s.lead_suit))
    for index in range(len(_PRICES)):
        _find_in_suit(s, r, w, d, index)


@jit
def _find_in_suit(s: State, r: Rules, w: Workspace, d: DecisionRecord, index: int) -> None:
    """Find the cheapest legal cards of the suit led."""
    fill_row(d.cards[d.number], 0)
    block = d.sight.held1 & suit_slots(s.lead_suit, s.trump)
    take_cheapest(s, d, block, s.lead_size, _prices(index), 0)
    if s.num_owed > 0:
        _make_legal(s, r, w, d)
    add_set(d)


@jit
def _prices(index: int) -> Prices:
    return _PRICES[index]


@jit
def _make_legal(s: State, r: Rules, w: Workspace, d: DecisionRecord) -> None:
    """Replace cards of the set that is being put together, as few as possible, so that it is a legal follow."""
    cards = d.cards[d.number]
    d.walked = s
    table = d.walked
    while True:
        slots, _ = legal_actions(table, r, w)
        chosen, left = -1, slots
        while left:
            slot = lowest_slot(left)
            left &= left - 1
            if cards[slot] > table.taken[slot]:
                chosen = slot
                break
            if chosen < 0 or d.prices[slot] < d.prices[chosen]:
                chosen = slot
        is_last = table.taken_size + 1 == s.lead_size
        if is_last:
            for slot in range(NUM_SLOTS):
                cards[slot] = table.taken[slot]
            cards[chosen] += 1
            return
        apply_action(table, r, w, SAME_CARDS, chosen)


@jit
def _find_shapes(s: State, d: DecisionRecord, suit: int) -> None:
    """Find all components of a suit that have the shape of the one that was led."""
    width, length = int(width_of(s.components[0])), int(length_of(s.components[0]))
    for top in range(length - 1, num_orders(suit, s.trump)):
        for order in range(top - length + 1, top + 1):
            if most_at(s.hands[s.seat], order, suit, s.trump) < width:
                break
        else:
            fill_row(d.cards[d.number], 0)
            add_run(s, d, suit, top, length, width)
            add_set(d)


@jit
def _find_discards(s: State, d: DecisionRecord, held: int) -> None:
    """Find follows with all cards of the suit led and some of others."""
    lead = int(s.lead_suit)
    others, trumps = d.sight.held1 & ~suit_slots(lead, s.trump), suit_slots(TRUMP, s.trump)
    number = int(s.lead_size) - held
    if held == 0 and lead != TRUMP:
        _find_ruffs(s, d, others & trumps)
    for index in range(len(_PRICES)):
        _discard(s, d, others, number, index, 0)
    for suit in range(NUM_EFFECTIVE_SUITS):
        first = others & suit_slots(suit, s.trump)
        if number > 0 and is_suit(suit, s.trump) and first:
            _discard(s, d, others, number, _WITHHOLDS, first)
            _discard(s, d, others, number, _GIVES, first)


@jit
def _discard(s: State, d: DecisionRecord, others: int, number: int, index: int, first: int) -> None:
    """Find the follow with the cheapest other cards."""
    _begin(s, d)
    take_cheapest(s, d, others, number, _prices(index), first)
    add_set(d)


@jit
def _begin(s: State, d: DecisionRecord) -> None:
    """Begin a set with all cards of the suit led."""
    cards = d.cards[d.number]
    fill_row(cards, 0)
    left = d.sight.held1 & suit_slots(s.lead_suit, s.trump)
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        cards[slot] = s.hands[s.seat, slot]


@jit
def _find_ruffs(s: State, d: DecisionRecord, trumps: int) -> None:
    """Find ruffs: the led components, the first one at every height, the others as low as they can be.

    Their single cards give points, or keep them.
    """
    hand = s.hands[s.seat]
    if count_cards_at(hand, trumps) < s.lead_size:
        return
    width, length = int(width_of(s.components[0])), int(length_of(s.components[0]))
    for top in range(length - 1, num_orders(TRUMP, s.trump)):
        for index in range(_FIRST_OF_RUFFS, len(_PRICES)):
            fill_row(d.cards[d.number], 0)
            if _add_shape(s, d, top, length, width) and _add_others(s, d, trumps, index):
                add_set(d)


@jit
def _add_shape(s: State, d: DecisionRecord, top: int, length: int, width: int) -> bool:
    """Add a component of trumps, if the hand has it beside what has been added; return whether it has."""
    hand, cards = s.hands[s.seat], d.cards[d.number]
    for slot in range(NUM_SLOTS):
        d.rest[slot] = hand[slot] - cards[slot]
    for order in range(top - length + 1, top + 1):
        if most_at(d.rest, order, TRUMP, s.trump) < width:
            return False
    add_run(s, d, TRUMP, top, length, width)
    return True


@jit
def _add_others(s: State, d: DecisionRecord, trumps: int, price: int) -> bool:
    """Add the other components that were led, as low as possible, single cards at a price; return if all were found."""
    size = int(width_of(s.components[0]) * length_of(s.components[0]))
    for index in range(1, s.num_components):
        width, length = int(width_of(s.components[index])), int(length_of(s.components[index]))
        if width == 1:
            break
        top = length - 1
        while top < num_orders(TRUMP, s.trump) and not _add_shape(s, d, top, length, width):
            top += 1
        if top == num_orders(TRUMP, s.trump):
            return False
        size += width * length
    number = int(s.lead_size) - size
    return bool(take_cheapest(s, d, trumps, number, _prices(price), 0) == number)
