"""Files that persons have kept of a season, checked by replay.

`RecordReader` makes every decision again and compares every value. Here each deal is dealt again by the season's seed,
and the other seats' player is asked for each of its decisions, as its play follows from the position alone. What cannot
be checked is who decided in seat 0, and how often the deals were tried before.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shengji_env.engine.actions import PASS
from shengji_env.envs.batch import BatchEnv
from shengji_env.errors import RecordError, show
from shengji_env.players.player import Player
from shengji_env.players.registry import make_player
from shengji_env.records.reading import Reading, RecordReader, ReplayedRound, begin_transcript
from shengji_table.season.season import SEAT, Season, answer_of, dealt, levels_of

_BEGINNING = ("deal", "levels", "declarer", "first_drawer", "round_index")


@dataclass(frozen=True)
class PersonRecord:
    """What somebody has played."""

    name: str
    rounds: tuple[ReplayedRound, ...]

    @property
    def made(self) -> list[int]:
        """What the person's team made on each deal, in levels."""
        return [levels_of(each.record) for each in self.rounds]


def read_person(season: Season, path: Path) -> PersonRecord:
    """Read and check a file.

    Raises:
        RecordError: it is no record of the season's first deals as the person and the season's player played them.
    """
    reader = RecordReader(path)
    if (reader.rules, reader.seed) != (season.rule_set, season.seed):
        raise RecordError(f"it is no record of the season: {season.rules} with seed {season.seed}")
    if reader.players[:SEAT] + reader.players[SEAT + 1 :] != 3 * [season.others]:
        raise RecordError(f"its players are {show(reader.players)}, not a person in seat {SEAT} and {season.others}")
    others, rounds = make_player(season.others), []
    for number, replayed in enumerate(reader):
        with Reading(replayed.line):
            _check(season, number, replayed, others)
        rounds.append(replayed)
    return PersonRecord(reader.players[SEAT], tuple(rounds))


def _check(season: Season, number: int, replayed: ReplayedRound, others: Player) -> None:
    """Refuse a round that is not a deal of the season as the person and the season's player would play it."""
    record = replayed.record
    if number >= season.num_deals:
        raise RecordError(f"the season has {season.num_deals} deals")
    if "players" in record or any("by" in step for step in record["decisions"]):
        raise RecordError("somebody else has played for the person, or in the other seats")
    env = dealt(season, number)
    while env.states["redeals"][0] < record["redeals"]:  # nobody bids
        _step(env, PASS, season, others)
    begun = begin_transcript(record, season.rule_set).states
    if any(np.any(begun[name] != env.states[name]) for name in _BEGINNING):
        raise RecordError(f"this is not deal {number + 1} of the season: a file holds all deals from the first one on")
    for action in replayed.actions:
        _step(env, action, season, others)


def _step(env: BatchEnv, action: int, season: Season, others: Player) -> None:
    """Make an action that is recorded, if it is what the seat to move would do."""
    seat = int(env.seat[0])
    own = action if seat == SEAT else answer_of(others, env)
    if action != own or not env.action_mask[0][action]:
        raise RecordError(f"seat {seat}, ply {int(env.ply[0])}: {season.others} would decide otherwise here")
    env.step([action])


def joined(files: Iterable[PersonRecord]) -> dict[str, list[int]]:
    """Return what each person made, by name: of several files of a person, the one with most deals counts.

    Raises:
        RecordError: two files of a person differ in a deal.
    """
    people: dict[str, PersonRecord] = {}
    for played in files:
        before = people.setdefault(played.name, played)
        if any(one.actions != other.actions for one, other in zip(before.rounds, played.rounds, strict=False)):
            raise RecordError(f"{show(played.name)} has played a deal twice: one of the two files must go")
        people[played.name] = max(before, played, key=lambda each: len(each.rounds))
    return {name: played.made for name, played in people.items()}
