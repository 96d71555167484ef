"""What networks of integers read of a table: small numbers, each of which chooses a row of weights.

| of | numbers |
|---|---|
| each card held | its class: higher cards that are out, copies, points, whether it beats the card that is winning |
| each card out, each taken, the card that is winning | copies; whether it is above that card |
| each effective suit | length, cards out, winners, pairs, points, who is void |
| the trick and the round | position, who is winning, points, declarer, cards left |
| the suit led, the winning card | who is void, cards out; cards out above it, whether it is a ruff |

*Out* are cards that the seat neither holds nor has seen played, nor has buried itself. All of it follows from the
state as the seat knows it. Cards taken for the play under way count as held.
"""

from typing import TypeAlias

import numpy as np

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rows import (
    ALL_SLOTS,
    count_cards_at,
    highest_slot,
    lowest_slot,
    num_slots,
    slots_from,
    slots_with,
    write_rest,
)
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import (
    NO_TRUMP,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    first_slot,
    order_of_slot,
    suit_slots,
    suit_start,
)
from shengji_env.engine.state import State

Sight: TypeAlias = np.record

RANKS = 18
"""Slots of the longest suit."""
COPIES = 3
"""One, two, and three or more of a card."""
CLASSES = 4 * COPIES * 3 * 2
"""Classes of a card held: 4 numbers of higher cards out, copies, 3 of points, beats or not."""
LENGTHS, OUTS, BOSSES, PAIRS, POINTS, VOIDS = 14, 8, 3, 4, 3, 8
"""Sizes of the numbers of a suit."""
HOLDINGS, STRENGTHS = LENGTHS * OUTS, BOSSES * PAIRS * POINTS
WINNERS, STAKES, SCORES, BURIED, CARDS = 5, 9, 26, 6, 26
"""Sizes of those of the trick and the round: seats that win, the last for none; and so on."""
HIGHER, RUFFED = 5, 2
NOTHING_LED = VOIDS * OUTS, HIGHER * RUFFED
SCENES = (
    NUM_SEATS * WINNERS * 2,
    STAKES * BURIED,
    SCORES * NUM_SEATS,
    CARDS,
    NOTHING_LED[0] + 1,
    NOTHING_LED[1] + 1,
)
"""Numbers of rows for the trick and the round: seats, what is at stake, the score, the cards left; of the suit led, who
is void and the cards out; of the card that is winning, cards out above it, and whether it is a ruff. The last of the
last two stand for a lead."""

SIGHT_DTYPE = record_type(
    [
        ("out", np.int8, (NUM_SLOTS,)),
        ("held1", np.int64),
        ("held2", np.int64),
        ("held3", np.int64),
        ("out1", np.int64),
        ("out2", np.int64),
        ("out3", np.int64),
        ("beats", np.int64),
        ("fives", np.int64),
        ("tens", np.int64),
        ("top", np.int64),
        ("boss_pairs", np.int64),
        ("standing", np.int64),
        ("holding", np.int64, (NUM_EFFECTIVE_SUITS,)),
        ("strength", np.int64, (NUM_EFFECTIVE_SUITS,)),
        ("void", np.int64, (NUM_EFFECTIVE_SUITS,)),
        ("scene", np.int64, (len(SCENES),)),
        ("of_slot", np.int8, (NUM_SLOTS,)),
    ]
)
"""A decision, as the network reads it. Sets of slots (`engine.rows`): held and out, one card, two, three or more;
slots that beat the card that is winning; cards of five and ten points; the slot of that card, -1: none; pairs
held above every pair out; cards above every card out. By effective suit and for the whole: the rows that they choose.
By slot: classes of cards held, once its suit has been looked at."""


@jit
def look(s: State, sight: Sight) -> None:
    """Look at a lead, or at a follow of one card."""
    seat, trump = s.seat, s.trump
    hand = s.hands[seat]
    played = (s.played[0], s.played[1], s.played[2], s.played[3])
    buried = 0
    if last_taker(s) == seat:
        write_rest(sight.out, s.slot_copies, (hand, s.buried, *played))
        slots = slots_with(s.buried, 1) & slots_with(s.slot_points, 1)
        while slots:
            slot = lowest_slot(slots)
            slots &= slots - 1
            buried += int(s.buried[slot]) * int(s.slot_points[slot])
    else:
        write_rest(sight.out, s.slot_copies, (hand, *played))
    sight.held1, sight.held2 = slots_with(hand, 1), slots_with(hand, 2)
    sight.out1, sight.out2 = slots_with(sight.out, 1), slots_with(sight.out, 2)
    sight.held3 = slots_with(hand, 3) if sight.held2 else 0
    sight.out3 = slots_with(sight.out, 3) if sight.out2 else 0
    sight.tens = slots_with(s.slot_points, 10)
    sight.fives = slots_with(s.slot_points, 5) & ~sight.tens
    sight.beats, sight.top = 0, -1
    if s.lead_size > 0:
        suit = s.winning_suit
        sight.beats = suit_slots(suit, trump) & slots_from(first_slot(s.winning_top + 1, suit, trump))
        if suit != TRUMP:
            sight.beats |= suit_slots(TRUMP, trump)
        sight.top = highest_slot(slots_with(s.trick[s.winning], 1))
    sight.boss_pairs = sight.standing = 0
    for suit in range(NUM_EFFECTIVE_SUITS):
        if suit != NO_TRUMP - 1 or trump == NO_TRUMP:
            _look_at_suit(s, sight, suit)
    _look_around(s, sight, buried)


@jit
def _look_at_suit(s: State, sight: Sight, suit: int) -> None:
    """Find the rows of a suit."""
    trump, seat = s.trump, s.seat
    block = suit_slots(suit, trump)
    held1, held2, out1, out2 = sight.held1 & block, sight.held2 & block, sight.out1 & block, sight.out2 & block
    high = highest_slot(out1 | 1 << suit_start(suit, trump))
    if suit == TRUMP:
        high = first_slot(order_of_slot(high, trump), suit, trump)
    standing = held1 & slots_from(high)
    sight.standing |= standing
    sight.boss_pairs |= held2 & slots_from(highest_slot(out2) + 1) if out2 else held2
    length = count_cards_at(s.hands[seat], block) if held2 else num_slots(held1)
    out = count_cards_at(sight.out, block) if out2 else num_slots(out1)
    points = num_slots(held1 & sight.fives) + num_slots(held2 & sight.fives)
    points += 2 * (num_slots(held1 & sight.tens) + num_slots(held2 & sight.tens))
    sight.holding[suit] = min(length, LENGTHS - 1) * OUTS + _grade(out)
    bosses, pairs = min(num_slots(standing), BOSSES - 1), min(num_slots(held2), PAIRS - 1)
    sight.strength[suit] = (bosses * PAIRS + pairs) * POINTS + min(points, POINTS - 1)
    voids = s.voids[(seat + 1) % NUM_SEATS, suit] + 2 * s.voids[(seat + 2) % NUM_SEATS, suit]
    sight.void[suit] = voids + 4 * s.voids[(seat + 3) % NUM_SEATS, suit]


@jit
def _grade(out: int) -> int:
    """Return a number of cards that are out, coarsely."""
    if out <= 6:
        return (out + 1) // 2
    return 4 if out <= 9 else 5 if out <= 12 else 6 if out <= 16 else 7


@jit
def _look_around(s: State, sight: Sight, buried: int) -> None:
    """Find the rows of the trick and the round."""
    seat = s.seat
    position, winner = 0, WINNERS - 1
    if s.lead_size > 0:
        position, winner = s.position, (s.winning - seat) % NUM_SEATS
    scene = sight.scene
    scene[0] = (position * WINNERS + winner) * 2 + (s.trump == NO_TRUMP)
    scene[1] = min(s.trick_points // 5, STAKES - 1) * BURIED + min(buried // 5, BURIED - 1)
    scene[2] = min(max(s.attackers_points // 5, 0), SCORES - 1) * NUM_SEATS + (s.declarer - seat) % NUM_SEATS
    scene[3] = min(count_cards_at(s.hands[seat], ALL_SLOTS), CARDS - 1)
    scene[4], scene[5] = NOTHING_LED
    if s.lead_size > 0:
        scene[4] = sight.void[s.lead_suit] * OUTS + sight.holding[s.lead_suit] % OUTS
        above = sight.beats & suit_slots(s.winning_suit, s.trump)
        cards = num_slots(sight.out1 & above) + num_slots(sight.out2 & above) + num_slots(sight.out3 & above)
        higher = cards if cards <= 2 else 3 if cards <= 4 else HIGHER - 1
        scene[5] = higher * RUFFED + (s.winning_suit != s.lead_suit)


@jit
def copies_of(slot: int, two: int, three: int) -> int:
    """Return 0 to 2, for one, two or more copies, given the sets of slots with two and three or more."""
    return int((two >> slot & 1) + (three >> slot & 1))


@jit
def class_of(sight: Sight, slot: int, block: int) -> int:
    """Return the class of a card held, given its suit's slots."""
    higher = 0
    if not sight.standing >> slot & 1:
        above = block & slots_from(slot + 1)
        cards = num_slots(sight.out1 & above) + num_slots(sight.out2 & above)
        higher = 1 if cards <= 1 else 2 if cards <= 3 else 3
    points = (sight.fives >> slot & 1) + 2 * (sight.tens >> slot & 1)
    copies = copies_of(slot, sight.held2, sight.held3)
    return int(((higher * COPIES + copies) * 3 + points) * 2 + (sight.beats >> slot & 1))
