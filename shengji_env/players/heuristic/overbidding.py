"""Overbidding: take the kitty for other trumps if they suit the hand clearly better; rebel with a weak hand.

Trumps are named already, so strengths are compared with what the hand is worth under the present ones.

| case | what an overbid requires |
|---|---|
| the kitty was buried by an opponent | a little more than the present trumps are worth |
| it was buried by the partner | a good deal more: the partner's burial and plans are undone |
| no trump | as many jokers and level cards as for a bid, and more than under the present trumps |
| rebellion | fewer trumps than a fair share; more of them will do if the rebel becomes declarer |

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
from shengji_env.players.heuristic.counting import PARTNER
from shengji_env.players.suit_blocks import block_of_suit
from shengji_env.tables.observation import ObservationRecord

_NEW_DECLARER = index_of("rebellion", "new_declarer")


@jit
def choose_overbid(seen: ObservationRecord, mask: NDArray[Any]) -> int:
    """Take the kitty for the best trumps that may be bid, with the fewest cards that do; or pass."""
    trump = first_set(seen.trump)
    margin = parameters.OVERBID_PARTNER if seen.burier[PARTNER] else parameters.OVERBID_OPPONENT
    present = strength(seen, block_of_suit(trump, trump)) + margin
    cards = seen.cards_left[0]
    most = max(present, parameters.OVERBID_SHARE * scarcity(seen, 0) * cards + parameters.OVERBID_HEADSTART)
    best = PASS
    for suit in range(NUM_SUITS):
        worth = strength(seen, block_of_suit(suit, trump))
        for count in range(MAX_DECKS):
            action = BID_SUIT + count * NUM_SUITS + suit
            if mask[action] and worth > most:
                most = worth
                best = action
    needed = parameters.BID_NO_TRUMP_HEADSTART + parameters.BID_NO_TRUMP_SHARE * scarcity(seen, NO_TRUMP) * cards
    if best == PASS and strength(seen, NO_TRUMP) >= needed:
        for action in range(BID_LITTLE, NAME):
            if mask[action]:
                best = action
    return best


@jit
def choose_rebellion(seen: ObservationRecord) -> int:
    """Rebel if the hand has clearly fewer trumps than a fair share."""
    trump = first_set(seen.trump)
    share = parameters.REBEL_NEW_DECLARER if seen.rules[_NEW_DECLARER] else parameters.REBEL_SHARE
    enough = share * scarcity(seen, trump) * seen.cards_left[0]
    if trump == NO_TRUMP:
        enough *= parameters.REBEL_NO_TRUMP
    return REBEL if strength(seen, block_of_suit(trump, trump)) < enough else PASS
