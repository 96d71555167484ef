"""Tracks: frozen tasks, each with one number, that can be compared between papers.

A track never changes. What would change its number (other deals, other opponents, another formula) makes a new version
of it, beside the old one. docs/tracks.md says what each is for and how to enter.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.beliefs.belief_models import BeliefModel, make_belief_model
from shengji_env.arena.beliefs.belief_positions import PLAYERS, ROUNDS, SEED, BeliefSet
from shengji_env.arena.beliefs.belief_scores import NAMES, score_all
from shengji_env.arena.beliefs.belief_tables import mean_with_error, round_indices
from shengji_env.arena.small_games.exploiting import STARTS, TEAMS, exploit
from shengji_env.arena.small_games.game_tree import build_tree
from shengji_env.arena.small_games.tree_play import check_askable, play_of
from shengji_env.arena.statistics import Interval, mean_interval
from shengji_env.arena.to_the_last_deal import play_to_the_last_deal, refuse_persons
from shengji_env.arena.tournament import Tournament
from shengji_env.arena.track import Measurement, Score, Track, Work, run_track, track_header
from shengji_env.engine.frozen_rules import unseen_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, parse_rules
from shengji_env.players import Player, make_player
from shengji_env.support.registered import registered

__all__ = ["GAMES", "LADDER_SEED", "TRACKS", "Score", "Track", "Work", "run_track", "track_header"]

LADDER_SEED = 2_873_246_783_523_459_396
"""Seed of the ladder's second season."""
_CHAMPION = {"champion": "b9622c9a6e344d25032331076bb50cfd"}
GAMES = ("small_two_ranks", "small_four_ranks")
"""The games of the track small-games."""


def _matchups(player: str, against: str, rules: Sequence[RuleSet], seed: int, num_deals: int) -> list[Tournament]:
    """Return what a player plays: a match-up under each rule set."""
    matchups = [Tournament((player, against), one, seed=seed, num_deals=num_deals) for one in rules]
    refuse_persons(matchups)
    return matchups


def _levels(matchups: Sequence[Tournament], work: Work) -> NDArray[np.float64]:
    """Return what a player won: (match-ups, deals) levels a round."""
    names = [f"{index:02}" for index in range(len(matchups))]
    return play_to_the_last_deal(
        matchups, work.folder, names, keeps_changed=work.keeps_changed, executor=work.executor, watch=work.watch,
        resumed=work.resumed,
    )  # fmt: skip


def _match(against: str, seed: int, num_deals: int) -> Callable[[str], Measurement]:
    def prepare(player: str) -> Measurement:
        matchups = _matchups(player, against, _two_deck(), seed, num_deals)
        return lambda work: mean_interval(_levels(matchups, work)[0])

    return prepare


def _response(player: str) -> Measurement:
    measure = _match("champion", 17_001, 4000)(player)

    def measure_gain(work: Work) -> tuple[float, Interval]:
        _, interval = measure(work)
        return max(0.0, interval[0]), interval

    return measure_gain


def _unseen(player: str) -> Measurement:
    matchups = _matchups(player, "heuristic", unseen_rules(), 17_002, 200)
    return lambda work: mean_interval(_levels(matchups, work).mean(axis=0))


def _small_games(text: str) -> Measurement:
    player = make_player(text)
    check_askable(player)
    return partial(_exploitability, player)


def _exploitability(player: Player, work: Work) -> tuple[float, Interval]:
    done, total, found = 0, len(GAMES) * len(TEAMS) * STARTS, []

    def count() -> None:
        nonlocal done
        done += 1
        if work.watch is not None:
            work.watch(done, total)

    for rules in _small():
        tree = build_tree(rules)
        found.append(exploit(tree, player.name, play_of(tree, player), watch=count).exploitability)
    lower, upper = (float(np.mean([getattr(each, end) for each in found])) for end in ("lower", "upper"))
    return upper, (lower, upper)


def _beliefs(text: str) -> Measurement:
    return partial(_log_loss, make_belief_model(text))


def _log_loss(model: BeliefModel, work: Work) -> tuple[float, Interval]:
    def look(share: float) -> None:
        if work.watch is not None:
            work.watch(100 * share, 100)

    (rules,) = _two_deck()
    scores = score_all(BeliefSet(rules, ROUNDS, SEED), [model], look)
    mean, error = mean_with_error(scores.scores[0][:, NAMES.index("log loss")], round_indices(scores))
    return mean, (mean - error, mean + error)


def _two_deck() -> list[RuleSet]:
    return [parse_rules(DEFAULT_RULES)]


def _small() -> list[RuleSet]:
    return [parse_rules(game) for game in GAMES]


_OWN = (
    Track(
        "strength/1", "play well: two_deck, the 1,000 deals of the ladder's second season",
        "levels a round against heuristic; 95 % interval over deals",
        is_higher_better=True, prepare=_match("heuristic", LADDER_SEED, 1000),
        rules=_two_deck, others=("heuristic",),
    ),
    Track(
        "learning/1", "learn two_deck from nothing in 20 minutes of processor time, three seeds",
        "levels a round against heuristic on 4,000 deals, the mean of the runs; 95 % interval over runs",
        is_higher_better=True, prepare=_match("heuristic", 17_000, 4000),
        rules=_two_deck, others=("heuristic",), takes_runs=True,
    ),
    Track(
        "response/2", "win as much as possible from champion, which does not learn: two_deck, 4,000 deals",
        "lower end of the 95 % interval of levels a round against champion, at least 0",
        is_higher_better=True, prepare=_response, rules=_two_deck, others=("champion",), digests=_CHAMPION,
    ),
    Track(
        "unseen-rules/1", "play well under thirty rule sets that nobody may learn, 200 deals each",
        "levels a round against heuristic, the mean of the rule sets; 95 % interval over deals",
        is_higher_better=True, prepare=_unseen, rules=unseen_rules, others=("heuristic",),
    ),
    Track(
        "small-games/1", f"lose little to opponents who know you: {' and '.join(GAMES)}",
        "exploitability in levels a round, the mean of the games' upper values; lower and upper value",
        is_higher_better=False, prepare=_small_games, rules=_small, unit_of_progress="starts of replies",
    ),
    Track(
        "beliefs/2", "know where the hidden cards are: on positions that are the same for everybody",
        "log loss a card; 95 % interval over rounds",
        is_higher_better=False, prepare=_beliefs, rules=_two_deck, others=PLAYERS, digests=_CHAMPION,
        unit_of_progress="% of the rounds", takes_belief_models=True,
    ),
)  # fmt: skip
TRACKS: Mapping[str, Track] = {track.name.partition("/")[0]: track for track in _OWN} | registered("shengji_env.tracks")
"""The newest version of each, by name: those of this package, and what others add (`support/registered.py`)."""
