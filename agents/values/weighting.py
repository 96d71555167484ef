"""How much a decision counts in the loss: the more, the less is left to chance when it is made.

The labels of early decisions are noisier than those of late ones: more tricks are still to come. The best estimate
from data of unequal variance counts each square by one over its variance. Variances of centred labels, by phase and
number of cards in hand, are those of the decisions held out, each with a tenth of the mean one added. Weights are then
scaled to a mean of one in every phase, so that rare phases, such as burying, count as they did.
"""

import numpy as np
from numpy.typing import NDArray

from agents.values.minibatches import Minibatch, centred, hands_of, owners_of
from shengji_env.datasets.rollouts import Expanded
from shengji_env.engine.state import Phase

_ADDED = 0.1
"""Share of the mean variance that is added to each."""
_NUM_HANDS = 128
"""Numbers of cards in hand, the largest of int8 included."""

Weighting = NDArray[np.float32]
"""(phases, numbers of cards in hand), how much a decision counts."""


def equal_weighting() -> Weighting:
    """Return the weighting by which all decisions count alike."""
    return np.ones((len(Phase), _NUM_HANDS), np.float32)


def precision_weighting(decisions: Expanded) -> Weighting:
    """Return the weighting by the variances of some decisions' labels, as the module's text says."""
    sizes, owners = np.diff(decisions.offsets), owners_of(decisions)
    squares = np.zeros(len(decisions))
    for labels in (decisions.smooth, decisions.levels):
        squares += np.bincount(owners, np.square(centred(labels, decisions)), len(decisions)) / sizes
    shape = len(Phase), _NUM_HANDS
    indices = np.ravel_multi_index((decisions.phases, hands_of(decisions)), shape)
    counts = np.bincount(indices, minlength=np.prod(shape)).reshape(shape)
    sums = np.bincount(indices, squares, np.prod(shape)).reshape(shape)
    variances = sums / np.maximum(counts, 1)
    weights = 1 / (variances + _ADDED * squares.mean())
    in_phase = counts.sum(axis=1, keepdims=True)
    means = (weights * counts).sum(axis=1, keepdims=True) / np.maximum(in_phase, 1)
    return np.where(counts > 0, weights / np.maximum(means, 1e-12), 1).astype(np.float32)


def decision_weights(weighting: Weighting, batch: Minibatch) -> NDArray[np.float32]:
    """Return what each decision of a minibatch counts, (D,)."""
    return weighting[batch.phases, batch.hands] * batch.factors
