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

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import fold
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS, TRUMP, suit_of_slot
from shengji_env.engine.state import Phase, Rules, State
from shengji_env.players.search.allotting import (
    EVERYBODY,
    KITTY,
    NUM_CLASSES,
    TURNED,
    count_ways,
    num_ways,
    order_classes,
)
from shengji_env.players.search.dealing import SAMPLER_DTYPE, deal_hidden, shuffle_deal
from shengji_env.players.search.evidence import TEST_DTYPE, list_tests, num_failed

MAX_DRAWS = 50


class Sampler:
    """Draws worlds for one decision after another.

    Args:
        rules: (1,) RULES_DTYPE.
        threads: threads that draw at the same time.
    """

    def __init__(self, rules: NDArray[Any], threads: int = 1) -> None:
        hand = int(rules["hand"][0])
        self.rules = rules
        self.memory: NDArray[Any] = np.zeros(threads, SAMPLER_DTYPE)
        self.ways = np.zeros(num_ways(hand))
        self.tests: NDArray[Any] = np.zeros(2 * NUM_SEATS * hand, TEST_DTYPE)

    def prepare(self, state: NDArray[Any], plays: NDArray[np.int8]) -> None:
        """Count what the seat to move of a veiled state (1,) knows; `plays` (K, 55) are the round's."""
        prepare(state, self.rules, plays, self.memory, self.ways, self.tests)
        for counted in ("shares", "num_tests"):
            self.memory[counted][1:] = self.memory[counted][0]

    def draw(self, state: NDArray[Any], key: int, first: int, worlds: NDArray[Any], thread: int = 0) -> int:
        """Write worlds number first.. of the stream `key` for the state prepared, as one of the threads.

        Returns:
            The number of them that contradict an earlier play.
        """
        memory = self.memory[thread : thread + 1]
        return int(draw_worlds(state, self.rules, memory, self.ways, self.tests, np.uint64(key), first, worlds))


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
            shuffle_deal(worlds[row], r, x, stream)
            continue
        fewest = x.num_tests + 1
        draw = 0
        while fewest > 0 and draw < MAX_DRAWS:
            x.trial = s
            deal_hidden(x.trial, x, ways, fold(stream, draw))
            failed = num_failed(x.trial, r, x.work, tests, x.num_tests, fewest)
            if failed < fewest:
                fewest = failed
                worlds[row] = x.trial
            draw += 1
        contradicting += fewest > 0
    return contradicting
