"""Tracks: frozen tasks, each with one number, that can be compared between papers.

A track never changes. What would change its number (other deals, other opponents, another formula) makes a new version
of it, beside the old one. docs/tracks.md says what each is for and how to enter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env import __version__
from shengji_env.arena.beliefs.belief_positions import PLAYERS, ROUNDS, SEED, BeliefSet
from shengji_env.arena.beliefs.belief_scores import NAMES, score_all
from shengji_env.arena.beliefs.belief_tables import mean_with_error, round_indices
from shengji_env.arena.beliefs.believers import Believer, believer_identity, make_believer
from shengji_env.arena.identities import digests_of, player_digests
from shengji_env.arena.puzzles.puzzle import shipped_puzzles
from shengji_env.arena.puzzles.solving import loss_of
from shengji_env.arena.result import VERSIONS
from shengji_env.arena.running import Resumed
from shengji_env.arena.small_games.exploiting import STARTS, TEAMS, exploit
from shengji_env.arena.small_games.game_tree import build_tree
from shengji_env.arena.small_games.tree_play import check_askable, play_of
from shengji_env.arena.statistics import Interval, mean_interval
from shengji_env.arena.to_the_last_deal import DealsWatch, play_to_the_last_deal, refuse_persons
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.frozen_rules import unseen_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, parse_rules
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players import Player, make_player
from shengji_env.players.player import Needs
from shengji_env.support.workers.jobs import Executor

LADDER_SEED = 2_873_246_783_523_459_396
"""Seed of the ladder's second season."""
GAMES = ("small_two_ranks", "small_four_ranks")
"""The games of the track small-games."""


@dataclass(frozen=True)
class Score:
    """What somebody reached in a track."""

    entrant: str
    value: float
    """The track's number."""
    interval: Interval
    """What lies around it: see the track."""


@dataclass(frozen=True)
class Work:
    """How the work of a track is done."""

    folder: Path | None = None
    """Where what was played is kept; None keeps nothing."""
    executor: Executor | None = None
    """What plays; None: this process."""
    watch: DealsWatch | None = None
    """Called with how much is done, and of how much."""
    resumed: Resumed | None = None
    """Called at the end of each match-up."""
    found: Callable[[Score], object] | None = None
    """Called with each score as soon as it is known."""
    keeps_changed: bool = False
    """Whether it goes on from the folder if a player has changed since."""


Measurement = Callable[[Work], tuple[float, Interval]]
"""Returns a track's number for an entrant, and the interval."""


@dataclass(frozen=True)
class Track:
    """A frozen task."""

    name: str
    """With its version."""
    about: str
    number: str
    """What its number is, and its interval."""
    is_higher_better: bool
    prepare: Callable[[str], Measurement]
    """Makes an entrant, and returns what measures it."""
    rules: Callable[[], Sequence[RuleSet]]
    """Returns the rule sets that are played."""
    others: tuple[str, ...] = ()
    """Texts of the players with whom entrants are measured."""
    unit_of_progress: str = "deals"
    """What the progress counts."""
    takes_runs: bool = False
    """Whether the entrants are runs of one learner, whose mean is the number."""
    takes_believers: bool = False
    """Whether the entrants are believers, not players."""

    @property
    def plays_deals(self) -> bool:
        """Whether deals are played, which a folder can keep."""
        return self.unit_of_progress == "deals"


def run_track(track: Track, entrants: Sequence[str], work: Work = Work()) -> list[Score]:
    """Measure entrants; where they are runs of one learner, the last score is their mean, its interval over runs.

    All entrants are made before the first one is measured.

    Raises:
        ShengjiError: an entrant is unknown, is named twice, or does not come to the end.
        PlayerError: a text names nobody, a person, or who answers wrongly.
    """
    if len(set(entrants)) < len(entrants):
        raise ShengjiError("an entrant is named twice")
    scores: list[Score] = []

    def note(entrant: str, value: float, interval: Interval) -> None:
        scores.append(_score(entrant, value, interval))
        if work.found is not None:
            work.found(scores[-1])

    measurements = [track.prepare(entrant) for entrant in entrants]
    for place, (entrant, measure) in enumerate(zip(entrants, measurements, strict=True)):
        note(entrant, *measure(replace(work, folder=work.folder and work.folder / f"{place:02}")))
    if track.takes_runs and len(scores) > 1:
        note(f"mean of {len(scores)} runs", *mean_interval(np.array([score.value for score in scores])))
    return scores


def track_header(track: Track, entrants: Sequence[str]) -> dict[str, Any]:
    """Return what the scores of a track depend on: versions, fingerprints of the rules, who has played."""
    rules = track.rules()
    believers, players = (entrants, track.others) if track.takes_believers else ((), (*track.others, *entrants))
    return {
        "track": track.name,
        "package": __version__,
        "versions": VERSIONS,
        "rules": {str(one): one.fingerprint for one in rules},
        # A network plays one rule set, or is the same under all.
        "policies": player_digests(players, rules[0])
        | digests_of({each: believer_identity(each) for each in believers}),
    }


def _score(entrant: str, value: float, interval: Interval) -> Score:
    """Return a score without digits that mean nothing."""
    low, high = interval
    return Score(entrant, round(value, 6), (round(low, 6), round(high, 6)))


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


def _decisions(text: str) -> Measurement:
    player = make_player(text)
    if player.needs & Needs.PERSON:
        raise PlayerError(f"{player.name} is a person, and a track measures players that can be asked again")
    return partial(_mean_loss, player)


def _mean_loss(player: Player, work: Work) -> tuple[float, Interval]:
    puzzles, losses = shipped_puzzles(), []
    for puzzle in puzzles:
        losses.append(loss_of(puzzle, player))
        if work.watch is not None:
            work.watch(len(losses), len(puzzles))
    return mean_interval(np.array(losses))


def _beliefs(text: str) -> Measurement:
    return partial(_log_loss, make_believer(text))


def _log_loss(believer: Believer, work: Work) -> tuple[float, Interval]:
    def look(share: float) -> None:
        if work.watch is not None:
            work.watch(100 * share, 100)

    (rules,) = _two_deck()
    scores = score_all(BeliefSet(rules, ROUNDS, SEED), [believer], look)
    mean, error = mean_with_error(scores.scores[0][:, NAMES.index("log loss")], round_indices(scores))
    return mean, (mean - error, mean + error)


def _two_deck() -> list[RuleSet]:
    return [parse_rules(DEFAULT_RULES)]


def _of_puzzles() -> list[RuleSet]:
    return [parse_rules(rules) for rules in dict.fromkeys(puzzle.rules for puzzle in shipped_puzzles())]


def _small() -> list[RuleSet]:
    return [parse_rules(game) for game in GAMES]


_ALL = (
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
        "response/1", "win as much as possible from champion, which does not learn: two_deck, 4,000 deals",
        "lower end of the 95 % interval of levels a round against champion, at least 0",
        is_higher_better=True, prepare=_response, rules=_two_deck, others=("champion",),
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
        "decisions/1", "find the best play: the 200 puzzles that come with the package",
        "mean loss in levels a decision; 95 % interval over decisions",
        is_higher_better=False, prepare=_decisions, rules=_of_puzzles, unit_of_progress="puzzles",
    ),
    Track(
        "beliefs/1", "know where the hidden cards are: on positions that are the same for everybody",
        "log loss a card; 95 % interval over rounds",
        is_higher_better=False, prepare=_beliefs, rules=_two_deck, others=PLAYERS,
        unit_of_progress="% of the rounds", takes_believers=True,
    ),
)  # fmt: skip
TRACKS: Mapping[str, Track] = {track.name.partition("/")[0]: track for track in _ALL}
"""The newest version of each, by name."""
