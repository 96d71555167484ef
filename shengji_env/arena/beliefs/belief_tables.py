"""Scores as tables: by who played, by phase and by trick, with 95 % intervals over rounds."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.beliefs.belief_scores import NAMES, Scores
from shengji_env.engine.state import Phase

_TRICKS = {"trick 1": (0, 1), "tricks 2 to 5": (1, 5), "6 to 10": (5, 10), "11 to 15": (10, 15), "from 16": (15, 1000)}
"""Groups of tricks: tricks that are finished, first and one past the last."""
_Z = 1.96


def mean_with_error(values: NDArray[np.float64], rounds: NDArray[np.int64]) -> tuple[float, float]:
    """Return the mean of values, and half the width of its 95 % interval; values of one round depend on each other."""
    _, index = np.unique(rounds, return_inverse=True)
    number, mean = index.max() + 1, values.mean()
    left = np.bincount(index, values - mean, number)
    if number < 2:
        return float(mean), float("nan")
    error = np.sqrt(np.square(left).sum() * number / (number - 1)) / len(values)
    return float(mean), float(_Z * error)


def round_indices(scores: Scores) -> NDArray[np.int64]:
    """Return which round each position is of, (N,), over the rounds of all players."""
    _, players = np.unique(scores.players, return_inverse=True)
    numbers = players * (scores.rounds.max() + 1) + scores.rounds
    return np.asarray(np.unique(numbers, return_inverse=True)[1], np.int64)


def report(scores: Scores) -> str:
    """Return all tables, in Markdown: scores, and differences to the first believer on the same positions."""
    rounds = round_indices(scores)
    lines = [f"{len(rounds):,} positions of {rounds.max() + 1:,} rounds; a lower score is better", ""]
    lines += [_row("", *NAMES), f"|---|{'---|' * len(NAMES)}"]
    for name, own in zip(scores.believers, scores.scores, strict=True):
        lines.append(_row(name, *(_text(own[:, column], rounds) for column in range(len(NAMES)))))
    for name, own in zip(scores.believers[1:], scores.scores[1:], strict=True):
        less = own - scores.scores[0]
        cells = (_text(less[:, column], rounds, "+") for column in range(len(NAMES)))
        lines.append(_row(f"{name} − {scores.believers[0]}", *cells))
    perfect = (_text(scores.knowing_all[:, column], rounds) for column in range(scores.knowing_all.shape[1]))
    lines.append(_row("*knowing all*", *perfect, "0.000"))
    lines += ["", _row("log loss", *scores.believers), f"|---|{'---|' * len(scores.believers)}"]
    for name, chosen in _groups(scores):
        if chosen.any():
            cells = (_text(own[chosen, 0], rounds[chosen]) for own in scores.scores)
            lines.append(_row(f"{name} ({chosen.sum():,})", *cells))
    return "\n".join(lines)


def _groups(scores: Scores) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    for player in dict.fromkeys(scores.players.tolist()):
        yield f"rounds of {player}", scores.players == player
    for phase in (Phase.LEAD, Phase.FOLLOW):
        yield f"before a {phase.name.lower()}", scores.phases == phase
    for name, (first, end) in _TRICKS.items():
        yield name, (scores.tricks >= first) & (scores.tricks < end)


def _text(values: NDArray[np.float64], rounds: NDArray[np.int64], sign: str = "") -> str:
    mean, error = mean_with_error(values, rounds)
    return f"{mean:{sign}.3f} ± {error:.3f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
