"""The deals of a tournament that swung most, as a replay page that the report links to.

A deal's swing is what A won or lost in it, in levels, both of its tables together: with the luck of the cards taken
out, what is left is play.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shengji_env.arena.result import for_a
from shengji_env.arena.standings import Standings
from shengji_env.errors import RecordError
from shengji_env.records.replays import Replay
from shengji_env.support.text_files import open_text, parse_json

MAX_SWINGS = 5
"""Deals shown of each pair."""


class Swing(NamedTuple):
    """A deal that swung."""

    deal: int
    """Number of the deal."""
    levels: float
    """What A won in it, in levels; negative if B did."""


def swings_of(standings: Standings, pair: int) -> list[Swing]:
    """Return a pair's deals that swung most, the largest swing first."""
    rounds = standings.rounds[pair]
    deals, indices = np.unique(rounds["deal"], return_inverse=True)
    levels = np.bincount(indices, weights=for_a(rounds, standings.tournament.rules).levels)
    order = np.argsort(-np.abs(levels), kind="stable")[:MAX_SWINGS]
    return [Swing(int(deals[index]), float(levels[index])) for index in order if levels[index]]


def swings_page(standings: Standings, record: Path) -> tuple[str | None, Mapping[tuple[int, int], int]]:
    """Return the replay page of all pairs' swings, None if there are none, and where each deal begins on it.

    Args:
        standings: the results.
        record: the record of all rounds, as `Store.record_lines` gives them after a header.

    Returns:
        The page, and the number of a deal's first round on it, from 1, by pair and deal.

    Raises:
        RecordError: the record cannot be read.
    """
    chosen: list[str] = []
    first: dict[tuple[int, int], int] = {}
    wanted = [{swing.deal for swing in swings_of(standings, pair)} for pair in range(len(standings.rounds))]
    with open_text(record, RecordError) as file:
        header = next(file)
        for pair, line in zip(_pairs_of_lines(standings), file, strict=False):
            deal = parse_json(line, RecordError)["table"]
            if deal in wanted[pair]:
                first.setdefault((pair, deal), len(chosen) + 1)
                chosen.append(line)
    return (Replay.of([header, *chosen]).html("升级 Shengji") if chosen else None), first


def _pairs_of_lines(standings: Standings) -> Iterator[int]:
    """Yield the pair of each line of the record."""
    for pair, rounds in enumerate(standings.rounds):
        yield from [pair] * len(rounds)
