"""The arena: players without torch, and duplicate match-ups between them.

>>> from shengji_env.arena import play_matchup
>>> result = play_matchup("greedy", "random", num_deals=1000, rules="two_deck")  # doctest: +SKIP
>>> print(result.level_rate)  # doctest: +SKIP
"""

from shengji_env.arena.matchup import play_matchup
from shengji_env.arena.player import Player, make_player
from shengji_env.arena.result import MatchupResult

__all__ = ["MatchupResult", "Player", "make_player", "play_matchup"]
