"""Chunks: some deals of one pair of a tournament, played by any free worker; pure data in, pure data out."""

import contextlib
import functools
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from shengji_env.arena.deal_batch import BatchWatch, DealBatch
from shengji_env.arena.faults import Fault, FaultKeeper, Thinking
from shengji_env.arena.limits import MAX_PLAYERS
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError
from shengji_env.players.player import Needs, Player
from shengji_env.players.registry import make_player
from shengji_env.support.workers.jobs import Job
from shengji_env.tables.settings import Start
from shengji_env.tables.tables import compile_tables


@dataclass(frozen=True)
class Chunk:
    """Deals to play."""

    pair: int
    """Which pair of the tournament plays them."""
    players: tuple[str, ...]
    """Texts of A and B."""
    names: tuple[str, ...]
    """Their names in records and errors."""
    rules: RuleSet
    """The rules."""
    seed: int
    """Seed of deals and random words."""
    first: int
    """The first deal."""
    end: int
    """The deal after the last."""
    is_match: bool = False
    """Whether a deal is a pair of matches."""
    start: Start = "any"
    """How single rounds begin (`DealBatch`)."""
    keeps_records: bool = False
    """Whether the records of the rounds are kept."""
    time_limit: float | None = None
    """Seconds for each decision (`faults.py`)."""


@dataclass(frozen=True)
class PlayedChunk:
    """The outcome of a chunk."""

    pair: int
    """Which pair."""
    first: int
    """The first deal."""
    end: int
    """The deal after the last."""
    rounds: NDArray[Any]
    """ROUND_DTYPE, by deal, table and round; rounds of lost deals are left out."""
    faults: list[Fault]
    """The deals that were lost, by deal."""
    lines: list[str] = field(default_factory=list)
    """The records of `rounds`, if they are kept: lines of text."""
    thinking: tuple[Thinking, ...] = ()
    """What each player of the pair has done."""


@functools.lru_cache(maxsize=MAX_PLAYERS)
def known_player(text: str) -> Player:
    """Return the player that a text names; it is made once in a process."""
    return make_player(text)


@functools.lru_cache(maxsize=MAX_PLAYERS)
def _warm_up(text: str, rules: RuleSet) -> None:
    """Let a player decide once before time is measured, since compiling and loading are not thinking."""
    if Needs.PERSON in known_player(text).needs:
        return
    batch = DealBatch((known_player(text),) * 2, rules, 0, range(1))
    with contextlib.suppress(PlayerError):
        next(batch.play())


def get_ready(rules: RuleSet) -> None:
    """Compile or load what every chunk needs, before anything is timed; print a note if it takes a while."""
    _warm_up("random", rules)


def play_chunk(chunk: Chunk, watch: BatchWatch | None = None) -> PlayedChunk:
    """Play a chunk; the outcome depends on the chunk alone, if the players keep to their protocol."""
    for text in chunk.players:
        _warm_up(text, chunk.rules)
    keeper = FaultKeeper(chunk.time_limit)
    players = tuple(known_player(text) for text in chunk.players)
    batch = DealBatch(
        players, chunk.rules, chunk.seed, range(chunk.first, chunk.end), is_match=chunk.is_match,
        start=chunk.start, asker=keeper, names=chunk.names,
    )  # fmt: skip
    rounds, lines = batch.play_out(watch, keeps_lines=chunk.keeps_records)
    return PlayedChunk(
        pair=chunk.pair,
        first=chunk.first,
        end=chunk.end,
        rounds=rounds,
        faults=sorted(keeper.faults, key=lambda fault: fault["deal"]),
        lines=lines,
        thinking=tuple(keeper.thinking.get(index, Thinking()) for index in range(len(players))),
    )


def _describe(chunk: Chunk) -> str:
    return f"{' against '.join(chunk.players)}, deals {chunk.first} to {chunk.end - 1}"


CHUNKS: Job[Chunk, PlayedChunk] = Job(play_chunk, compile_tables, _describe)
"""What workers do with chunks."""
