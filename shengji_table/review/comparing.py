"""Two players on one deal: where they first differ, and what both plays are worth.

| with | how it goes on after a difference |
|---|---|
| a player, who is asked at every decision of a record | as it is recorded, so that there may be more differences |
| another table of the same deal | each table goes its own way: what comes later cannot be compared |

Source: docs/pictures.md.
"""

import dataclasses
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from shengji_env.errors import PlayerError, RecordError
from shengji_env.players.answers import Answer
from shengji_env.players.asking import decide_whole
from shengji_env.players.player import Needs, Player
from shengji_env.players.whole_plays import choose_whole
from shengji_env.records.reading import ReplayedRound
from shengji_env.records.replays import Beside, Replay
from shengji_env.tables.tables import Tables
from shengji_table.review.reviewing import EVERYBODY, Tracker, check_whose, review_round, seats_of
from shengji_table.valuing.reviewed_decisions import AskOther
from shengji_table.valuing.valuers import Valuer

_SAME_DEAL = ("deal", "levels", "declarer", "first_drawer", "redeals", "abandoned")
"""Fields of a round that two tables of one deal have in common."""


def compare_with_player(
    replay: Replay, player: Player, valuer: Valuer, *, track: Tracker = iter, whose: Collection[int | str] = EVERYBODY
) -> Replay:
    """Return a replay in which another player says at every decision what it would have done.

    Args:
        replay: the rounds.
        player: the other player; its random words are those of seed 0.
        valuer: who values both plays.
        track: may follow the rounds as they are worked on.
        whose: whose decisions it is asked about: seats, or names of those who sit there.

    Raises:
        PlayerError: the player is a person or a program, who cannot be asked about others' rounds.
        ShengjiError: nobody of a name sits at any of the rounds, or there is no such seat.
    """
    if player.needs & (Needs.PERSON | Needs.PROCESSES):
        raise PlayerError(f"{player.name} follows only rounds that it plays; name a player that can be asked anywhere")
    check_whose(whose, [name for replayed in replay.rounds for name in replay.names_of(replayed)])
    reviews, beside = {}, {}
    for replayed in track(replay.rounds):
        seats = seats_of(whose, replay.names_of(replayed))
        ask = _asking(player, seats)
        review = review_round(replay.rules, replayed, valuer, seats=seats, ask=ask)
        reviews[replayed.line] = review
        beside[replayed.line] = Beside(player.name, _differing(review), None)
    return dataclasses.replace(replay, reviews=reviews, beside=beside)


def _asking(player: Player, seats: Collection[int]) -> AskOther:
    def ask(tables: Tables, _ply: int, _made: int) -> Answer | None:
        return decide_whole(player, tables) if int(tables.seats[0]) in seats else None

    return ask


def _differing(review: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the plies at which the second player would have done something else."""
    return tuple(each["ply"] for each in review["valued"] if each.get("second") not in (None, each["played"]))


def compare_tables(first: Replay, second: Replay | None, valuer: Valuer, *, track: Tracker = iter) -> Replay:
    """Return a replay of the first table of each deal, with the second one beside it.

    Args:
        first: rounds.
        second: rounds of the same deals; None: they are among the first, as in records of tournaments.
        valuer: who values the decisions of both tables.
        track: may follow the rounds as they are worked on.

    Raises:
        RecordError: the rules differ, or no deal has two tables.
    """
    if second is not None and second.rules != first.rules:
        raise RecordError(f"the records are of different rules: {first.rules} and {second.rules}")
    others = second or first
    pairs = {one.line: other for one, other in _paired(first, second)}
    if not pairs:
        where = "no deal of the first record is in the second" if second else "no deal was played at two tables"
        raise RecordError(f"{where}; name another record of the same deals, or a player")
    rounds = tuple(replayed for replayed in first.rounds if replayed.line in pairs)
    reviews, beside = {}, {}
    for replayed in track(rounds):
        other = pairs[replayed.line]
        ply = first_difference(replayed, other)
        reviews[replayed.line] = review_round(first.rules, replayed, valuer, ask=_told(other, ply))
        review = review_round(first.rules, other, valuer, ask=_told(replayed, ply))
        table = dataclasses.replace(others, reviews={other.line: review}, beside={}).round_json(other)
        beside[replayed.line] = Beside(", ".join(others.names_of(other)), () if ply is None else (ply,), table)
    return dataclasses.replace(first, rounds=rounds, reviews=reviews, beside=beside)


def _paired(first: Replay, second: Replay | None) -> Iterable[tuple[ReplayedRound, ReplayedRound]]:
    """Yield the rounds that begin alike, each in one pair."""
    waiting: dict[str, list[ReplayedRound]] = {}
    for replayed in first.rounds:
        if second is None and waiting.get(key := _deal_of(replayed)):
            yield waiting[key].pop(0), replayed
        else:
            waiting.setdefault(_deal_of(replayed), []).append(replayed)
    for replayed in second.rounds if second else ():
        if waiting.get(key := _deal_of(replayed)):
            yield waiting[key].pop(0), replayed


def _deal_of(replayed: ReplayedRound) -> str:
    record: Mapping[str, Any] = replayed.record
    return json.dumps([record.get(name) for name in _SAME_DEAL])


def first_difference(one: ReplayedRound, other: ReplayedRound) -> int | None:
    """Return the ply at which two tables of one deal first differ; None if they never do."""
    for ply, (here, there) in enumerate(zip(one.record["decisions"], other.record["decisions"], strict=False)):
        if _in_order(here) != _in_order(there):
            return ply
    return None


def _in_order(decision: Mapping[str, Any]) -> dict[str, Any]:
    made = {name: value for name, value in decision.items() if name != "by"}
    return {name: sorted(value.split()) if isinstance(value, str) else value for name, value in made.items()}


def _told(other: ReplayedRound, ply: int | None) -> AskOther:
    """Return what says at the ply of the first difference what the other table did."""

    def ask(tables: Tables, at: int, made: int) -> Answer | None:
        return choose_whole(tables, iter(other.actions[made:]).__next__) if at == ply else None

    return ask
