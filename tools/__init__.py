"""Tools: programs that maintain the repository, run by hand or by `make`; they are not part of the package.

| module | what it does |
|---|---|
| `write_tables`, `write_pictures` | write the tables of the pages, and the pictures of tables |
| `contents` | the tables of contents, and `llms.txt`, which lists all pages |
| `markdown` | tables in Markdown, of rows or of JSON |
| `tracks` | the tables of `docs/tracks.md` |
| `reference` | the tables of modules in `docs/reference/` |
| `option_tables`, `option_words` | the tables of presets and options, in English and in Chinese |
| `rules_menu` | the words of the page's menu of rules |
| `layout_tables` | the tables of what agents see, and of the players' names |
| `protocol_messages` | an example of every message of the protocol, for its page and tests |
| `run_ladder`, `ladder_season`, `ladder_results`, `write_ladder` | play the ladder's season, and write its page |
| `write_season` | what players make of the deals that people play, `shengji_table.season` |
| `pairing` | which pairs of the ladder play on, by the results so far |
| `run_notebooks`, `run_recipes` | run the notebooks; run the recipes of other libraries |
| `build_page`, `value_puzzles` | the table as a folder of static files; values of the shipped puzzles' candidates |
| `package_page` | the README as the page of the package index |
| `bench` | the benchmark, also of other libraries |
| `speed_guard` | fails if compiled code has become slow |
| `mutate`, `mutants` | mutation tests of the engine; the changes of its code |
| `count_lines`, `walks` | lines and words by room, and their budgets; how many modules a reader of a call passes |
| `check_subject` | the length of a commit's subject |
"""
