"""Training runs and learners: everything that needs torch. ``train.py`` uses it from the checkout; not in the wheel.

A run is the same for every learner. What learns stands behind the protocol in `agents.learner_protocol`, in a folder of
its own for each kind; only `agents.kinds` knows them.

| module              | what it holds                                                         |
|---------------------|-----------------------------------------------------------------------|
| `learner_protocol`  | what a run asks of a learner: the protocol, its stages, its state     |
| `kinds`             | the kinds of learners by name                                         |
| `selfplay/`         | the learner ``selfplay``: from nothing, by its own playouts           |
| `ppo_single_file`   | PPO in one file, to be read from top to bottom; no run knows it       |
| `sb3_single_file`   | MaskablePPO in one file, ``[learner] kind = "ppo"``                    |
| `clone_single_file` | behaviour cloning from records, in one file                           |
| `dmc_single_file`   | Deep Monte Carlo over whole plays, in one file                        |
| `gpu_single_file`   | PPO whose tables, network and training stay on a GPU, in one file     |
| `ppo_config`        | the keys of a run of MaskablePPO                                      |
| `run_config`        | the keys of every run, and their ranges                               |
| `config_files`      | configs as TOML files                                                 |
| `toml_text`         | values as TOML text                                                   |
| `run_progress`      | counters, seconds and the rows of the learning curve                  |
| `checkpoint`        | one file, written atomically, from which a run is resumed             |
| `session`           | everything that changes while a run learns, to a checkpoint and back  |
| `folder`            | the folder of a run                                                   |
| `evaluation`        | duplicate match-ups and the ablation of bidding and burying           |
| `run`               | the run itself: stages, checkpoints, match-ups                        |
| `curves`            | the metrics for TensorBoard                                           |
| `interrupt`         | Ctrl-C as a flag                                                      |
| `display`           | progress on a terminal, plain lines elsewhere                         |
| `report`            | ``result.json``, the final table, the learning curve                  |
| `common_arguments`  | a dataclass as options of a command line                              |
| `command_lines`     | the commands that a run prints for its next steps                     |
| `scales`            | the typical size of a network's inputs                                |
| `saving`            | a network and its optimiser as arrays                                 |
| `sparse_inputs`     | sums of listed rows of weights, and their gradients                   |
"""
