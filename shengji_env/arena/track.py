"""A track: what it is, and how entrants are measured in it; `tracks.py` has those that there are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from shengji_env import __version__
from shengji_env.arena.beliefs.belief_models import identity_of_belief_model
from shengji_env.arena.identities import digests_of, player_digests
from shengji_env.arena.result import VERSIONS
from shengji_env.arena.running import Resumed
from shengji_env.arena.statistics import Interval, mean_interval
from shengji_env.arena.to_the_last_deal import DealsWatch
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError
from shengji_env.players import make_player
from shengji_env.support.workers.jobs import Executor


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
    digests: Mapping[str, str] = field(default_factory=dict)
    """Digest of the network of each of `others` that has one: no other network takes its place."""
    unit_of_progress: str = "deals"
    """What the progress counts."""
    takes_runs: bool = False
    """Whether the entrants are runs of one learner, whose mean is the number."""
    takes_belief_models: bool = False
    """Whether the entrants are belief models, not players."""

    @property
    def plays_deals(self) -> bool:
        """Whether deals are played, which a folder can keep."""
        return self.unit_of_progress == "deals"


def run_track(track: Track, entrants: Sequence[str], work: Work = Work()) -> list[Score]:
    """Measure entrants; where they are runs of one learner, the last score is their mean, its interval over runs.

    All entrants are made before the first one is measured.

    Raises:
        ShengjiError: an entrant is unknown, is named twice, or does not come to the end; or a network that the track
            names is another one than it was.
        PlayerError: a text names nobody, a person, or who answers wrongly.
    """
    if len(set(entrants)) < len(entrants):
        raise ShengjiError("an entrant is named twice")
    scores: list[Score] = []

    def note(entrant: str, value: float, interval: Interval) -> None:
        scores.append(_score(entrant, value, interval))
        if work.found is not None:
            work.found(scores[-1])

    for text, digest in track.digests.items():
        if digest not in make_player(text).identity(track.rules()[0]):
            raise ShengjiError(f"{track.name} is played with another {text}: the one whose digest is {digest}")
    measurements = [track.prepare(entrant) for entrant in entrants]
    for place, (entrant, measure) in enumerate(zip(entrants, measurements, strict=True)):
        note(entrant, *measure(replace(work, folder=work.folder and work.folder / f"{place:02}")))
    if track.takes_runs and len(scores) > 1:
        note(f"mean of {len(scores)} runs", *mean_interval(np.array([score.value for score in scores])))
    return scores


def track_header(track: Track, entrants: Sequence[str]) -> dict[str, Any]:
    """Return what the scores of a track depend on: versions, fingerprints of the rules, who has played."""
    rules = track.rules()
    models, players = (entrants, track.others) if track.takes_belief_models else ((), (*track.others, *entrants))
    return {
        "track": track.name,
        "package": __version__,
        "versions": VERSIONS,
        "rules": {str(one): one.fingerprint for one in rules},
        # A network plays one rule set, or is the same under all.
        "policies": player_digests(players, rules[0])
        | digests_of({each: identity_of_belief_model(each) for each in models}),
    }


def _score(entrant: str, value: float, interval: Interval) -> Score:
    """Return a score without digits that mean nothing."""
    low, high = interval
    return Score(entrant, round(value, 6), (round(low, 6), round(high, 6)))
