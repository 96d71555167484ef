"""The heuristic player: what a good club player does.

| decision | rule | where |
|---|---|---|
| bid, name | the suit with clearly more trumps than a fair share; partners are seldom overturned | `bidding.py` |
| bury | whole short suits; winners, pairs and trumps stay; points at a price | `burying.py` |
| lead | what stands, thrown together; long components; trumps, if they are the majority | `leading.py` |
| forced | of a failed throw's beaten components one that it beats itself, with the most points | `forcing.py` |
| follow | feed a winning partner, withhold from opponents, win with the cheapest cards that hold | `following.py` |

Leads and follows are compared by value: chances from counting cards (`counting.py`) times points, less what the cards
are worth in hand (`keeping.py`). It sees an observation and a mask, uses no randomness and keeps no memory. It answers
card by card: every time it works out the whole play from the cards that it held when the decision began, and takes the
next card of it that the mask allows. The figures at the top of each module were tuned by self-play (docs/results.md).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.players.compiled import CompiledPlayer
from shengji_env.players.heuristic.bidding import choose_bid, choose_name
from shengji_env.players.heuristic.burying import plan_bury
from shengji_env.players.heuristic.counting import HEURISTIC_DTYPE, count_cards
from shengji_env.players.heuristic.following import plan_follow
from shengji_env.players.heuristic.forcing import choose_forced
from shengji_env.players.heuristic.keeping import set_keep_values
from shengji_env.players.heuristic.leading import plan_lead


class HeuristicPlayer(CompiledPlayer):
    """Plays like a good club player."""

    def __init__(self) -> None:
        super().__init__("heuristic", choose_heuristically, HEURISTIC_DTYPE)


@jit
def choose_heuristically(views: NDArray[Any], masks: NDArray[Any], plans: NDArray[Any], chosen: NDArray[Any]) -> None:
    """Choose an action for each row of OBSERVATION_DTYPE."""
    for row in range(views.size):
        chosen[row] = heuristic_action(views[row], masks[row], plans[0])


@jit
def heuristic_action(o: np.record, mask: NDArray[Any], plan: np.record) -> int:
    """The heuristic player's action, from what a seat sees; `plan` is scratch memory, HEURISTIC_DTYPE."""
    if o.phase[Phase.BID]:
        return int(choose_bid(o, mask))
    if o.phase[Phase.NAME]:
        return int(choose_name(o))
    if o.phase[Phase.FORCED]:
        return int(choose_forced(o, mask, plan))
    plan_cards(o, plan)
    return _next_card(o, mask, plan)


@jit
def plan_cards(o: np.record, plan: np.record) -> None:
    """Want the cards to bury, lead or follow with: the same at every card of the decision."""
    count_cards(o, plan)
    if o.phase[Phase.BURY]:
        plan_bury(o, plan)
        return
    set_keep_values(o, plan)
    if o.phase[Phase.LEAD]:
        plan_lead(o, plan)
    else:
        plan_follow(o, plan)


@jit
def _next_card(o: np.record, mask: NDArray[Any], plan: np.record) -> int:
    """The next card of the plan that is legal; without one the end of the lead, or the cheapest legal card."""
    best = DONE
    for slot in range(NUM_SLOTS):
        if mask[slot]:
            if plan.want[slot] > o.taken[slot]:
                return slot
            if best == DONE or plan.charge[slot] < plan.charge[best]:
                best = slot
    return DONE if mask[DONE] else best
