"""What forms read: labelled decisions as rows of self-play, and as inputs of value networks; what a form is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.selfplay.batches import LabelledDecisions, ranges_of, starts_of
from agents.selfplay.model import Batch
from shengji_env.datasets.selfplay.label_kernels import LabelArrays
from shengji_env.players.candidates.features import FEATURES, NUM_FEATURES
from shengji_env.players.networks.champion.compiled_network import Network
from shengji_env.players.networks.champion.inputs import Inputs, make_inputs
from shengji_env.players.networks.selfplay.selfplay_inputs import FIRST_CHANCE_ROW
from shengji_env.players.networks.selfplay.selfplay_network import NetworkShape, SelfplayNetwork
from shengji_env.tables.observation import OBSERVATION_SIZE

CHANCES = "over", "chance"
"""Features that say how likely it is that the others can beat a play, by counting cards."""
ESTIMATES = (*CHANCES, "first", "strength", "keep", "value", "gain")
"""The same, and what the heuristic player makes of it."""


class LabelPart:
    """Labelled decisions, about cards, that are read some at a time."""

    def __init__(self, labels: LabelArrays) -> None:
        self.rows = {1: LabelledDecisions.of(labels), 0: LabelledDecisions.of(_without_chances(labels))}
        self.observations = labels.observations.view(np.int8).reshape(-1, OBSERVATION_SIZE)
        self.cards, self.features = labels.cards, labels.features.view(np.int8).reshape(-1, NUM_FEATURES)
        self.first_choice = starts_of(self.rows[0].num_choices)

    def __len__(self) -> int:
        return len(self.rows[0])


def _without_chances(labels: LabelArrays) -> LabelArrays:
    is_kept = labels.rows < FIRST_CHANCE_ROW  # rows of the rules, which would come after these, are not listed
    kept = np.add.reduceat(is_kept, starts_of(labels.num_rows.astype(np.int64)), dtype=np.int16)
    return labels._replace(rows=labels.rows[is_kept], num_rows=kept)


class FormInputs:
    """D decisions with C choices, as forms read them.

    Args:
        part: where they are.
        chosen: (D,) which.
    """

    def __init__(self, part: LabelPart, chosen: NDArray[np.int64]) -> None:
        self._part, self._chosen = part, chosen
        self._numbers = part.rows[0].num_choices[chosen]
        self._inputs: dict[Sequence[str], Inputs] = {}

    @cached_property
    def batch(self) -> Batch:
        """The rows of self-play without those of chances, and the labels."""
        return self._part.rows[0].take(self._chosen)

    def batch_of(self, shape: NetworkShape) -> Batch:
        """Return the rows of self-play that a network reads, and the labels."""
        return self._part.rows[1].take(self._chosen) if shape.chances else self.batch

    def inputs(self, estimates: Sequence[str] = ()) -> Inputs:
        """Return what a value network reads, with some of ESTIMATES; the others are zero."""
        key = tuple(estimates)
        if key not in self._inputs:
            part, choices = self._part, ranges_of(self._part.first_choice[self._chosen], self._numbers)
            seen = [np.full(each.size, each.name not in ESTIMATES or each.name in key) for each in FEATURES]
            features = part.features[choices] * np.concatenate(seen).astype(np.int8)
            offsets = np.concatenate([[0], np.cumsum(self._numbers)])
            self._inputs[key] = make_inputs(part.observations[self._chosen], offsets, part.cards[choices], features)
        return self._inputs[key]


class AnyForm(nn.Module, ABC):
    """A form of network."""

    @abstractmethod
    def forward(self, reading: FormInputs) -> Tensor:
        """Return the values of choices, (C,), in levels; their means mean nothing."""

    def calibrate(self, reading: FormInputs) -> None:  # most have nothing to do
        """Scale inputs by some decisions."""

    def compiled(self) -> SelfplayNetwork | None:
        """Return the network of self-play that takes as long in compiled code as what it does with rows."""
        return None

    def encoders(self, reading: FormInputs) -> tuple[Network, Inputs] | None:
        """Return a value network that takes as long in compiled code as what it has beside that, and its inputs."""
        return None
