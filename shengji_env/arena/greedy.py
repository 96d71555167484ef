"""The greedy player: a dozen lines of common sense, and the yardstick for everything else.

| decision | rule |
|---|---|
| bid | the suit with the most trumps, if they are more than a fair share; all its level cards |
| bury | low plain cards, from short suits first; points, pairs, aces and trumps stay |
| lead | what nobody can beat, the most cards first; else pairs and tractors; else a low card of a long suit |
| follow | win what has points, as cheaply as is safe; give points to a partner who is winning; else the lowest |

It sees an observation and a mask, and answers card by card: every time it works out the whole play from the cards
that it held when the decision began (`tricks.py`), and takes the next card of it that the mask allows.

It uses no randomness and keeps no memory, so it is a function of what its seat sees.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.plans import NEVER, PLAN_DTYPE, add_cheapest, set_costs
from shengji_env.arena.tricks import plan_follow, plan_lead
from shengji_env.engine.actions import BID_SUIT, DONE, NAME, PASS
from shengji_env.engine.cards import MAX_DECKS, NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.slots import LEVEL_SLOT, NUM_SLOTS, PLAIN_RANKS, TRUMP, suit_of_slot
from shengji_env.engine.state import Phase
from shengji_env.envs.observation import view

FAIR_SHARE = 0.36
"""Share of trumps in the cards drawn so far from which a suit is worth a bid."""
_HEADSTART = 1
_BURIED_TRUMP_COST = 100


class GreedyPlayer:
    """Plays common sense."""

    name = "greedy"

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Actions, shape (B,)."""
        chosen = np.empty(len(observation), np.int64)
        choose_greedily(view(np.ascontiguousarray(observation)), action_mask, np.zeros(1, PLAN_DTYPE), chosen)
        return chosen


@jit
def choose_greedily(views: NDArray[Any], masks: NDArray[Any], plans: NDArray[Any], chosen: NDArray[Any]) -> None:
    """Choose an action for each row of OBSERVATION_DTYPE."""
    for row in range(views.size):
        chosen[row] = greedy_action(views[row], masks[row], plans[0])


@jit
def greedy_action(o: np.record, mask: NDArray[Any], plan: np.record) -> int:
    """The greedy player's action, from what a seat sees; `plan` is scratch memory."""
    if o.phase[Phase.BID]:
        return _bid(o, mask)
    if o.phase[Phase.NAME]:
        return NAME + _longest_suit(o, mask, NAME)
    if o.phase[Phase.FORCED]:
        return _lowest(mask)
    for slot in range(NUM_SLOTS):
        plan.hand[slot] = o.hand[slot] + o.taken[slot]
        plan.want[slot] = 0
    trump = 0
    while not o.trump[trump]:
        trump += 1
    if o.phase[Phase.BURY]:
        _plan_bury(o, plan, trump)
    elif o.phase[Phase.LEAD]:
        plan_lead(o, plan, trump)
    else:
        plan_follow(o, plan, trump)
    return _next_card(o, mask, plan)


@jit
def _lowest(mask: NDArray[Any]) -> int:
    action = 0
    while not mask[action]:
        action += 1
    return action


@jit
def _next_card(o: np.record, mask: NDArray[Any], plan: np.record) -> int:
    """The next card of the plan that is legal; without one the end of the lead, or the cheapest legal card."""
    best = DONE
    lowest = NEVER
    for slot in range(NUM_SLOTS):
        if mask[slot]:
            if plan.want[slot] > o.taken[slot]:
                return slot
            if plan.cost[slot] < lowest:
                lowest = plan.cost[slot]
                best = slot
    return DONE if mask[DONE] else best


@jit
def _trumps_with(o: np.record, suit: int) -> int:
    """Number of trumps in hand if `suit` were trumps; before trumps are named, slots are those of no trump."""
    trumps = 0
    for rank in range(PLAIN_RANKS):
        trumps += o.hand[suit * PLAIN_RANKS + rank]
    for slot in range(LEVEL_SLOT, NUM_SLOTS):
        trumps += o.hand[slot]
    return trumps


@jit
def _longest_suit(o: np.record, mask: NDArray[Any], first: int) -> int:
    """The suit with the most trumps among those whose action ``first + suit`` is legal, -1 if none is."""
    best = -1
    most = -1
    for suit in range(NUM_SUITS):
        if mask[first + suit] and _trumps_with(o, suit) > most:
            most = _trumps_with(o, suit)
            best = suit
    return best


@jit
def _bid(o: np.record, mask: NDArray[Any]) -> int:
    """Bid the longest suit that may be bid now, with as many level cards as there are; pass if it is too short."""
    best = PASS
    most = FAIR_SHARE * o.cards_left[0] + _HEADSTART
    for suit in range(NUM_SUITS):
        for count in range(MAX_DECKS):
            action = BID_SUIT + count * NUM_SUITS + suit
            if mask[action] and _trumps_with(o, suit) >= most:
                most = _trumps_with(o, suit)
                best = action
    return best


@jit
def _plan_bury(o: np.record, plan: np.record, trump: int) -> None:
    """Want the cheapest cards of the hand in the kitty: short suits cheaper, trumps dearest."""
    set_costs(o, plan, trump, False)
    for slot in range(NUM_SLOTS):
        if suit_of_slot(slot, trump) == TRUMP:
            plan.cost[slot] += _BURIED_TRUMP_COST
    add_cheapest(plan, 0, NUM_SLOTS, o.rule_kitty[0])
