"""Finding candidates: the plays worth comparing at a decision, the heuristic player's first.

| decision | candidates |
|---|---|
| lead | the best components and unbeatable throws by the heuristic player's estimate, and the best of every suit |
| follow | the cheapest cards, giving points and withholding them; discards from each suit; several winning plays |
| bury | the cheapest ways to become void in suits, at several prices of points and pairs |
| bid, name, forced, rebel | all legal actions |

A candidate is an action or a set of cards (`engine.play.CARDS`). Each set is made legal card by card, as the heuristic
player does with its own plays. Sets that become equal are one candidate.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase, State
from shengji_env.players.candidates.buries import find_buries
from shengji_env.players.candidates.candidate_follows import find_follows
from shengji_env.players.candidates.candidate_leads import find_leads, keep_best
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE, CandidateList, add_candidate
from shengji_env.players.candidates.scratch import Scratch, choose_alone, make_scratch
from shengji_env.players.heuristic import plan_cards
from shengji_env.players.hiding import hide_unknown
from shengji_env.players.whole_plays import is_single
from shengji_env.tables.observing import write_observation


class CandidateFinder:
    """Finds the candidates of one decision after another.

    Args:
        rules: the rules.

    Attributes:
        scratch: (1,) SCRATCH_DTYPE, as `find_candidates` leaves it.
        found: (1,) CANDIDATE_LIST_DTYPE, the candidates found last.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.scratch = make_scratch(rules.record(), 1)
        self.found: NDArray[Any] = np.zeros(1, CANDIDATE_LIST_DTYPE)

    def find(self, start: NDArray[Any], most: int) -> Plays:
        """Return the candidates of a decision that begins at an information state (1,), as `find_candidates` does."""
        number = find_candidates(start[0], self.scratch[0], most, self.found[0])
        return Plays(self.found["actions"][0, :number].copy(), self.found["cards"][0, :number].copy())


@jit
def find_candidates_at(s: State, memory: Any, most: int, found: CandidateList) -> int:
    """Find at most `most` candidates of the seat to move at a whole table, from what it may know; return their number.

    Args:
        s: the table.
        memory: ``seen`` is written, the state as the seat knows it; ``scratch`` is scratch memory.
        most: the most candidates.
        found: written: the candidates.
    """
    memory.seen = s
    hide_unknown(memory.seen, memory.scratch.rules)
    return int(min(find_candidates(memory.seen, memory.scratch, most, found), most))


@jit
def find_candidates(s: State, scratch: Scratch, most: int, found: CandidateList) -> int:
    """Find at most `most` candidates for a decision that begins at an information state; return their number.

    Bids, names, forced components and rebellions are single actions: all are found, even if they are more. Of other
    decisions, ``scratch.observation`` and ``scratch.plan`` are then written.
    """
    if is_single(s.phase):
        found.number = 0
        _find_actions(s, scratch, found)
        return int(found.number)
    find_heuristic_play(s, scratch, found)
    if s.phase == Phase.BURY:
        find_buries(s, scratch, found)
    elif s.phase == Phase.LEAD:
        find_leads(s, scratch, found)
        keep_best(found, most)
    else:
        find_follows(s, scratch, found)
    number = min(int(found.number), most)
    found.number = number
    return number


@jit
def find_heuristic_play(s: State, scratch: Scratch, found: CandidateList) -> None:
    """Find the heuristic player's play alone."""
    found.number = 0
    write_observation(s, scratch.rules, s.seat, scratch.observation)
    if is_single(s.phase):
        scratch.state = s
        found.actions[0] = choose_alone(scratch)
        found.number = 1
        return
    plan_cards(scratch.observation, scratch.plan)
    add_candidate(s, scratch, found, 0.0, 0)


@jit
def _find_actions(s: State, scratch: Scratch, found: CandidateList) -> None:
    """Add the heuristic player's action, then all others."""
    find_heuristic_play(s, scratch, found)
    for action in range(NUM_ACTIONS):
        if scratch.mask[action] and action != found.actions[0]:
            found.actions[found.number] = action
            found.number += 1
