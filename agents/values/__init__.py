"""The learner `values`: it learns what candidate plays are worth, from what became of them in rollouts.

| module              | what it holds                                                        |
|---------------------|----------------------------------------------------------------------|
| `value_config`      | its keys                                                             |
| `value_learner`     | all of it as an `agents.learner_protocol.Learner`                    |
| `value_stages`      | its stages: rollouts are made, the network is fitted to their labels |
| `labels`            | the run's shards, and earlier ones that it learns from               |
| `making`            | shards are made while others are learned from                        |
| `minibatches`       | their decisions as minibatches                                       |
| `value_network`     | the network in torch                                                 |
| `padding`           | its inputs, of one of few shapes                                     |
| `fitting`           | a gradient step                                                      |
| `averaging`         | the mean of weights over many steps                                  |
| `weighting`         | how much a decision counts in it                                     |
| `teachers`          | networks whose values are learned in place of a part of the labels   |
| `starting`          | the network that a run starts from                                   |
| `second_generation` | labels of the network's own rounds, and a second fitting             |
| `duel`              | what the second generation has brought                               |
| `held_out`          | how good the network is on decisions that it has not learned from    |
"""
