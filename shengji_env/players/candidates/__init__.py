"""Candidates: the few plays worth comparing at a decision, and what each means to the seat that chooses.

| where | what |
|---|---|
| `finding.py` | the candidates of a decision, the heuristic player's play first |
| `candidate_leads.py`, `candidate_follows.py`, `buries.py`, `candidate_list.py` | sets of cards: found, listed |
| `features.py`, `card_features.py`, `bid_features.py` | the features of each candidate |
| `candidate_arrays.py` | the candidates of many decisions as arrays |
| `scratch.py` | what a thread needs for all this; what a round is worth |
| `digest.py` | version and digest of all this |

`search` compares candidates in sampled deals, rollouts (`datasets.rollouts`) in the true one, networks by what they
have learned. The list is part of what a network has learned: `CANDIDATES_VERSION` is raised when it changes.
"""

from shengji_env.players.candidates.digest import (
    ALL_RULES,
    CANDIDATES_VERSION,
    DEFAULT_CANDIDATES,
    candidates_digest,
    digest_of_all_rules,
    known_digest,
)
from shengji_env.players.candidates.features import FEATURES, NUM_FEATURES, Feature, features_table

__all__ = [
    "ALL_RULES",
    "CANDIDATES_VERSION",
    "DEFAULT_CANDIDATES",
    "FEATURES",
    "NUM_FEATURES",
    "Feature",
    "candidates_digest",
    "digest_of_all_rules",
    "features_table",
    "known_digest",
]
