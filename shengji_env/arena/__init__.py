"""The arena, which needs no torch: duplicate match-ups of two players, and tournaments of many.

>>> from shengji_env.arena import play_matchup
>>> result = play_matchup("greedy", "random", num_deals=1000, rules="two_deck")  # doctest: +SKIP
>>> print(result.level_rate)  # doctest: +SKIP

>>> from shengji_env.arena import Tournament, play_tournament
>>> from shengji_env.engine.rule_sets import parse_rules
>>> plan = Tournament(("heuristic", "greedy", "random"), parse_rules("two_deck"))  # doctest: +SKIP
>>> print(play_tournament(plan).ratings)  # doctest: +SKIP
"""

from shengji_env.arena.matchup import play_matchup
from shengji_env.arena.result import MatchupResult
from shengji_env.arena.running import play_tournament
from shengji_env.arena.standings import Standings
from shengji_env.arena.tournament import Tournament
from shengji_env.players import Player, make_player

__all__ = ["MatchupResult", "Player", "Standings", "Tournament", "make_player", "play_matchup", "play_tournament"]
