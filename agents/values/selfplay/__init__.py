"""Self-play over whole plays: MaskablePPO on the values of a network, which chooses among candidates.

| module      | what it holds                                                                 |
|-------------|-------------------------------------------------------------------------------|
| `vec_env`   | tables of whole plays as a Stable-Baselines3 environment                      |
| `opponents` | who plays against the network at which table                                  |
| `policy`    | the policy: softmax of the candidates' values; the critic, which sees all     |
| `critic`    | the critic learns alone, before the policy does                               |
| `stage`     | all of it: it plays, learns, and is saved and restored                        |
| `duel`      | the network after self-play against the one before it                         |
"""
