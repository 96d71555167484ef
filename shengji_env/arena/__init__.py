"""The arena, which needs no torch: duplicate match-ups of two players, and tournaments of many.

| where | what |
|---|---|
| `matchup.py`, `result.py` | a match-up of two players in this process; its metrics |
| `tournament.py`, `chunks.py`, `running.py` | who meets whom on which deals; some deals of it; how all are played |
| `deal_batch.py` | duplicate deals in play, each at both tables |
| `sequential.py` | a test that stops as soon as it is clear whether the first of two players is better |
| `scale.py` | how a player stands among others, with few deals |
| `to_the_last_deal.py` | several match-ups of which no deal may be lost |
| `crossplay.py` | players as partners of each other |
| `identities.py` | who has played, and whether they are still the same |
| `faults.py`, `limits.py` | players that go wrong; upper limits of what may be asked for |
| `store.py`, `round_table.py` | what has been played, on disk; rounds as CSV |
| `statistics.py`, `ratings.py`, `standings.py` | intervals, ratings, all results of a tournament |
| `html_report.py`, `svg.py`, `swings.py` | the report, its charts, the deals that swung most |
| `paper_files.py` | tables as CSV and LaTeX; the chart as a file |
| `beliefs/` | how well somebody knows where hidden cards are |
| `small_games/` | games so small that all histories can be listed, and players measured against the best reply |
| `track.py`, `tracks.py` | a frozen task with one number; those that there are |
| `program_check.py` | rounds with a program, and what it does wrong: ``shengji protocol --check`` |
| `player_check.py` | the same for a player in Python: `check_player` |

>>> from shengji_env.arena import play_matchup
>>> result = play_matchup("greedy", "random", num_deals=1000, rules="two_deck")  # doctest: +SKIP
>>> print(result.level_rate)  # doctest: +SKIP

>>> from shengji_env.arena import Tournament, play_tournament
>>> from shengji_env.engine.rule_sets import parse_rules
>>> plan = Tournament(("heuristic", "greedy", "random"), parse_rules("two_deck"))  # doctest: +SKIP
>>> print(play_tournament(plan).ratings)  # doctest: +SKIP
"""

from shengji_env.arena.matchup import play_matchup
from shengji_env.arena.player_check import check_player
from shengji_env.arena.result import MatchupResult
from shengji_env.arena.running import play_tournament
from shengji_env.arena.standings import Standings
from shengji_env.arena.tournament import Tournament
from shengji_env.players import Player, make_player

__all__ = [
    "MatchupResult",
    "Player",
    "Standings",
    "Tournament",
    "check_player",
    "make_player",
    "play_matchup",
    "play_tournament",
]
