"""A `Learner` of what candidates are worth: it makes rollouts, fits a network to their labels, and may play on its own.

| stage | what it collects | what it learns |
|---|---|---|
| `rollouts` | rounds with labelled decisions, on all cores, into a folder of shards | nothing |
| `fitting` | rounds of that folder in random order, a group of shards at a time | one pass over their decisions |
| `self-play` | decisions of a copy of the network, at tables of whole plays (`selfplay/`) | MaskablePPO |
| `duel` | duplicate deals of the copy against the network: is it better? | nothing |

The network as it was fitted is exported, unless the copy has been found better (`selfplay/duel.py`).
"""

import dataclasses
import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.checkpoint import part_of
from agents.learner import Collected, LearnerState, Stage
from agents.precision import AUTO, PRECISION, resolve_precision, saved_precision
from agents.values.config import ValuesConfig
from agents.values.fitting import fit, fit_auxiliary, make_optimizer, step_size
from agents.values.held_out import measure
from agents.values.labels import Labels
from agents.values.network import ValueNetwork
from agents.values.samples import minibatch_of, minibatches
from agents.values.saving import load_arrays, load_weights, save_arrays
from agents.values.selfplay.duel import Duel, fight
from agents.values.selfplay.stage import FIGURES, SelfPlay
from agents.values.starting import load_start
from agents.values.weighting import Weighting, equal_weighting, precision_weighting
from shengji_env.datasets.rollouts import Expanded
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import CheckpointError
from shengji_env.players.networks.champion.network import Weights
from shengji_env.players.networks.champion.weights import VALUES_FILE, ValueFile, write_values
from shengji_env.support.cores import num_cores

ROLLOUTS, FITTING, SELF_PLAY, DUEL = "rollouts", "fitting", "self-play", "duel"
_CALIBRATED_ON = 8192
_MEASURED_TIMES = 10
"""How often the network is measured on what is held out while it is fitted."""
_COUNTERS = ("steps", "groups", "measured")
_ROUNDS = "rounds"
_STARTED = "start/"
"""Prefix of the names of the weights that it starts from, in a checkpoint; they are kept if they are exported, too."""
_PLAYED = "selfplay/"
"""Prefix of the names of self-play's arrays in a checkpoint."""


class ValueLearner:
    """A `Learner`, made with `fresh` or `restored`.

    Attributes:
        config: The resolved config.
        precision: The arithmetic of the network's layers while it is fitted, chosen when the run started.
        network: The network.
        steps: Gradient steps taken.
        groups: Groups of shards learned from.
        measured: How often the network was measured.
        play: Self-play, once it has begun.
        duel: What it has brought, once that is known.
    """

    drawn: Mapping[str, str] = {"held_out_r2": "R² on decisions held out"}

    def __init__(self, config: ValuesConfig, precision: str) -> None:
        """Make a network that values all candidates alike."""
        self.config, self.precision = config, precision
        torch.set_num_threads(config.fitting.torch_threads or num_cores())
        torch.manual_seed(config.run.seed)
        self.network = ValueNetwork(config.network.widths, precision).to(_device(config.fitting.device))
        self.optimizer = make_optimizer(self.network, config.fitting)
        self.steps = self.groups = self.measured = 0
        self.play: SelfPlay | None = None
        self.duel: Duel | None = None
        self._start: Weights | None = None
        self._labels = Labels(config)
        self._thread = ThreadPoolExecutor(1, "shards")
        self._ahead: tuple[int, Future[Expanded]] | None = None
        self._decisions: Expanded | None = None

    @classmethod
    def fresh(cls, config: ValuesConfig) -> "ValueLearner":
        """Make a learner that has learned nothing.

        Raises:
            ConfigError: There is no network to start from, though the config names one.
            RecordError: A folder of shards is damaged.
        """
        learner = cls(config, _precision(config))
        if config.fits:
            learner._labels.find()
        if not config.is_fresh:
            load_start(learner.network, config)
        if config.fitting.start_share > 0:
            learner._start = learner.network.export()
        learner._get_ready()
        return learner

    @classmethod
    def restored(cls, config: ValuesConfig, saved: LearnerState) -> "ValueLearner":
        """Make the learner that `save` saved, to continue under ``config``.

        Raises:
            CheckpointError: `save` could not have written a part of the state.
        """
        counters = {name: part_of(saved.meta, name, int) for name in ("found", "made", *_COUNTERS)}
        rounds = part_of(saved.meta, _ROUNDS, int)
        for name, value in counters.items():
            if isinstance(value, bool) or value < 0:
                raise CheckpointError(f"{name} in its meta.json is {value!r}, not 0 or more")
        found, made = counters.pop("found"), counters.pop("made")
        if found > made:
            raise CheckpointError(f"found in its meta.json is {found}, more than made, {made}")
        learner = cls(config, saved_precision(saved.meta))
        learner._labels.found, learner._labels.made = found, made
        if rounds != learner._labels.num_rounds:
            raise CheckpointError(
                f"it learned from {rounds:,} rounds, and now there are {learner._labels.num_rounds:,}"
            )
        for name, value in counters.items():
            setattr(learner, name, value)
        own = {name: array for name, array in saved.arrays.items() if not name.startswith((_PLAYED, _STARTED))}
        load_arrays(learner.network, learner.optimizer, own)
        if config.fitting.start_share > 0:
            learner._start = load_weights(saved.arrays, _STARTED, learner.network)
        learner._load_play(saved)
        learner._get_ready()
        return learner

    def _get_ready(self) -> None:
        """Compile before a stage begins, so that its rate and the time left are those of its work."""
        if self.config.fits:
            self._labels.get_ready()

    def _load_play(self, saved: LearnerState) -> None:
        """Restore self-play, if it had begun, and the duel."""
        if "selfplay" in saved.meta:
            self.play = SelfPlay(self.config, self.network)
            played = {name: array for name, array in saved.arrays.items() if name.startswith(_PLAYED)}
            meta = part_of(saved.meta, "selfplay", dict)
            self.play.load(meta, {name.removeprefix(_PLAYED): array for name, array in played.items()})
        if "duel" in saved.meta:
            self.duel = Duel.from_json(part_of(saved.meta, "duel", dict))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Making the rollouts that are missing, fitting the network, self-play, the duel; as far as there are such."""
        epochs, play, missing = self.config.fitting.epochs, self.config.selfplay, self._labels.num_missing
        stages = []
        if self.config.fits and missing > 0:
            stages += [Stage(ROLLOUTS, unit="rounds", amount=missing, has_matchups=False)]
        if self.config.fits:
            rounds = epochs * self._labels.num_rounds
            stages += [Stage(FITTING, unit="rounds", amount=rounds, shown=("r2", "held_out_r2"))]
        if play.decisions > 0:
            stages += [
                Stage(SELF_PLAY, unit="decisions", amount=play.decisions, has_matchups=False, shown=FIGURES),
                Stage(DUEL, unit="deals", amount=play.deals, has_matchups=False),
            ]
        return tuple(stages)

    @property
    def about(self) -> Mapping[str, Any]:
        """What learns, and where."""
        weights = sum(weight.numel() for weight in self.network.parameters() if weight.requires_grad)
        duel = {} if self.duel is None else {"duel": dataclasses.asdict(self.duel)}
        return {"device": str(self.network.device), PRECISION: self.precision, "weights": weights, **duel}

    @property
    def findings(self) -> tuple[str, ...]:
        """How many rollouts were there already, and what self-play has brought."""
        found, findings = self._labels.found, []
        if found > 0:
            findings += [f"{found:,} of {found + self._labels.num_missing:,} rounds of rollouts were there already"]
        if self.duel is not None:
            findings += [str(self.duel)]
        return tuple(findings)

    def collect(self, stage: Stage, done: float, check: Callable[[], None]) -> Collected:
        """Make some shards, read a group of them, or play."""
        began = time.perf_counter()
        if stage.name == SELF_PLAY:
            self.play = self.play or SelfPlay(self.config, self.network)
            return self.play.collect(done, check)
        if stage.name == DUEL:
            assert self.play is not None
            self.duel = fight(self.play.weights(), self.network.export(), self.config, check)
            return Collected(self.duel.deals, {"duel": time.perf_counter() - began})
        if stage.name == ROLLOUTS:
            return Collected(self._labels.make_some(check), {"rollouts": time.perf_counter() - began})
        check()
        self._decisions = self._next_group()
        return Collected(self._labels.rounds_of(self.groups), {"reading": time.perf_counter() - began})

    def update(self, stage: Stage, done: float) -> dict[str, float]:
        """Learn from the group that was read; figures that are not measured this time are NaN."""
        if stage.name in (ROLLOUTS, DUEL):
            return {}
        if stage.name == SELF_PLAY:
            assert self.play is not None
            return self.play.update()
        assert self._decisions is not None
        if self.groups == 0:
            self._begin(self._decisions)
        left, before = self._learn(self._decisions, done)
        self.groups += 1
        return {"r2": float(1 - left[0] / max(before[0], 1e-12)), **self._held_out_figures()}

    def _begin(self, decisions: Expanded) -> None:
        """Set by the first decisions what is not learned, or not known of the network that it starts from."""
        fitting = self.config.fitting
        if self.config.is_fresh:
            first = decisions.take(np.arange(min(len(decisions), _CALIBRATED_ON)))
            self.network.calibrate(minibatch_of(first).inputs)
        elif fitting.auxiliary > 0:
            batches = minibatches(decisions, fitting.minibatch, (self.config.run.seed, 0))
            fit_auxiliary(self.network, batches, self._weighting)

    def _learn(self, decisions: Expanded, done: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take a step on each minibatch of some decisions; return the sums of `fitting.fit`."""
        fitting = self.config.fitting
        left, before = np.zeros(2), np.zeros(2)
        share = 1 / self._labels.num_groups / max(1, len(decisions) // fitting.minibatch)
        for batch in minibatches(decisions, fitting.minibatch, (self.config.run.seed, self.groups)):
            size = step_size(fitting, self.steps, done)
            remaining, wanted = fit(self.network, self.optimizer, batch, size, self._weighting, fitting.auxiliary)
            left += remaining.cpu().numpy()
            before += wanted.cpu().numpy()
            self.steps += 1
            done += share
        return left, before

    def _held_out_figures(self) -> dict[str, float]:
        """Measure the network if it is time, and always at the end."""
        due = math.floor(self.groups / self._labels.num_groups * _MEASURED_TIMES)
        if due <= self.measured:
            return {"held_out_r2": math.nan, "held_out_gain": math.nan}
        self.measured = due
        found = measure(self._weights(), self._held_out)["all"]
        return {"held_out_r2": found.r2, "held_out_gain": found.gain}

    def save(self) -> LearnerState:
        """Return weights, optimiser and counters, and all of self-play."""
        meta = {
            PRECISION: self.precision,
            "found": self._labels.found,
            "made": self._labels.made,
            _ROUNDS: self._labels.num_rounds,
            **{name: getattr(self, name) for name in _COUNTERS},
        }
        arrays = save_arrays(self.network, self.optimizer)
        arrays |= {_STARTED + name: array for name, array in (self._start or {}).items()}
        if self.play is not None:
            meta["selfplay"], played = self.play.save()
            arrays |= {_PLAYED + name: array for name, array in played.items()}
        if self.duel is not None:
            meta["duel"] = dataclasses.asdict(self.duel)
        return LearnerState(meta, b"", arrays)

    def export(self, folder: Path) -> str:
        """Write the network as ``values.npz``."""
        made: dict[str, Any] = {"seed": self.config.run.seed}
        if self.config.fits:
            made |= {"rounds": self.config.rollouts.rounds, "steps": self.steps}
        if not self.config.is_fresh:
            made["start"] = self.config.network.start
        weights = self._weights()
        if self.play is not None and self.duel is not None and self.duel.is_better:
            made["self_play_decisions"], weights = self.play.decisions, self.play.weights()
        file = ValueFile(weights, parse_rules(self.config.environment.rules), made)
        write_values(folder / VALUES_FILE, file)
        return f"values:{folder}"

    def _weights(self) -> Weights:
        """Return the weights learned, or their mean with those that it started from."""
        learned, share = self.network.export(), np.float32(self.config.fitting.start_share)
        if self._start is None:
            return learned
        return {name: share * self._start[name] + (1 - share) * array for name, array in learned.items()}

    def close(self) -> None:
        """End the workers and the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._labels.close()

    @cached_property
    def _held_out(self) -> Expanded:
        return self._labels.read_held_out()

    @cached_property
    def _weighting(self) -> Weighting:
        is_equal = self.config.fitting.weighting == "equal"
        return equal_weighting() if is_equal else precision_weighting(self._held_out)

    def _next_group(self) -> Expanded:
        """Return the next group of shards, and begin to read the one after it."""
        number, read = self._ahead or (self.groups, self._thread.submit(self._labels.read_group, self.groups))
        assert number == self.groups
        decisions = read.result()
        following = number + 1
        if following < self._labels.num_groups:
            self._ahead = following, self._thread.submit(self._labels.read_group, following)
        return decisions


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def _precision(config: ValuesConfig) -> str:
    """Return the precision for a new run; ``auto`` is float32 on a GPU."""
    precision, is_on_gpu = config.fitting.precision, _device(config.fitting.device).type == "cuda"
    torch.set_num_threads(config.fitting.torch_threads or num_cores())
    return "float32" if precision == AUTO and is_on_gpu else resolve_precision(precision)
