"""How good a network is on decisions that it has not learned from.

**R²** is the share of the differences between a decision's candidates that the values explain; nearly all of these
differences are chance, so a few hundredths are much. The **gain** is what the chosen candidates' labels bring over the
first ones', the heuristic player's. It is unbiased, but as noisy as labels are. Its standard error counts a round as
one, since its decisions depend on each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.sparse_inputs import distinct_rows
from agents.values.minibatches import centred, minibatch_of, owners_of
from shengji_env.datasets.rollouts import Expanded
from shengji_env.engine.state import Phase
from shengji_env.players.networks.champion.compiled_network import NUM_VALUES, best_candidates, values_of
from shengji_env.players.networks.champion.conditioning import Weights, for_rules, reads_rules
from shengji_env.tables.observation import view

_AT_ONCE = 2048


@dataclass(frozen=True)
class Measured:
    """What a network is worth on some decisions."""

    decisions: int
    """How many."""
    r2: float
    """Share of the centred smoothed levels that is explained."""
    gain: float
    """Smoothed levels a decision over the first candidates."""
    error: float
    """Standard error of the gain."""
    changed: float
    """Share of the decisions where another candidate than the first is chosen."""

    def __str__(self) -> str:
        return (
            f"R² {self.r2:.4f}, gain {1000 * self.gain:+.1f} ± {1000 * self.error:.1f} thousandths of a level, "
            f"{self.changed:.0%} of {self.decisions:,} changed"
        )


def measure(weights: Weights, decisions: Expanded) -> dict[str, Measured]:
    """Measure a network on some decisions: ``"all"``, and each phase by its name."""
    values = values_on(weights, decisions)
    offsets, owners = decisions.offsets, owners_of(decisions)
    best = offsets[:-1] + best_candidates(values.mean(axis=1), offsets)
    labels = decisions.smooth.astype(np.float64)
    gains = labels[best] - labels[offsets[:-1]]
    wanted = centred(labels, decisions)
    left = wanted - centred(values[:, 0], decisions)
    found = {}
    for name, chosen in (("all", np.ones(len(decisions), np.bool_)), *_by_phase(decisions)):
        if chosen.any():
            mine = chosen[owners]
            found[name] = Measured(
                decisions=int(chosen.sum()),
                r2=1 - float(np.square(left[mine]).sum() / max(np.square(wanted[mine]).sum(), 1e-12)),
                gain=float(gains[chosen].mean()),
                error=_clustered_error(gains[chosen], decisions.rounds[chosen]),
                changed=float((best > offsets[:-1])[chosen].mean()),
            )
    return found


def values_on(weights: Weights, decisions: Expanded) -> NDArray[np.float32]:
    """Return the values of all candidates, (C, 2)."""
    found = np.zeros((len(decisions.cards), NUM_VALUES), np.float32)
    starts = decisions.offsets[:-1]
    for features, of_rules in _by_rules(decisions, is_split=reads_rules(weights)):
        under_rules = for_rules(weights, features)
        for rows in np.array_split(of_rules, len(of_rules) // _AT_ONCE + 1):
            chosen = decisions.take(rows)
            first, sizes = starts[rows] - chosen.offsets[:-1], np.diff(chosen.offsets)
            places = np.arange(len(chosen.cards)) + np.repeat(first, sizes)
            found[places] = values_of(under_rules, minibatch_of(chosen).inputs)
    return found


def _by_rules(decisions: Expanded, *, is_split: bool) -> Iterator[tuple[NDArray[np.int8], NDArray[np.int64]]]:
    """Yield features of rules, and the decisions under them; all decisions at once if they are not to be split."""
    features: NDArray[np.int8] = view(decisions.observations)["rules"]
    if not is_split:
        yield features[0], np.arange(len(decisions))
        return
    first, of = distinct_rows(features)
    for index, row in enumerate(first.tolist()):
        yield features[row], np.flatnonzero(of == index)


def _by_phase(decisions: Expanded) -> list[tuple[str, NDArray[np.bool_]]]:
    return [(phase.name.lower(), decisions.phases == phase) for phase in Phase if phase != Phase.OVER]


def _clustered_error(gains: NDArray[np.float64], rounds: NDArray[np.int64]) -> float:
    """Return the standard error of the mean gain of a decision, where those of a round count as one."""
    _, index = np.unique(rounds, return_inverse=True)
    counts = np.bincount(index)
    excess = np.bincount(index, gains) - gains.mean() * counts
    return float(np.sqrt(np.square(excess).sum()) / len(gains))
