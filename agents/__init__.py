"""Learners: everything that needs torch. ``train.py`` uses it from the checkout; it is not part of the wheel.

| module          | what it holds                                                                    |
|-----------------|----------------------------------------------------------------------------------|
| `config`        | the keys of a run, their ranges, the TOML reader                                 |
| `vec_env`       | the batch environment as a Stable-Baselines3 environment                         |
| `hidden`        | what the other three seats hold, for the critic only                             |
| `buffer`        | rollout buffer whose advantages follow each seat's own decisions                 |
| `network`       | the network                                                                      |
| `export`        | the network as ``policy.npz`` for the torch-free player                          |
| `learner`       | MaskablePPO, assembled from the parts above                                      |
| `imitation`     | the warm start: learn another player's decisions and the values of its rounds    |
| `progress`      | counters, seconds and the rows of the learning curve                             |
| `weights`       | the network and its optimiser, read from a checkpoint and checked                |
| `checkpoint`    | one file, written atomically, from which a run is resumed                        |
| `session`       | everything that changes while a run learns, to a checkpoint and back             |
| `evaluation`    | duplicate match-ups and the ablation of bidding and burying                      |
| `run`           | the run itself: warm start, self-play, checkpoints, match-ups                    |
| `interrupt`     | Ctrl-C as a flag                                                                 |
| `display`       | progress on a terminal, plain lines elsewhere                                    |
| `report`        | ``result.json``, the final table, the learning curve                             |
| `command_lines` | the commands that a run prints for its next steps                                |
"""
