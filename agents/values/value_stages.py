"""The stages of a run that learns what candidates are worth. Each saves and restores what changes in it.

| stage       | what it collects                                                           | what it learns          |
|-------------|----------------------------------------------------------------------------|-------------------------|
| `held out`  | rounds with labelled decisions by which the network is measured            | nothing                 |
| `fitting`   | rounds to learn from, a group of shards at a time, made while it learns    | from all of them        |

Those of a second generation are in `agents.values.second_generation`.
"""

import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checkpoint import count_of
from agents.learner_protocol import Collected, LearnerState, Stage
from agents.saving import load_arrays, save_arrays
from agents.sparse_inputs import compile_lists
from agents.values.averaging import PREFIX, WeightMean
from agents.values.fitting import Fitting, fit_auxiliary, make_optimizer, step_size
from agents.values.held_out import measure
from agents.values.labels import Labels
from agents.values.making import Making
from agents.values.minibatches import Targets, minibatch_of, minibatches
from agents.values.teachers import Teachers
from agents.values.value_config import ValuesConfig
from agents.values.value_network import ValueNetwork
from agents.values.weighting import Weighting, equal_weighting, precision_weighting
from shengji_env.datasets.rollouts import Expanded
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import CheckpointError, PlayerError
from shengji_env.players.networks.champion.compiled_network import check_weights
from shengji_env.players.networks.champion.conditioning import Weights, features_of, without_rules

_CALIBRATED_ON = 8192
_MEASURED_TIMES = 10
"""How often the network is measured on what is held out while it is fitted."""
_UNTRAINED = (
    "before learning, all plays are alike to the network; it takes the first, that of heuristic, and is even with it"
)
_COUNTERS = ("steps", "groups", "measured")
_AVERAGED = "averaged"
"""The number of steps in the mean of weights, in a checkpoint."""
_STARTED = "start/"
"""Prefix of the names of the weights that it starts from, in a checkpoint; they are kept if they are exported, too."""

_Group = tuple[Expanded, Targets]
"""Decisions, and what is to be learned of them."""

Saved = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""What a checkpoint holds of a stage: plain values and arrays."""


class HeldOutStage(Stage):
    """Makes the rollouts held out that are missing."""

    def __init__(self, labels: Labels) -> None:
        """Make those of ``labels``, which has counted what is there."""
        super().__init__("held out", "rounds", labels.num_held_out_missing, has_matchups=False)
        self._labels = labels

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Make some shards."""
        began = time.perf_counter()
        return Collected(self._labels.make_some(check), {"rollouts": time.perf_counter() - began})


class FittingStage(Stage):
    """Fits the network to the labels.

    Attributes:
        network: The network.
        optimizer: Its optimiser.
        steps: Gradient steps taken.
        groups: Groups of shards learned from.
        measured: How often the network was measured.
    """

    def __init__(
        self,
        config: ValuesConfig,
        network: ValueNetwork,
        labels: Labels,
        name: str = "fitting",
        *,
        has_matchups: bool = True,
    ) -> None:
        """Fit ``network``, whose weights may still be set, to ``labels``."""
        amount = config.fitting.epochs * labels.num_rounds
        super().__init__(name, "rounds", amount, has_matchups=has_matchups, shown=("r2", "held_out_r2"))
        self.untrained = _UNTRAINED if config.is_fresh else ""
        self.network, self.optimizer = network, make_optimizer(network, config.fitting)
        self.steps = self.groups = self.measured = 0
        self._config, self._labels, self._making = config, labels, Making(labels)
        self._start: Weights | None = None
        self._mean = WeightMean(network) if config.fitting.average_share > 0 else None
        self._teachers = Teachers(config.fitting)
        self._thread = ThreadPoolExecutor(1, "shards")
        self._ahead: Future[_Group] | None = None
        self._group: _Group | None = None

    def get_ready(self) -> None:
        """Compile products, and read what is held out."""
        compile_lists()
        len(self.held_out)

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Wait until a group of shards is there, and read it; begin to read the one after it if that is there, too."""
        began = time.perf_counter()
        check()
        self._making.wait_for(self._labels.made_for(self.groups), check)
        made = time.perf_counter()
        reading, following = self._ahead or self._read(self.groups), self.groups + 1
        self._group, self._ahead = reading.result(), None
        if following < self._labels.num_groups and self._labels.made_for(following) <= self._labels.made:
            self._ahead = self._read(following)
        seconds = {"rollouts": made - began, "reading": time.perf_counter() - made}
        return Collected(self._labels.rounds_of(self.groups), seconds)

    def update(self, done: float) -> dict[str, float]:
        """Learn from the group that was read; metrics that are not measured this time are NaN."""
        assert self._group is not None
        if self.groups == 0:
            self._begin(self._group[0])
        left, before = self._learn(*self._group, done)
        self.groups += 1
        return {"r2": float(1 - left[0] / max(before[0], 1e-12)), **self._measure()}

    def keep_start(self) -> None:
        """Keep the present weights if a share of them is to be exported."""
        if self._config.fitting.start_share > 0:
            self._start = self.network.export()

    def weights(self) -> Weights:
        """Return the weights learned, or their mean over many steps, or with those that it started from.

        Those of a network for one rule set have its features, which never changed, in the bias.
        """
        found: Weights = self._mean.export() if self._mean is not None and self._mean.steps else self.network.export()
        share = np.float32(self._config.fitting.start_share)
        if self._start is not None:
            found = {name: share * self._start[name] + (1 - share) * array for name, array in found.items()}
        if self._config.rollouts.draws_rules:
            return found
        return without_rules(found, features_of(parse_rules(self._config.environment.rules)))

    def save(self) -> Saved:
        """Return counters, weights, their mean, and optimiser."""
        arrays = save_arrays(self.network, self.optimizer.state)
        arrays |= {_STARTED + name: array for name, array in (self._start or {}).items()}
        counters = {name: getattr(self, name) for name in _COUNTERS}
        if self._mean is not None:
            arrays |= self._mean.save()
            counters[_AVERAGED] = self._mean.steps
        return counters, arrays

    def load(self, saved: LearnerState) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
        """
        for name in _COUNTERS:
            setattr(self, name, count_of(saved.meta, name))
        if self.groups > self._labels.num_groups:
            raise CheckpointError(f"groups in its meta.json is {self.groups}, of {self._labels.num_groups}")
        learned = {name: array for name, array in saved.arrays.items() if not name.startswith((_STARTED, PREFIX))}
        load_arrays(self.network, self.optimizer.state, learned)
        if self._config.fitting.start_share > 0:
            self._start = _weights_of(saved.arrays, _STARTED, self.network)
        if self._mean is not None:
            self._mean.load(saved.arrays, count_of(saved.meta, _AVERAGED))

    def close(self) -> None:
        """End the threads that read and make shards."""
        self._making.close()
        self._thread.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def held_out(self) -> Expanded:
        """The decisions by which the network is measured."""
        return self._labels.read_held_out()

    def _read(self, group: int) -> Future[_Group]:
        return self._thread.submit(self._read_now, group)

    def _read_now(self, group: int) -> _Group:
        decisions = self._labels.read_group(group)
        return decisions, self._teachers.targets(decisions)

    def _begin(self, decisions: Expanded) -> None:
        """Set by the first decisions what is not learned, or not known of the network that it starts from."""
        fitting = self._config.fitting
        if self._config.is_fresh:
            first = decisions.take(np.arange(min(len(decisions), _CALIBRATED_ON)))
            self.network.calibrate(minibatch_of(first).inputs)
        elif fitting.auxiliary > 0:
            batches = minibatches(decisions, fitting.minibatch, (self._config.run.seed, 0))
            fit_auxiliary(self.network, batches, self._weighting)

    def _learn(
        self, decisions: Expanded, targets: Targets, done: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take a step on each minibatch of some decisions; return the sums of `Fitting.step`."""
        config = self._config.fitting
        fitting = Fitting(self.network, self.optimizer, self._weighting, config.auxiliary)
        left, before = np.zeros(2), np.zeros(2)
        share = 1 / self._labels.num_groups / max(1, len(decisions) // config.minibatch)
        for batch in minibatches(decisions, config.minibatch, (self._config.run.seed, self.groups), targets):
            remaining, wanted = fitting.step(batch, step_size(config, self.steps, done))
            left += remaining.cpu().numpy()
            before += wanted.cpu().numpy()
            self.steps += 1
            done += share
            if self._mean is not None and done > 1 - config.average_share:
                self._mean.add(self.network)
        return left, before

    def _measure(self) -> dict[str, float]:
        """Measure the network if it is time, and always at the end."""
        due = math.floor(self.groups / self._labels.num_groups * _MEASURED_TIMES)
        if due <= self.measured:
            return {"held_out_r2": math.nan, "held_out_gain": math.nan}
        self.measured = due
        found = measure(self.weights(), self.held_out)["all"]
        return {"held_out_r2": found.r2, "held_out_gain": found.gain}

    @cached_property
    def _weighting(self) -> Weighting:
        is_equal = self._config.fitting.weighting == "equal"
        return equal_weighting() if is_equal else precision_weighting(self.held_out)


def _weights_of(arrays: Mapping[str, NDArray[Any]], prefix: str, network: ValueNetwork) -> Weights:
    """Return the weights whose names begin with a prefix, in the shapes of a network's.

    Raises:
        CheckpointError: they are not those of such a network.
    """
    weights = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    shapes = {name: tuple(weight.shape) for name, weight in network.weights.items()}
    if {name: array.shape for name, array in weights.items()} != shapes:
        raise CheckpointError(f"its arrays {prefix}* have other names or shapes than the weights of its network")
    try:
        check_weights(weights)
    except PlayerError as error:
        raise CheckpointError(f"in its arrays {prefix}*, {error}") from error
    return weights
