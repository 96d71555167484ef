"""Sampled deals: tables that the seat to move may be sitting at, drawn at random.

A sampled deal agrees with everything public: how many cards each seat holds, cards shown by bids and failed throws,
suits in which a seat has shown itself void, cards turned up from the kitty (the declarer has or had them). It agrees
with what the seat itself has buried and another has taken up: a later taker has or had that, or it lies in the kitty
again. All ways to deal the hidden cards that agree are equally likely (`card_allocation.py`): nothing is concluded from
how well seats play. For all but who buried them, the buried cards are hidden too. So with two decks, drawn kitties hold
about two trumps where a good declarer buries none, and half as many points again; docs/environments/positions.md has
the numbers.

What earlier plays reveal (`likelihood.py`) is respected by rejection: deals are sampled until one agrees. After
MAX_DRAWS draws, the one that contradicts the fewest plays is taken.

While bids are made, the cards that the seat has not seen are shuffled: others' hands, the rest of the deal, the kitty.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import fold
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS, TRUMP, suit_of_slot
from shengji_env.engine.state import UNNAMED, Phase, Rules, State
from shengji_env.players.search.card_allocation import (
    EVERYBODY,
    KITTY,
    NUM_CLASSES,
    PASSED_ON,
    TURNED,
    Holders,
    count_ways,
    has_ways,
    num_ways,
    order_classes,
)
from shengji_env.players.search.dealing import SAMPLER_DTYPE, deal_hidden, return_kitty, shuffle_deal
from shengji_env.players.search.likelihood import TEST_DTYPE, list_tests, num_failed

MAX_DRAWS = 50


class SamplerArrays(NamedTuple):
    """The arrays of a sampler, for compiled code."""

    rules: NDArray[Any]
    """(1,) RULES_DTYPE."""
    memory: NDArray[Any]
    """(1,) SAMPLER_DTYPE."""
    ways: NDArray[np.float64]
    """The sums of `count_ways`."""
    tests: NDArray[Any]
    """TEST_DTYPE: what earlier plays reveal."""


class Sampler:
    """Samples deals for one decision after another.

    Args:
        rules: (1,) RULES_DTYPE.
        threads: threads that draw at the same time.
        trumps_buried: whether kitties that the seat does not know may hold trumps where they need not.
    """

    def __init__(self, rules: NDArray[Any], threads: int = 1, *, trumps_buried: bool = True) -> None:
        hand = int(rules["hand"][0])
        self.rules = rules
        self.memory: NDArray[Any] = np.zeros(threads, SAMPLER_DTYPE)
        self.memory["trumps_buried"] = trumps_buried
        self.ways = np.zeros(num_ways(hand))
        self.tests: NDArray[Any] = np.zeros(2 * NUM_SEATS * hand, TEST_DTYPE)

    def prepare(self, state: NDArray[Any], plays: NDArray[np.int8]) -> None:
        """Work out what the seat to move of an information state (1,) knows; `plays` (K, 55) are those of the round."""
        prepare(state, plays, self.arrays(0))
        for counted in ("holders", "num_tests"):
            self.memory[counted][1:] = self.memory[counted][0]

    def draw(
        self, state: NDArray[Any], key: int, first: int, samples: NDArray[Any], thread: int = 0
    ) -> NDArray[np.bool_]:
        """Write sampled deals number first.. of the stream `key` for the prepared state, as one of the threads.

        Returns:
            (W,) which of these contradict an earlier play.
        """
        contradicts = np.zeros(len(samples), np.bool_)
        draw_samples(state, self.arrays(thread), np.uint64(key), first, samples, contradicts)
        return contradicts

    def num_contradicted(self, state: NDArray[Any]) -> int:
        """Return how many earlier plays the hands of a state (1,) contradict; the rest is as in the prepared one."""
        return int(num_contradicted(state, self.arrays(0)))

    def arrays(self, thread: int) -> SamplerArrays:
        """Return the arrays that a thread uses."""
        return SamplerArrays(self.rules, self.memory[thread : thread + 1], self.ways, self.tests)


@jit
def prepare(states: NDArray[Any], plays: NDArray[Any], arrays: SamplerArrays) -> None:
    """Write ``arrays``: who may hold which hidden cards of a state (1,), and what the round's plays (K, 55) reveal."""
    s, memory = states[0], arrays.memory[0]
    if s.trump == UNNAMED:
        memory.num_tests = 0
        return
    _count_hidden(s, arrays.rules[0], memory.holders)
    if memory.trumps_buried or not _keep_trumps_out(memory.holders, arrays.ways):
        order_classes(memory.holders)
        count_ways(memory.holders, arrays.ways)
    memory.num_tests = list_tests(s, plays, memory.work, arrays.tests)


@jit
def _keep_trumps_out(holders: Holders, ways: NDArray[Any]) -> bool:
    """Keep hidden trumps out of the kitty, and sum the ways; return whether there are any. If not, nothing changes."""
    before = holders.allowed[TRUMP]
    holders.allowed[TRUMP] = before & ~(1 << KITTY)
    order_classes(holders)
    count_ways(holders, ways)
    if has_ways(holders, ways):
        return True
    holders.allowed[TRUMP] = before
    return False


@jit
def _count_hidden(s: State, r: Rules, holders: Holders) -> None:
    """Count the hidden cards of each class, and the room of each holder."""
    for kind in range(NUM_CLASSES):
        holders.sizes[kind] = 0
        holders.allowed[kind] = EVERYBODY
        for slot in range(NUM_SLOTS):
            holders.hidden[kind, slot] = 0
    knows_kitty = last_taker(s) == s.seat
    holders.room[KITTY] = 0 if knows_kitty else r.kitty
    for holder in range(KITTY):
        seat = (s.seat + 1 + holder) % NUM_SEATS
        holders.room[holder] = r.hand
        for slot in range(NUM_SLOTS):
            holders.room[holder] -= s.played[seat, slot] + s.known[seat, slot]
        for suit in range(NUM_EFFECTIVE_SUITS):
            if s.voids[seat, suit]:
                holders.allowed[suit] &= ~(1 << holder)
    later = _later_takers(s)
    _limit_holders(s, holders, knows_kitty, later)
    for slot in range(NUM_SLOTS):
        _count_slot(s, holders, slot, knows_kitty, later)


@jit
def _limit_holders(s: State, holders: Holders, knows_kitty: bool, later: int) -> None:
    """Limit who may hold cards that were turned up from the kitty, or passed on."""
    if s.num_takers == 0:
        holders.allowed[TURNED] = 1 << KITTY
    elif not knows_kitty:
        holders.allowed[TURNED] = holders.allowed[TRUMP] & (1 << KITTY | 1 << ((s.declarer - s.seat - 1) % NUM_SEATS))
    for suit in range(NUM_EFFECTIVE_SUITS):
        holders.allowed[PASSED_ON + suit] = holders.allowed[suit] & later


@jit
def _later_takers(s: State) -> int:
    """Return who has taken up the kitty since the seat to move last buried, and the kitty, as bits of holders."""
    later = 1 << KITTY
    for index in range(s.num_takers):
        if s.takers[index] == s.seat:
            if index < s.num_takers - 1 or s.phase != Phase.BURY:
                later = 1 << KITTY
        else:
            later |= 1 << ((s.takers[index] - s.seat - 1) % NUM_SEATS)
    return later


@jit
def _num_passed_on(s: State, slot: int, hidden: int, later: int) -> int:
    """Return how many hidden cards of a slot are, at least, among those that the seat to move has passed on.

    Those that later takers have played or shown may be among them, and those that the seat has taken up again.
    """
    number = int(s.passed_on[s.seat, slot])
    for holder in range(KITTY):
        if later >> holder & 1:
            seat = (s.seat + 1 + holder) % NUM_SEATS
            number -= s.played[seat, slot] + s.known[seat, slot]
    if last_taker(s) == s.seat:
        number -= s.hands[s.seat, slot] + s.played[s.seat, slot]
    return min(max(number, 0), hidden)


@jit
def _count_slot(s: State, holders: Holders, slot: int, knows_kitty: bool, later: int) -> None:
    hidden = s.slot_copies[slot] - s.hands[s.seat, slot]
    for seat in range(NUM_SEATS):
        hidden -= s.played[seat, slot]
        if seat != s.seat:
            hidden -= s.known[seat, slot]
    turned = 0
    if s.num_takers == 0:
        turned = s.turned[slot]
    elif knows_kitty:
        hidden -= s.buried[slot]
    else:
        turned = max(s.turned[slot] - s.played[s.declarer, slot] - s.known[s.declarer, slot], 0)
        turned = min(turned, hidden)
    suit = suit_of_slot(slot, s.trump)
    passed_on = _num_passed_on(s, slot, hidden - turned, later)
    holders.hidden[PASSED_ON + suit, slot] = passed_on
    holders.sizes[PASSED_ON + suit] += passed_on
    holders.hidden[suit, slot] = hidden - turned - passed_on
    holders.sizes[suit] += hidden - turned - passed_on
    holders.hidden[TURNED, slot] = turned
    holders.sizes[TURNED] += turned


@jit
def draw_samples(
    states: NDArray[Any],
    arrays: SamplerArrays,
    key: np.uint64,
    first: int,
    samples: NDArray[Any],
    contradicts: NDArray[np.bool_],
) -> None:
    """Write W sampled deals into ``samples``, and which of them contradict an earlier play.

    Of at most MAX_DRAWS deals, each is the first of those that contradict the fewest plays.
    """
    s, r, memory = states[0], arrays.rules[0], arrays.memory[0]
    for row in range(samples.size):
        stream = fold(key, first + row)
        if s.trump == UNNAMED:
            samples[row] = s
            contradicts[row] = False
            shuffle_deal(samples[row], r, memory, stream)
            continue
        fewest = memory.num_tests + 1
        draw = 0
        while fewest > 0 and draw < MAX_DRAWS:
            memory.trial = s
            deal_hidden(memory.trial, memory, arrays.ways, fold(stream, draw))
            failed = num_failed(memory.trial, r, memory.work, arrays.tests[: memory.num_tests], fewest)
            if failed < fewest:
                fewest = failed
                samples[row] = memory.trial
            draw += 1
        if s.num_takers == 0:
            return_kitty(samples[row], r)
        contradicts[row] = fewest > 0


@jit
def num_contradicted(states: NDArray[Any], arrays: SamplerArrays) -> int:
    """Return how many of ``arrays.tests`` the hands of a state (1,) contradict."""
    memory = arrays.memory[0]
    tests = arrays.tests[: memory.num_tests]
    return int(num_failed(states[0], arrays.rules[0], memory.work, tests, memory.num_tests + 1))
