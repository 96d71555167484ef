"""The players around agents: some answer inside the step, the others are asked from Python.

| players | how many calls from an agent's action to its next decision |
|---|---|
| one that answers inside the step, in all three seats | one |
| several | one, and one more for each player at each of its turns, for all tables together |

Source: `players/seated.py`, `tables/seat_stepping.py`.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.players import Decisions, Player
from shengji_env.players.checking import check_answers
from shengji_env.support.announcing import announce_compiling
from shengji_env.tables.own_arrays import Linked
from shengji_env.tables.seat_stepping import ASK, BEGIN_NEXT, Seating, step_rows
from shengji_env.tables.settings import plain_settings
from shengji_env.tables.tables import Tables

_NOWHERE: NDArray[np.bool_] = np.zeros(NUM_SEATS, np.bool_)


class Answering(Linked):
    """The players around an agent.

    Args:
        players: those of the agent's, next, partner and previous seats, seen from the agent's; None for those who
            decide outside, as the agent does.
        rules: the rules.

    Attributes:
        players: each once.
        sits_at: for each, in which of these seats it sits: (4,) bool.

    Raises:
        PlayerError: one of them cannot play under these rules.
    """

    _LINKS = ("_seated",)

    def __init__(self, players: Sequence[Player | None], rules: RuleSet) -> None:
        self.players = list({id(player): player for player in players if player is not None}.values())
        self.sits_at = tuple(np.array([other is player for other in players]) for player in self.players)
        self._rules = rules
        self._link()
        self._main = next((index for index, seated in enumerate(self._seated) if seated is not None), None)
        self._compile()

    def _link(self) -> None:
        """Make what holds nothing from one call to the next."""
        self._seated = [player.seated(self._rules) for player in self.players]

    def index_at(self, step: int) -> int:
        """Return the index of the player of the next (1), partner (2) or previous seat (3)."""
        return next(index for index, sits_at in enumerate(self.sits_at) if sits_at[step])

    def is_inside(self, index: int) -> bool:
        """Return whether a player answers inside the step."""
        return self._seated[index] is not None

    def step(
        self,
        seating: Seating,
        rows: NDArray[np.int64],
        actions: NDArray[np.int64],
        *,
        index: int | None = None,
        goes_on: bool = True,
    ) -> None:
        """Make actions at some tables as `seat_stepping.step_rows` does, and those of one player after them.

        Args:
            seating: the tables.
            rows, actions: as there.
            index: the player, which answers inside the step; None: the first that does.
            goes_on: whether it answers at all.
        """
        used = self._main if index is None else index
        if used is None:
            step_rows(seating.packed, rows, actions)
            return
        seated = self._seated[used]
        assert seated is not None
        seated.step(seating.packed, rows, actions, self.sits_at[used] if goes_on else _NOWHERE, seated.memory)

    def ask(self, seating: Seating, rows: NDArray[np.int64]) -> None:
        """Let players act at some tables where others than the agents are to move, each once for all its tables.

        Raises:
            PlayerError: a player has answered wrongly.
        """
        tables = seating.tables
        to_move = (tables.seats[rows] - seating.of_seats.seat[rows]) % NUM_SEATS
        for index, player in enumerate(self.players):
            its_rows = rows[self.sits_at[index][to_move]]
            if len(its_rows) and self.is_inside(index):
                self.step(seating, its_rows, np.full(len(its_rows), ASK), index=index)
            elif len(its_rows):
                self.step(seating, its_rows, _answers(player, tables, its_rows))

    def _compile(self) -> None:
        """Compile the steps that are used here, with a note."""
        if self._main is None:
            announce_compiling("seats", self._step_once)
        for index, seated in enumerate(self._seated):
            if seated is not None:
                call = partial(self._step_once, index)
                announce_compiling(f"seats-{seated.kind}", call, layer="players", what=f"the tables of {seated.kind}")

    def _step_once(self, index: int | None = None) -> None:
        seating = Seating(Tables(plain_settings(), np.zeros(1, np.int64)))
        self.step(seating, np.zeros(1, np.int64), np.full(1, BEGIN_NEXT), index=index, goes_on=False)


def _answers(player: Player, tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a player's actions at some tables, checked."""
    answer = player.decide(Decisions.at(tables, rows))
    return check_answers(answer, tables, rows, lambda row: f"player {player.name!r} (table {row})")
