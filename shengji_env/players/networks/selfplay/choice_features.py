"""Compiled code: `players.candidates.FEATURES` of the policy's choices, for a value network.

Where the package's candidates have what the heuristic player thinks of them, these have what the policy does: `first`
marks its choice, `value` and `gain` are what others are behind it. Other estimates of the heuristic player (`strength`,
`keep`, `over`, `chance`) are left at zero.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.actions import BID_BIG, NAME, PASS
from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, length_of, top_of, width_of
from shengji_env.engine.play import CARDS
from shengji_env.engine.rows import count_cards_at, lowest_slot, num_slots, slots_with, write_rest
from shengji_env.engine.slots import NO_TRUMP, NUM_EFFECTIVE_SUITS, order_of_slot, suit_of_slot, suit_slots
from shengji_env.engine.state import UNNAMED, Phase, Rules, State, Workspace
from shengji_env.players.candidates.card_features import FeatureRow, as_byte
from shengji_env.players.networks.selfplay.action_rows import NO_BIDDER, trumps_of, what_stands
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.decision import DecisionRecord
from shengji_env.players.networks.selfplay.selfplay_inputs import LEAD_GROUP, MANY_GROUP, ONE_GROUP
from shengji_env.players.networks.selfplay.selfplay_network import LEVEL
from shengji_env.players.networks.selfplay.set_rows import WINS, outcome_of_follow
from shengji_env.players.suit_blocks import effective_suit_of

_VALUE_UNITS, _GAIN_UNITS = 25, 100
"""Steps in a level."""


@jit
def write_choice_features(
    s: State, r: Rules, w: Workspace, d: DecisionRecord, best: int, index: int, row: FeatureRow
) -> None:
    """Write the features of a choice.

    Args:
        s: the table, for which `choices.find_choices` has just found it.
        r: its rules.
        w: scratch memory.
        d: the choices, valued.
        best: the one that is worth most to the policy.
        index: the choice.
        row: FEATURES_DTYPE, all zero.
    """
    behind = float(d.values[index] - d.values[best]) / LEVEL
    row.first[0] = index == best
    row.value[0] = as_byte(_VALUE_UNITS * behind)
    row.gain[0] = as_byte(_GAIN_UNITS * behind)
    if d.actions[index] == CARDS:
        _write_set(s, r, w, d, d.cards[index], row)
    elif s.phase == Phase.FORCED:
        _write_forced(s, d.actions[index], row)
    elif s.phase != Phase.REBEL:
        _write_bid(s, d.actions[index], row)


@jit
def _write_bid(s: State, action: int, row: FeatureRow) -> None:
    trump, count, bidder = what_stands(s, action)
    row.passes[0] = action == PASS
    if action < NAME and action != PASS:
        row.bid_size[0], row.bid_big[0] = count, action >= BID_BIG
    if bidder == NO_BIDDER:
        return
    if action < NAME:
        row.bidder[bidder] = 1
    present = NO_TRUMP if s.trump == UNNAMED else int(s.trump)
    row.names[effective_suit_of(trump, present)] = 1
    row.trumps[0] = count_cards_at(s.hands[s.seat], trumps_of(s, trump))


@jit
def _write_forced(s: State, action: int, row: FeatureRow) -> None:
    suit = suit_of_slot(action, s.trump)
    row.suit_cards[suit], row.points[0] = 1, int(s.slot_points[action]) // 5
    row.top[0] = order_of_slot(action, s.trump)


@jit
def _write_set(s: State, r: Rules, w: Workspace, d: DecisionRecord, cards: NDArray[Any], row: FeatureRow) -> None:
    hand, sight = s.hands[s.seat], d.sight
    write_rest(d.rest, hand, (cards,))
    taken, kept = slots_with(cards, 1), slots_with(d.rest, 1)
    pairs = slots_with(d.rest, 2)
    for suit in range(NUM_EFFECTIVE_SUITS):
        if is_suit(suit, s.trump):
            block = suit_slots(suit, s.trump)
            row.suit_cards[suit] = count_cards_at(cards, block)
            row.suit_left[suit] = count_cards_at(d.rest, block)
            row.suit_emptied[suit] = taken & block != 0 and kept & block == 0
            row.suit_pairs[suit] = num_slots(pairs & block)
            row.suit_standing[suit] = count_cards_at(d.rest, block & sight.standing)
            row.cards[0] += row.suit_cards[suit]
    row.kinds[0] = num_slots(taken)
    row.standing[0] = count_cards_at(cards, sight.standing)
    row.broken[0] = num_slots(taken & kept)
    left = taken
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        row.points[0] += int(cards[slot]) * int(s.slot_points[slot]) // 5
        row.widest[0] = max(row.widest[0], cards[slot])
    if d.group == LEAD_GROUP:
        _write_lead(s, w, d, cards, row)
    elif d.group == ONE_GROUP or d.group == MANY_GROUP:
        _write_follow(s, r, w, d, cards, row)


@jit
def _write_lead(s: State, w: Workspace, d: DecisionRecord, cards: NDArray[Any], row: FeatureRow) -> None:
    suit = suit_of_slot(lowest_slot(slots_with(cards, 1)), s.trump)
    row.components[0] = decompose(cards, suit, s.trump, w)
    code = w.codes[0]
    row.width[0], row.length[0], row.top[0] = width_of(code), length_of(code), top_of(code)
    row.hidden[0] = count_cards_at(d.sight.out, suit_slots(suit, s.trump))


@jit
def _write_follow(s: State, r: Rules, w: Workspace, d: DecisionRecord, cards: NDArray[Any], row: FeatureRow) -> None:
    status, _, top = outcome_of_follow(s, r, w, d, cards)
    row.wins[0], row.loses[0] = status == WINS, status != WINS
    row.top[0] = order_of_slot(top, s.trump) if status == WINS else 0
    row.trick_points[0] = as_byte(float(s.trick_points // 5 + row.points[0]))
