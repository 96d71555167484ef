"""Deals: the order of all cards as a function of (seed, table, round, redeal), the same on every machine and version.

The random words are SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014) of a
counter, so no draw depends on earlier draws, and a table's state holds no random state. They can be undone, so they
are only for the engine and its user; words for players come from `words.py`.

Source: docs/rules.md §2; docs/environments/arguments.md.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import ACE, NUM_CARDS, NUM_RANKS, NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, NUM_TEAMS, Rules, State

SETUP_STREAM = 1000
PLAYER_STREAM = 1001
SAMPLE_STREAM = 1002
ROLLOUT_STREAM = 1003
CANDIDATE_STREAM = 1004
"""Streams of a round's random words: 0..120 are its deal and redeals. Words of PLAYER_STREAM are made in `words.py`."""


class Deals(NamedTuple):
    """Where a table's deals come from."""

    seed: np.uint64
    """The seed of the deals."""
    table: int
    """The table number."""


SAME_CARDS = Deals(np.uint64(0), 0)
"""Where a state's own cards are dealt, also again (``deal_given``), or none can be dealt any more."""

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_GAMMA_INVERSE = np.uint64(pow(int(_GAMMA), -1, 2**64))
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_S11, _S53 = np.uint64(11), np.uint64(53)
_ONE = np.uint64(1)


@jit
def mix(word: np.uint64) -> np.uint64:
    """Apply SplitMix64's output function to a word."""
    word = (word ^ (word >> _S30)) * _MIX_A
    word = (word ^ (word >> _S27)) * _MIX_B
    return word ^ (word >> _S31)


@jit
def fold(key: np.uint64, value: int | np.uint64) -> np.uint64:
    """Return a key that depends on another key and a number."""
    return mix(key * _MIX_B + (np.uint64(value) + _ONE) * _GAMMA)


@jit
def table_key(seed: np.uint64, table: int) -> np.uint64:
    """Return the key of a table: all its random words come from it."""
    return fold(fold(_GAMMA, seed), table)


@jit
def stream_key(seed: np.uint64, table: int, round_index: int, stream: int) -> np.uint64:
    """Return the key of one stream of random words."""
    return fold(fold(table_key(seed, table), round_index), stream)


@jit
def numbers_for_seeds(seeds: NDArray[Any], numbers: NDArray[Any]) -> None:
    """Write for each seed the table number that has under seed 0 all random words that table 0 has under that seed.

    So tables can share one seed although each plays what another seed gives. Two keys that `fold` makes are equal if
    what it mixes is equal, since `mix` is a bijection; the number follows from that.

    Args:
        seeds: (N,) uint64.
        numbers: (N,) uint64, written; as int64, table numbers.
    """
    for position in range(seeds.size):
        apart = fold(_GAMMA, seeds[position]) - fold(_GAMMA, np.uint64(0))
        numbers[position] = apart * _MIX_B * _GAMMA_INVERSE


@jit
def later_key(key: np.uint64, counter: int) -> np.uint64:
    """Return the key of a stream whose first word is this one's at `counter`."""
    return np.uint64(key + np.uint64(counter) * _GAMMA)


@jit
def random_below(key: np.uint64, counter: int, bound: int) -> np.int64:
    """Return the stream's word at `counter`, as a number in 0..bound-1; `bound` is at most 2048."""
    word = mix(key + (np.uint64(counter) + _ONE) * _GAMMA)
    return np.int64(((word >> _S11) * np.uint64(bound)) >> _S53)


@jit
def deal_cards(deal: NDArray[Any], r: Rules, key: np.uint64) -> None:
    """Shuffle all cards (Fisher and Yates)."""
    size = 0
    for deck in range(r.decks):
        for card in range(NUM_CARDS):
            if r.copies[card] > deck:
                deal[size] = card
                size += 1
    for position in range(size - 1, 0, -1):
        other = random_below(key, position, position + 1)
        deal[position], deal[other] = deal[other], deal[position]


@jit
def draw_setup(s: State, r: Rules, deals: Deals, any_start: bool) -> None:
    """Set levels, declarer and first drawer: as at a match's beginning, or any.

    `any_start` draws levels 2..A for both teams, and a declarer three times in four.
    """
    key = stream_key(deals.seed, deals.table, s.round_index, SETUP_STREAM)
    s.first_drawer = int(random_below(key, 0, NUM_SEATS))
    s.declarer = NOBODY
    for team in range(NUM_TEAMS):
        s.levels[team] = random_below(key, 1 + team, ACE + 1) if any_start else 0
    if any_start and random_below(key, 3, NUM_SEATS) > 0:
        s.declarer = s.first_drawer
    s.match_round = 0


@jit
def draw_trump(r: Rules, deals: Deals, round_index: int) -> int:
    """Return the trump suit that is given with a deal under fixed bidding: one that is dealt, or no trump."""
    key = stream_key(deals.seed, deals.table, round_index, SETUP_STREAM)
    return suit_dealt(r, int(random_below(key, 4, _num_names(r))))


@jit
def suit_dealt(r: Rules, index: int) -> int:
    """Return one of the suits that are dealt, by its place among them; NUM_SUITS beyond the last."""
    for suit in range(NUM_SUITS):
        if is_suit_dealt(r, suit):
            if index == 0:
                return suit
            index -= 1
    return NUM_SUITS


@jit
def kitty_lot(deal: NDArray[Any], r: Rules) -> tuple[int, int]:
    """Draw a trump suit and a declarer by lot, from the order of the kitty's cards (§4, `no_bid`)."""
    lot = 0
    for place in range(r.kitty):
        lot += (place + 1) * int(deal[r.total - r.kitty + place])
    num_suits = num_suits_dealt(r)
    return suit_dealt(r, lot % num_suits), lot // num_suits % NUM_SEATS


@jit
def is_suit_dealt(r: Rules, suit: int) -> bool:
    """Return whether cards of a suit are dealt: only then is it named without a bid (§1)."""
    for card in range(NUM_RANKS * suit, NUM_RANKS * (suit + 1)):
        if r.copies[card]:
            return True
    return False


@jit
def _num_names(r: Rules) -> int:
    """Return how many suits can be drawn as trumps, no trump included."""
    return num_suits_dealt(r) + (1 if r.no_trump_bids else 0)


@jit
def num_suits_dealt(r: Rules) -> int:
    """Return how many suits are dealt."""
    number = 0
    for suit in range(NUM_SUITS):
        number += 1 if is_suit_dealt(r, suit) else 0
    return number


@jit
def is_joker(card: int) -> bool:
    """Return whether a card id is a joker."""
    return card >= NUM_SUITS * NUM_RANKS
