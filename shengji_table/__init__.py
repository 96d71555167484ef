"""The table in the browser: people play, learn the game, solve puzzles and read why a play was better.

| you look for | it is in |
|---|---|
| the play server, the lesson | `shengji_table.web` |
| the page | ``shengji_table/web/page`` |
| the season's deals, what people and players made of them | `shengji_table.season` |
| puzzles, the track ``decisions`` | `shengji_table.puzzles` |
| why one play is better than another | `shengji_table.reasons` |
| ``shengji serve``, ``shengji puzzles``, ``shengji people`` | `shengji_table.commands` |

It stands on `shengji_env`, which never imports it: what it adds there (commands, a track, reasons in reviews) is
registered by the entry points of ``pyproject.toml`` (`shengji_env.support.registered`).
"""
