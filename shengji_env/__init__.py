"""Shengji (升级, Tractor) as an environment for reinforcement learning.

| you look for             | open                      | there is                                                   |
|--------------------------|---------------------------|------------------------------------------------------------|
| an environment           | `shengji_env.envs`        | one seat or all, one table or many, cards or whole plays   |
| … the two most used      | `shengji_v0`, `vector`    | PettingZoo's AEC environment; many tables in one call      |
| an observation, a reward | `shengji_env.tables`      | what all environments step                                 |
| a rule                   | `shengji_env.engine`      | the rules, compiled; `engine.referee`: as a library        |
| a player                 | `shengji_env.players`     | the protocol of players, and the built-in ones             |
| a tournament             | `shengji_env.arena`       | duplicate match-ups, ratings, frozen tasks                 |
| a record                 | `shengji_env.records`     | rounds and matches as JSON lines, written and read back    |
| data to learn from       | `shengji_env.datasets`    | labelled decisions; records as arrays                      |
| text, a picture, a page  | `shengji_env.render`      | what is shown of a table, a round, a rule set              |
| a command                | `shengji_env.cli`         | ``shengji …``                                              |
| an error                 | `shengji_env.errors`      | every error raised on purpose                              |
| anything without cards   | `shengji_env.support`     | files, arguments, worker processes                         |
| a learner                | ``agents/``               | beside the package, in the checkout                        |
| the table for people     | ``shengji_table/``        | beside the package: it plays, teaches, reviews, explains   |
| CUDA, OpenSpiel, Minari  | ``integrations/``         | packages of their own, in the checkout; Botzone, too       |

Each package's docstring has such a table. What `step` does stands in five files, each of which calls the next:
``envs/aec.py``, ``tables/one_table.py``, ``tables/stepping.py``, ``engine/game.py``, ``engine/state.py``.

Importing the package registers its environments by name: ``shengji/shengji-v0`` with PettingZoo
(``pettingzoo.make("aec", ...)``), ``shengji/Seat-v0`` and ``shengji/PlaySeat-v0`` with Gymnasium. Only names are
registered: the engine is imported when an environment is made. The rules are those of docs/rules.md.
"""

from contextlib import suppress

__all__ = ["__version__"]

__version__ = "0.1.0"

PETTINGZOO_ID = "shengji/shengji-v0"
GYMNASIUM_ID = "shengji/Seat-v0"
PLAYS_ID = "shengji/PlaySeat-v0"

# Without these libraries everything else works. Guarded because a reload would otherwise warn of an override.
with suppress(ModuleNotFoundError):
    import pettingzoo

    if PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, entry_point="shengji_env.shengji_v0:env")
with suppress(ModuleNotFoundError):
    import gymnasium

    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="shengji_env.envs.seat:make_seat_env",
            vector_entry_point="shengji_env.envs.seat:SeatVectorEnv",
        )
    if PLAYS_ID not in gymnasium.registry:
        gymnasium.register(
            PLAYS_ID,
            entry_point="shengji_env.envs.plays.play_seat:make_play_seat_env",
            vector_entry_point="shengji_env.envs.plays:PlaySeatVectorEnv",
        )
