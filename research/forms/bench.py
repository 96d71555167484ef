"""Forms are fitted side by side to the same values, judged, timed, and played against whom they learned from.

What a decision takes in compiled code is measured: of self-play's network as it is; of value networks as features and
inputs, and a network of the form's widths, besides.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.display import Display
from research.forms.fitting import FormFitting, explained
from research.forms.form_player import FormPlayer
from research.forms.forms import FORMS
from research.forms.labels import decide_all, describe_all, find_all, label_rounds, make_labeller, room_for, some_starts
from research.forms.reading import AnyForm, FormInputs, LabelPart
from shengji_env.arena import play_matchup
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.players.networks.champion.choosing import make_evaluator
from shengji_env.players.networks.champion.compiled_network import blank_network as no_values
from shengji_env.players.networks.champion.compiled_network import network_values
from shengji_env.players.networks.selfplay.selfplay_network import SelfplayNetwork, blank_network

CHUNK = 500
"""Rounds whose labels are in memory at once."""
_HELD_OUT_SEED, _ARENA_SEED = 2**32, 2**33
_TIMED_ROUNDS, _TIMED_DECISIONS, _REPETITIONS = 20, 1000, 5


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
    """Of a decision in compiled code, about."""
    times: float
    """The same, relative to self-play's."""
    levels: tuple[float, float, float] | None = None
    """Levels a round against the player, and their interval."""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def fit_forms(plan: FormsPlan, display: Display) -> tuple[dict[str, FormFitting], int]:
    """Return the forms, fitted, and from how many decisions they learned."""
    labeller = make_labeller(plan.player, plan.rules)
    fittings: dict[str, FormFitting] = {}
    decisions = 0
    display.begin("fitting")
    for first in range(0, plan.rounds, CHUNK):
        part = LabelPart(label_rounds(labeller, plan.seed, first, min(first + CHUNK, plan.rounds)))
        fittings = fittings or {name: FormFitting(FORMS[name], plan.seed, part) for name in plan.forms}
        for fitting in fittings.values():
            fitting.learn(part, first / plan.rounds)
        decisions += len(part)
        display.update((first + CHUNK) / plan.rounds, {"decisions": f"{decisions:,}"})
    display.end()
    return fittings, decisions


def judge(plan: FormsPlan, display: Display) -> tuple[list[FormResult], dict[str, AnyForm]]:
    """Fit the forms; return what was found without playing, and the forms."""
    fittings, decisions = fit_forms(plan, display)
    held_out = LabelPart(
        label_rounds(make_labeller(plan.player, plan.rules), plan.seed + _HELD_OUT_SEED, 0, plan.held_out)
    )
    times = _measure_times(plan)
    usual = times.deciding(blank_network())
    found = []
    for name, fitting in fittings.items():
        taken = times.of(fitting.mean, held_out)
        shares = explained(fitting.mean, held_out)
        found.append(
            FormResult(name, decisions, fitting.num_weights(), fitting.seconds, shares, 1e6 * taken, taken / usual)
        )
    return found, {name: fitting.mean for name, fitting in fittings.items()}


def play(plan: FormsPlan, found: FormResult, form: AnyForm, display: Display) -> FormResult:
    """Play a form against the player."""
    display.begin(f"{found.form} against {plan.player}")
    result = play_matchup(
        FormPlayer(found.form, form, plan.player, plan.rules),
        plan.player,
        num_deals=plan.deals,
        rules=plan.rules,
        seed=plan.seed + _ARENA_SEED,
        progress=lambda done, total: display.update(done / total, {}),
    )
    display.end()
    return replace(found, levels=(result.levels_per_round, *result.interval))


class _Times(NamedTuple):
    """Seconds of a decision."""

    plan: FormsPlan
    starts: NDArray[Any]
    """Tables at which decisions begin."""
    described: float
    """For features and the inputs of value networks."""

    def of(self, form: AnyForm, part: LabelPart) -> float:
        """Return those of a form."""
        compiled = form.compiled()
        decided = self.deciding(compiled) if compiled else self.deciding(blank_network())
        encoders = form.encoders(FormInputs(part, np.arange(min(_TIMED_DECISIONS, len(part)))))
        if encoders is None:
            return decided
        network, inputs = encoders
        return decided + self.described + _least(lambda: network_values(network, inputs)) / len(inputs.trumps)

    def deciding(self, network: SelfplayNetwork) -> float:
        """Return those of a network of self-play, from beginning to end."""
        labeller = make_labeller(self.plan.player, self.plan.rules, network)
        return _least(lambda: decide_all(self.starts, labeller)) / len(self.starts)


def _measure_times(plan: FormsPlan) -> _Times:
    labeller = make_labeller(plan.player, plan.rules)
    starts = some_starts(labeller, plan.seed + _HELD_OUT_SEED, _TIMED_ROUNDS)
    size, blank = len(starts), labeller._replace(evaluator=make_evaluator(no_values()))
    labels, actions, cards = room_for(size), np.zeros(size, np.int64), np.zeros((size, NUM_SLOTS), np.int8)

    def describe() -> None:
        labels.filled[:] = 0
        describe_all(starts, blank, labels, actions, cards)

    return _Times(plan, starts, (_least(describe) - _least(lambda: find_all(starts, labeller))) / size)


def _least(work: Callable[[], object]) -> float:
    """Return the processor seconds of some work, the least of several times, the first of which may compile."""
    times = []
    for _ in range(_REPETITIONS + 1):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times[1:])
