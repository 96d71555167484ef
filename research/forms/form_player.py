"""A form at the table: it decides about cards; bids and other single actions are those of whom it learned from."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.selfplay.batches import starts_of
from research.forms.labels import OPEN, describe_all, make_labeller, room_for
from research.forms.reading import AnyForm, FormInputs, LabelPart
from shengji_env.datasets.labelling import written
from shengji_env.datasets.selfplay.label_kernels import COUNTED
from shengji_env.engine.play import CARDS, Play
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.players.candidate_player import CandidatePlayer, Choices
from shengji_env.players.decisions import Decisions
from shengji_env.players.networks.champion.compiled_network import best_candidates

_LEAST_ROOM = 16


class FormPlayer(CandidatePlayer):
    """A player that takes the candidate which a form values most.

    Args:
        name: its name.
        form: the form, fitted.
        player: the network whose values it has learned.
        rules: what is played.
    """

    def __init__(self, name: str, form: AnyForm, player: str, rules: RuleSet) -> None:
        self.name, self._form = name, form
        self._labeller = make_labeller(player, rules)

    def choose(self, choices: Choices) -> NDArray[np.int64]:
        """Refuse: forms read more than observations, so decisions are made in `_plays`."""
        raise NotImplementedError

    def _plays(self, starts: NDArray[Any], decisions: Decisions) -> list[Play]:
        size = len(starts)
        labels, actions, cards = (
            room_for(size + _LEAST_ROOM),
            np.zeros(size, np.int64),
            np.zeros((size, NUM_SLOTS), np.int8),
        )
        describe_all(starts, self._labeller, labels, actions, cards)
        open_rows = np.flatnonzero(actions == OPEN)
        if len(open_rows):
            cards[open_rows], actions[open_rows] = self._chosen(LabelPart(written(labels, COUNTED))), CARDS
        return [Play(int(action), row.copy()) for action, row in zip(actions, cards, strict=True)]

    @torch.no_grad()
    def _chosen(self, part: LabelPart) -> NDArray[np.int8]:
        """Return the cards of the best choices, (D, 54)."""
        values = self._form(FormInputs(part, np.arange(len(part)))).numpy()
        first = starts_of(part.rows[0].num_choices)
        best: NDArray[np.int8] = part.cards[first + best_candidates(values, np.append(first, len(values)))]
        return best
