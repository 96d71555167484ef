"""Shengji as a Python game of OpenSpiel: importing this package registers ``python_shengji``.

| what | how |
|---|---|
| a game | one round; players 0..3 are the seats, {0, 2} against {1, 3} |
| chance | explicit and uniform: who draws first, trumps if they are given, then each card in the order drawn |
| dealt again | when nobody bids, chance draws all cards anew |
| returns | the round's worth to each seat, zero-sum between the teams |
| information state, observation | those of `shengji_env.envs.positions.Position` |
| resampling | for the seat to move; deals are uniform among those that the rules allow (`players/search`) |
| information-set MCTS | ``open_spiel.python.algorithms.ismcts``; `pyspiel.ISMCTSBot` is for games in C++ alone |

`spiel_game.py` and `spiel_state.py` are the game and its states, `bounds.py` the bounds that OpenSpiel asks for.

| parameter | values | default |
|---|---|---|
| `rules` | a rule set as text; options are also read as ``two_deck[throws:False;kitty:12]`` | ``two_deck`` |
| `reward` | ``levels``, ``points``, ``win`` (`tables/rewards.py`) | ``levels`` |
| `levels` | ranks of both teams' levels, with a blank between them | ``2 2`` |
| `declarer` | a seat; -1: nobody declares yet | -1 |
| `first_drawer` | a seat; -1: chance decides, unless there is a declarer, who draws first | -1 |
| `seed` | all cards are those of round 0 of the seed; -1: chance decides | -1 |
| `small` | whether it is a small game (research/small_games.md): one chance node deals all cards | ``False`` |

>>> import pyspiel
>>> import shengji_open_spiel
>>> game = pyspiel.load_game("python_shengji", {"rules": "one_deck"})

Source: docs/environments/open_spiel.md.
"""

import pyspiel

from shengji_open_spiel.spiel_game import GAME_TYPE, ShengjiGame
from shengji_open_spiel.spiel_state import ShengjiState

__all__ = ["ShengjiGame", "ShengjiState"]

pyspiel.register_game(GAME_TYPE, ShengjiGame)
