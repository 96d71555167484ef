"""A player that sees all hands, to estimate what can be won from another: ``research.open_hands:OpenHands``.

It plays every candidate on from the real table to the end of the round, and takes the best: one playout, since nothing
is hidden from it. It is no fair player, and no bound either: it believes that all seats play on as the policy does.

    shengji arena 'research.open_hands:OpenHands?policy=champion' champion --deals 1000
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts import RolloutSettings, label
from shengji_env.engine.play import Play
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.candidate_player import CandidatePlayer, Choices
from shengji_env.players.decisions import Decisions, tables_behind
from shengji_env.players.playing import HEURISTIC
from shengji_env.players.whole_plays import begin_decisions

_POINTS = 0.005
"""Levels that a point counts for, which decides between equal levels."""


class OpenHands(CandidatePlayer):
    """A player that sees all hands.

    Args:
        policy: who it believes to finish the trick: `heuristic`, or another player with a policy.
        playouts: and then the round, likewise.
    """

    def __init__(self, policy: str = HEURISTIC, playouts: str = HEURISTIC) -> None:
        self.name = f"open hands ({policy}, {playouts})"
        self._policy, self._playouts = policy, playouts
        self._settings: RolloutSettings | None = None
        self._labels: tuple[NDArray[Any], NDArray[np.float64]] | None = None

    def _plays(self, starts: NDArray[Any], decisions: Decisions) -> list[Play]:
        """Label the candidates at the real tables, then choose as all such players do."""
        tables, rows = tables_behind(decisions)
        states = tables.states[rows]
        begin_decisions(states)
        numbers, candidates = label(states, self._settings_for(decisions.rules))
        self._labels = numbers["num_candidates"], candidates["levels"] + _POINTS * candidates["points"]
        return super()._plays(starts, decisions)

    def choose(self, choices: Choices) -> NDArray[np.int64]:
        """Take the best candidate."""
        assert self._labels is not None
        numbers, values = self._labels
        split = np.split(values, np.cumsum(numbers)[:-1])
        return np.array([own.argmax() for own, number in zip(split, numbers, strict=True) if number > 1], np.int64)

    def _settings_for(self, rules: RuleSet) -> RolloutSettings:
        if self._settings is None or self._settings.rules != rules:
            self._settings = RolloutSettings(rules=rules, policy=self._policy, playouts=self._playouts)
        return self._settings
