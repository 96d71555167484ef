"""Tools: programs that are run by hand or by `make`, and are not part of the package.

| module | what it does |
|---|---|
| `write_tables`, `write_pictures` | write the tables of the pages, and the pictures of tables |
| `contents` | the tables of contents, and `llms.txt`, which lists all pages |
| `draw_champion`, `draw_baselines`, `draw_exploitability` | draw the curves of these pages |
| `measured`, `markdown` | the results in `docs/results.json` and their tables; a table in Markdown |
| `small_games`, `tracks` | the tables of `docs/small_games.md` and `docs/benchmark.md` |
| `baselines`, `exploitability` | the tables of `docs/baselines.md` and `docs/exploitability.md` |
| `reference` | the tables of modules in `docs/reference/` |
| `web_messages` | the tables of the messages in `docs/web.md` |
| `protocol_messages` | an example of every message of the protocol, for its page and tests |
| `run_ladder`, `ladder_season`, `ladder_results`, `write_ladder` | play the ladder's season, and write its page |
| `run_notebooks`, `run_recipes` | run the notebooks; run the recipes of other libraries |
| `package_page` | the README as the page of the package index |
| `speed_guard` | fails if compiled code has become slow |
| `mutate`, `mutants` | mutation tests of the engine; the changes of its code |
| `benchmark_scale`, `profile_parts`, `profile_playouts` | scaling over processes; where time is spent |
| `count_lines`, `walks` | lines of code by room at some commits; how many modules a reader of a call passes |
| `make_puzzles` | makes the puzzles that come with the package |
| `measure_gpu` | everything of the GPU environment that only a GPU can show |
| `measure_rules` | what a player is worth under many rule sets |
| `measure_reviews`, `measure_reasons` | how far reviews by the champion are off; how often they give which reason |
| `run_baselines` | what the usual algorithms reach at equal cost |
| `open_hands` | a player that sees all hands, to estimate what can be won from another |
| `screen_playouts` | what policies of playouts predict of the champion's outcomes |
| `check_subject` | the length of a commit's subject |
"""
