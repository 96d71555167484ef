"""Chunks: some deals of one meeting of a tournament, played by whoever is free; pure data in, pure data out."""

import contextlib
import functools
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.faults import Fault, FaultKeeper
from shengji_env.arena.matchup import Window
from shengji_env.arena.ranges import MOST_PLAYERS
from shengji_env.arena.recording import round_line
from shengji_env.arena.result import RESULT_FIELDS, ROUND_DTYPE
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError
from shengji_env.players.registry import Player, make_player
from shengji_env.players.veil import is_person

Watch = Callable[[float], object]
"""Called after every step with about how many deals of the chunk have been played."""


@dataclass(frozen=True)
class Chunk:
    """Deals to play."""

    meeting: int
    """Which meeting of the tournament they belong to."""
    players: tuple[str, ...]
    """Texts of A and B, and of the stranger if partners are crossed."""
    names: tuple[str, ...]
    """How records and errors call them."""
    rules: RuleSet
    """The rules."""
    seed: int
    """The seed of deals and random words."""
    first: int
    """The first deal."""
    end: int
    """The deal after the last."""
    is_match: bool = False
    """Whether a deal is a pair of matches."""
    keeps_records: bool = False
    """Whether the rounds' records are wanted."""
    time_limit: float | None = None
    """Seconds for each decision (`faults.py`)."""


@dataclass(frozen=True)
class Played:
    """What became of a chunk."""

    meeting: int
    """Which meeting."""
    first: int
    """The first deal."""
    end: int
    """The deal after the last."""
    rounds: NDArray[Any]
    """ROUND_DTYPE, by deal, table and round; those of deals that were lost are left out."""
    faults: list[Fault]
    """The deals that were lost, by deal."""
    lines: list[str] = field(default_factory=list)
    """The records of `rounds`, if they were wanted: lines of text."""
    thinking: tuple[tuple[float, int], ...] = ()
    """By player of the meeting: seconds that it thought, and decisions. Not the same from run to run."""


@functools.lru_cache(maxsize=MOST_PLAYERS)
def known_player(text: str) -> Player:
    """The player that a text names, made once in a process."""
    return make_player(text)


@functools.lru_cache(maxsize=MOST_PLAYERS)
def _warm_up(text: str, rules: RuleSet) -> None:
    """Let a player decide once without a clock: compiling and loading are not thinking; a person needs neither."""
    if is_person(known_player(text)):
        return
    window = Window((known_player(text),) * 2, rules, 0, range(1), keeps_record=False)
    with contextlib.suppress(PlayerError):
        next(window.play())


def get_ready(rules: RuleSet) -> None:
    """Compile what every chunk needs, with words if it takes a while, or load it: before anything is timed."""
    _warm_up("random", rules)


def play_chunk(chunk: Chunk, watch: Watch | None = None) -> Played:
    """Play a chunk. What comes of it depends on the chunk alone, if the players keep to their protocol."""
    for text in chunk.players:
        _warm_up(text, chunk.rules)
    keeper = FaultKeeper(chunk.time_limit)
    players = tuple(known_player(text) for text in chunk.players)
    window = Window(
        players, chunk.rules, chunk.seed, range(chunk.first, chunk.end), keeps_record=True, is_match=chunk.is_match,
        referee=keeper, names=chunk.names,
    )  # fmt: skip
    rounds: list[NDArray[Any]] = []
    lines: dict[tuple[int, int], list[str]] = defaultdict(list)
    for live, finished in window.play():
        rounds.append(_finished_rounds(window, finished))
        if chunk.keeps_records:
            for row in finished:
                place = int(window.deals[row]), int(row) // window.num_deals
                lines[place].append(round_line(window.env, int(row), window.names(row)))
        if watch is not None:
            watch(window.num_deals * window.share_played(live))
    lost = [fault["deal"] for fault in keeper.faults]
    played = np.concatenate(rounds)
    played = played[~np.isin(played["deal"], lost)]
    return Played(
        meeting=chunk.meeting,
        first=chunk.first,
        end=chunk.end,
        rounds=np.sort(played, order=("deal", "table", "round")),
        faults=sorted(keeper.faults, key=lambda fault: int(fault["deal"])),
        lines=[line for place in sorted(lines) if place[0] not in lost for line in lines[place]],
        thinking=tuple(keeper.thinking.get(place, (0.0, 0)) for place in range(len(players))),
    )


def _finished_rounds(window: Window, rows: NDArray[np.int64]) -> NDArray[Any]:
    """The rounds that have just ended at some tables, ROUND_DTYPE."""
    rounds = np.zeros(len(rows), ROUND_DTYPE)
    result, state = window.env.result[rows], window.env.tables.logs["finished_state"][rows]
    rounds["deal"], rounds["table"] = window.deals[rows], rows // window.num_deals
    rounds["round"] = result["round_index"]
    for name in ("trump", "level_rank"):
        rounds[name] = state[name]
    for name in RESULT_FIELDS:
        rounds[name] = result[name]
    return rounds
