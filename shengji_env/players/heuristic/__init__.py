"""The heuristic player: hand-written rules after what club players do.

| decision | rule | where |
|---|---|---|
| bid, name | the suit with clearly more trumps than a fair share; seldom overturn the partner | `bidding.py` |
| overbid, rebel | take the kitty unless the trumps named are far worse; rebel with few trumps | `overbidding.py` |
| bury | whole short suits; winners, pairs and trumps stay; points at a price | `burying.py` |
| lead | unbeatable cards, as a throw; long components; trumps, if it has more than the others | `leading.py` |
| forced | a component of the failed throw that it beats itself, the one with the most points | `forcing.py` |
| follow | points to a winning partner, none to opponents; win with the cheapest cards that hold | `following.py` |

Leads and follows are compared by value: chances (`chances.py`) from counting cards (`counting.py`) times points, minus
what the cards are worth in hand (`keeping.py`). Cards are chosen cheapest first (`plans.py`). It sees an observation
(in playouts only what it reads of one, `seeing.py`) and a mask, uses no randomness and keeps no memory. It answers card
by card: each time it works out the whole play from the cards that it held when the decision began, and takes the next
card of that play that the mask allows. Its parameters (`parameters.py`) were tuned by self-play
(research/trials/heuristic.md).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.masks import write_legal
from shengji_env.engine.rows import first_set, slots_with
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import Phase, Rules, State
from shengji_env.players.compiled import CompiledPlayer, Rule, make_rule_memory
from shengji_env.players.heuristic.bidding import choose_bid, choose_name
from shengji_env.players.heuristic.burying import plan_bury
from shengji_env.players.heuristic.counting import HEURISTIC_DTYPE, Plan, count_cards
from shengji_env.players.heuristic.following import plan_follow
from shengji_env.players.heuristic.forcing import choose_forced
from shengji_env.players.heuristic.keeping import set_keep_values, value_suit
from shengji_env.players.heuristic.leading import plan_lead
from shengji_env.players.heuristic.overbidding import choose_overbid, choose_rebellion
from shengji_env.players.heuristic.seeing import write_view
from shengji_env.players.whole_plays import is_single, next_of_plan
from shengji_env.tables.arrays import MaskRecord
from shengji_env.tables.observation import ObservationRecord
from shengji_env.tables.observing import write_observation
from shengji_env.tables.raw_arrays import reading

_UNNAMED = NO_TRUMP + 1
_memory_at = reading(lambda: make_rule_memory(HEURISTIC_DTYPE))


@jit
def choose_heuristically(
    observations: NDArray[Any], masks: NDArray[Any], plans: NDArray[Any], chosen: NDArray[Any]
) -> None:
    """Choose an action for each row of OBSERVATION_DTYPE."""
    for row in range(observations.size):
        chosen[row] = heuristic_action(observations[row], masks[row], plans[0])


@jit
def next_heuristically(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: Any) -> int:
    """Return the heuristic player's action at a table, as `tables.policies` says."""
    records = _memory_at(memory)
    return next_from_seen(s, r, slots, others, is_new, records.seen[0], records.masks[0], records.plans[0])


@jit_inline
def next_from_seen(
    s: State, r: Rules, slots: int, others: int, is_new: bool, seen: ObservationRecord, mask: MaskRecord, plan: Plan
) -> int:
    """Return the heuristic player's action at a table; the records are those of a `RuleMemory`, written as need be."""
    if is_new and is_single(s.phase):
        write_observation(s, r, s.seat, seen)
        write_legal(mask.legal, slots, others)
        return _choose_alone(seen, mask.legal, plan)
    if is_new:
        write_view(s, r, seen)
        plan_cards(seen, plan)
    return int(next_of_plan(s.taken, slots, others != 0, plan.want, plan.charge))


@jit
def heuristic_action(seen: ObservationRecord, mask: NDArray[Any], plan: Plan) -> int:
    """Return the heuristic player's action, from what a seat sees; `plan` is scratch memory, HEURISTIC_DTYPE."""
    if not (seen.phase[Phase.BURY] or seen.phase[Phase.LEAD] or seen.phase[Phase.FOLLOW]):
        return _choose_alone(seen, mask, plan)
    plan_cards(seen, plan)
    return int(next_of_plan(seen.taken, slots_with(mask, 1), mask[DONE] != 0, plan.want, plan.charge))


@jit
def _choose_alone(seen: ObservationRecord, mask: NDArray[Any], plan: Plan) -> int:
    """Return its action in a phase of single ones, such as its bid."""
    if seen.phase[Phase.BID]:
        return int(choose_bid(seen, mask) if seen.trump[_UNNAMED] else choose_overbid(seen, mask))
    if seen.phase[Phase.NAME]:
        return int(choose_name(seen, mask))
    if seen.phase[Phase.REBEL]:
        return int(choose_rebellion(seen))
    return int(choose_forced(seen, mask, plan))


@jit
def plan_cards(seen: ObservationRecord, plan: Plan) -> None:
    """Choose the cards to bury, lead or follow with: the same at every card of the decision."""
    count_cards(seen, plan)
    if seen.phase[Phase.BURY]:
        plan_bury(seen, plan)
        return
    if seen.phase[Phase.LEAD]:
        set_keep_values(seen, plan)
        plan_lead(seen, plan)
        return
    lead = first_set(seen.lead_suit)
    if plan.length[lead] < seen.lead_size[0]:
        set_keep_values(seen, plan)
    else:  # cards of other suits cannot be played
        value_suit(seen, plan, lead)
    plan_follow(seen, plan)


class HeuristicPlayer(CompiledPlayer):
    """A player of hand-written rules; it has not been compared with people."""

    name = "heuristic"
    rule = Rule(name, choose_heuristically, next_heuristically, HEURISTIC_DTYPE)
