"""The learner `selfplay`: it learns to bid, bury and play from nothing, by playing with itself.

One generation after another: the policy plays rounds with itself, in all four seats; at some decisions it plays each of
a few choices in the true deal, and plays on; the policy is fitted to what became of them, or to what a critic that sees
all hands expects.

| module             | what it holds                                                                 |
|--------------------|-------------------------------------------------------------------------------|
| `selfplay_config`  | its keys                                                                      |
| `selfplay_learner` | all of it as an `agents.learner_protocol.Learner`                             |
| `selfplay_stage`   | its stage: a generation is labelled, the network is fitted                    |
| `starting`         | the networks that a run starts as, and its opponent                           |
| `label_source`     | labels of a stage: made ahead, those not played out valued by the critic      |
| `critic`           | the critic in torch, and its gradient steps                                   |
| `batches`          | labelled decisions as minibatches                                             |
| `model`            | the network in torch                                                          |
| `fitting`          | the policy's gradient steps                                                   |
| `moving_mean`      | a network that learns, and the moving mean of its weights                     |

What is compiled is in the package: `players.networks.selfplay` chooses, `datasets.selfplay` labels.
"""
