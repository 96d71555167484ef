"""Positions at which beliefs are scored: leads and follows of rounds that players play, a function of the seed.

A **holder** is, from the view of the seat to move, the next seat, its partner, the previous seat, or the kitty. A card
is hidden if the seat can see neither it nor that it was shown. Where the seat has buried the kitty itself, only the
three seats hold hidden cards.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet, rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.errors import ShengjiError
from shengji_env.players import Decisions, make_player, num_plays
from shengji_env.support.arguments import MAX_ROUNDS
from shengji_env.support.settings import any_seed, between, check_fields
from shengji_env.vector import BatchEnv

VERSION = 2
"""Of what is scored; another one has other positions or other scores. 2: no decoy contradicts an earlier play."""
_POSITIONS_VERSION = 2
"""Which positions are drawn; those of the track beliefs/2, and so it never changes."""
NUM_HOLDERS = NUM_SEATS
KITTY = NUM_HOLDERS - 1
"""The kitty's index among the holders; the others are next, partner, previous."""
PLAYERS = ("champion", "heuristic", "search:20?threads=1")
"""Who sits in all four seats, in a third of the rounds each."""
SEED = 16_000
ROUNDS = 100
"""Rounds by each of PLAYERS."""
SHARE = 0.2
"""Share of the leads and follows that are positions."""

TrueHolders = NDArray[np.int8]
"""(54, 4) hidden cards of each slot that each holder has."""


@dataclass(frozen=True, eq=False)
class BeliefPositions:
    """Some positions of the same moment of several rounds."""

    players: str
    """Who sits in all four seats."""
    rounds: NDArray[np.int64]
    """(B,) number of each one's round."""
    decisions: Decisions
    """The B decisions, all read, as a player sees them."""
    states: NDArray[np.void]
    """(B,) the tables, nothing hidden."""
    truth: NDArray[np.int8]
    """(B, 54, 4) hidden cards of each slot that each holder has."""


@dataclass(frozen=True)
class BeliefSet:
    """A set of positions.

    Args:
        rules: the rules.
        rounds: rounds by each of `players`, from 1.
        seed: of the deals, and of which decisions are positions.
        players: who plays.

    Raises:
        ShengjiError: a number is out of range.
    """

    rules: RuleSet = field(default_factory=rule_set)
    rounds: int = between(ROUNDS, 1, MAX_ROUNDS)
    seed: int = any_seed(SEED)
    players: tuple[str, ...] = PLAYERS

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_fields(self)
        if not self.players:
            raise ShengjiError("players must name somebody who plays the rounds")

    def positions(self, watch: Callable[[float], object] | None = None) -> Iterator[BeliefPositions]:
        """Play the rounds and yield positions, in the same order every time.

        Args:
            watch: called now and then with the part that is done, 0 to 1.
        """
        for index, text in enumerate(self.players):
            yield from self._positions_of(index, text, watch or (lambda _: None))

    def _positions_of(self, index: int, text: str, watch: Callable[[float], object]) -> Iterator[BeliefPositions]:
        player, chance = make_player(text), np.random.default_rng([_POSITIONS_VERSION, self.seed, index])
        env = BatchEnv(self.rounds, self.rules, seed=self.seed, start="any", history=num_plays(self.rules))
        live = np.ones(self.rounds, np.bool_)
        while live.any():
            states = env.tables.states
            drawn = chance.random(self.rounds) < SHARE
            begins = live & (states["taken_size"] == 0) & np.isin(states["phase"], (Phase.LEAD, Phase.FOLLOW))
            if len(rows := np.flatnonzero(begins & drawn)):
                truth = np.stack([hidden_cards(states[row : row + 1]) for row in rows])
                is_open = truth.any(axis=(1, 2))
                if is_open.any():
                    yield self._read(text, env, rows[is_open], truth[is_open])
            rows = np.flatnonzero(live)
            actions = np.full(self.rounds, -1)
            actions[rows] = player.decide(Decisions.at(env.tables, rows))
            env.step(actions)
            live &= ~env.terminated
            watch((index + 1 - live.mean()) / len(self.players))

    def _read(self, text: str, env: BatchEnv, rows: NDArray[np.int64], truth: NDArray[np.int8]) -> BeliefPositions:
        decisions = Decisions.at(env.tables, rows)
        for name in ("key", "rules", "rules_record", "states", "plays"):
            getattr(decisions, name)
        return BeliefPositions(text, rows, decisions, env.tables.states[rows].copy(), truth)

    def digest(self) -> str:
        """Return a digest of all positions: what is scored is the same where it is the same."""
        digest = hashlib.blake2b(digest_size=16)
        for part in self.positions():
            digest.update(part.decisions.observation.tobytes() + part.truth.tobytes())
        return digest.hexdigest()


def hidden_cards(state: NDArray[np.void]) -> TrueHolders:
    """Return who has which hidden cards at a whole table (1,), from the view of the seat to move."""
    s = state[0]
    seat, found = int(s["seat"]), np.zeros((NUM_SLOTS, NUM_HOLDERS), np.int8)
    for holder in range(KITTY):
        other = (seat + 1 + holder) % NUM_SEATS
        found[:, holder] = np.maximum(s["hands"][other] - s["known"][other], 0)
    taken = int(s["num_takers"])
    if taken == 0 or s["takers"][taken - 1] != seat:
        found[:, KITTY] = s["buried"]
    return found
