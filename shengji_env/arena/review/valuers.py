"""Who values the candidates of a decision, in levels of the seat's team.

| text | values | knows |
|---|---|---|
| `champion`, ``values:PATH`` | what its network expects | what the seat knows |
| ``search:N`` | playouts by `heuristic` in N sampled deals, drawn as `search` draws them | what the seat knows |
| ``search:N?playouts=P`` | the same with playouts by P, a player that has a policy | what the seat knows |
| ``champion:N`` | the score of this player: its network, corrected by playouts | what the seat knows |
| `heuristic`, `distilled`, others with a policy | one playout by this player in the real deal | all cards: hindsight |

A network values throws that may fail in sampled deals (`risky_throws.py`). Playouts count a point as POINTS_WEIGHT
levels, as `search` does, so that plays of equal levels differ.
"""

from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.review.reviewed_decisions import Choice
from shengji_env.arena.review.risky_throws import RiskyThrows, is_risky
from shengji_env.engine.play import CARDS, Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE
from shengji_env.errors import PlayerError, show
from shengji_env.players import Player
from shengji_env.players.candidates.candidate_list import MAX_FOUND, CandidateList
from shengji_env.players.networks.champion.champion_player import CHAMPION, ValuePlayer, named_weights
from shengji_env.players.networks.champion.choosing import (
    compile_champion_values,
    make_evaluator,
    value_candidates,
)
from shengji_env.players.networks.champion.compiled_network import network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.playing import DISTILLED, HEURISTIC, PLAYOUTS, player_with_policy, policies_of
from shengji_env.players.registry import SEARCHING, make_player
from shengji_env.players.search import MAX_WORLDS, compile_search
from shengji_env.players.search.judging import PriorJudge
from shengji_env.players.search.playout import Outcomes, Playouts, play_samples
from shengji_env.players.search.replaying import ReplayingSampler
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.tables.policies import Policies

POINTS_WEIGHT = 0.005
"""Levels that a point counts for in playouts."""
NETWORK_ERROR = 0.15
"""Levels; standard error of what `champion` says that one candidate leads another by (research/trials/reviews.md)."""
MEASURABLE = 2
"""Deals from which a standard error can be computed."""
_BY = "?playouts="
_KINDS = (
    f"champion, values:PATH, champion:N, search:N, search:N{_BY}distilled, heuristic, or another player with a policy"
)


class Valuer(Protocol):
    """Values candidates."""

    name: str
    """Who values, for people."""

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate is worth, (C,), in levels."""

    def errors(self, choice: Choice) -> NDArray[np.float64]:
        """Return the standard error of the best candidate's lead over each, (C,), of the choice valued last."""


class NetworkValuer:
    """Values with a network.

    Args:
        player: `champion` or ``values:PATH``.
        rules: the rules.

    Raises:
        PlayerError: there is no such network for the rules.
    """

    def __init__(self, player: str, rules: RuleSet) -> None:
        compile_champion_values()
        self.name = player
        self._evaluator = make_evaluator(network_of(for_rules(named_weights(player, rules), features_of(rules))))
        self._throws = RiskyThrows(rules, POINTS_WEIGHT)

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate is worth, (C,), in levels: the mean of the network's two values."""
        values = self.value_as_found(choice)
        for index in range(choice.num_found, choice.number):
            if is_risky(choice, index):
                values[index] = self._throws.value(choice, index, partial(self._values_of_leads, choice))
        return values

    def errors(self, choice: Choice) -> NDArray[np.float64]:
        """Return the standard errors of leads, (C,): those of the network, measured once."""
        return np.full(choice.number, NETWORK_ERROR)

    def value_as_found(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate would be worth, (C,), if every throw stood."""
        return self._values(choice, choice.found[0], choice.number)

    def _values(self, choice: Choice, found: CandidateList, number: int) -> NDArray[np.float64]:
        values = value_candidates(choice.seen[0], choice.scratch[0], found, number, self._evaluator)
        mean: NDArray[np.float64] = values.mean(axis=1, dtype=np.float64)
        return mean

    def _values_of_leads(self, choice: Choice, leads: list[NDArray[np.int8]]) -> NDArray[np.float64]:
        """Value leads in the place of all candidates but the first, of which some features are relative."""
        found = choice.found.copy()
        values: list[float] = []
        for first in range(0, len(leads), MAX_FOUND - 1):
            some = leads[first : first + MAX_FOUND - 1]
            found["actions"][0, 1 : 1 + len(some)] = CARDS
            found["cards"][0, 1 : 1 + len(some)] = some
            values += self._values(choice, found[0], 1 + len(some))[1:].tolist()
        return np.array(values)


class DealValuer:
    """Values with one playout of each candidate in the real deal.

    Args:
        rules: the rules.
        playouts: the playout policy, as text; it is the valuer's name.
    """

    def __init__(self, rules: RuleSet, playouts: str = HEURISTIC) -> None:
        self.name = playouts
        self._policies = policies_of(_by(playouts), rules)

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what became of the round after each candidate, (C,), in levels."""
        return mean_of_playouts(choice, choice.candidates, choice.truth.copy(), self._policies)

    def errors(self, choice: Choice) -> NDArray[np.float64]:
        """Return nothing, (C,): it says what became of one deal, and estimates nothing."""
        return np.zeros(choice.number)


class SamplingValuer:
    """Values with playouts in sampled deals, each of which may have been the real one.

    Args:
        num_samples: how many, from 1.
        rules: the rules.
        playouts: the playout policy, as text.
    """

    def __init__(self, num_samples: int, rules: RuleSet, playouts: str = HEURISTIC) -> None:
        self.name = f"search:{num_samples}" if playouts == HEURISTIC else f"search:{num_samples}?playouts={playouts}"
        self._policies = policies_of(_by(playouts), rules)
        self._samples: NDArray[np.void] = np.zeros(num_samples, STATE_DTYPE)
        self._sampler = Sampler(rules.record())

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return the mean of each candidate's playouts, (C,), in levels."""
        self._sampler.prepare(choice.seen, choice.plays)
        self._sampler.draw(choice.seen, choice.ply, 0, self._samples)
        self._found = play_out(choice, choice.candidates, self._samples, self._policies).with_points(POINTS_WEIGHT)
        mean: NDArray[np.float64] = self._found.mean(axis=1)
        return mean

    def errors(self, choice: Choice) -> NDArray[np.float64]:
        """Return the standard errors of leads, (C,), over the deals, which are the same for all candidates."""
        return self.errors_against(int(self._found.mean(axis=1).argmax()))

    def errors_against(self, candidate: int) -> NDArray[np.float64]:
        """Return the standard errors of a candidate's distance from each, (C,)."""
        return errors_of_leads(self._found, candidate)


class CorrectedValuer:
    """Values with the champion's network, corrected by playouts in sampled deals, as the player `champion:N` does.

    No candidate is given up, so each one's playouts are in all deals.

    Args:
        num_samples: how many deals, from 1.
        rules: the rules.
    """

    def __init__(self, num_samples: int, rules: RuleSet) -> None:
        compile_search()
        SEARCHING[CHAMPION]()
        self.name = f"{CHAMPION}:{num_samples}"
        self._rules, self._network = rules, NetworkValuer(CHAMPION, rules)
        self._prior, playing_on = ValuePlayer.prior, player_with_policy(DISTILLED)
        self._policies = policies_of(playing_on, rules)
        self._samples: NDArray[np.void] = np.zeros(num_samples, STATE_DTYPE)
        self._sampler = ReplayingSampler(rules, playing_on, proposals=self._prior.proposals)

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return each candidate's score, (C,), in levels."""
        self._sampler.prepare(choice.seen, choice.plays)
        contradicts = self._sampler.draw(choice.seen, choice.ply, 0, self._samples)
        judge = PriorJudge(self._network.value(choice), self._prior.weight, self._prior.growth, np.inf, self._rules)
        outcomes = play_out(choice, choice.candidates, self._samples, self._policies)
        self._found = judge.values(outcomes, contradicts)
        self._scores = judge.scores(self._found)
        return self._scores

    def errors(self, choice: Choice) -> NDArray[np.float64]:
        """Return the standard errors of leads, (C,): of the network's and the playouts' as both count in the scores."""
        number = self._found.shape[1]
        if number < MEASURABLE:
            return self._network.errors(choice)
        playouts = errors_of_leads(self._found, int(self._scores.argmax()))
        weight = self._prior.weight + self._prior.growth * number
        errors: NDArray[np.float64] = np.hypot(weight * NETWORK_ERROR, number * playouts) / (weight + number)
        return errors


def _by(playouts: str) -> Player:
    """Return the player with the playout policy that a text names."""
    return player_with_policy(playouts if playouts in PLAYOUTS else make_player(playouts))


def errors_of_leads(outcomes: NDArray[np.float64], best: int) -> NDArray[np.float64]:
    """Return the standard error of one candidate's lead over each, (C,), given outcomes in the same deals, (C, W).

    Fewer deals than MEASURABLE say nothing of that: errors are infinite.
    """
    leads, number = outcomes[best] - outcomes, outcomes.shape[1]
    if number < MEASURABLE:
        return np.full(len(leads), np.inf)
    errors: NDArray[np.float64] = leads.std(axis=1, ddof=1) / np.sqrt(number)
    return errors


def mean_of_playouts(
    choice: Choice, plays: Plays, samples: NDArray[np.void], policies: Policies
) -> NDArray[np.float64]:
    """Return what becomes of the round after plays of a decision, in levels of its seat's team, over sampled deals."""
    mean: NDArray[np.float64] = play_out(choice, plays, samples, policies).with_points(POINTS_WEIGHT).mean(axis=1)
    return mean


def play_out(choice: Choice, plays: Plays, samples: NDArray[np.void], policies: Policies) -> Outcomes:
    """Play the round to its end after plays of a decision, in sampled deals; return the outcomes."""
    candidates = Plays(*map(np.copy, plays))
    number = len(candidates.actions)
    is_open, outcomes = np.ones(number, np.bool_), Outcomes.zeros(number, len(samples))
    playouts = Playouts(candidates, is_open, samples, outcomes, choice.seat % NUM_TEAMS, policies.packed)
    play_samples(playouts, 0, len(samples), choice.scratch, 0)
    return outcomes


def as_valuer(player: str | None, rules: RuleSet) -> Valuer:
    """Return who values, given its text; None: `champion`.

    Raises:
        PlayerError: the text names nobody who values, or a network that has not learned the rules.
    """
    player = CHAMPION if player is None else player
    kind, _, rest = player.partition(":")
    rest, by, playouts = rest.partition(_BY)
    is_number = rest.isascii() and rest.isdigit() and len(rest) <= len(str(MAX_WORLDS))
    if kind in ("search", CHAMPION) and is_number and not (by and kind == CHAMPION):
        if not 1 <= int(rest) <= MAX_WORLDS:
            raise PlayerError(f"{show(player)}: N must be 1 to {MAX_WORLDS}")
        if kind == CHAMPION:
            return CorrectedValuer(int(rest), rules)
        return SamplingValuer(int(rest), rules, type(player)(playouts) if by else HEURISTIC)
    if player == CHAMPION or kind == "values":
        return NetworkValuer(player, rules)
    try:
        return DealValuer(rules, player)
    except PlayerError as error:
        raise PlayerError(f"{show(player)} values nothing; it must be {_KINDS}") from error
