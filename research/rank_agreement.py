"""How far figures of small games put players into the order of the ladder: ``python -m research.rank_agreement``.

It reads what ``python -m research.solving`` wrote into docs/small_games/ and the results of the ladder's `SEASON`, and
writes docs/small_games/ranks.json, from which the page has its table.

Kendall's τ is the share of pairs that both figures order alike, less the share that they order otherwise; for figures
with ties, τ-b (Kendall 1945). Its interval, 95 %, comes from the bootstrap over players: it is about players like
these, not about deals. In 300 samples each of 8, 10 and 12 players, two normal figures with τ 0.6, it contained the
true value in 97, 96 and 95 % of cases. The p-value is that of no connection at all, two-sided, over permutations.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.statistics import Interval

DOCS = Path(__file__).resolve().parent.parent / "docs"
GAMES = ("small_two_ranks", "small_four_ranks", "small_three_ranks")
SEASON = 2
LEFT_OUT = {
    "all": (),
    "without_hybrids": ("champion?phases=lead", "champion?phases=follow"),
    "without_weak": ("greedy", "random"),
}
"""Players that are left out. Hybrids are made of two others: `champion` for leads or follows, else `heuristic`."""
FIGURES: Mapping[str, Callable[[Mapping[str, Any]], float]] = {
    "exploitability, lower value": lambda each: -each["exploitability"]["lower"],
    "exploitability, upper value": lambda each: -each["exploitability"]["upper"],
    "levels against `heuristic`": lambda each: each["levels"],
}
SAMPLES = 20_000
"""Bootstrap samples, and permutations."""
_SEED = 20250101
_NEAR = 1e-9


class Agreement(NamedTuple):
    """How far two figures agree about the order of players."""

    tau: float
    """Kendall's τ-b, -1 to 1."""
    interval: Interval
    """Its 95 % interval."""
    p: float
    """How often permuted figures agree or disagree as much."""
    num_players: int
    """How many players there are."""


def agreement(first: Sequence[float], second: Sequence[float], samples: int = SAMPLES) -> Agreement:
    """Return how far two figures of the same players agree, at least three of them with different figures.

    Raises:
        ValueError: one figure is the same for all players, so that it puts them into no order.
    """
    a, b = _signs(first), _signs(second)
    if not (a.any() and b.any()):
        raise ValueError("a figure that is the same for all players puts them into no order")
    number, generator = len(first), np.random.default_rng(_SEED)
    tau = _tau(a, b)
    drawn, permuted = [], []
    for _ in range(samples):
        rows = generator.integers(number, size=number)
        drawn.append(_tau(a[np.ix_(rows, rows)], b[np.ix_(rows, rows)]))
        rows = generator.permutation(number)
        permuted.append(_tau(a[np.ix_(rows, rows)], b))
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    extreme = np.count_nonzero(np.abs(permuted) > abs(tau) - _NEAR)
    return Agreement(tau, (float(low), float(high)), (extreme + 1) / (samples + 1), number)


def _signs(values: Sequence[float]) -> NDArray[np.int64]:
    """Return which of two is larger, (n, n); figures that differ by rounding alone are equal."""
    difference = np.subtract.outer(values, values)
    return np.where(np.abs(difference) < _NEAR, 0, np.sign(difference)).astype(np.int64)


def _tau(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    scale = np.sqrt(float(np.square(a).sum()) * float(np.square(b).sum()))
    return float((a * b).sum() / scale) if scale else float("nan")


def ladder_ratings() -> dict[str, float]:
    """Return the ladder's ratings by the text of the player, as `research/solving` names it."""
    season = json.loads((DOCS / "ladder" / f"season_{SEASON}.json").read_text(encoding="utf-8"))
    texts = {name: each["player"].removesuffix("?threads=1") for name, each in season["players"].items()}
    return {texts[row["player"]]: row["rating"] for row in season["table"]}


def ranks_of(game: str) -> list[dict[str, Any]]:
    """Return how far each figure of a game agrees with the ladder: p of all, and τ with its interval."""
    ratings = ladder_ratings()
    solved = json.loads((DOCS / "small_games" / f"{game}.json").read_text(encoding="utf-8"))
    known = [each for each in solved["players"] if each["player"] in ratings]
    rows = []
    for name, figure in FIGURES.items():
        row: dict[str, Any] = {"game": game, "figure": name}
        for kept, left_out in LEFT_OUT.items():
            rated = [each for each in known if each["player"] not in left_out]
            found = agreement([figure(each) for each in rated], [ratings[each["player"]] for each in rated])
            row.setdefault("p", found.p)
            row[kept] = [found.tau, *found.interval]
        rows.append(row)
    return rows


def main() -> None:
    """Write the file."""
    rows = [row for game in GAMES for row in ranks_of(game)]
    (DOCS / "small_games" / "ranks.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
