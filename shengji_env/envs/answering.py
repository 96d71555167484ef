"""The players around agents: those that have a policy answer inside the step, the others are asked from Python.

From an agent's action to its next decision there is one call, and one more for each turn of a player that is asked, for
all tables together.

Source: `tables/policies.py`, `tables/seat_stepping.py`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import NOBODY
from shengji_env.players import Player
from shengji_env.players.asking import ask
from shengji_env.players.fast_player import announce_policy
from shengji_env.tables.own_arrays import Linked
from shengji_env.tables.policies import Policies
from shengji_env.tables.seat_stepping import ASK, Seating, step_rows

_NOWHERE = np.full(NUM_SEATS, NOBODY, np.int64)


class Answering(Linked):
    """The players around an agent.

    Args:
        players: those of the agent's, next, partner and previous seats, seen from the agent's; None for those who
            decide outside, as the agent does.
        rules: the rules.

    Raises:
        PlayerError: one of them cannot play under these rules.
    """

    _LINKS = ("_policies", "_inside")

    def __init__(self, players: Sequence[Player | None], rules: RuleSet) -> None:
        self._players = tuple(players)
        self._rules = rules
        self._link()

    def _link(self) -> None:
        """Make what holds nothing from one call to the next."""
        found = {id(player): player.policy(self._rules) for player in self._players if player is not None}
        inside = [each for each, policy in found.items() if policy is not None]
        made = [policy for policy in found.values() if policy is not None]
        for policy in made:
            announce_policy(policy)
        self._policies = Policies(made)
        self._inside = _NOWHERE.copy()
        for step, player in enumerate(self._players):
            if id(player) in inside:
                self._inside[step] = inside.index(id(player))

    def is_inside(self, step: int) -> bool:
        """Return whether the player of the next (1), partner (2) or previous seat (3) answers inside the step."""
        return bool(self._inside[step] != NOBODY)

    def step(
        self, seating: Seating, rows: NDArray[np.int64], actions: NDArray[np.int64], *, goes_on: bool = True
    ) -> None:
        """Make actions at some tables as `seat_stepping.step_rows` does, and those of players inside the step.

        Args:
            seating: the tables.
            rows, actions: as there.
            goes_on: whether players answer at all.
        """
        step_rows(seating.packed, rows, actions, self._inside if goes_on else _NOWHERE, self._policies.packed)

    def ask(self, seating: Seating, rows: NDArray[np.int64]) -> None:
        """Let players act at some tables where others than the agents are to move, each once for all its tables.

        Raises:
            PlayerError: a player has answered wrongly.
        """
        tables = seating.tables
        to_move = (tables.seats[rows] - seating.of_seats.seat[rows]) % NUM_SEATS
        inside = rows[self._inside[to_move] != NOBODY]
        if len(inside):
            self.step(seating, inside, np.full(len(inside), ASK))
        for player in {id(each): each for each in self._players}.values():
            seats = [step for step, each in enumerate(self._players) if each is player and not self.is_inside(step)]
            its_rows = rows[np.isin(to_move, seats)]
            if player is not None and len(its_rows):
                self.step(seating, its_rows, ask(player, tables, its_rows))
