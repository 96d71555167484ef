"""Scores of beliefs: a logarithmic and a quadratic one for single cards, a logarithmic one for whole deals.

| score | of | uniform beliefs of four holders | perfect |
|---|---|---|---|
| **log loss** | a hidden card: minus the natural logarithm of the probability that it is where it is | 1.39 | 0.22 |
| **Brier score** | a hidden card: the sum of squares of probabilities minus truth (0 or 1) | 0.75 | 0.16 |
| **deal loss** | the true deal among DECOYS uniformly sampled ones: minus the logarithm of its probability | 2.77 | 0 |

Decoys contradict no earlier play. Probabilities are at least FLOOR, so that a single mistake does not decide; then they
are made to sum to 1. A position counts as the mean over its hidden cards. Two equal cards with two holders are one row
of beliefs, half and half: so who knows all still has some loss, which tables name.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.beliefs.belief_models import BeliefModel
from shengji_env.arena.beliefs.belief_positions import KITTY, NUM_HOLDERS, BeliefPositions, BeliefSet, hidden_cards
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.players.callables import reported
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.players.whole_plays import begin_decisions

FLOOR = 0.001
"""Least probability of a holder that may have a card."""
DECOYS = 15
"""Deals beside the true one; where these are hard to find, there are fewer."""
_DRAWS_OF_DECOYS = 20
"""How often DECOYS deals are sampled at most, to find as many that contradict no earlier play."""
NAMES = ("log loss", "Brier score", "deal loss")


@dataclass(frozen=True, eq=False)
class Scores:
    """What belief models scored on the same N positions."""

    models: tuple[str, ...]
    players: NDArray[np.str_]
    """(N,) who played."""
    rounds: NDArray[np.int64]
    """(N,) the round's number."""
    phases: NDArray[np.int8]
    """(N,) a `Phase`."""
    tricks: NDArray[np.int64]
    """(N,) tricks finished."""
    scores: NDArray[np.float64]
    """(models, N, 3) in the order of NAMES."""
    knowing_all: NDArray[np.float64]
    """(N, 2) the log loss and Brier score of who knows how many cards of each slot each holder has."""


def score_all(
    positions: BeliefSet, models: Sequence[BeliefModel], watch: Callable[[float], object] | None = None
) -> Scores:
    """Ask belief models at all positions of a set.

    Raises:
        PlayerError: one raises an error or says what is not beliefs, or two have the same name.
        ShengjiError: the set has no positions.
    """
    names = tuple(each.name for each in models)
    if twice := [name for index, name in enumerate(names) if name in names[:index]]:
        raise PlayerError(f"two belief models are named {show(twice[0])}; their scores need different names")
    parts = [_score(part, models, positions.seed) for part in positions.positions(watch)]
    if not parts:
        raise ShengjiError(f"rounds={positions.rounds} of {positions.rules} has no positions; take more rounds")
    players, rounds, phases, tricks = (np.concatenate([part[index] for part in parts]) for index in range(4))
    scores = np.concatenate([part[4] for part in parts], axis=1)
    knowing_all = np.concatenate([part[5] for part in parts])
    return Scores(names, players, rounds, phases, tricks, scores, knowing_all)


def _score(part: BeliefPositions, models: Sequence[BeliefModel], seed: int) -> tuple[Any, ...]:
    states, count = part.states, len(part.states)
    scores = np.zeros((len(models), count, len(NAMES)))
    deals, truths = _deals(part, seed)
    for index, model in enumerate(models):
        with _asked(model):
            said = np.array(model.believe(part.decisions), np.float64)
        beliefs = check_beliefs(said, part.truth, model.name)
        for row in range(count):
            weights = _weights(model, part, row, beliefs[row], deals[row])
            scores[index, row, :2] = score_cards(beliefs[row], part.truth[row])
            scores[index, row, 2] = score_deals(weights, truths[row])
    best = [score_cards(truth / np.maximum(truth.sum(axis=1, keepdims=True), 1), truth) for truth in part.truth]
    phases, tricks = states["phase"].astype(np.int8), states["tricks"].astype(np.int64)
    return np.full(count, part.players), part.rounds, phases, tricks, scores, np.array(best)


def _asked(model: BeliefModel) -> contextlib.AbstractContextManager[None]:
    """Report what a model raises while being asked, and answers that are no numbers."""
    return reported(f"{show(model.name)} does not say what it believes")


def check_beliefs(beliefs: NDArray[np.float64], truth: NDArray[np.int8], name: str) -> NDArray[np.float64]:
    """Return beliefs (B, 54, 4) as probabilities, at least FLOOR each, of the holders that there are.

    Raises:
        PlayerError: they have another shape, or numbers that are not finite or below 0.
    """
    if beliefs.shape != truth.shape:
        raise PlayerError(f"{name} returned beliefs of shape {beliefs.shape}; they must be {truth.shape}")
    if not np.isfinite(beliefs).all() or (beliefs < 0).any():
        raise PlayerError(f"{name} returned beliefs that are not finite, or below 0")
    is_open = np.ones((len(truth), 1, NUM_HOLDERS), np.bool_)
    is_open[:, 0, KITTY] = truth[:, :, KITTY].any(axis=1)
    found = np.where(is_open, beliefs, 0)
    found = np.where(found.sum(axis=2, keepdims=True) > 0, found, is_open)
    found = found / found.sum(axis=2, keepdims=True)
    found = np.where(is_open, np.maximum(found, FLOOR), 0)
    probabilities: NDArray[np.float64] = found / found.sum(axis=2, keepdims=True)
    return probabilities


def score_cards(beliefs: NDArray[np.float64], truth: NDArray[np.int8]) -> tuple[float, float]:
    """Return log loss and Brier score of probabilities (54, 4): means over the hidden cards of ``truth``."""
    logs = np.log(np.maximum(beliefs, FLOOR / NUM_HOLDERS))
    squares = np.square(beliefs).sum(axis=1, keepdims=True) - 2 * beliefs + 1
    cards = truth.sum()
    return float(-(truth * logs).sum() / cards), float((truth * squares).sum() / cards)


def score_deals(weights: NDArray[np.float64], is_true: NDArray[np.bool_]) -> float:
    """Return minus the logarithm of the probability of the true ones of some deals, given logarithmic weights."""
    chances = np.exp(weights - weights.max())
    return float(np.log(chances.sum()) - np.log(max(chances[is_true].sum(), np.finfo(float).tiny)))


def _deals(part: BeliefPositions, seed: int) -> tuple[list[NDArray[Any]], list[NDArray[np.bool_]]]:
    """Return decoys and the true deal for each position, (K,), and which are the true one, (K,); K is DECOYS + 1."""
    chance = np.random.default_rng([seed, int(part.rounds.sum()), int(part.states["tricks"].sum()), len(part.rounds)])
    places = chance.integers(DECOYS + 1, size=len(part.states))
    starts, sampler = part.decisions.states.copy(), Sampler(part.decisions.rules_record.copy())
    begin_decisions(starts)
    deals, truths = [], []
    for row, (plays, place) in enumerate(zip(part.decisions.plays, places.tolist(), strict=True)):
        true = starts[row : row + 1].copy()
        sampler.prepare(true, plays)
        decoys = _decoys(sampler, true, int(chance.integers(2**63)))
        for hidden in ("hands", "buried"):
            true[hidden] = part.states[hidden][row]
        shown = np.concatenate([decoys[:place], true, decoys[place:]])
        same = (shown["hands"] == true["hands"]).all(axis=(1, 2)) & (shown["buried"] == true["buried"]).all(axis=1)
        deals.append(shown)
        truths.append(same)
    return deals, truths


def _decoys(sampler: Sampler, start: NDArray[Any], key: int) -> NDArray[Any]:
    """Sample DECOYS deals that contradict no earlier play, for the prepared state (1,); fewer if that finds fewer."""
    drawn: NDArray[Any] = np.zeros(DECOYS, STATE_DTYPE)
    found = drawn[:0]
    for turn in range(_DRAWS_OF_DECOYS):
        contradicts = sampler.draw(start, key, turn * DECOYS, drawn)
        found = np.concatenate([found, drawn[~contradicts]])[:DECOYS]
        if len(found) == DECOYS:
            break
    return found


def _weights(
    model: BeliefModel, part: BeliefPositions, row: int, beliefs: NDArray[np.float64], deals: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the logarithmic weights of deals of one position, (K,)."""
    weigh = getattr(model, "weigh", None)
    if weigh is None:
        logs = np.log(np.maximum(beliefs, FLOOR / NUM_HOLDERS))
        return np.array([(hidden_cards(deals[index : index + 1]) * logs).sum() for index in range(len(deals))])
    with _asked(model):
        weights = np.asarray(weigh(part.decisions[np.array([row])], deals.copy()), np.float64)
    if weights.shape != deals.shape or not np.isfinite(weights).all():
        raise PlayerError(
            f"{model.name}: weigh returned shape {weights.shape}; it must return {len(deals)} finite numbers"
        )
    return weights
