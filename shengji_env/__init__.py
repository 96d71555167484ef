"""Shengji (升级, Tractor) as an environment for reinforcement learning.

| where                    | what                                                               |
|--------------------------|--------------------------------------------------------------------|
| `shengji_env.shengji_v0` | the PettingZoo AEC environment: ``env`` and ``raw_env``            |
| `shengji_env.vector`     | the batch environment: many tables stepped by the compiled engine  |
| `shengji_env.round_env`  | one seat, with players around it: Gymnasium, one table or many     |
| `shengji_env.positions`  | one point of a round as a value, for search                        |
| `shengji_env.open_spiel` | the game `python_shengji` of OpenSpiel                             |
| `shengji_env.plays`      | whole plays as actions: a batch and a Gymnasium environment        |
| `shengji_env.engine`     | cards, rule sets, components, legal plays: the rules themselves    |
| `shengji_env.referee`    | the rules as a library: what is legal, who wins, what it is worth  |
| `shengji_env.render`     | positions, records and rule sets as text; pictures                 |
| `shengji_env.records`    | rounds and matches as JSON lines, written and read back            |
| `shengji_env.players`    | the player protocol, and the built-in players                      |
| `shengji_env.rollouts`   | labelled decisions for learners: what becomes of each candidate    |
| `shengji_env.arena`      | duplicate match-ups and tournaments between players                |
| `shengji_env.bench`      | benchmarks of all this and of other libraries                      |
| `shengji_env.errors`     | every error raised on purpose                                      |

Importing the package registers its environments by name: ``shengji/shengji-v0`` with PettingZoo
(``pettingzoo.make("aec", ...)``), ``shengji/Round-v0`` and ``shengji/Plays-v0`` with Gymnasium. Only names are
registered: the engine is imported when an environment is made. The rules are those of docs/rules.md.
"""

import gymnasium
import pettingzoo

__all__ = ["__version__"]

__version__ = "0.1.0"

PETTINGZOO_ID = "shengji/shengji-v0"
GYMNASIUM_ID = "shengji/Round-v0"
PLAYS_ID = "shengji/Plays-v0"

# Guarded because a reload of this module would otherwise warn of an override.
if PETTINGZOO_ID not in pettingzoo.aec_registry:
    pettingzoo.register("aec", PETTINGZOO_ID, entry_point="shengji_env.shengji_v0:env")
if GYMNASIUM_ID not in gymnasium.registry:
    gymnasium.register(
        GYMNASIUM_ID,
        entry_point="shengji_env.round_env:make_round_env",
        vector_entry_point="shengji_env.round_env:RoundVectorEnv",
    )
if PLAYS_ID not in gymnasium.registry:
    gymnasium.register(
        PLAYS_ID,
        entry_point="shengji_env.plays.single:make_plays_env",
        vector_entry_point="shengji_env.plays:SeatPlaysVectorEnv",
    )
