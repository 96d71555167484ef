"""The stage of a run that learns by self-play: a generation of rounds is labelled, the network is fitted to it."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checkpoint import count_of
from agents.learner_protocol import Collected, LearnerState, Stage
from agents.selfplay.batches import DECISION_ARRAYS, LabelledDecisions, check_decisions
from agents.selfplay.critic import CriticFitting
from agents.selfplay.fitting import PolicyFitting
from agents.selfplay.label_source import LabelSource
from agents.selfplay.selfplay_config import SelfplayConfig
from agents.sparse_inputs import compile_lists
from shengji_env.datasets.selfplay.label_kernels import SUITS, Networks
from shengji_env.errors import CheckpointError
from shengji_env.players.networks.selfplay.selfplay_network import (
    NetworkShape,
    SelfplayNetwork,
    blank_network,
    network_of_parts,
)
from shengji_env.players.networks.selfplay.suit_rows import NUM_SUIT_ROWS
from shengji_env.support.archives import taken
from shengji_env.support.workers.jobs import Executor

_KEPT = "kept/"
"""Prefix of the names of labels, in a checkpoint."""
_AHEAD = "ahead/"
"""Prefix of the weights of the network that makes the next labels."""
_PLAYOUTS = "playouts/"
"""Prefix of the weights of the playout policy's network."""
_UNTRAINED = "before learning, the policy plays by random weights"


class SelfplayStage(Stage):
    """Rounds of the policy with itself, and what it learns from them.

    Attributes:
        fitting: The network.
        rounds: Rounds labelled so far, which are the first of its seed.
    """

    def __init__(
        self, config: SelfplayConfig, executor: Executor, critic: CriticFitting | None, start: Networks | None
    ) -> None:
        """Make the weights of ``start``, or random ones; ``executor`` makes labels, of the values of any ``critic``."""
        table = config.selfplay
        super().__init__("self-play", "rounds", table.rounds, shown=("r2",), untrained=_UNTRAINED)
        self._config = config
        self._labels = LabelSource(config, executor, critic)
        network = config.network
        learner = partial(PolicyFitting, config.run.seed, config.fitting.horizon, config.reads_rules)
        self.fitting = learner(network.shape)
        self._playing = learner(network.playout_shape) if network.playouts else None
        if start is not None:
            self.fitting.start_as(start.policy)
            if self._playing is not None:
                self._playing.start_as(start.playouts)
        self.rounds = 0
        self._kept: list[LabelledDecisions] = []

    def get_ready(self) -> None:
        """Compile what learning needs."""
        compile_lists()

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Label a generation of rounds of the network that plays."""
        began = time.perf_counter()
        labels = self._labels.make(self.networks(), self.rounds, check)
        self._kept.append(LabelledDecisions.of(labels))
        return Collected(len(self._labels.generation(self.rounds)), {"labels": time.perf_counter() - began})

    def update(self, done: float) -> dict[str, float]:
        """Learn from the last generations, from this one for the first time."""
        fitting = self._config.fitting
        step = fitting.learning_rate * (1 - (1 - fitting.final_share) * done)
        metrics = self.fitting.fit(self._kept, fitting.minibatch, step)
        if self._playing is not None:
            self._playing.fit(self._kept, fitting.minibatch, step)
        self._labels.learn(done)
        del self._kept[: max(0, len(self._kept) - fitting.uses + 1)]
        self.rounds += len(self._labels.generation(self.rounds))
        return metrics

    def networks(self) -> Networks:
        """Return the networks that play."""
        policy = self.fitting.network()
        return Networks(policy, policy if self._playing is None else self._playing.network())

    def save(self) -> LearnerState:
        """Return the networks, how many rounds they have learned from, and the labels that are learned from again."""
        ahead = self._labels.ahead
        counters, arrays = _saved(self.fitting, ahead and ahead.policy)
        if self._playing is not None:
            playing = _saved(self._playing, ahead and ahead.playouts)[1]
            arrays |= {_PLAYOUTS + name: array for name, array in playing.items()}
        for index, decisions in enumerate(self._kept):
            arrays |= {f"{_KEPT}{index}/{name}": array for name, array in decisions.arrays.items()}
        return LearnerState({"rounds": self.rounds, "kept": len(self._kept), **counters}, b"", arrays)

    def load(self, saved: LearnerState) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
        """
        self.rounds = count_of(saved.meta, "rounds")
        arrays, shape = dict(saved.arrays), self._config.network.shape
        kept = [_kept_of(arrays, f"{_KEPT}{index}/", shape) for index in range(count_of(saved.meta, "kept"))]
        for decisions in kept:
            check_decisions(decisions, len(self.fitting.model.rows), NUM_SUIT_ROWS)
        self._kept = list(map(LabelledDecisions, kept))
        of_playouts = taken(arrays, _PLAYOUTS)
        policy = playouts = _loaded(self.fitting, saved.meta, arrays)
        if self._playing is not None:
            playouts = _loaded(self._playing, saved.meta, of_playouts)
        self._labels.ahead = Networks(policy, playouts) if policy and playouts else None

    def close(self) -> None:
        """Stop what is being labelled."""
        self._labels.close()


def _kept_of(arrays: dict[str, NDArray[Any]], prefix: str, shape: NetworkShape) -> dict[str, NDArray[Any]]:
    """Take the labels of a generation out of a checkpoint's arrays.

    Raises:
        CheckpointError: some are missing.
    """
    kept = {}
    for name, kind in DECISION_ARRAYS.items():
        if name not in SUITS and prefix + name not in arrays:
            raise CheckpointError(f"its labels lack {prefix}{name}")
        if name not in SUITS or shape.suit:
            kept[name] = arrays.pop(prefix + name, np.zeros(0, kind))
    return kept


def _saved(fitting: PolicyFitting, ahead: SelfplayNetwork | None) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the counter and arrays of a network, and of what it was when the next labels were begun."""
    counters, arrays = fitting.save()
    return counters, arrays | {_AHEAD + name: array for name, array in (ahead.parts if ahead else {}).items()}


def _loaded(fitting: PolicyFitting, meta: Mapping[str, Any], arrays: dict[str, NDArray[Any]]) -> SelfplayNetwork | None:
    """Restore what `_saved` returned; return the network that makes the next labels; None: there is none yet.

    Raises:
        CheckpointError: it is no such network.
    """
    shape, found = fitting.model.shape, taken(arrays, _AHEAD)
    fitting.load(meta, arrays)
    if not found:
        return None
    parts = blank_network(shape).parts
    for name, blank in parts.items():
        array = found.get(name)
        if array is None or array.shape != blank.shape or array.dtype != blank.dtype:
            raise CheckpointError(f"its {_AHEAD}{name} is not {blank.dtype} {blank.shape}")
    return network_of_parts(shape, found)
