"""The second generation: labels of rounds in which the network that was fitted plays, and what they bring.

| stage            | what it collects                                                       | what learns from it |
|------------------|------------------------------------------------------------------------|---------------------|
| `second fitting` | rounds in which the first network sits in all four seats, and plays on | the second network  |
| `duel`           | duplicate deals of the second network against the first: is it worse?  | nothing             |

The second network begins as a copy of the first, which stays as it is; a checkpoint holds both. Nothing new is held
out: what is known of the variance of labels, and what the second network is measured by, are the first generation's
rounds.
"""

import dataclasses
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checkpoint import count_of, part_of
from agents.learner_protocol import Collected, LearnerState, Stage
from agents.values.duel import Duel, play_duel
from agents.values.labels import Labels
from agents.values.value_config import ValuesConfig
from agents.values.value_network import ValueNetwork
from agents.values.value_stages import FittingStage, Saved
from shengji_env.datasets.rollouts import Expanded
from shengji_env.datasets.rollouts.named_players import NETWORK
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.conditioning import Weights
from shengji_env.players.networks.champion.value_file import ValueFile, weights_digest
from shengji_env.players.playing import HEURISTIC

SEED = 2**41
"""Added to the run's seed for the second generation's rounds."""
_PREFIX = "second/"
"""Prefix of the names of its arrays in a checkpoint."""
_META = "second"


def second_config(config: ValuesConfig) -> ValuesConfig:
    """Return the config of a run that would do nothing but the second generation; only its policy is not known yet."""
    second = config.second_generation
    return dataclasses.replace(
        config,
        run=dataclasses.replace(config.run, seed=config.run.seed + SEED),
        rollouts=dataclasses.replace(
            config.rollouts,
            rounds=second.rounds,
            held_out_rounds=0,
            policy=HEURISTIC,
            opponents=second.opponents,
            earlier=(),
        ),
        fitting=dataclasses.replace(
            config.fitting,
            epochs=second.epochs,
            learning_rate=second.learning_rate,
            start_share=second.start_share,
        ),
    )


class SecondLabels(Labels):
    """The shards of the second generation; which they are is known once the first network is."""

    def __init__(self, config: ValuesConfig, first: Labels) -> None:
        """Let the workers of ``first`` make them."""
        super().__init__(config, first.executor)
        self._at_once = self._workers * self._rollouts.shard_rounds

    def name_policy(self, weights: Weights) -> None:
        """Let the network of these weights play, as its file holds them: a run of that file shares the shards."""
        halves = {name: array.astype(np.float16).astype(np.float32) for name, array in weights.items()}
        policy = f"{NETWORK}:{weights_digest(halves)}"
        self._settings = dataclasses.replace(
            self._settings,
            policy=policy,
            network_tricks=self._rollouts.network_tricks,
            players={**self._settings.players, policy: ValuePlayer(ValueFile(halves, None, {}), name=policy)},
        )

    @property
    def num_rounds(self) -> int:
        """Number of rounds of an epoch."""
        return self._rollouts.rounds


class SecondFittingStage(FittingStage):
    """Fits a copy of the first network to the second generation's labels."""

    def __init__(self, config: ValuesConfig, network: ValueNetwork, labels: SecondLabels, first: FittingStage) -> None:
        """Fit ``network``, which becomes a copy of that of ``first`` when the stage begins."""
        super().__init__(config, network, labels, "second fitting", has_matchups=False)
        self._second, self._first = labels, first

    def get_ready(self) -> None:
        """Copy the first network, unless the copy has learned already."""
        self._second.name_policy(self._first.weights())
        if self.groups == 0:
            self.network.load_state_dict(self._first.network.state_dict())
            self.network.load(self._first.weights())
            self.keep_start()
        super().get_ready()

    def _begin(self, decisions: Expanded) -> None:
        """Do nothing: the copy has its scales and auxiliary values."""

    @cached_property
    def held_out(self) -> Expanded:
        """The first generation's."""
        return self._first.held_out


class DuelStage(Stage):
    """The second network against the first.

    Attributes:
        result: What the second generation has brought, once that is known.
    """

    def __init__(self, config: ValuesConfig, later: FittingStage, earlier: FittingStage) -> None:
        """Compare what two stages have fitted."""
        super().__init__("duel", "deals", config.second_generation.deals, has_matchups=False)
        self.result: Duel | None = None
        self._config, self._later, self._earlier = config, later, earlier

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Play all deals."""
        began = time.perf_counter()
        self.result = play_duel(self._later.weights(), self._earlier.weights(), self._config, check)
        return Collected(self.result.deals, {"duel": time.perf_counter() - began})


class SecondGeneration:
    """The stages of the second generation, and what a checkpoint holds of them.

    Attributes:
        fitting, duel: The stages.
        labels: The shards.
    """

    def __init__(self, config: ValuesConfig, first: FittingStage, labels: Labels) -> None:
        """Continue with the network of ``first``, once it is fitted to ``labels``."""
        second = second_config(config)
        network = ValueNetwork(config.network.widths, first.network.precision, config.code).to(first.network.device)
        self.labels = SecondLabels(second, labels)
        self.fitting = SecondFittingStage(second, network, self.labels, first)
        self.duel = DuelStage(config, self.fitting, first)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """All of them, in their order."""
        return self.fitting, self.duel

    @property
    def about(self) -> Mapping[str, Any]:
        """The duel's result as plain values, if it is known."""
        return {} if self.duel.result is None else {"duel": dataclasses.asdict(self.duel.result)}

    @property
    def chosen(self) -> Weights | None:
        """The second network's weights, if they are to be exported."""
        return self.fitting.weights() if self.duel.result is not None and self.duel.result.is_taken else None

    def save(self) -> Saved:
        """Return how many rounds there are; the network, once it has learned; the duel's result."""
        meta, arrays = self.fitting.save()
        learned = arrays if self.fitting.groups > 0 else {}
        about = {**self.labels.save(), **meta, **self.about}
        return {_META: about}, {_PREFIX + name: array for name, array in learned.items()}

    def load(self, saved: LearnerState) -> LearnerState:
        """Restore what `save` returned; return the rest.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
        """
        meta, arrays, rest = part_of(saved.meta, _META, dict), dict[str, NDArray[Any]](), dict[str, NDArray[Any]]()
        for name, array in saved.arrays.items():
            (arrays if name.startswith(_PREFIX) else rest)[name.removeprefix(_PREFIX)] = array
        self.labels.load(meta)
        if arrays or count_of(meta, "groups") > 0:
            self.fitting.load(LearnerState(meta, b"", arrays))
        if "duel" in meta:
            self.duel.result = Duel.from_json(part_of(meta, "duel", dict))
        return LearnerState(saved.meta, saved.model, rest)
