"""Research: programs that made one table, one page or one file each, kept so that it can be made again.

Nothing outside imports them, and they owe no more than a test that they run. Each is a command,
``python -m research.NAME``; what they made is in the manual.

| module | what it makes |
|---|---|
| `exploiting/` | a best response to a player, by runs of self-play's learner |
| `iterating` | a network fitted to what a search makes of its decisions |
| `forms/` | what forms of networks can hold of a strong player's values |
| `solving/` | what players lose in small games, exactly; CFR |
| `score_beliefs` | how well belief models know where hidden cards are |
| `make_puzzles` | the puzzles that the package has |
| `run_baselines` | train the baselines at equal processor time |
| `open_hands` | a player that sees all hands, to estimate what can be won from another |
| `measure_rules` | what a player is worth under many rule sets |
| `measure_reviews`, `measure_reasons` | how far reviews by the champion are off; how often they give which reason |
| `measure_pairing`, `measure_sprt` | what adaptive pairing saves; how often the sequential test is wrong |
| `rank_agreement` | how far figures of small games put players into the order of the ladder |
| `draw` | the charts of pages, from their data |
| `measure_gpu` | everything of the GPU environment that only a GPU can show |
| `benchmark_scale`, `benchmark_web` | speed over processes; of many tables served |
| `profile_parts`, `profile_playouts` | where the time of a step and of a playout goes |
"""
