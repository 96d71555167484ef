"""The protocol of players: one method that takes one value.

| what a player needs | what it is |
|---|---|
| observations | any object with `name` and ``act(observation, action_mask, key)`` (`Adapter`) |
| whole positions, or a person | a `Player`, whose `needs` say what it reads from `Decisions` |
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from enum import Flag, auto
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError, show
from shengji_env.players.decisions import AtTables, Decisions, num_plays
from shengji_env.players.seated import Seated
from shengji_env.render.round_record import Round


class Needs(Flag):
    """What a player needs besides observations: what tables must keep for it, and how it is asked."""

    NOTHING = 0
    POSITIONS = auto()
    """`Decisions.plays`: tables keep all plays of the round."""
    RECORDS = auto()
    """`Decisions.public_records`: tables keep logs."""
    PERSON = auto()
    """A person at this process's terminal: asked in this process, one table after another, without a time limit."""
    PROCESSES = auto()
    """A process of its own for each seat at each table: few tables are played at once, the player itself keeps to
    `Decisions.time_limit`, and it learns of rounds that have ended (`Player.end_rounds`)."""


class Player(ABC):
    """What sits at a table: it makes a batch of decisions at once.

    A player that uses randomness must derive it from `Decisions.key` alone. Then its games depend neither on the batch
    nor on the order of calls, and it plays identical games against itself.
    """

    name: str
    """Its name in reports."""
    needs: Needs = Needs.NOTHING
    """What it reads in addition to observations."""

    def seated(self, rules: RuleSet) -> Seated | None:
        """Return how it answers inside the step of environments under some rules; None: it is asked, in batches.

        Raises:
            PlayerError: it cannot play under these rules.
        """
        return None

    @abstractmethod
    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose one legal action for each decision, shape (B,)."""

    def show_result(self, state: NDArray[Any], record: Round, rules: RuleSet) -> None:
        """Show a person (`Needs.PERSON`) the end of a round that they have played: its last state and its record."""
        return

    def end_rounds(self, ended: AtTables) -> None:
        """React to rounds that have ended at some tables (`Needs.PROCESSES`)."""
        return


class ObservationPlayer(Player):
    """A player that needs only observations."""

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose one legal action for each decision, shape (B,)."""
        return self.act(decisions.observation, decisions.action_mask, decisions.key)

    @abstractmethod
    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Choose one legal action for each decision.

        Args:
            observation: (B, OBSERVATION_SIZE), what the seats to move see.
            action_mask: (B, 83), their legal actions, at least one each.
            key: (B,), a random word for each decision: a function of (seed, deal, round, step) only.

        Returns:
            Actions, shape (B,).
        """


class Adapter(ObservationPlayer):
    """A player made of any object with a method ``act(observation, action_mask, key)``.

    Raises:
        PlayerError: the object has no such method.
    """

    def __init__(self, player: Any) -> None:
        if not callable(getattr(player, "act", None)):
            raise PlayerError(f"{show(player)} is not a player: it has no method `act`")
        self.player = player
        self.name = str(getattr(player, "name", type(player).__name__))

    def __repr__(self) -> str:
        return repr(self.player)

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return the object's answer."""
        answer: NDArray[np.int64] = self.player.act(observation, action_mask, key)
        return answer


def needs_of(players: Iterable[Player]) -> Needs:
    """Combine the needs of some players."""
    return reduce(or_, (player.needs for player in players), Needs.NOTHING)


def kept_for(needs: Needs, rules: RuleSet) -> dict[str, Any]:
    """Return the arguments `history` and `record` of an environment whose players have these needs."""
    return {"history": num_plays(rules) if Needs.POSITIONS in needs else 0, "record": Needs.RECORDS in needs}
