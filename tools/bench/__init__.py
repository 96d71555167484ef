"""The benchmark, ``make bench``: the speed of this package and of other libraries, measured in one run.

| module | contents |
|---|---|
| `timing` | cases, their measurement, rows |
| `ours`, `networks`, `records`, `starts` | the cases of this package |
| `peer_open_spiel`, `peer_rlcard`, `peer_pettingzoo` | the cases of other libraries, imported only when measured |
| `running` | one run of all cases, and its report |
| `printing`, `chart`, `__main__` | the report on the terminal, the report as a picture, the options |
"""
