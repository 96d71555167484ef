"""Small games: rounds of so few cards that all of them can be listed, and players be measured against the best reply.

| module | what it holds |
|---|---|
| `game_tree` | all histories of a rule set, and what each seat, or two partners together, can tell apart |
| `tree_play` | what a player does in each information set |
| `best_replies` | exact best replies of one seat and of two partners who see both hands |
| `branching` | the value of such partners, brought down to what they can do without seeing them |
| `exploiting` | how much a player loses to opponents who know it: a lower and an upper value |

research/small_games.md explains all of it; `research/solving/` measures several players in one game.
"""

from shengji_env.arena.small_games.exploiting import Exploited, exploit
from shengji_env.arena.small_games.game_tree import GameTree, build_tree
from shengji_env.arena.small_games.tree_play import play_of

__all__ = ["Exploited", "GameTree", "build_tree", "exploit", "play_of"]
