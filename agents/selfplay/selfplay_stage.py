"""The stage of a run that learns by self-play: a generation of rounds is labelled, the network is fitted to it."""

import time
from collections.abc import Callable

import numpy as np

from agents.checkpoint import count_of
from agents.learner_protocol import Collected, LearnerState, Stage
from agents.selfplay.batches import DECISION_ARRAYS, LabelledDecisions
from agents.selfplay.fitting import PolicyFitting
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.datasets.selfplay.label_blocks import LabelBlocks
from shengji_env.datasets.selfplay.label_kernels import LabelSettings
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import CheckpointError
from shengji_env.support.cores import num_cores

_KEPT = "kept/"
"""Prefix of the names of labels, in a checkpoint."""
_UNTRAINED = "before learning, the policy plays by random weights"


class SelfplayStage(Stage):
    """Rounds of the policy with itself, and what it learns from them.

    Attributes:
        fitting: The network.
        rounds: Rounds labelled so far, which are the first of its seed.
    """

    def __init__(self, config: SelfplayConfig) -> None:
        """Make random weights."""
        own = config.selfplay
        super().__init__("self-play", "rounds", own.rounds, shown=("r2",), untrained=_UNTRAINED)
        self._config = config
        self._labels = label_blocks(config, views=False)
        self.fitting = PolicyFitting(config.run.seed, config.fitting.horizon)
        self.rounds = 0
        self._kept: list[LabelledDecisions] = []

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Label a generation of rounds of the network that plays."""
        began, own = time.perf_counter(), self._config.selfplay
        number = min(own.rounds_at_once, own.rounds - self.rounds)
        labels = self._labels.make(self.fitting.network(), self.rounds, self.rounds + number, check)
        self._kept.append(LabelledDecisions.of(labels))
        return Collected(number, {"labels": time.perf_counter() - began})

    def update(self, done: float) -> dict[str, float]:
        """Learn from the last generations, from this one for the first time."""
        fitting, own = self._config.fitting, self._config.selfplay
        step = fitting.learning_rate * (1 - (1 - fitting.final_share) * done)
        metrics = self.fitting.fit(self._kept, fitting.minibatch, step)
        del self._kept[: max(0, len(self._kept) - fitting.uses + 1)]
        self.rounds += min(own.rounds_at_once, own.rounds - self.rounds)
        return metrics

    def save(self) -> LearnerState:
        """Return the network, how many rounds it has learned from, and the labels that are learned from once more."""
        counters, arrays = self.fitting.save()
        for index, decisions in enumerate(self._kept):
            arrays |= {f"{_KEPT}{index}/{name}": array for name, array in decisions.arrays.items()}
        return LearnerState({"rounds": self.rounds, "kept": len(self._kept), **counters}, b"", arrays)

    def load(self, saved: LearnerState) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
        """
        self.rounds = count_of(saved.meta, "rounds")
        arrays = dict(saved.arrays)
        try:
            self._kept = [
                LabelledDecisions({name: arrays.pop(f"{_KEPT}{index}/{name}") for name in DECISION_ARRAYS})
                for index in range(count_of(saved.meta, "kept"))
            ]
        except KeyError as error:
            raise CheckpointError(f"its labels lack {error}") from None
        self.fitting.load(saved.meta, arrays)

    def close(self) -> None:
        """End the threads that label."""
        self._labels.close()


def label_blocks(config: SelfplayConfig, views: bool) -> LabelBlocks:
    """Make what makes a run's labels; ``views``: also what a value network reads."""
    own = config.selfplay
    settings = LabelSettings(
        np.array(own.shares), np.array(own.temperatures), np.array([own.pick_temperature]), own.most_choices, views
    )
    rules = None if own.draws_rules else parse_rules(config.environment.rules)
    return LabelBlocks(own.proposals, rules, settings, config.run.seed, own.threads or num_cores())
