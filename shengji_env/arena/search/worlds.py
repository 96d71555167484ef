"""Worlds: tables that the seat to move may sit at, as likely as they are.

A world agrees with everything public: how many cards each seat holds, cards shown by bids and by throws that failed,
suits in which a seat has shown itself void, cards turned up from the kitty (the declarer has or had them). Of all ways
to deal the hidden cards that agree, each is equally likely (`shares.py`): nothing is concluded from how well seats
play. The buried cards are one more holder's, for all but the declarer.

What the follow duty tells (`duty.py`) is kept by rejection: worlds are drawn until one agrees, at most MAX_DRAWS times;
then the one that contradicts the fewest plays is taken.

While bids are made, the cards not seen by the seat are shuffled: others' hands, the rest of the deal, the kitty.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.search.duty import TEST_DTYPE, list_tests, num_failed
from shengji_env.arena.search.shares import (
    EVERYBODY,
    KITTY,
    NUM_CLASSES,
    NUM_HOLDERS,
    SHARES_DTYPE,
    TURNED,
    count_ways,
    draw_shares,
    num_ways,
    order_classes,
)
from shengji_env.engine.bids import bid_level
from shengji_env.engine.cards import MAX_TOTAL, NUM_CARDS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.deal import fold, random_below
from shengji_env.engine.rules import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_EFFECTIVE_SUITS, NUM_SLOTS, TRUMP, slot_of_card, suit_of_slot
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Phase, Rules, State

MAX_DRAWS = 50
_WORD = 2048
"""Largest bound of `random_below`."""
_LAYER_COUNTER = 1000

SAMPLER_DTYPE = record_type(
    [
        ("shares", SHARES_DTYPE),
        ("num_tests", np.int64),
        ("cards", np.int64, (MAX_TOTAL,)),
        ("words", np.float64, (NUM_CLASSES,)),
        ("trial", STATE_DTYPE),
        ("work", WORKSPACE_DTYPE),
    ]
)


class Sampler:
    """Draws worlds for one decision after another.

    Args:
        rules: (1,) RULES_DTYPE.
    """

    def __init__(self, rules: NDArray[Any]) -> None:
        hand = int(rules["hand"][0])
        self.rules = rules
        self.memory: NDArray[Any] = np.zeros(1, SAMPLER_DTYPE)
        self.ways = np.zeros(num_ways(hand))
        self.tests: NDArray[Any] = np.zeros(2 * NUM_SEATS * hand, TEST_DTYPE)

    def prepare(self, state: NDArray[Any], plays: NDArray[np.int8]) -> None:
        """Count what the seat to move of a veiled state (1,) knows; `plays` (K, 55) are the round's."""
        prepare(state, self.rules, plays, self.memory, self.ways, self.tests)

    def draw(self, state: NDArray[Any], key: int, first: int, worlds: NDArray[Any]) -> int:
        """Write worlds number first.. of the stream `key` for the state prepared.

        Returns:
            The number of them that contradict an earlier play.
        """
        return int(draw_worlds(state, self.rules, self.memory, self.ways, self.tests, np.uint64(key), first, worlds))


@jit
def prepare(
    states: NDArray[Any],
    rules: NDArray[Any],
    plays: NDArray[Any],
    memory: NDArray[Any],
    ways: NDArray[Any],
    tests: NDArray[Any],
) -> None:
    """`Sampler.prepare`."""
    s, x = states[0], memory[0]
    if s.phase == Phase.BID or s.phase == Phase.NAME:
        x.num_tests = 0
        return
    _count_hidden(s, rules[0], x.shares)
    order_classes(x.shares)
    count_ways(x.shares, ways)
    x.num_tests = list_tests(s, plays, x.work, tests)


@jit
def _count_hidden(s: State, r: Rules, x: np.record) -> None:
    """Count the hidden cards by class, and the room for them."""
    for kind in range(NUM_CLASSES):
        x.sizes[kind] = 0
        x.allowed[kind] = EVERYBODY
        for slot in range(NUM_SLOTS):
            x.hidden[kind, slot] = 0
    knows_kitty = s.declarer == s.seat
    x.room[KITTY] = 0 if knows_kitty else r.kitty
    for holder in range(KITTY):
        seat = (s.seat + 1 + holder) % NUM_SEATS
        x.room[holder] = r.hand
        for slot in range(NUM_SLOTS):
            x.room[holder] -= s.played[seat, slot] + s.known[seat, slot]
        for suit in range(NUM_EFFECTIVE_SUITS):
            if s.voids[seat, suit]:
                x.allowed[suit] &= ~(1 << holder)
    if not knows_kitty:
        x.allowed[TURNED] = x.allowed[TRUMP] & (1 << KITTY | 1 << ((s.declarer - s.seat - 1) % NUM_SEATS))
    for slot in range(NUM_SLOTS):
        _count_slot(s, r, x, slot, knows_kitty)


@jit
def _count_slot(s: State, r: Rules, x: np.record, slot: int, knows_kitty: bool) -> None:
    hidden = r.decks - s.hands[s.seat, slot]
    for seat in range(NUM_SEATS):
        hidden -= s.played[seat, slot]
        if seat != s.seat:
            hidden -= s.known[seat, slot]
    turned = 0
    if knows_kitty:
        hidden -= s.buried[slot]
    else:
        turned = max(s.turned[slot] - s.played[s.declarer, slot] - s.known[s.declarer, slot], 0)
        turned = min(turned, hidden)
    suit = suit_of_slot(slot, s.trump)
    x.hidden[suit, slot] = hidden - turned
    x.sizes[suit] += hidden - turned
    x.hidden[TURNED, slot] = turned
    x.sizes[TURNED] += turned


@jit
def draw_worlds(
    states: NDArray[Any],
    rules: NDArray[Any],
    memory: NDArray[Any],
    ways: NDArray[Any],
    tests: NDArray[Any],
    key: np.uint64,
    first: int,
    worlds: NDArray[Any],
) -> int:
    """`Sampler.draw`."""
    s, r, x = states[0], rules[0], memory[0]
    contradicting = 0
    for row in range(worlds.size):
        stream = fold(key, first + row)
        if s.phase == Phase.BID or s.phase == Phase.NAME:
            worlds[row] = s
            _shuffle_deal(worlds[row], r, x, stream)
            continue
        fewest = x.num_tests + 1
        draw = 0
        while fewest > 0 and draw < MAX_DRAWS:
            x.trial = s
            _deal_hidden(x.trial, x, ways, fold(stream, draw))
            failed = num_failed(x.trial, r, x.work, tests, x.num_tests, fewest)
            if failed < fewest:
                fewest = failed
                worlds[row] = x.trial
            draw += 1
        contradicting += fewest > 0
    return contradicting


@jit
def _deal_hidden(s: State, x: np.record, ways: NDArray[Any], key: np.uint64) -> None:
    """Deal the hidden cards to the other hands and to the kitty."""
    shares = x.shares
    for layer in range(shares.num_layers):
        x.words[layer] = _uniform(key, _LAYER_COUNTER + 2 * layer)
    draw_shares(shares, ways, x.words)
    for seat in range(NUM_SEATS):
        if seat != s.seat:
            for slot in range(NUM_SLOTS):
                s.hands[seat, slot] = s.known[seat, slot]
    counter = 0
    for layer in range(shares.num_layers):
        kind = shares.order[layer]
        size = _list_class(shares, kind, x.cards, 0)
        counter = _shuffle(x.cards, size, key, counter)
        _hand_out(s, x.cards, shares.shares[kind])
    size = 0
    for kind in range(NUM_CLASSES):
        if shares.is_pooled[kind]:
            size = _list_class(shares, kind, x.cards, size)
    _shuffle(x.cards, size, key, counter)
    _hand_out(s, x.cards, shares.left)


@jit
def _uniform(key: np.uint64, counter: int) -> float:
    """A number in 0..1 (1 excluded), from two words of a stream."""
    return float((random_below(key, counter, _WORD) + random_below(key, counter + 1, _WORD) / _WORD) / _WORD)


@jit
def _list_class(x: np.record, kind: int, cards: NDArray[Any], size: int) -> int:
    """Append a class's cards to a list; returns its new length."""
    for slot in range(NUM_SLOTS):
        for _ in range(x.hidden[kind, slot]):
            cards[size] = slot
            size += 1
    return size


@jit
def _shuffle(cards: NDArray[Any], size: int, key: np.uint64, counter: int) -> int:
    """Shuffle a list (Fisher and Yates); returns the stream's next counter."""
    for place in range(size - 1, 0, -1):
        other = random_below(key, counter, place + 1)
        counter += 1
        cards[place], cards[other] = cards[other], cards[place]
    return counter


@jit
def _hand_out(s: State, cards: NDArray[Any], numbers: NDArray[Any]) -> None:
    """Give each holder its number of cards of a list."""
    place = 0
    for holder in range(NUM_HOLDERS):
        seat = (s.seat + 1 + holder) % NUM_SEATS
        for _ in range(numbers[holder]):
            if holder == KITTY:
                s.buried[cards[place]] += 1
            else:
                s.hands[seat, cards[place]] += 1
            place += 1


@jit
def _shuffle_deal(s: State, r: Rules, x: np.record, key: np.uint64) -> None:
    """Fill the deal's unknown places: shown cards where their seats may have drawn them, the others anyhow."""
    total = r.decks * NUM_CARDS
    for card in range(NUM_CARDS):
        x.cards[card] = r.decks
    for place in range(total):
        if s.deal[place] >= 0:
            x.cards[s.deal[place]] -= 1
    for seat in range(NUM_SEATS):
        if seat != s.seat:
            place = (seat - s.first_drawer) % NUM_SEATS
            for card in range(NUM_CARDS):
                for _ in range(s.known[seat, card]):
                    s.deal[place] = card
                    x.cards[card] -= 1
                    place += NUM_SEATS
    _fill_deal(s, total, x, key)
    for place in range(s.drawn):
        seat = (int(s.first_drawer) + place) % NUM_SEATS
        if seat != s.seat:
            s.hands[seat, slot_of_card(s.deal[place], NO_TRUMP, bid_level(s, seat))] += 1


@jit
def _fill_deal(s: State, total: int, x: np.record, key: np.uint64) -> None:
    """Shuffle the cards counted in the first NUM_CARDS entries of ``x.cards`` into the deal's unknown places."""
    size = 0
    for card in range(NUM_CARDS):
        for _ in range(x.cards[card]):
            x.trial.deal[size] = card
            size += 1
    for place in range(size):
        x.cards[place] = x.trial.deal[place]
    _shuffle(x.cards, size, key, 0)
    size = 0
    for place in range(total):
        if s.deal[place] < 0:
            s.deal[place] = x.cards[size]
            size += 1
