"""Who values the candidates of a decision, in levels of the seat's team.

| text | values | knows |
|---|---|---|
| `champion`, ``selfplay:PATH`` | what its network expects | what the seat knows |
| ``search:N`` | playouts by `heuristic` in N sampled deals, drawn as `search` draws them | what the seat knows |
| ``search:N?playouts=P`` | the same with playouts by P, a player that has a policy | what the seat knows |
| ``champion:N`` | the score of this player: its network, corrected by playouts | what the seat knows |
| `heuristic`, others with a policy | one playout by this player in the real deal | all cards: hindsight |

A network values throws that may fail in sampled deals (`risky_throws.py`). Playouts count a point as POINTS_WEIGHT
levels, as `search` does, so that plays of equal levels differ.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE
from shengji_env.errors import PlayerError, show
from shengji_env.players.networks.selfplay import CHAMPION, SelfplayPlayer
from shengji_env.players.playing import HEURISTIC, player_with_policy, policies_of
from shengji_env.players.registry import compile_correcting, make_player
from shengji_env.players.search import MAX_WORLDS, compile_search
from shengji_env.players.search.judging import PriorJudge
from shengji_env.players.search.playout import Outcomes, Playouts, play_samples
from shengji_env.players.search.replaying import ReplayingSampler
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.tables.policies import Policies
from shengji_table.valuing.network_valuer import NETWORK_ERROR, POINTS_WEIGHT, NetworkValuer
from shengji_table.valuing.reviewed_decisions import Choice

MEASURABLE = 2
"""Deals from which a standard error can be computed."""
_BY = "?playouts="
_KINDS = f"{CHAMPION}, selfplay:PATH, {CHAMPION}:N, search:N, search:N{_BY}PLAYER, or another player with a policy"


class Valuer(Protocol):
    """Values candidates."""

    name: str
    """Who values, for people."""

    def value(self, choice: Choice) -> NDArray[np.float64]:
        """Return what each candidate is worth, (C,), in levels."""

    def errors(self, choice: Choice) -> NDArray[np.float64]:
        """Return the standard error of the best candidate's lead over each, (C,), of the choice valued last."""


class DealValuer:
    """Values with one playout of each candidate in the real deal.

    Args:
        rules: the rules.
        playouts: the playout policy, as text; it is the valuer's name.
    """

    def __init__(self, rules: RuleSet, playouts: str = HEURISTIC) -> None:
        self.name = playouts
        self._policies = policies_of(player_with_policy(make_player(playouts)), rules)

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
        self._policies = policies_of(player_with_policy(make_player(playouts)), rules)
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
        compile_correcting()
        player = SelfplayPlayer.champion()
        self.name = f"{CHAMPION}:{num_samples}"
        self._rules, self._network = rules, NetworkValuer(player, rules)
        self._prior, self._policies = player.prior, policies_of(player.playing_on, rules)
        self._samples: NDArray[np.void] = np.zeros(num_samples, STATE_DTYPE)
        self._sampler = ReplayingSampler(rules, player.playing_on, proposals=self._prior.proposals)

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
    try:
        made = make_player(player)
        return NetworkValuer(made, rules) if isinstance(made, SelfplayPlayer) else DealValuer(rules, player)
    except PlayerError as error:
        raise PlayerError(f"{show(player)} values nothing; it must be {_KINDS}") from error
