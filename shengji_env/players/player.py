"""The protocol of players: one method that takes one value.

| what a player needs | what it is |
|---|---|
| observations | any object with `name` and ``act(observation, action_mask, key)`` (`Acting`) |
| the last plays too | the same with ``history = K`` and ``act(observation, action_mask, key, history)`` |
| whole positions, or a person | a `Player`, whose `needs` say what it reads from `Decisions` |
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from enum import Flag, auto
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError, show
from shengji_env.players.callables import check_takes
from shengji_env.players.decisions import AtTables, Decisions, num_plays
from shengji_env.players.identity import identity_of_code
from shengji_env.render.round_record import Round
from shengji_env.support.arguments import MAX_HISTORY, check_index
from shengji_env.tables.policies import Policy


class Needs(Flag):
    """What a player needs besides observations: what tables must keep for it, and how it is asked."""

    NOTHING = 0
    POSITIONS = auto()
    """`Decisions.plays`: tables keep all plays of the round."""
    RECORDS = auto()
    """`Decisions.public_records`: tables keep logs."""
    HISTORY = auto()
    """`Decisions.history`: likewise, but many tables are asked at once."""
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
    made_of: tuple[Path, ...] = ()
    """Files of the code that has made it, files and folders that its arguments name: set where a text names it."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Take away a base's policy from a class that decides in a way of its own."""
        super().__init_subclass__(**arguments)
        for base in cls.__mro__:
            if "policy" in vars(base):
                return
            if "decide" in vars(base) or "act" in vars(base):
                cls.policy = Player.policy  # type: ignore[method-assign]  # for this class alone
                return

    def policy(self, rules: RuleSet) -> Policy | None:
        """Return its rule of decision for compiled code under some rules, with memory of its own.

        With one it answers inside the step of environments, and can play playouts, and rounds of rollouts; it must
        decide as `decide` does. None: it is asked, in batches.

        Raises:
            PlayerError: it cannot play under these rules.
        """
        return None

    def check(self, rules: RuleSet) -> None:
        """Check that it can play under some rules.

        Raises:
            PlayerError: it cannot.
        """
        return

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return who it is under some rules, for all that is kept of what it plays: texts that change if it does.

        Here, a digest of the files of its code and of those that its arguments name, "unknown" if there are none, and
        nothing for a player of the package. A player that knows better, such as what weights it plays with, says so.

        Raises:
            PlayerError: it cannot play under these rules.
        """
        return identity_of_code(type(self), self.made_of)

    @property
    def num_not_own(self) -> int:
        """How many actions it has chosen that were no decision of its own, but stood in for one that failed."""
        return 0

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


class Acting(Protocol):
    """What can sit at a table without being a `Player`; its `name`, if it has one, is its name in reports."""

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64], /
    ) -> ArrayLike:
        """Choose one legal action for each decision, as `ObservationPlayer.act` does."""


class ActingOnHistory(Protocol):
    """An `Acting` that also sees the round's last plays."""

    @property
    def history(self) -> int:
        """How many plays, K."""

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.int8],
        key: NDArray[np.uint64],
        history: NDArray[np.int8],
        /,
    ) -> ArrayLike:
        """Likewise; `history` is (B, K, 55), what ``history=K`` of an environment shows (`Decisions.history`)."""


PlayerLike: TypeAlias = Player | Acting | ActingOnHistory | str
"""What can be made a player (`registry.as_player`); a text names one."""
OBSERVED = ("observation", "action_mask", "key")


class Adapter(Player):
    """A player made of any object that acts.

    Raises:
        PlayerError: the object has no method `act`, or one that takes other arguments; or its `history` is no number.
    """

    def __init__(self, player: Acting | ActingOnHistory) -> None:
        if not callable(getattr(player, "act", None)):
            raise PlayerError(f"{show(player)} is not a player: it has no method `act`")
        self.player: Any = player
        self.name = str(getattr(player, "name", type(player).__name__))
        length = getattr(player, "history", 0)
        self._history = check_index(f"history of {self.name}", length, 0, MAX_HISTORY, error=PlayerError)
        self.needs = Needs.HISTORY if self._history else Needs.NOTHING
        check_takes(self.player, "act", (*OBSERVED, "history") if self._history else OBSERVED)
        if callable(getattr(player, "identity", None)):
            check_takes(self.player, "identity", ("rules",))

    def __repr__(self) -> str:
        return repr(self.player)

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return what the object says, if it has a method of this name; otherwise of which files it is made."""
        if callable(getattr(self.player, "identity", None)):
            said: tuple[str, ...] = self.player.identity(rules)
            return said
        return identity_of_code(type(self.player), self.made_of)

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Return the object's answer."""
        history = (decisions.history(self._history),) if self._history else ()
        answer: NDArray[np.int64] = self.player.act(
            decisions.observation, decisions.action_mask, decisions.key, *history
        )
        return answer


def needs_of(players: Iterable[Player]) -> Needs:
    """Combine the needs of some players."""
    return reduce(or_, (player.needs for player in players), Needs.NOTHING)


def check_learned(players: Iterable[Player], rules: RuleSet) -> None:
    """Refuse players that cannot play under some rules, such as networks that have not learned them.

    Raises:
        PlayerError: there is one.
    """
    for player in players:
        player.check(rules)


def kept_for(needs: Needs, rules: RuleSet) -> dict[str, Any]:
    """Return the arguments `history` and `record` of an environment whose players have these needs."""
    keeps_plays = bool(needs & (Needs.POSITIONS | Needs.HISTORY))
    return {"history": num_plays(rules) if keeps_plays else 0, "record": Needs.RECORDS in needs}
