"""A `Learner` of what candidates are worth: it makes rollouts, fits a network to their labels, and may play on its own.

Its stages are those of `agents.values.value_stages`. The network as it was fitted is exported, unless the copy that
played has been found better (`selfplay/duel.py`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray

from agents.learner_protocol import LearnerState, Stage
from agents.precision import AUTO, PRECISION, resolve_precision, saved_precision
from agents.values.labels import Labels, earlier_shards
from agents.values.starting import load_start, weights_to_start
from agents.values.value_config import ValuesConfig
from agents.values.value_network import ValueNetwork
from agents.values.value_stages import DuelStage, FittingStage, RolloutStage, SelfPlayStage
from shengji_env.cli.compiled_parts import get_ready
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players.networks.champion.conditioning import features_of, without_rules
from shengji_env.players.networks.champion.value_file import VALUES_FILE, ValueFile, write_values
from shengji_env.support.cores import num_cores


class ValueLearner:
    """A `Learner`, made with `fresh` or `restored`.

    Attributes:
        config: The resolved config.
        precision: The arithmetic of the network's layers while it is fitted, chosen when the run started.
        labels: The shards.
        network: The network.
        rollouts, fitting, self_play, duel: The stages, in their order, also those that the config turns off.
    """

    drawn: Mapping[str, str] = {"held_out_r2": "R² on decisions held out"}

    def __init__(self, config: ValuesConfig, precision: str, labels: Labels) -> None:
        """Make a network that values all candidates alike."""
        self.config, self.precision, self.labels = config, precision, labels
        torch.set_num_threads(config.fitting.torch_threads or num_cores())
        torch.manual_seed(config.run.seed)
        self.network = ValueNetwork(config.network.widths, precision, config.code).to(_device(config.fitting.device))
        self.rollouts = RolloutStage(labels)
        self.fitting = FittingStage(config, self.network, labels)
        self.self_play = SelfPlayStage(config, self.network)
        self.duel = DuelStage(config, self.network, self.self_play)

    @staticmethod
    def check(config: ValuesConfig) -> None:
        """Check that there are the earlier shards and the network to start from that are named."""
        earlier_shards(config)
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
        if config.fits:
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
        for stage in (learner.fitting, learner.self_play, learner.duel):
            stage.load(saved)
        learner._get_ready()
        return learner

    def _get_ready(self) -> None:
        """Compile all that the run needs and start workers, so that rates and times left are those of stages' work."""
        rollouts = ["rollouts"] if self.labels.are_missing else []
        fitting = [*rollouts, "expanding", "candidates"] if self.config.fits else []
        self_play = ["plays"] if self.config.selfplay.decisions > 0 else []
        search = ["search"] if self_play and self.config.selfplay.search_share > 0 else []
        get_ready(
            [*fitting, *self_play, *search, "champion", "greedy", "heuristic", "batch", "values"], "what the run needs"
        )
        if rollouts:
            self.labels.start_workers()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Making the rollouts that are missing, fitting the network, self-play, the duel; as far as there are such."""
        rollouts: tuple[Stage, ...] = (self.rollouts,) if self.labels.num_missing > 0 else ()
        fitting = (*rollouts, self.fitting) if self.config.fits else ()
        return (*fitting, self.self_play, self.duel) if self.config.selfplay.decisions > 0 else fitting

    @property
    def about(self) -> Mapping[str, Any]:
        """What learns, and where."""
        weights = sum(weight.numel() for weight in self.network.parameters() if weight.requires_grad)
        return {"device": str(self.network.device), PRECISION: self.precision, "weights": weights, **self.duel.about}

    @property
    def findings(self) -> tuple[str, ...]:
        """How many rollouts were there already, and what self-play has brought."""
        found, total = self.labels.found, self.labels.found + self.labels.num_missing
        rollouts = (f"{found:,} of {total:,} rounds of rollouts were there already",) if found > 0 else ()
        return rollouts if self.duel.result is None else (*rollouts, str(self.duel.result))

    def save(self) -> LearnerState:
        """Return weights, optimiser and counters, and all of self-play."""
        meta: dict[str, Any] = {PRECISION: self.precision, **self.labels.save()}
        arrays: dict[str, NDArray[Any]] = {}
        for stage in (self.fitting, self.self_play, self.duel):
            own_meta, own_arrays = stage.save()
            meta |= own_meta
            arrays |= own_arrays
        return LearnerState(meta, b"", arrays)

    def export(self, folder: Path) -> str:
        """Write the network as ``values.npz``."""
        made: dict[str, Any] = {"seed": self.config.run.seed}
        if self.config.fits:
            made |= {"rounds": self.config.rollouts.rounds, "steps": self.fitting.steps}
        if not self.config.is_fresh:
            made["start"] = self.config.network.start
        weights, play, duel = self.fitting.weights(), self.self_play.play, self.duel.result
        if play is not None and duel is not None and duel.is_better:
            made["self_play_decisions"], weights = play.decisions, play.weights()
        rules = None if self.config.rollouts.draws_rules else parse_rules(self.config.environment.rules)
        file = ValueFile(weights if rules is None else without_rules(weights, features_of(rules)), rules, made)
        write_values(folder / VALUES_FILE, file)
        return f"values:{folder}"

    def close(self) -> None:
        """End the workers and the thread."""
        self.fitting.close()
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
