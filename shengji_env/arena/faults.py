"""Faults: what a tournament does if a player raises, answers illegally or takes too long.

The deal is lost: it is reported with player, ply and the round so far, and no metric counts it. All other deals go on.
Players are asked for many decisions at once. If one call goes wrong, each of its decisions is asked for alone, so that
a deal is lost only if its own decision goes wrong.

The time limit is per decision: a call for k decisions may take k times as long. Where timers are available (not on
Windows, and only in the main thread), a call is interrupted in Python code when its time is up. Compiled code, and all
code where there are no timers, is found to be too slow when it returns. A player with processes of its own
(`Needs.PROCESSES`) is not interrupted: it waits for each of them no longer than the limit.
"""

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Literal, NamedTuple, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, printable
from shengji_env.players.player import Needs
from shengji_env.records.writing import round_so_far
from shengji_env.render.round_record import RoundSoFar

_LONGEST_TIMER = 1e6
"""Seconds to which every system's timer can be set; no decision takes that long."""

MOST_NOT_OWN = 0.05
"""Share of decisions that need not be a player's own: with more, what it wins says nothing of it. First legal actions
in place of so many cost `heuristic` 0.11 levels a round (2,000 deals), about as much as `scale.EDGE`."""

FaultField = Literal["player", "deal", "table", "round", "ply", "seat", "phase", "error"]
"""What is shown of a lost deal."""


class Fault(TypedDict):
    """A lost deal."""

    pair: NotRequired[list[str]]
    """Names of the pair, in a tournament's results."""
    player: str
    deal: int
    table: int
    round: int
    """Which round of its match."""
    ply: int
    seat: int
    phase: str
    error: str
    record: RoundSoFar


class Thinking(NamedTuple):
    """What a player has done; the seconds vary from run to run."""

    seconds: float = 0.0
    """Seconds that it thought."""
    decisions: int = 0
    """Its decisions, card by card."""
    not_own: int = 0
    """Those that were not its own (`Player.num_not_own`)."""

    def plus(self, other: "Thinking") -> "Thinking":
        """Return what it has done here and there."""
        return Thinking(
            self.seconds + other.seconds, self.decisions + other.decisions, self.not_own + other.not_own
        )  # fmt: skip

    @property
    def share_not_own(self) -> float:
        """Share of its decisions that were not its own."""
        return self.not_own / max(self.decisions, 1)

    @property
    def is_own(self) -> bool:
        """Whether so many of its decisions are its own that what it wins says how strong it is."""
        return self.share_not_own <= MOST_NOT_OWN

    def why_not(self, name: str) -> str:
        """Return why a player has no strength, for a message."""
        return (
            f"{name}: {self.not_own:,} of {self.decisions:,} decisions ({self.share_not_own:.1%}) were not its own,"
            f" more than {MOST_NOT_OWN:.0%}: what it has won says nothing of it"
        )


class FaultKeeper:
    """Asks the players of a batch (`deal_batch.Asker`), and keeps their faults and how long they thought.

    Args:
        time_limit: seconds for each decision; None: no limit. A person never has one.

    Attributes:
        faults: what went wrong, in order of time.
        thinking: by player's index, what it has done.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self.time_limit = time_limit
        self.faults: list[Fault] = []
        self.thinking: dict[int, Thinking] = {}

    def decide(self, batch: DealBatch, index: int, rows: NDArray[np.int64]) -> None:
        """Write a player's actions into the batch; drop the deals for which it has none."""
        began, before = time.perf_counter(), batch.num_not_own[index]
        try:
            batch.actions[rows] = self._ask(batch, index, rows)
        except PlayerError:
            for row in rows:
                self._decide_alone(batch, index, int(row))
        done = Thinking(time.perf_counter() - began, len(rows), batch.num_not_own[index] - before)
        self.thinking[index] = self.thinking.get(index, Thinking()).plus(done)

    def _decide_alone(self, batch: DealBatch, index: int, row: int) -> None:
        if not batch.live[row]:
            return
        try:
            batch.actions[row] = self._ask(batch, index, np.array([row]))[0]
        except PlayerError as error:
            self.faults.append(_fault(batch, index, row, str(error)))
            batch.drop(int(batch.deals[row]))

    def _ask(self, batch: DealBatch, index: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        needs = batch.players[index].needs
        if Needs.PROCESSES in needs:
            return batch.ask(index, rows, time_limit=self.time_limit)
        if self.time_limit is None or Needs.PERSON in needs:
            return batch.ask(index, rows)
        allowed = self.time_limit * len(rows)
        began = time.perf_counter()
        try:
            with _broken_off_after(allowed):
                actions = batch.ask(index, rows)
        except TimeoutError as error:  # its time was up after its answer, before the timer was stopped
            raise PlayerError(f"player {batch.player_names[index]!r}: {error}") from error
        if time.perf_counter() - began > allowed:
            raise PlayerError(f"player {batch.player_names[index]!r}: {_too_slow(allowed)}")
        return actions


def _too_slow(allowed: float) -> str:
    return f"it took longer than {allowed:g} s"


@contextlib.contextmanager
def _broken_off_after(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block when its time is up, where timers are available."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def time_is_up(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(_too_slow(seconds))

    before = signal.signal(signal.SIGALRM, time_is_up)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, _LONGEST_TIMER))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _fault(batch: DealBatch, index: int, row: int, error: str) -> Fault:
    env = batch.env
    return {
        "player": batch.player_names[index],
        "deal": int(batch.deals[row]),
        "table": row // batch.num_deals,
        "round": int(env.states["round_index"][row]),
        "ply": int(env.ply[row]),
        "seat": int(env.seat[row]),
        "phase": Phase(int(env.phase[row])).name,
        "error": printable(" ".join(error.split())),
        "record": _record_so_far(batch, row),
    }


def _record_so_far(batch: DealBatch, row: int) -> RoundSoFar:
    record = round_so_far(batch.env.tables, row).so_far()
    record.pop("match_round", None)  # the fault says it
    return {"table": int(batch.deals[row]), "players": list(batch.names(row)), **record}
