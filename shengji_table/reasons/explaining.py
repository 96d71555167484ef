"""What explains most of a difference between two plays of a decision."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.playing import policies_of
from shengji_env.players.search.sampled_deals import Sampler
from shengji_table.reasons.courses import COURSE_DTYPE, follow_courses
from shengji_table.reasons.splitting import Courses, differences, split
from shengji_table.valuing.charging import SURE
from shengji_table.valuing.reviewed_decisions import Choice

NUM_DEALS = 200
"""Sampled deals of a reason."""
ENOUGH = 0.5
"""The share of a difference that a part must explain to be its reason."""


@dataclass(frozen=True)
class Reason:
    """Why a play is better than another."""

    kind: str
    """The part (`splitting.PARTS`) that explains most; ``many`` if none explains half, ``unsure`` if there may be no
    difference, ``against`` if the other play does better."""
    difference: float
    """The mean difference in the sampled deals, in smoothed levels."""
    error: float
    """Its standard error."""
    parts: Mapping[str, float]
    """All parts, in levels; they sum to the difference."""
    better: Mapping[str, float]
    """What becomes of the better play, on average: fields of COURSE_DTYPE, points from the team's view, what is kept of
    the team and, after ``their``, of the others."""
    worse: Mapping[str, float]
    """What becomes of the other play, likewise."""

    @property
    def is_denied(self) -> bool:
        """Whether the sampled deals do not show that the play is better."""
        return self.kind in ("unsure", "against")

    @property
    def is_play(self) -> bool:
        """Whether a trick has followed at once: not of bids, burials and plays to the last trick."""
        return self.better["in_trick"] > 0 or self.better["takes"] > 0 or self.worse["takes"] > 0

    def gain(self, name: str) -> float:
        """Return by how much the better play has more of something."""
        return self.better[name] - self.worse[name]


class Explainer:
    """Finds reasons.

    Args:
        rules: the rules.
        num_deals: sampled deals of a reason.
    """

    def __init__(self, rules: RuleSet, num_deals: int = NUM_DEALS) -> None:
        self._rules = rules
        self._policies = policies_of(SelfplayPlayer.champion().playing_on, rules)
        self._samples: NDArray[np.void] = np.zeros(num_deals, STATE_DTYPE)
        self._sampler = Sampler(rules.record())

    def explain(self, choice: Choice, better: int, worse: int) -> Reason:
        """Return why a candidate of a decision is better than another."""
        return reason_of(self.courses(choice, better, worse), self._rules)

    def courses(self, choice: Choice, better: int, worse: int) -> Courses:
        """Return what becomes of two candidates in deals that the seat holds possible, (2, W) COURSE_DTYPE."""
        self._sampler.prepare(choice.seen, choice.plays)
        self._sampler.draw(choice.seen, choice.ply, 0, self._samples)
        plays = Plays(*(np.copy(each[[better, worse]]) for each in choice.candidates))
        courses: Courses = np.zeros((2, len(self._samples)), COURSE_DTYPE)
        follow_courses(plays, self._samples, courses, choice.scratch, self._policies.packed)
        return courses


def reason_of(courses: Courses, rules: RuleSet) -> Reason:
    """Return the reason that courses of two plays give."""
    levels = differences(courses, rules)
    difference, error = float(levels.mean()), float(levels.std(ddof=1) / np.sqrt(len(levels)))
    parts = split(courses, rules)
    kind = max(parts, key=lambda name: parts[name])
    if difference < -SURE * error:
        kind = "against"
    elif difference <= SURE * error:
        kind = "unsure"
    elif parts[kind] < ENOUGH * difference:
        kind = "many"
    better, worse = map(_means, courses)
    return Reason(kind, difference, error, parts, better, worse)


def _means(course: NDArray[np.void]) -> dict[str, float]:
    """Return the means of a course's fields."""
    side = np.where(course["is_attacker"], 1, -1)
    means = {name: float((side * course[name]).mean()) for name in ("penalty", "trick", "later", "last")}
    means |= {name: float(course[name].mean()) for name in ("takes", "in_trick", "takes_last")}
    for name in ("trumps", "winners", "pairs"):
        own, other = course[name].mean(axis=0)
        means[name], means[f"their {name}"] = float(own), float(other)
    return means
