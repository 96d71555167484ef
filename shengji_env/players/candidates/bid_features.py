"""Features of single actions: bids, names, forced components and rebellions."""

from shengji_env.engine.actions import BID_BIG, NAME, PASS, REBEL
from shengji_env.engine.bids import count_of_action, kind_of_action, trump_of_kind
from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, has_higher, length_of, top_of, top_slot_of, width_of
from shengji_env.engine.rows import first_set, lowest_slot, slots_with
from shengji_env.engine.slots import NO_TRUMP, suit_of_slot
from shengji_env.players.candidates.card_features import FeatureRow, as_byte
from shengji_env.players.candidates.scratch import Scratch
from shengji_env.players.greedy import count_trumps
from shengji_env.players.heuristic.bidding import strength
from shengji_env.players.heuristic.counting import PREVIOUS
from shengji_env.players.heuristic.forcing import points_of_component
from shengji_env.players.suit_blocks import block_of_suit, effective_suit_of

UNNAMED = NO_TRUMP + 1
"""The column of `trump` that is set until trumps are named."""
STRENGTH_UNITS = 4.0
"""Steps in a strength of one trump."""


@jit
def write_bid(scratch: Scratch, action: int, row: FeatureRow) -> None:
    """Write the features of a pass, a bid, a name or a rebellion."""
    observation = scratch.observation
    trump = -1
    present = NO_TRUMP if observation.trump[UNNAMED] else first_set(observation.trump)
    if action == REBEL:
        return
    if action == PASS:
        row.passes[0] = 1
        if observation.bid_count[0] > 0:
            trump = min(first_set(observation.bid_kind), NO_TRUMP)
            row.bidder[first_set(observation.bidder)] = 1
    elif action < NAME:
        trump = trump_of_kind(kind_of_action(action))
        row.bid_size[0] = count_of_action(action)
        row.bid_big[0] = 1 if action >= BID_BIG else 0
        row.bidder[0] = 1
    else:
        trump = action - NAME
    if trump >= 0:
        block = block_of_suit(trump, present)
        row.names[effective_suit_of(trump, present)] = 1
        row.trumps[0] = count_trumps(observation, block)
        row.strength[0] = as_byte(STRENGTH_UNITS * strength(observation, block))


@jit
def write_forced(scratch: Scratch, action: int, row: FeatureRow) -> None:
    """Write the features of the component of a failed throw whose highest card is the slot `action`."""
    observation, plan = scratch.observation, scratch.plan
    trump = first_set(observation.trump)
    thrown = observation.trick[PREVIOUS]
    suit = suit_of_slot(lowest_slot(slots_with(thrown, 1)), trump)
    for index in range(decompose(thrown, suit, trump, plan.work)):
        code = plan.work.codes[index]
        if top_slot_of(code, suit, trump) == action:
            size = width_of(code) * length_of(code)
            row.cards[0] = size
            row.points[0] = points_of_component(observation, code, suit, trump)
            row.widest[0] = row.width[0] = width_of(code)
            row.kinds[0] = row.length[0] = length_of(code)
            row.suit_cards[suit] = size
            row.top[0] = top_of(code)
            row.wins[0] = has_higher(observation.hand, code, suit, trump)
            return
