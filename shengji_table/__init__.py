"""The table, in the browser and in the terminal: people play, learn the game, and see what their plays were worth.

| you look for | it is in |
|---|---|
| the play server, the lesson | `shengji_table.web` |
| the page | ``shengji_table/web/page`` |
| the season's deals, what people and players made of them | `shengji_table.season` |
| puzzles, the track ``decisions`` | `shengji_table.puzzles` |
| reviews of rounds, two players on one deal | `shengji_table.review` |
| why one play is better than another | `shengji_table.reasons` |
| what plays are worth | `shengji_table.valuing` |
| ``shengji play``, ``serve``, ``replay``, ``puzzles``, ``compare``, ``people`` | `shengji_table.commands` |

It stands on `shengji_env`, which never imports it: what it adds there (commands, a track, compiled code) is registered
by the entry points of ``pyproject.toml`` (`shengji_env.support.registered`).
"""
