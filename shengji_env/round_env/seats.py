"""N tables with an agent at each and players in the other seats, who are asked in batches.

Every table has a seed of its own, so that it plays what `RoundEnv` plays with that seed (`engine.deal`,
`numbers_for_seeds`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.deal import numbers_for_seeds
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, UNNAMED
from shengji_env.envs.arguments import NUM_SEEDS, read_actions
from shengji_env.envs.arrays import STAND_STILL
from shengji_env.envs.batch import illegal_action
from shengji_env.envs.settings import TableSettings, plain_settings
from shengji_env.envs.stepping import BEGIN, BEGIN_GIVEN, draw_keys, first_illegal, observe_seat
from shengji_env.envs.tables import Tables
from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.players import Decisions, Player

Rows = NDArray[np.int64]
"""Indices of tables."""
OnEnd = Callable[[Rows], object]
"""Called with the tables at which the episode has just ended; it may begin their next one."""
GoOn = Callable[[], tuple[Rows, NDArray[np.int64]]]
"""Returns the tables at which an agent goes on with a play of several cards, and the actions."""


class SeatTables:
    """N tables, each stepped from one decision of its agent to the next; none begins an episode by itself.

    Args:
        settings: what all tables have in common, without autoreset.
        size: N.
        opponents: the players of the next, partner and previous seats, seen from the agent's.
        seat: the agents' seat; None draws one for each episode.

    Attributes:
        tables: the tables; where an episode is over, nobody is to move.
        seat: (N,) int8, the agents' seats.
        reward: (N,) float64, what the agents were paid since the caller has set it to 0.
        is_match: whether episodes are matches.
        has_result: (N,) bool, where a round has ended since the caller has set it to False.
    """

    def __init__(self, settings: TableSettings, size: int, opponents: tuple[Player, ...], seat: int | None) -> None:
        self.tables = Tables(settings, np.zeros(size, np.int64))
        self.tables.seats.fill(NOBODY)
        self.seat = np.full(size, 0 if seat is None else seat, np.int8)
        self.reward = np.zeros(size)
        self.has_result = np.zeros(size, np.bool_)
        self._askings = [
            (player, np.array([other is player for other in opponents]))
            for place, player in enumerate(opponents)
            if all(player is not other for other in opponents[:place])
        ]
        self._draws_seat = seat is None
        self.is_match = settings.episode == "match"
        self._has_seed = np.zeros(size, np.bool_)
        self._generators: list[np.random.Generator | None] = [None] * size
        self._seeds: list[int | None] = [None] * size
        self._actions = np.full(size, STAND_STILL)
        self._rows = np.arange(size)
        self._other = self.tables.observations[:1].copy()

    def __len__(self) -> int:
        return len(self.seat)

    @property
    def is_over(self) -> NDArray[np.bool_]:
        """(N,), where no episode is under way."""
        return np.asarray(self.tables.seats == NOBODY)

    def generator(self, row: int) -> np.random.Generator:
        """Return the generator of a table's seed, which is also that of Gymnasium's environments with this seed."""
        made = self._generators[row]
        if made is None:
            made = self._generators[row] = seeding.np_random(self._seeds[row])[0]
        return made

    def begin(self, rows: Rows, seeds: Sequence[int | None], given: Mapping[str, Any]) -> None:
        """Begin an episode at some tables; the caller goes on with `play_on`.

        Args:
            rows: the tables.
            seeds: one for each: round 0 of it; None: the next round of the seed in use (at first a random one).
            given: state fields that replace what is drawn (`reset_options.py`).
        """
        tables = self.tables
        tables.states["round_index"][rows] += 1
        seeded = [place for place, seed in enumerate(seeds) if seed is not None or not self._has_seed[rows[place]]]
        if seeded:
            self._seed(rows[seeded], [seeds[place] for place in seeded])
        if self._draws_seat:
            for row in rows.tolist():
                self.seat[row] = self.generator(row).integers(NUM_SEATS)
        self._send(rows, BEGIN)
        if given:
            states = tables.states
            # Bidding may have ended already, and made somebody declarer.
            begins = np.where(states["had_declarer"], states["first_drawer"], NOBODY)
            states["declarer"][rows] = begins[rows]
            states["trump"][rows] = UNNAMED
            for name, value in given.items():
                states[name][rows] = value
            self._send(rows, BEGIN_GIVEN)
        self.reward[rows] = 0
        self.has_result[rows] = False

    def make(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        """Make actions at some tables, checked by the caller; the others stand still."""
        before = self.tables.states["round_index"].copy() if self.is_match else None
        self._send(rows, actions)
        self.reward += self.tables.rewards[self._rows, self.seat]
        self.has_result |= self.tables.terminated
        if before is not None:
            self.has_result |= self.tables.states["round_index"] != before

    def play_on(self, on_end: OnEnd, go_on: GoOn | None = None) -> None:
        """Let the players act until at every table the agent is to decide or the episode is over.

        Call it after `make` or `begin`.

        Raises:
            PlayerError: a player has answered wrongly; no table has moved since the last correct answers.
        """
        tables = self.tables
        while True:
            if tables.terminated.any():
                on_end(np.flatnonzero(tables.terminated))
            rows = self._others_move()
            actions = self._ask(rows) if len(rows) else rows
            if go_on is not None:
                own_rows, own_actions = go_on()
                rows, actions = np.append(rows, own_rows), np.append(actions, own_actions)
            if not len(rows):
                return
            self.make(rows, actions)

    def observe(self, row: int) -> NDArray[np.int8]:
        """Return a copy of what a table's agent sees, also where it is not to move: (OBSERVATION_SIZE,) int8."""
        observe_seat(self.tables.states, self.tables.shared, row, int(self.seat[row]), self._other)
        return self._other.view(np.int8).reshape(-1).copy()

    def choose_random(self) -> NDArray[np.int64]:
        """Return a uniformly random legal action for each table, (N,): a function of (seed, round, ply)."""
        chosen = np.zeros(len(self), np.int64)
        self.tables.choose_random(chosen)
        return chosen

    def check_begun(self, rows: NDArray[np.bool_] | None = None) -> None:
        """Check that an episode has ever begun at all tables, or at those given by a Boolean each.

        Raises:
            ShengjiError: none has at one of them.
        """
        missing = np.flatnonzero(~self._has_seed if rows is None else rows & ~self._has_seed)
        if len(missing):
            raise ShengjiError(f"no round has begun (table {missing[0]}): call reset() first")

    def check_all_wait(self) -> None:
        """Check that every table waits for its agent, unless its episode is over.

        Raises:
            ShengjiError: an error of a player has stopped a table.
        """
        stuck = self._others_move()
        if len(stuck):
            raise ShengjiError(f"an error of a player has stopped a round (table {stuck[0]}): call reset() first")

    def _others_move(self) -> Rows:
        """Return the tables at which a player is to move."""
        return np.flatnonzero((self.tables.seats != self.seat) & (self.tables.seats != NOBODY))

    def _seed(self, rows: Rows, seeds: list[int | None]) -> None:
        """Give some tables seeds, random ones for None; their next round is round 0."""
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            self._generators[row], self._seeds[row] = None, seed
            if seed is None:
                self._generators[row], self._seeds[row] = seeding.np_random()
        words = np.array([(self._seeds[row] or 0) % NUM_SEEDS for row in rows.tolist()], np.uint64)
        numbers = np.zeros_like(words)
        numbers_for_seeds(words, numbers)
        self.tables.progress["number"][rows] = numbers.view(np.int64)
        self.tables.states["round_index"][rows] = 0
        self._has_seed[rows] = True

    def _send(self, rows: Rows, actions: NDArray[np.int64] | int) -> None:
        self._actions.fill(STAND_STILL)
        self._actions[rows] = actions
        self.tables.step(self._actions)

    def _ask(self, rows: Rows) -> NDArray[np.int64]:
        """Return the players' actions at some tables, checked; each player is asked once."""
        if len(self._askings) == 1:
            return self._answers(self._askings[0][0], rows)
        chosen = np.zeros(len(rows), np.int64)
        places = (self.tables.seats[rows] - self.seat[rows]) % NUM_SEATS - 1
        for player, sits_at in self._askings:
            is_asked = sits_at[places]
            if is_asked.any():
                chosen[is_asked] = self._answers(player, rows[is_asked])
        return chosen

    def _answers(self, player: Player, rows: Rows) -> NDArray[np.int64]:
        """Return one player's actions at some tables, checked."""
        answer = player.decide(Decisions.at(self.tables, rows))
        try:
            chosen = read_actions(answer, len(rows))
        except ShengjiError as error:
            form = f"it must be {len(rows)} actions 0..{NUM_ACTIONS - 1}, shape ({len(rows)},)"
            raise PlayerError(f"{player!r} answered {show(answer)}; {form}") from error
        masks = self.tables.masks[rows]
        wrong = first_illegal(masks, np.where(chosen == STAND_STILL, NUM_ACTIONS, chosen))
        if wrong < len(rows):
            row, action = rows[wrong], int(chosen[wrong])
            why = illegal_action(self.tables.states[row], masks[wrong], action, f" (table {row})")
            raise PlayerError(f"{player!r} answered illegally: {why}")
        return chosen


def call_kernels() -> None:
    """Call all compiled functions once, so that they are compiled."""
    tables = SeatTables(plain_settings(), 1, (), 0)
    tables.begin(np.zeros(1, np.int64), [0], {})
    chosen = tables.choose_random()
    first_illegal(tables.tables.masks, chosen)
    tables.make(np.zeros(1, np.int64), chosen)
    tables.observe(0)
    inner = tables.tables
    draw_keys(inner.states, inner.progress, inner.shared, np.zeros(1, np.int64), np.zeros(1, np.uint64))
