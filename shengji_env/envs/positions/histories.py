"""What positions are made of: a history, and what all positions of one rule set share."""

import threading
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.deal import SAME_CARDS, Deals
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import NOBODY, STATE_DTYPE
from shengji_env.envs.positions.position_kernels import (
    DECISION_DTYPE,
    MEMORY_DTYPE,
    DecisionArrays,
    list_decisions,
    list_legal,
    make_action,
)
from shengji_env.players.decisions import num_plays
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.tables.arrays import MAX_LOG, SHARED_DTYPE
from shengji_env.tables.history import PLAY_SIZE
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE
from shengji_env.tables.queries import observe_seat, prepare_observations

_MAX_GAMES = 64
"""Rule sets that are remembered."""


def new_states() -> NDArray[Any]:
    """Return room for a state, shape (1,); `np.zeros` takes ten times as long with a record's dtype."""
    return np.ndarray(1, STATE_DTYPE, bytearray(STATE_DTYPE.itemsize))


def copy_states(states: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of a state, shape (1,); NumPy would copy it field by field."""
    return np.ndarray(1, STATE_DTYPE, bytearray(states.tobytes()))


class PositionScratch(threading.local):
    """Memory that calls overwrite; each thread has its own."""

    def __init__(self, rules: RuleSet) -> None:
        self.legal = np.zeros(NUM_ACTIONS, np.int64)
        self.memory: NDArray[Any] = np.zeros(1, MEMORY_DTYPE)
        self.memory["rules"] = rules.record()
        self.replay = DecisionArrays(
            self.memory, np.zeros(1, STATE_DTYPE), np.zeros(MAX_LOG, DECISION_DTYPE),
            np.zeros((num_plays(rules), PLAY_SIZE), np.int8), np.zeros(MAX_LOG, np.uint8),
        )  # fmt: skip
        self.sampler = Sampler(rules.record())


class Game:
    """A rule set as its positions use it.

    Attributes:
        rules: the rules.
        record: (1,) RULES_DTYPE, the rules for compiled code.
        shared: (1,) SHARED_DTYPE, the same.
        scratch: memory that calls overwrite.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.record: NDArray[Any] = rules.record()
        self.shared: NDArray[Any] = np.zeros(1, SHARED_DTYPE)
        self.shared["rules"] = self.record
        self.scratch = PositionScratch(rules)
        blank: NDArray[Any] = np.zeros(1, OBSERVATION_DTYPE)
        prepare_observations(self.shared, blank)
        self._blank = blank.view(np.int8).reshape(OBSERVATION_SIZE)

    def observe(self, states: NDArray[Any], seat: int) -> NDArray[np.int8]:
        """Return what a seat sees of a state (1,), shape (OBSERVATION_SIZE,)."""
        seen = self._blank.copy()
        observe_seat(states, self.shared, 0, seat, seen.view(OBSERVATION_DTYPE))
        return seen

    def after(self, states: NDArray[Any], action: int) -> NDArray[Any]:
        """Return a copy of a state (1,) in which a legal action is made that ends no deal."""
        later = copy_states(states)
        make_action(later, self.scratch.memory, *SAME_CARDS, action)
        return later

    def legal_actions(self, states: NDArray[Any]) -> list[int]:
        """Return the legal actions in a state (1,), ascending."""
        x = self.scratch
        legal: list[int] = x.legal[: list_legal(states, x.memory, x.legal)].tolist()
        return legal


@lru_cache(maxsize=_MAX_GAMES)
def game_of(rules: RuleSet) -> Game:
    """Return what the positions of a rule set share."""
    return Game(rules)


class History(NamedTuple):
    """How a position came about."""

    game: Game
    """The rules."""
    deals: Deals
    """Where the next deals come from."""
    deal_state: NDArray[Any]
    """(1,) STATE_DTYPE, the first decision of the deal."""
    actions: bytes
    """The actions from there on."""

    def seen_by(self, observer: int = NOBODY) -> "Replayed":
        """Play from the start of the deal, and list what an observer has seen decided; NOBODY has seen everything."""
        replay = self.game.scratch.replay
        actions = np.frombuffer(bytearray(self.actions), np.uint8)
        number, num_actions = list_decisions(self.deal_state, replay, actions, observer)
        return Replayed(
            replay.decisions[:number].copy(),
            replay.plays.copy(),
            copy_states(replay.states),
            self.actions[num_actions:],
        )


class Replayed(NamedTuple):
    """A history made again."""

    decisions: NDArray[Any]
    """(n,) `position_kernels.DECISION_DTYPE`."""
    plays: NDArray[np.int8]
    """(K, 55), all plays as in `tables/history.py`, but the oldest first."""
    states: NDArray[Any]
    """(1,) the state now."""
    under_way: bytes
    """The actions of the decision under way."""

    def recent_plays(self) -> NDArray[np.int8]:
        """Return the plays as `tables/history.py` has them, newest last."""
        return np.roll(self.plays, -int((self.plays[:, 0] > 0).sum()), axis=0)
