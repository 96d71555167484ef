"""Overbidding: take the kitty for other trumps unless they are far worse for the hand; rebel with a weak hand.

To take up the kitty and bury anew is worth several trumps, whoever has buried before, the partner included: this was
found by playing variants against one another. So a hand overbids nearly whenever it may.

| case | what it requires |
|---|---|
| overbid with a suit | not much less than the hand is worth under the present trumps; the best suit |
| overbid with no trump | that no suit will do |
| rebellion | fewer trumps than a good hand has; a better one will do if the rebel is declarer next, or can become it |

Source: docs/rules.md §4, §5.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.actions import BID_LITTLE, BID_SUIT, NAME, PASS, REBEL
from shengji_env.engine.cards import MAX_DECKS, NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import first_set
from shengji_env.engine.rule_record import index_of
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.bidding import scarcity, strength
from shengji_env.players.suit_blocks import block_of_suit
from shengji_env.tables.observation import ObservationRecord

_NEW_DECLARER, _NO_DECLARER = (index_of("rebellion", word) for word in ("new_declarer", "no_declarer"))


@jit
def choose_overbid(seen: ObservationRecord, mask: NDArray[Any]) -> int:
    """Take the kitty for the best suit that may be bid, with the fewest cards that do, or for no trump; or pass."""
    trump = first_set(seen.trump)
    best = PASS
    most = strength(seen, block_of_suit(trump, trump)) - parameters.OVERBID_LOSS
    for suit in range(NUM_SUITS):
        worth = strength(seen, block_of_suit(suit, trump))
        for count in range(MAX_DECKS):
            action = BID_SUIT + count * NUM_SUITS + suit
            if mask[action] and worth > most:
                most = worth
                best = action
    if best == PASS:
        for action in range(BID_LITTLE, NAME):
            if mask[action]:
                best = action
    return best


@jit
def choose_rebellion(seen: ObservationRecord) -> int:
    """Rebel unless the hand has many trumps for a weak one."""
    trump = first_set(seen.trump)
    may_declare = seen.rules[_NEW_DECLARER] or seen.rules[_NO_DECLARER]
    share = parameters.REBEL_NEW_DECLARER if may_declare else parameters.REBEL_SHARE
    enough = share * scarcity(seen, trump) * seen.cards_left[0]
    if trump == NO_TRUMP:
        enough *= parameters.REBEL_NO_TRUMP
    return REBEL if strength(seen, block_of_suit(trump, trump)) < enough else PASS
