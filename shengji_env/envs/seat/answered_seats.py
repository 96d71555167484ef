"""Players in some seats of the batch environment: tables go on to the next decision of another seat.

Source: docs/environments/batch.md.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.envs.seat.answering import Answering
from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.players import Player, as_player
from shengji_env.players.player import Needs, needs_of
from shengji_env.support.arguments import check_index
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.own_arrays import Linked
from shengji_env.tables.seat_stepping import OTHERS, make_seat_arrays
from shengji_env.tables.tables import Tables


def read_opponents(opponents: Any, num_envs: int) -> dict[int, Player]:
    """Return the players by seat.

    Raises:
        PlayerError: it is not a mapping of seats to players, no seat is left, or a person is to play at many tables.
    """
    if not isinstance(opponents, Mapping):
        raise PlayerError(
            f'opponents={show(opponents)} must name players by seat, such as {{1: "greedy", 3: "greedy"}}'
        )
    players = {
        check_index("a seat of opponents", seat, 0, NUM_SEATS - 1, error=PlayerError): as_player(player)
        for seat, player in opponents.items()
    }
    if len(players) == NUM_SEATS:
        raise PlayerError("opponents has players for all four seats; leave out the seats that decide outside")
    if num_envs > 1 and Needs.PERSON in needs_of(players.values()):
        raise PlayerError(f"a person plays at one table, not at {num_envs} at once")
    return players


class AnsweredSeats(Linked):
    """Steps N tables, with autoreset, on to the next decision of a seat that no player sits in.

    Args:
        players: by seat.
        rules: the rules.
        size: N.
    """

    _LINKS = ("_of_seats",)

    def __init__(self, players: Mapping[int, Player], rules: RuleSet, size: int) -> None:
        self._size = size
        self._is_answered = np.array([seat in players for seat in range(NUM_SEATS)])
        self._free_seat = int(self._is_answered.argmin())
        around = [(self._free_seat + step) % NUM_SEATS for step in range(NUM_SEATS)]
        self._others = Answering([players.get(seat) for seat in around], rules)
        self._is_stopped = False
        self._link()

    def _link(self) -> None:
        self._of_seats = make_seat_arrays(self._size)
        self._of_seats.seat.fill(self._free_seat)

    def check(self) -> None:
        """Check that all tables wait for seats that no player sits in.

        Raises:
            ShengjiError: an error of a player has stopped them.
        """
        if self._is_stopped:
            raise ShengjiError("an error of a player has stopped the rounds: call reset() or load() first")

    def step(self, tables: Tables, actions: NDArray[np.int64]) -> None:
        """Make one action, checked by the caller, at every table but those that stand still, and those of players.

        Rewards are sums over all these actions, and an episode has ended if one of them ended it.

        Raises:
            PlayerError: a player has answered wrongly; the tables must begin anew.
        """
        rows = np.flatnonzero(actions != STAND_STILL)
        tables.rewards.fill(0)
        tables.terminated.fill(False)
        self._of_seats.reward.fill(0)
        self._of_seats.counts.fill(0)
        has_ended = np.zeros(len(tables.terminated), np.bool_)
        self._is_stopped = True
        self._others.step(tables, rows, actions[rows], self._of_seats)
        while len(rows):
            has_ended |= tables.terminated
            rows = self._take(tables)
            self._others.ask(tables, rows, self._of_seats)
        self._is_stopped = False
        tables.terminated[:] = has_ended
        tables.rewards[:] = self._of_seats.reward

    def play_on(self, tables: Tables) -> None:
        """Let players act where they are to move; what they are paid and whether episodes end is not shown.

        Raises:
            PlayerError: a player has answered wrongly; the tables must begin anew.
        """
        shown = tables.rewards.copy(), tables.terminated.copy()
        self._of_seats.counts.fill(0)
        rows = np.flatnonzero(self._is_answered[tables.seats])
        self._is_stopped = True
        while len(rows):
            self._others.ask(tables, rows, self._of_seats)
            rows = self._take(tables)
        self._is_stopped = False
        tables.rewards[:], tables.terminated[:] = shown

    def _take(self, tables: Tables) -> NDArray[np.int64]:
        """Return the tables at which a player is to move, and empty the list."""
        counts = self._of_seats.counts
        rows = self._of_seats.rows[OTHERS, : counts[OTHERS]].copy()
        counts.fill(0)
        waiting: NDArray[np.int64] = rows[self._is_answered[tables.seats[rows]]]
        return waiting
