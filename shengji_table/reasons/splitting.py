"""What a difference between two plays consists of: parts in levels, which sum to it.

In each sampled deal both plays end with some points of the attackers. Their difference is that of the penalty of the
throw itself, of this trick, of the later tricks, and of the last trick with the kitty. What points are worth in
smoothed levels (`players.smoothing`) depends on how many there are, so each part's worth is the mean of two: that
of its points when those of the parts before it have been exchanged, and when those of the parts after it have been.

What later tricks bring is split once more, by what both sides have kept as they begin: trumps, cards that the other
side cannot beat, pairs. The weights are regression coefficients, WEIGHTS. What they do not explain stays as ``later``.
The lead itself, too, was among them, and had a weight of nothing (0.003 levels).

While bids are made, it is another question: ``declarer`` is what is won in deals in which the team declares after one
play and attacks after the other, ``later`` is the rest.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.smoothing import smooth_levels

POINTS = ("penalty", "trick", "later", "last")
"""The parts of the attackers' points, fields of COURSE_DTYPE."""
WEIGHTS: Mapping[str, tuple[float, float]] = {
    "trumps": (0.072, -0.067),
    "winners": (0.040, -0.021),
    "pairs": (0.089, -0.188),
}
"""Levels that one more is worth: of the team's, and of the other team's; by ``python -m research.measure_reasons``."""
PARTS = ("penalty", "trick", "last", "declarer", *WEIGHTS, "later")

Courses = NDArray[np.void]
"""What became of two plays in the same W deals: (2, W) COURSE_DTYPE, the better play first."""


def differences(courses: Courses, rules: RuleSet) -> NDArray[np.float64]:
    """Return by how many smoothed levels the first play is better in each deal, (W,)."""
    first, second = (_worth(course, _points_of(course), rules) for course in courses)
    difference: NDArray[np.float64] = first - second
    return difference


def split(courses: Courses, rules: RuleSet) -> dict[str, float]:
    """Return the parts of the mean difference, by PARTS, in levels; they sum to it."""
    parts = dict.fromkeys(PARTS, 0.0)
    better, worse = courses
    whole = differences(courses, rules)
    swapped = better["is_attacker"] != worse["is_attacker"]
    parts["declarer"] = float((whole * swapped).mean())
    for name, levels in _by_points(courses, rules).items():
        parts[name] = float((levels * ~swapped).mean())
    for name, weights in WEIGHTS.items():
        gap = (better[name].astype(float) - worse[name]).mean(axis=0)
        parts[name] = float(gap @ weights)
        parts["later"] -= parts[name]
    parts["later"] += float(whole.mean()) - sum(parts.values())
    return parts


def _by_points(courses: Courses, rules: RuleSet) -> dict[str, NDArray[np.float64]]:
    """Return what the parts of the points are worth in each deal, (W,) each."""
    better, worse = courses
    levels = {name: np.zeros(len(better)) for name in POINTS}
    for order in (POINTS, POINTS[::-1]):
        points = _points_of(worse)
        before = _worth(worse, points, rules)
        for name in order:
            points = points + np.subtract(better[name], worse[name], dtype=np.int64)
            after = _worth(worse, points, rules)
            levels[name] += (after - before) / 2
            before = after
    return levels


def _points_of(course: NDArray[np.void]) -> NDArray[np.int64]:
    """Return the attackers' points in the end, (W,)."""
    points: NDArray[np.int64] = course["before"].astype(np.int64)
    for name in POINTS:
        points += course[name]
    return points


def _worth(course: NDArray[np.void], points: NDArray[np.int64], rules: RuleSet) -> NDArray[np.float64]:
    side = np.where(course["is_attacker"], 1, -1)
    return smooth_levels(course["levels"], side * points, course["is_attacker"], rules).astype(np.float64)
