"""A `Learner` of what candidates are worth: it makes rollouts, and fits a network to their labels; perhaps twice.

Its stages are those of `agents.values.value_stages` and `agents.values.second_generation`. The network as it was fitted
first is exported until the second one has played against it (`duel.py`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray

from agents.learner_protocol import LearnerState, Stage
from agents.precision import AUTO, PRECISION, resolve_precision, saved_precision
from agents.values.labels import Labels, earlier_shards, rollout_settings
from agents.values.second_generation import SecondGeneration, second_config
from agents.values.starting import load_start, weights_to_start
from agents.values.teachers import Teachers
from agents.values.value_config import ValuesConfig
from agents.values.value_network import ValueNetwork
from agents.values.value_stages import FittingStage, HeldOutStage
from shengji_env.datasets.rollouts.expanding import compile_expanding
from shengji_env.datasets.rollouts.generating import compile_rollouts
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players.candidates.digest import compile_candidates
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.champion.choosing import compile_champion
from shengji_env.players.networks.champion.compiled_network import compile_values
from shengji_env.players.networks.champion.value_file import VALUES_FILE, ValueFile, write_values
from shengji_env.support.announcing import get_ready
from shengji_env.support.cores import num_cores
from shengji_env.tables.tables import compile_tables

PARTS = (
    compile_rollouts, compile_expanding, compile_candidates, compile_champion, GreedyPlayer.rule.compile,
    HeuristicPlayer.rule.compile, compile_tables, compile_values,
)  # fmt: skip
"""What a run compiles, all of it parts of `shengji warm-up`."""


class ValueLearner:
    """A `Learner`, made with `fresh` or `restored`.

    Attributes:
        config: The resolved config.
        precision: The arithmetic of the network's layers while it is fitted, chosen when the run started.
        labels: The shards.
        network: The network.
        held_out, fitting: The first stages.
        second: The others, if there is a second generation.
    """

    drawn: Mapping[str, str] = {"held_out_r2": "R² on decisions held out"}

    def __init__(self, config: ValuesConfig, precision: str, labels: Labels) -> None:
        """Make a network that values all candidates alike."""
        self.config, self.precision, self.labels = config, precision, labels
        torch.set_num_threads(config.fitting.torch_threads or num_cores())
        torch.manual_seed(config.run.seed)
        self.network = ValueNetwork(config.network.widths, precision, config.code).to(_device(config.fitting.device))
        self.held_out = HeldOutStage(labels)
        self.fitting = FittingStage(config, self.network, labels)
        has_second = config.second_generation.rounds > 0
        self.second = SecondGeneration(config, self.fitting, labels) if has_second else None

    @staticmethod
    def check(config: ValuesConfig) -> None:
        """Check that there are the earlier shards, the network to start from, and the players and teachers named."""
        for each in (config, second_config(config)) if config.second_generation.rounds else (config,):
            rollout_settings(each)
        earlier_shards(config)
        Teachers(config.fitting)
        if not config.is_fresh:
            weights_to_start(config)

    @classmethod
    def fresh(cls, config: ValuesConfig) -> "ValueLearner":
        """Make a learner that has learned nothing.

        Raises:
            ConfigError: There is no network to start from, though the config names one.
            RecordError: A folder of shards is damaged.
        """
        labels, precision = Labels(config), _precision(config)
        labels.find()
        learner = cls(config, precision, labels)
        if not config.is_fresh:
            load_start(learner.network, config)
        learner.fitting.keep_start()
        learner._get_ready()
        return learner

    @classmethod
    def restored(cls, config: ValuesConfig, saved: LearnerState) -> "ValueLearner":
        """Make the learner that `save` saved, to continue under ``config``.

        Raises:
            CheckpointError: `save` could not have written a part of the state.
        """
        labels, precision = Labels(config), saved_precision(saved.meta)
        labels.load(saved.meta)
        learner = cls(config, precision, labels)
        learner.fitting.load(saved if learner.second is None else learner.second.load(saved))
        learner._get_ready()
        return learner

    def _get_ready(self) -> None:
        """Compile all that the run needs and start workers, so that rates and times left are those of stages' work."""
        are_missing = self.labels.are_missing or (self.second is not None and self.second.labels.are_missing)
        parts = [part for part in PARTS if are_missing or part is not compile_rollouts]
        get_ready(parts, "what the run needs")
        if are_missing:
            self.labels.start_workers()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Making what is held out, fitting the network, the second generation; without what there is nothing to do."""
        held_out: tuple[Stage, ...] = (self.held_out,) if self.labels.num_held_out_missing > 0 else ()
        return (*held_out, self.fitting, *(() if self.second is None else self.second.stages))

    @property
    def about(self) -> Mapping[str, Any]:
        """What learns, and where."""
        weights = sum(weight.numel() for weight in self.network.parameters() if weight.requires_grad)
        second = {} if self.second is None else self.second.about
        return {"device": str(self.network.device), PRECISION: self.precision, "weights": weights, **second}

    @property
    def findings(self) -> tuple[str, ...]:
        """How many rollouts were there already, and what the second generation has brought."""
        found, total = self.labels.found, self.labels.wanted
        rollouts = (f"{found:,} of {total:,} rounds of rollouts were there already",) if found > 0 else ()
        result = None if self.second is None else self.second.duel.result
        return rollouts if result is None else (*rollouts, str(result))

    def save(self) -> LearnerState:
        """Return weights, optimiser and counters, of both generations."""
        meta: dict[str, Any] = {PRECISION: self.precision, **self.labels.save()}
        arrays: dict[str, NDArray[Any]] = {}
        for part in (self.fitting, self.second):
            part_meta, part_arrays = ({}, {}) if part is None else part.save()
            meta |= part_meta
            arrays |= part_arrays
        return LearnerState(meta, b"", arrays)

    def export(self, folder: Path) -> str:
        """Write the network as ``values.npz``."""
        config = self.config
        made: dict[str, Any] = {
            "seed": config.run.seed,
            "rounds": config.rollouts.rounds,
            "steps": self.fitting.steps,
        }
        if not config.is_fresh:
            made["start"] = config.network.start
        weights = self.fitting.weights()
        if self.second is not None and (chosen := self.second.chosen) is not None:
            made["second_rounds"], weights = config.second_generation.rounds, chosen
        file = ValueFile(weights, None if config.rollouts.draws_rules else parse_rules(config.environment.rules), made)
        write_values(folder / VALUES_FILE, file)
        return f"values:{folder}"

    def close(self) -> None:
        """End the workers and the thread."""
        for fitting in (self.fitting, None if self.second is None else self.second.fitting):
            if fitting is not None:
                fitting.close()
        self.labels.close()


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def _precision(config: ValuesConfig) -> str:
    """Return the precision for a new run; ``auto`` is float32 on a GPU."""
    precision, is_on_gpu = config.fitting.precision, _device(config.fitting.device).type == "cuda"
    torch.set_num_threads(config.fitting.torch_threads or num_cores())
    return "float32" if precision == AUTO and is_on_gpu else resolve_precision(precision)
