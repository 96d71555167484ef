"""The learner `values`: it learns what candidate plays are worth, from what became of them in rollouts.

| module     | what it holds                                                        |
|------------|----------------------------------------------------------------------|
| `config`   | its keys                                                             |
| `learner`  | its stages: rollouts are made, the network is fitted to their labels |
| `labels`   | the run's shards                                                     |
| `samples`  | their decisions as minibatches                                       |
| `network`  | the network in torch                                                 |
| `fitting`  | a gradient step                                                      |
| `saving`   | network and optimiser as arrays                                      |
| `held_out` | how good the network is on decisions that it has not learned from    |
"""
