"""Beliefs: how well somebody knows where the hidden cards are, on positions that are the same for everybody.

| module | what it holds |
|---|---|
| `belief_positions` | the frozen, seeded set of positions, and where the hidden cards really are |
| `belief_models` | belief models: uniformly sampled deals, the same without trumps in the kitty, your own |
| `belief_scores` | what is asked of a belief model at each position, and the scores |
| `belief_tables` | means with intervals over rounds |

docs/tracks.md says how to enter; `research/score_beliefs.py` prints more tables.
"""

from shengji_env.arena.beliefs.belief_models import BeliefModel, make_belief_model
from shengji_env.arena.beliefs.belief_positions import NUM_HOLDERS, BeliefSet
from shengji_env.arena.beliefs.belief_scores import Scores, score_all

__all__ = ["NUM_HOLDERS", "BeliefModel", "BeliefSet", "Scores", "make_belief_model", "score_all"]
