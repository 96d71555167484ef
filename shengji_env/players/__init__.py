"""Players: what sits at a table. None needs torch.

| where | what |
|---|---|
| `player.py` | the protocol, and simple objects as players |
| `decisions.py`, `hiding.py` | what a player is asked; how hidden cards are wiped |
| `registry.py` | the texts that name players, and the list of kinds |
| `callables.py`, `identity.py` | users' own code, checked before it is called; who a player is |
| `random.py`, `greedy.py`, `heuristic/`, `search/` | players that are programs of this package |
| `networks/` | trained networks as players: `champion`, ``selfplay:PATH``, ``policy:PATH`` |
| `partners.py` | two players as partners of each other |
| `human/` | a person at the terminal |
| `exec/` | other programs as players, players as programs, and the protocol between them |
| `words/` | a seat told in words, and its answers read |
| `candidates/` | the plays worth comparing at a decision, and their features |
| `candidate_player.py` | the base of players that choose one of them |
| `suit_blocks.py` | where the cards of a suit are once trumps are named |
| `whole_plays.py` | whole plays, made card by card |
| `smoothing.py` | smoothed levels: what labels and search count |
| `asking.py` | asking a player, and whether what it answers is legal |
| `answers.py`, `typed.py` | whole plays as people and programs write them, and why one is refused |
| `compiled.py`, `fast_player.py` | players that are compiled: from observations; as a policy |
| `searchable.py` | what a search needs of a player that it corrects |
| `playing.py`, `whole_rounds.py` | policies play on: playouts, rounds of rollouts; whole rounds in one call |

>>> from shengji_env.players import make_player
>>> make_player("greedy").name
'greedy'
"""

from shengji_env.players.candidate_player import CandidatePlayer, Choices
from shengji_env.players.decisions import Decisions, num_plays
from shengji_env.players.fast_player import FastPlayer
from shengji_env.players.player import Acting, ActingOnHistory, Needs, ObservationPlayer, Player, PlayerLike
from shengji_env.players.registry import KINDS, as_player, make_player

__all__ = [
    "KINDS",
    "Acting",
    "ActingOnHistory",
    "CandidatePlayer",
    "Choices",
    "Decisions",
    "FastPlayer",
    "Needs",
    "ObservationPlayer",
    "Player",
    "PlayerLike",
    "as_player",
    "make_player",
    "num_plays",
]
