"""Players in some seats of the batch environment: tables go on to the next decision of another seat.

Source: docs/environments/batch.md.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.envs.answering import Answering
from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.players import Player, as_player
from shengji_env.players.player import Needs, needs_of
from shengji_env.support.arguments import check_index
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.seat_stepping import OTHERS, Seating
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


class AnsweredSeats:
    """Steps N tables, with autoreset, on to the next decision of a seat that no player sits in.

    Args:
        players: by seat.
        tables: the tables.
    """

    def __init__(self, players: Mapping[int, Player], tables: Tables) -> None:
        self._is_answered = np.array([seat in players for seat in range(NUM_SEATS)])
        free_seat = int(self._is_answered.argmin())
        around = [(free_seat + step) % NUM_SEATS for step in range(NUM_SEATS)]
        self._others = Answering([players.get(seat) for seat in around], tables.rules)
        self._is_stopped = False
        self._seating = Seating(tables)
        self._seating.of_seats.seat.fill(free_seat)

    def check(self) -> None:
        """Check that all tables wait for seats that no player sits in.

        Raises:
            ShengjiError: an error of a player has stopped them.
        """
        if self._is_stopped:
            raise ShengjiError("an error of a player has stopped the rounds: call reset() or load() first")

    def step(self, actions: NDArray[np.int64]) -> None:
        """Make one action, checked by the caller, at every table but those that stand still, and those of players.

        Rewards are sums over all these actions, and an episode has ended if one of them ended it.

        Raises:
            PlayerError: a player has answered wrongly; the tables must begin anew.
        """
        tables, of_seats = self._seating.tables, self._seating.of_seats
        rows = np.flatnonzero(actions != STAND_STILL)
        tables.rewards.fill(0)
        tables.terminated.fill(False)
        of_seats.reward.fill(0)
        of_seats.counts.fill(0)
        has_ended = np.zeros(len(tables.terminated), np.bool_)
        self._is_stopped = True
        self._others.step(self._seating, rows, actions[rows])
        while len(rows):
            has_ended |= tables.terminated
            rows = self._take()
            self._others.ask(self._seating, rows)
        self._is_stopped = False
        tables.terminated[:] = has_ended
        tables.rewards[:] = of_seats.reward

    def play_on(self) -> None:
        """Let players act where they are to move; what they are paid and whether episodes end is not shown.

        Raises:
            PlayerError: a player has answered wrongly; the tables must begin anew.
        """
        tables = self._seating.tables
        shown = tables.rewards.copy(), tables.terminated.copy()
        self._seating.of_seats.counts.fill(0)
        rows = np.flatnonzero(self._is_answered[tables.seats])
        self._is_stopped = True
        while len(rows):
            self._others.ask(self._seating, rows)
            rows = self._take()
        self._is_stopped = False
        tables.rewards[:], tables.terminated[:] = shown

    def _take(self) -> NDArray[np.int64]:
        """Return the tables at which a player is to move, and empty the list."""
        of_seats, seats = self._seating.of_seats, self._seating.tables.seats
        rows = of_seats.rows[OTHERS, : of_seats.counts[OTHERS]].copy()
        of_seats.counts.fill(0)
        waiting: NDArray[np.int64] = rows[self._is_answered[seats[rows]]]
        return waiting
