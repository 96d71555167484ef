"""Who values the candidates of a decision, in levels of the seat's team.

| text | values | knows |
|---|---|---|
| `champion`, ``values:PATH`` | what its network expects | what the seat knows |
| ``search:N`` | playouts by `heuristic` in N sampled deals, drawn as `search` draws them | what the seat knows |
| `heuristic` | one playout by `heuristic` in the real deal | all cards: hindsight |

Playouts count a point as POINTS_WEIGHT levels, as `search` does, so that plays of equal levels differ.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.review.reviewed_decisions import Choice
from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE
from shengji_env.errors import PlayerError, show
from shengji_env.players.networks.champion.champion_player import named_weights
from shengji_env.players.networks.champion.choosing import make_evaluator, value_candidates_found
from shengji_env.players.networks.champion.compiled_network import network_of
from shengji_env.players.search import MAX_WORLDS
from shengji_env.players.search.playout import Playouts, play_samples
from shengji_env.players.search.sampled_deals import Sampler

POINTS_WEIGHT = 0.005
"""Levels that a point counts for in playouts."""
_KINDS = "champion, values:PATH, heuristic or search:N"


class Valuer(Protocol):
    """Values candidates."""

    name: str
    """Who values, for people."""

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate is worth, (C,), in levels."""


class NetworkValuer:
    """Values with a network.

    Args:
        player: `champion` or ``values:PATH``.
        rules: the rules.

    Raises:
        PlayerError: there is no such network for the rules.
    """

    def __init__(self, player: str, rules: RuleSet) -> None:
        self.name = player
        self._evaluator = make_evaluator(network_of(named_weights(player, rules)))

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate is worth, (C,), in levels: the mean of the network's two values."""
        values = value_candidates_found(
            choice.seen[0], choice.scratch[0], choice.found[0], choice.number, self._evaluator
        )
        mean: NDArray[np.float64] = values.mean(axis=1, dtype=np.float64)
        return mean


class DealValuer:
    """Values with one playout of each candidate in the real deal."""

    name = "heuristic"

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what became of the round after each candidate, (C,), in levels."""
        return _mean_of_playouts(choice, choice.truth.copy())


class SamplingValuer:
    """Values with playouts in sampled deals, each of which may have been the real one.

    Args:
        num_samples: how many, from 1.
        rules: the rules.
    """

    def __init__(self, num_samples: int, rules: RuleSet) -> None:
        self.name = f"search:{num_samples}"
        self._samples: NDArray[np.void] = np.zeros(num_samples, STATE_DTYPE)
        self._sampler = Sampler(rules.record())

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return the mean of each candidate's playouts, (C,), in levels."""
        self._sampler.prepare(choice.seen, choice.plays)
        self._sampler.draw(choice.seen, choice.ply, 0, self._samples)
        return _mean_of_playouts(choice, self._samples)


def _mean_of_playouts(choice: Choice, samples: NDArray[np.void]) -> NDArray[np.float64]:
    candidates = Plays(*map(np.copy, choice.candidates))
    is_open, values = np.ones(choice.number, np.bool_), np.zeros((choice.number, len(samples)))
    playouts = Playouts(candidates, is_open, samples, values, choice.seat % NUM_TEAMS, POINTS_WEIGHT)
    play_samples(playouts, 0, len(samples), choice.scratch, 0)
    mean: NDArray[np.float64] = values.mean(axis=1)
    return mean


def as_valuer(player: str | None, rules: RuleSet) -> Valuer:
    """Return who values, given its text; None: `champion`, or `heuristic` under rules that it has not learned.

    Raises:
        PlayerError: the text names nobody who values, or a network that has not learned the rules.
    """
    if player is None:
        try:
            return NetworkValuer("champion", rules)
        except PlayerError:
            return DealValuer()
    kind, _, rest = player.partition(":")
    if player == "heuristic":
        return DealValuer()
    if kind == "search" and rest.isascii() and rest.isdigit() and len(rest) <= len(str(MAX_WORLDS)):
        if 1 <= int(rest) <= MAX_WORLDS:
            return SamplingValuer(int(rest), rules)
        raise PlayerError(f"{show(player)}: N must be 1 to {MAX_WORLDS}")
    if player == "champion" or kind == "values":
        return NetworkValuer(player, rules)
    raise PlayerError(f"{show(player)} values nothing; it must be {_KINDS}")
