"""The learner ``ppo``: MaskablePPO of sb3-contrib.

Only this folder imports Stable-Baselines3.

| module          | what it holds                                                     |
|-----------------|-------------------------------------------------------------------|
| `ppo_config`    | its keys                                                          |
| `table_vec_env` | the batch environment as a Stable-Baselines3 environment          |
| `buffer`        | rollout buffer whose advantages follow each seat's own decisions  |
| `stacks`        | hidden layers of policy and critic, a stack each                  |
| `suit_policy`   | a policy whose plain suits share encoders, instead of a stack     |
| `card_policy`   | MaskablePPO's policy, made of one of these                        |
| `maskable_ppo`  | MaskablePPO, assembled from the parts above                       |
| `sb3_private`   | what Stable-Baselines3 does not offer in public                   |
| `generators`    | random generators, restored from a checkpoint                     |
| `teacher`       | the player that the warm start imitates                           |
| `imitation`     | the warm start: learn its decisions and the values of its rounds  |
| `ppo_stages`    | its stages: the warm start, self-play                             |
| `ppo_weights`   | the network and its optimiser, read from a checkpoint and checked |
| `ppo_learner`   | all of it as an `agents.learner_protocol.Learner`                 |
"""
