"""Which rows of weights a decision adds up: the distilled network's first layer is sums of them.

Each effective suit has hidden units of its own: the rows listed for all suits of its kind (`list_common`), those listed
for the suit (`list_suit`), and those of the cards taken so far (`list_taken`). Plain suits share their rows, trumps
have others.

| block of a kind of suit | rows |
|---|---|
| `HELD` | cards held: by rank, class (`sight.class_of`), and whether a pair above every pair out |
| `OUT` | cards out: by rank, copies, above the card that is winning or not |
| `TAKEN` | cards taken: by rank and copies |
| `TOP` | the card that is winning is in this suit: its rank |
| `SUIT` | length and cards out; winners, pairs and points; who is void |
| `SCENE` | the trick and the round |
| `BEGUN` | cards taken so far, 0 to 5 |
| `LED` | nothing is led, this suit, trumps, another suit |

`BIASES` has a row for each kind, `OTHERS` blocks like `SUIT` of the other suits: plain ones for plain suits, where a
suit's own are among them, trumps for plain suits, plain suits for trumps.
"""

from typing import Any

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import lowest_slot, slots_with
from shengji_env.engine.slots import NO_TRUMP, NUM_EFFECTIVE_SUITS, TRUMP, suit_slots, suit_start
from shengji_env.engine.state import State
from shengji_env.players.networks.sight import (
    CLASSES,
    COPIES,
    HOLDINGS,
    RANKS,
    SCENES,
    STRENGTHS,
    VOIDS,
    class_of,
    copies_of,
)

HELD = 0
OUT = HELD + RANKS * CLASSES * 2
TAKEN = OUT + RANKS * COPIES * 2
TOP = TAKEN + RANKS * COPIES
SUIT = TOP + RANKS
NUM_SUIT = HOLDINGS + STRENGTHS + VOIDS
SCENE = SUIT + NUM_SUIT
BEGUN = SCENE + sum(SCENES)
MOST_TAKEN = 5
LED = BEGUN + MOST_TAKEN + 1
NUM_OWN = LED + 4
"""Rows of a kind of suit."""
BIASES = 2 * NUM_OWN
OTHERS = BIASES + 2
NUM_ROWS = OTHERS + 3 * NUM_SUIT

LEADS, GOES_ON, IN_SUIT, OFF_SUIT = range(4)
"""Kinds of decision: the first card of a lead, another one; a card to follow in the suit led, or out of another."""
DECISIONS = 4
OF_CLASS = DECISIONS * 2 * RANKS
OF_DONE = OF_CLASS + DECISIONS * 2 * CLASSES
NUM_OUTPUTS = OF_DONE + 3
"""Rows of the second layer: ranks and classes, each by decision and kind of suit; ends of leads by kind; zeros."""

MAX_LISTED = 64
"""Most rows of a list."""


@jit
def list_common(s: State, sight: Any, is_trump: bool, rows: Any) -> int:
    """List what plain suits, or trumps, have in common; return how many rows these are."""
    rows[0] = BIASES + is_trump
    number, first = 1, NUM_OWN * is_trump + SCENE
    for index in range(len(SCENES)):
        rows[number] = first + sight.scene[index]
        first += SCENES[index]
        number += 1
    for suit in range(NUM_EFFECTIVE_SUITS):
        if (suit != NO_TRUMP - 1 or s.trump == NO_TRUMP) and not (is_trump and suit == TRUMP):
            block = 2 if is_trump else suit // TRUMP
            number = _list_whole(sight, suit, OTHERS + block * NUM_SUIT, rows, number)
    return number


@jit
def _list_whole(sight: Any, suit: int, first: int, rows: Any, number: int) -> int:
    """List what a suit is as a whole; the block of rows begins at `first`."""
    rows[number] = first + sight.holding[suit]
    rows[number + 1] = first + HOLDINGS + sight.strength[suit]
    rows[number + 2] = first + HOLDINGS + STRENGTHS + sight.void[suit]
    return number + 3


@jit
def list_suit(s: State, sight: Any, suit: int, rows: Any) -> int:
    """List a suit's own rows, but for the cards taken; return how many these are. Classes of cards are noted."""
    trump = s.trump
    first = NUM_OWN * (suit == TRUMP)
    start, block = suit_start(suit, trump), suit_slots(suit, trump)
    number = _list_whole(sight, suit, first + SUIT, rows, 0)
    slots = sight.held1 & block
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        of = class_of(sight, slot, block)
        sight.of_slot[slot] = of
        rows[number] = first + HELD + ((slot - start) * CLASSES + of) * 2 + (sight.boss_pairs >> slot & 1)
        number += 1
    is_top = sight.top >= 0 and block >> sight.top & 1 == 1
    above = -1 << int(sight.top + 1) if is_top else 0
    slots = sight.out1 & block
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        copies = copies_of(slot, sight.out2, sight.out3)
        rows[number] = first + OUT + ((slot - start) * COPIES + copies) * 2 + (above >> slot & 1)
        number += 1
    if is_top:
        rows[number] = first + TOP + sight.top - start
        number += 1
    led = 0
    if s.lead_size > 0:
        led = 1 if s.lead_suit == suit else 2 if s.lead_suit == TRUMP else 3
    rows[number] = first + LED + led
    return number + 1


@jit
def list_taken(s: State, suit: int, rows: Any) -> int:
    """List the cards of a suit that are taken, and how many there are in all; return the number of rows."""
    first = NUM_OWN * (suit == TRUMP)
    rows[0] = first + BEGUN + min(int(s.taken_size), MOST_TAKEN)
    number = 1
    if s.taken_size > 0:
        start = suit_start(suit, s.trump)
        slots = slots_with(s.taken, 1) & suit_slots(suit, s.trump)
        while slots:
            slot = lowest_slot(slots)
            slots &= slots - 1
            rows[number] = first + TAKEN + (slot - start) * COPIES + min(int(s.taken[slot]), COPIES) - 1
            number += 1
    return number


@jit
def decision_of(s: State, slots: int) -> int:
    """Return the kind of decision, given the legal cards."""
    if s.lead_size == 0:
        return LEADS if s.taken_size == 0 else GOES_ON
    return IN_SUIT if slots & suit_slots(s.lead_suit, s.trump) else OFF_SUIT


@jit
def rank_output(decision: int, suit: int, slot: int, trump: int) -> int:
    """Return the second layer's row of a card's rank."""
    return int((decision * 2 + suit // TRUMP) * RANKS + slot - suit_start(suit, trump))


@jit
def class_output(decision: int, suit: int, of: int) -> int:
    """Return the second layer's row of a card's class."""
    return int(OF_CLASS + (decision * 2 + suit // TRUMP) * CLASSES + of)
