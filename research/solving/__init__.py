"""Small games solved: what players lose to opponents who know them, for research/small_games.md.

| module | what it holds |
|---|---|
| `solving` | several players in one game, and their table |
| `regret_matching` | counterfactual regret minimisation (CFR) |
| `__main__` | the command |
"""
