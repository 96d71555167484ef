"""Learners: everything that needs torch, used from the checkout by ``train.py`` (the wheel holds none of it).

| module          | what it holds                                                                    |
|-----------------|----------------------------------------------------------------------------------|
| `config`        | the keys of a run, their ranges, the TOML reader                                 |
| `vec_env`       | the batch environment as Stable-Baselines3 wants it                              |
| `hidden`        | what the other three seats hold, for the critic only                             |
| `buffer`        | rollout buffer whose advantages follow each seat's own decisions                 |
| `policy`        | the network                                                                      |
| `export`        | the network as ``policy.npz`` for the torch-free player                          |
| `learner`       | MaskablePPO put together from the parts above                                    |
| `imitation`     | the warm start: learn what another player does, and what its rounds are worth    |
| `progress`      | counters, seconds and the rows of the learning curve                             |
| `weights`       | the network and its optimiser out of a checkpoint, checked                       |
| `checkpoint`    | one atomic file from which a run goes on                                         |
| `session`       | all of a run that changes while it learns, into a checkpoint and back            |
| `evaluation`    | duplicate match-ups and the ablation of bidding and burying                      |
| `run`           | the run itself: warm start, self-play, checkpoints, match-ups                    |
| `interrupt`     | Ctrl-C as a flag                                                                 |
| `display`       | progress on a terminal, plain lines elsewhere                                    |
| `report`        | ``result.json``, the final table, the learning curve                             |
| `commands`      | the commands that a run prints for going on                                      |
"""
