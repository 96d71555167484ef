"""The champion's plays, distilled into the small network of integers that plays playouts.

``python -m research.distilling`` makes ``distilled.npz``: it plays rounds of `champion` in all seats, keeps what the
network would read of each card chosen and what the champion makes of it, and fits the network to that.

| module | what |
|---|---|
| `steps` | cards chosen, with what the network reads and the champion's values, from rounds of the champion |
| `factors` | what rows of weights have in common while they are learned |
| `distilled_model` | the network in torch, and its weights as integers |
| `distilling` | the loss and the training; `__main__` is the command |
"""
