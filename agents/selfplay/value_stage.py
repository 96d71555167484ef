"""The stage after self-play: a value network learns to correct what the finished policy thinks of its choices.

Labels are those of the policy's own rounds, as before; it stays as it is. The network is that of `agents.values`. It
reads the whole observation, and is fitted to what is left of the labels once the policy's values have been subtracted.
"""

import math
import time
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from agents.checkpoint import count_of
from agents.learner_protocol import Collected, LearnerState, Stage
from agents.selfplay.critic import CriticFitting
from agents.selfplay.label_source import LabelSource
from agents.selfplay.selfplay_config import SelfplayConfig
from agents.values.averaging import PREFIX, WeightMean
from agents.values.fitting import Fitting, make_optimizer, step_size
from agents.values.minibatches import centred, labels_of, minibatch_of, minibatches
from agents.values.saving import load_arrays, save_arrays
from agents.values.sparse_inputs import compile_lists
from agents.values.value_config import FittingConfig
from agents.values.value_network import ValueNetwork
from agents.values.weighting import equal_weighting, precision_weighting
from shengji_env.datasets.rollouts import Expanded
from shengji_env.datasets.selfplay.label_kernels import LabelArrays, Networks
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import CheckpointError
from shengji_env.players.candidates import NUM_FEATURES
from shengji_env.players.networks.champion.value_file import ValueFile
from shengji_env.support.workers.jobs import Executor
from shengji_env.tables.observation import OBSERVATION_SIZE

_CALIBRATED_ON = 8192
_WEIGHTING = "weighting"
_LEAST = 1e-9


class ValueStage(Stage):
    """Rounds of the finished policy with itself, and what the value network learns from them.

    Attributes:
        network: Learns.
        rounds: Rounds labelled so far, which come after those of the stage before.
        steps: Gradient steps so far.
    """

    def __init__(
        self,
        config: SelfplayConfig,
        executor: Executor,
        policy: Callable[[], Networks],
        critic: CriticFitting | None,
    ) -> None:
        """Make random weights; ``policy`` returns the finished policy; for the others see `SelfplayStage`."""
        table = config.values
        super().__init__("values", "rounds", table.rounds, shown=("r2", "policy_r2"))
        draws = config.selfplay.draws_rules
        self._rules = None if draws else parse_rules(config.environment.rules)
        self._config, self._policy = config, policy
        first = config.selfplay.rounds
        self._labels = LabelSource(config, executor, critic, range(first, first + table.rounds), views=True)
        torch.manual_seed(config.run.seed)
        self.network = ValueNetwork(table.widths, code=table.rules if draws else 0)
        self._schedule = FittingConfig(learning_rate=table.learning_rate)
        self._optimizer = make_optimizer(self.network, self._schedule)
        self._mean = WeightMean(self.network)
        self._weighting = equal_weighting()
        self.rounds = self.steps = 0
        self._made: tuple[Expanded, NDArray[np.float32]] | None = None

    def get_ready(self) -> None:
        """Compile what products need."""
        compile_lists()

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Label a generation of rounds."""
        began, number = time.perf_counter(), len(self._labels.generation(self.rounds))
        labels = self._labels.make(self._policy(), self.rounds, check)
        self._made = expanded(labels), labels.values
        self.rounds += number
        return Collected(number, {"labels": time.perf_counter() - began})

    def update(self, done: float) -> dict[str, float]:
        """Learn from the generation, once."""
        self._labels.learn(done)
        assert self._made is not None
        decisions, thought = self._made
        if len(decisions) == 0:
            return {"r2": math.nan, "policy_r2": math.nan}
        if self.steps == 0:
            first = decisions.take(np.arange(min(_CALIBRATED_ON, len(decisions))))
            self.network.calibrate(minibatch_of(first).inputs)
            self._weighting = precision_weighting(decisions)
        table, seed = self._config.values, self._config.run.seed
        targets = labels_of(decisions)
        squares = max(float(np.square(centred(targets.values[:, 0], decisions)).sum()), _LEAST)
        targets.values[:, :2] -= thought[:, None]
        fitting = Fitting(self.network, self._optimizer, self._weighting, table.auxiliary)
        left, at_first = torch.zeros(2), torch.zeros(2)
        share, number = self.rounds / table.rounds - done, max(1, len(decisions) // table.minibatch)
        for index, batch in enumerate(minibatches(decisions, table.minibatch, [seed, self.steps], targets)):
            now = done + share * index / number
            errors, labels = fitting.step(batch, step_size(self._schedule, self.steps, now))
            left, at_first = left + errors, at_first + labels
            self.steps += 1
            if now >= 1 - table.average_share:
                self._mean.add(self.network)
        self._made = None
        return {"r2": 1 - float(left[0]) / squares, "policy_r2": 1 - float(at_first[0]) / squares}

    def values(self) -> ValueFile | None:
        """Return the network that plays; None before it has learned."""
        if self.steps == 0:
            return None
        weights = self._mean.export() if self._mean.steps else self.network.export()
        return ValueFile(weights, self._rules, {})

    def save(self) -> LearnerState:
        """Return weights, optimiser and counters; nothing before the first step."""
        if self.steps == 0:
            return LearnerState({}, b"", {})
        arrays = save_arrays(self.network, self._optimizer.state) | self._mean.save() | {_WEIGHTING: self._weighting}
        meta = {"value_rounds": self.rounds, "value_steps": self.steps, "value_mean": self._mean.steps}
        return LearnerState(meta, b"", arrays)

    def load(self, saved: LearnerState) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
        """
        if "value_steps" not in saved.meta:
            return
        self.rounds, self.steps = count_of(saved.meta, "value_rounds"), count_of(saved.meta, "value_steps")
        self._mean.load(saved.arrays, count_of(saved.meta, "value_mean"))
        arrays = {name: array for name, array in saved.arrays.items() if not name.startswith(PREFIX)}
        weighting, wanted = arrays.pop(_WEIGHTING, np.zeros(0)), self._weighting
        is_such = (weighting.shape, weighting.dtype) == (wanted.shape, wanted.dtype)
        if not is_such or not (np.isfinite(weighting) & (weighting > 0)).all():
            raise CheckpointError(f"its {_WEIGHTING} is not {wanted.shape} finite {wanted.dtype} above 0")
        self._weighting = weighting
        load_arrays(self.network, self._optimizer.state, arrays)

    def close(self) -> None:
        """Stop what is being labelled."""
        self._labels.close()


def expanded(labels: LabelArrays) -> Expanded:
    """Return labelled decisions as `agents.values` reads them."""
    offsets = np.concatenate([[0], np.cumsum(labels.num_choices, dtype=np.int64)])
    return Expanded(
        observations=labels.observations.view(np.int8).reshape(-1, OBSERVATION_SIZE),
        rounds=np.zeros(len(labels.groups), np.int64),
        phases=labels.phases,
        offsets=offsets,
        actions=np.zeros(offsets[-1], np.int8),
        cards=labels.cards,
        features=labels.features.view(np.int8).reshape(-1, NUM_FEATURES),
        levels=labels.levels.astype(np.int8),
        points=labels.points,
        is_attacker=labels.is_attacker,
        smooth=labels.smooth,
    )
