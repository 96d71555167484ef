"""Forms are fitted side by side to the same values, judged, timed, and played against whom they learned from."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.display import Display
from agents.selfplay.batches import LabelledDecisions, starts_of
from agents.selfplay.fitting import PolicyFitting, shares_of, squared_errors, squares_of
from agents.selfplay.model import SelfplayModel
from research.forms.form_player import FormPlayer
from research.forms.forms import FORMS
from research.forms.labels import decide_all, label_rounds, make_labeller, some_starts
from shengji_env.arena import play_matchup
from shengji_env.datasets.selfplay.label_kernels import LabelArrays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.networks.selfplay.selfplay_inputs import FIRST_CHANCE_ROW, NUM_GROUPS
from shengji_env.players.networks.selfplay.selfplay_network import SelfplayNetwork, blank_network

CHUNK = 500
"""Rounds whose labels are in memory at once."""
MINIBATCH = 1024
"""Decisions of a gradient step."""
_HELD_OUT_SEED, _ARENA_SEED = 2**32, 2**33
_TIMED_ROUNDS, _REPETITIONS, _AT_ONCE = 20, 5, 2048
_HORIZON, _FALL = 200.0, 0.95
"""Steps over which the mean of weights is taken, about; how much smaller steps get."""


@dataclass(frozen=True)
class FormsPlan:
    """What is done."""

    player: str
    rules: RuleSet
    forms: Sequence[str]
    rounds: int
    held_out: int
    """Rounds of decisions that nothing learns from."""
    deals: int
    seed: int


@dataclass(frozen=True)
class FormResult:
    """What was found of a form."""

    form: str
    decisions: int
    """How many it has learned from."""
    weights: int
    seconds: float
    """Processor seconds of fitting."""
    explained: Mapping[str, float]
    """R² of held-out decisions, by kind."""
    microseconds: float
    """Of a decision in compiled code."""
    times: float
    """The same, relative to that of a network of `selfplay`'s shape."""
    levels: tuple[float, float, float] | None = None
    """Levels a round against the player, and their interval."""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


class LabelPart:
    """Labelled decisions as forms read them, with rows of chances or without."""

    def __init__(self, labels: LabelArrays) -> None:
        self._parts = LabelledDecisions.of(_without_chances(labels)), LabelledDecisions.of(labels)

    def read_by(self, model: SelfplayModel) -> LabelledDecisions:
        """Return what a form reads."""
        return self._parts[model.shape.chances]


def _without_chances(labels: LabelArrays) -> LabelArrays:
    is_kept = labels.rows < FIRST_CHANCE_ROW  # rows of the rules, which would come after these, are not listed
    kept = np.add.reduceat(is_kept, starts_of(labels.num_rows.astype(np.int64)), dtype=np.int16)
    return labels._replace(rows=labels.rows[is_kept], num_rows=kept)


def judge(plan: FormsPlan, display: Display) -> tuple[list[FormResult], dict[str, SelfplayNetwork]]:
    """Fit the forms; return what was found without playing, and their networks."""
    labeller, decisions = make_labeller(plan.player, plan.rules), 0
    fittings = {name: PolicyFitting(plan.seed, _HORIZON, False, FORMS[name].shape) for name in plan.forms}
    seconds = dict.fromkeys(plan.forms, 0.0)
    display.begin("fitting")
    for first in range(0, plan.rounds, CHUNK):
        part = LabelPart(label_rounds(labeller, plan.seed, first, min(first + CHUNK, plan.rounds)))
        for name, fitting in fittings.items():
            began, labels = time.process_time(), part.read_by(fitting.model)
            fitting.fit([labels], MINIBATCH, FORMS[name].learning_rate * (1 - _FALL * first / plan.rounds))
            seconds[name] += time.process_time() - began
        decisions += len(labels)
        display.update((first + CHUNK) / plan.rounds, {"decisions": f"{decisions:,}"})
    display.end()
    held_out = LabelPart(label_rounds(labeller, plan.seed + _HELD_OUT_SEED, 0, plan.held_out))
    networks = {name: fitting.network() for name, fitting in fittings.items()}
    starts = some_starts(labeller, plan.seed + _HELD_OUT_SEED, _TIMED_ROUNDS)
    taken = {name: _seconds_of(plan, network, starts) for name, network in networks.items()}
    usual = _seconds_of(plan, blank_network(FORMS["selfplay"].shape), starts)
    found = [
        FormResult(
            name, decisions, sum(weight.numel() for weight in fitting.model.parameters()), seconds[name],
            explained(fitting.mean, held_out.read_by(fitting.mean)), 1e6 * taken[name], taken[name] / usual,
        )
        for name, fitting in fittings.items()
    ]  # fmt: skip
    return found, networks


@torch.no_grad()
def explained(model: SelfplayModel, decisions: LabelledDecisions) -> Mapping[str, float]:
    """Return the share of the labels' weighted variance that a form explains, by kind of decision, and of all."""
    sums = np.zeros((2, NUM_GROUPS))
    for chosen in np.array_split(np.arange(len(decisions)), len(decisions) // _AT_ONCE + 1):
        batch = decisions.take(chosen)
        sums += squares_of(batch, squared_errors(model, batch))
    return shares_of(*sums)


def play(plan: FormsPlan, found: FormResult, network: SelfplayNetwork, display: Display) -> FormResult:
    """Play a form against the player."""
    display.begin(f"{found.form} against {plan.player}")
    result = play_matchup(
        FormPlayer(found.form, network, plan.player),
        plan.player,
        num_deals=plan.deals,
        rules=plan.rules,
        seed=plan.seed + _ARENA_SEED,
        progress=lambda done, total: display.update(done / total, {}),
    )
    display.end()
    return replace(found, levels=(result.levels_per_round, *result.interval))


def _seconds_of(plan: FormsPlan, network: SelfplayNetwork, starts: NDArray[Any]) -> float:
    """Return the processor seconds of a decision, the least of several times, before which it is compiled."""
    labeller, times = make_labeller(plan.player, plan.rules, network), []
    for _ in range(_REPETITIONS + 1):
        began = time.process_time()
        decide_all(starts, labeller)
        times.append(time.process_time() - began)
    return min(times[1:]) / len(starts)
