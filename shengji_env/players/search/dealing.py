"""Dealing: makes one sampled deal, by the numbers allocated to each holder or by shuffling the rest of the deal."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.bids import bid_level
from shengji_env.engine.cards import MAX_TOTAL, NUM_CARDS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.deal import random_below
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, card_of_slot, slot_of_card
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Rules, State
from shengji_env.players.search.card_allocation import (
    HOLDERS_DTYPE,
    KITTY,
    NUM_CLASSES,
    NUM_HOLDERS,
    Holders,
    draw_allocation,
)

_WORD = 2048
"""Largest bound that `random_below` takes."""
_LAYER_COUNTER = 1000

SamplerMemory: TypeAlias = np.record

SAMPLER_DTYPE = record_type(
    [
        ("holders", HOLDERS_DTYPE),
        ("num_tests", np.int64),
        ("trumps_buried", np.int64),  # 1: the kitty may hold trumps where it need not
        ("cards", np.int64, (MAX_TOTAL,)),
        ("words", np.float64, (NUM_CLASSES,)),
        ("trial", STATE_DTYPE),
        ("work", WORKSPACE_DTYPE),
    ]
)
"""Memory of a thread that samples deals: the holders and the number of tests (the same in all threads), and scratch."""


@jit
def deal_hidden(s: State, memory: SamplerMemory, ways: NDArray[Any], key: np.uint64) -> None:
    """Deal the hidden cards to the other hands and to the kitty."""
    holders = memory.holders
    for layer in range(holders.num_layers):
        memory.words[layer] = uniform(key, _LAYER_COUNTER + 2 * layer)
    draw_allocation(holders, ways, memory.words)
    for seat in range(NUM_SEATS):
        if seat != s.seat:
            for slot in range(NUM_SLOTS):
                s.hands[seat, slot] = s.known[seat, slot]
    counter = 0
    for layer in range(holders.num_layers):
        kind = holders.order[layer]
        size = _list_class(holders, kind, memory.cards, 0)
        counter = _shuffle(memory.cards, size, key, counter)
        _hand_out(s, memory.cards, holders.allocated[kind])
    size = 0
    for kind in range(NUM_CLASSES):
        if holders.is_pooled[kind]:
            size = _list_class(holders, kind, memory.cards, size)
    _shuffle(memory.cards, size, key, counter)
    _hand_out(s, memory.cards, holders.left)


@jit
def return_kitty(s: State, r: Rules) -> None:
    """Put the kitty's cards back to the end of the deal: nobody has taken them up yet."""
    position = NUM_SEATS * int(r.hand)
    for slot in range(NUM_SLOTS):
        for _ in range(s.buried[slot]):
            s.deal[position] = card_of_slot(slot, s.trump, s.level_rank)
            position += 1
        s.buried[slot] = 0


@jit
def uniform(key: np.uint64, counter: int) -> float:
    """Draw a number in 0..1 (1 excluded), from two words of a stream."""
    return float((random_below(key, counter, _WORD) + random_below(key, counter + 1, _WORD) / _WORD) / _WORD)


@jit
def _list_class(holders: Holders, kind: int, cards: NDArray[Any], size: int) -> int:
    """Append a class's cards to a list; return its new length."""
    for slot in range(NUM_SLOTS):
        for _ in range(holders.hidden[kind, slot]):
            cards[size] = slot
            size += 1
    return size


@jit
def _shuffle(cards: NDArray[Any], size: int, key: np.uint64, counter: int) -> int:
    """Shuffle a list (Fisher and Yates); return the stream's next counter."""
    for position in range(size - 1, 0, -1):
        other = random_below(key, counter, position + 1)
        counter += 1
        cards[position], cards[other] = cards[other], cards[position]
    return counter


@jit
def _hand_out(s: State, cards: NDArray[Any], numbers: NDArray[Any]) -> None:
    """Give each holder its number of cards from a list."""
    position = 0
    for holder in range(NUM_HOLDERS):
        seat = (s.seat + 1 + holder) % NUM_SEATS
        for _ in range(numbers[holder]):
            if holder == KITTY:
                s.buried[cards[position]] += 1
            else:
                s.hands[seat, cards[position]] += 1
            position += 1


@jit
def shuffle_deal(s: State, r: Rules, memory: SamplerMemory, key: np.uint64) -> None:
    """Fill the deal's unknown positions: shown cards where their seats may have drawn them, the others anywhere."""
    total = int(r.total)
    for card in range(NUM_CARDS):
        memory.cards[card] = r.copies[card]
    for position in range(total):
        if s.deal[position] >= 0:
            memory.cards[s.deal[position]] -= 1
    for seat in range(NUM_SEATS):
        if seat != s.seat:
            position = (seat - s.first_drawer) % NUM_SEATS
            for card in range(NUM_CARDS):
                for _ in range(s.known[seat, card]):
                    s.deal[position] = card
                    memory.cards[card] -= 1
                    position += NUM_SEATS
    _fill_deal(s, total, memory, key)
    for position in range(s.drawn):
        seat = (int(s.first_drawer) + position) % NUM_SEATS
        if seat != s.seat:
            s.hands[seat, slot_of_card(s.deal[position], NO_TRUMP, bid_level(s, seat))] += 1


@jit
def _fill_deal(s: State, total: int, memory: SamplerMemory, key: np.uint64) -> None:
    """Shuffle the cards that ``memory.cards[:NUM_CARDS]`` counts into the deal's unknown positions."""
    size = 0
    for card in range(NUM_CARDS):
        for _ in range(memory.cards[card]):
            memory.trial.deal[size] = card
            size += 1
    for position in range(size):
        memory.cards[position] = memory.trial.deal[position]
    _shuffle(memory.cards, size, key, 0)
    size = 0
    for position in range(total):
        if s.deal[position] < 0:
            s.deal[position] = memory.cards[size]
            size += 1
