"""Faults: what a tournament does if a player raises, answers illegally or takes too long.

The deal is lost: it is reported with player, ply and the round so far, and no figure counts it. All other deals go on.
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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS, RANKS
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, printable
from shengji_env.players.player import Needs
from shengji_env.records.writing import round_so_far

_LONGEST_TIMER = 1e6
"""Seconds to which every system's timer can be set; no decision takes that long."""

Fault = dict[str, Any]
"""A lost deal: ``player``, ``deal``, ``table``, ``round`` of its match, ``ply``, ``seat``, ``phase``, ``error``, and
``record``, the round so far in the form of a record's line."""


class FaultKeeper:
    """Asks the players of a batch (`deal_batch.Asker`), and keeps their faults and how long they thought.

    Args:
        time_limit: seconds for each decision; None: no limit. A person never has one.

    Attributes:
        faults: what went wrong, in order of time.
        thinking: by player's index, the seconds that it thought and the number of its decisions.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self.time_limit = time_limit
        self.faults: list[Fault] = []
        self.thinking: dict[int, tuple[float, int]] = {}

    def decide(self, batch: DealBatch, place: int, rows: NDArray[np.int64]) -> None:
        """Write a player's actions into the batch; drop the deals for which it has none."""
        began = time.perf_counter()
        try:
            batch.actions[rows] = self._ask(batch, place, rows)
        except PlayerError:
            for row in rows:
                self._decide_alone(batch, place, int(row))
        seconds, decisions = self.thinking.get(place, (0.0, 0))
        self.thinking[place] = (seconds + time.perf_counter() - began, decisions + len(rows))

    def _decide_alone(self, batch: DealBatch, place: int, row: int) -> None:
        if not batch.live[row]:
            return
        try:
            batch.actions[row] = self._ask(batch, place, np.array([row]))[0]
        except PlayerError as error:
            self.faults.append(_fault(batch, place, row, str(error)))
            batch.drop(int(batch.deals[row]))

    def _ask(self, batch: DealBatch, place: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        needs = batch.players[place].needs
        if Needs.PROCESSES in needs:
            return batch.ask(place, rows, time_limit=self.time_limit)
        if self.time_limit is None or Needs.PERSON in needs:
            return batch.ask(place, rows)
        allowed = self.time_limit * len(rows)
        began = time.perf_counter()
        try:
            with _broken_off_after(allowed):
                actions = batch.ask(place, rows)
        except TimeoutError as error:  # its time was up after its answer, before the timer was stopped
            raise PlayerError(f"player {batch.player_names[place]!r}: {error}") from error
        if time.perf_counter() - began > allowed:
            raise PlayerError(f"player {batch.player_names[place]!r}: {_too_slow(allowed)}")
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


def _fault(batch: DealBatch, place: int, row: int, error: str) -> Fault:
    env = batch.env
    return {
        "player": batch.player_names[place],
        "deal": int(batch.deals[row]),
        "table": row // batch.num_deals,
        "round": int(env.states["round_index"][row]),
        "ply": int(env.ply[row]),
        "seat": int(env.seat[row]),
        "phase": Phase(int(env.phase[row])).name,
        "error": printable(" ".join(error.split())),
        "record": _round_so_far(batch, row),
    }


def _round_so_far(batch: DealBatch, row: int) -> dict[str, Any]:
    """Return a record's line so far: the deal and the complete decisions."""
    env = batch.env
    state = env.states[row]
    return {
        "table": int(batch.deals[row]),
        "players": list(batch.names(row)),
        "round": int(state["round_index"]),
        "levels": [RANKS[level] for level in state["levels"]],
        "declarer": int(state["declarer"]) if state["had_declarer"] else None,
        "first_drawer": int(state["first_drawer"]),
        "redeals": int(state["redeals"]),
        "deal": " ".join(CARD_TEXTS[card] for card in state["deal"][: env.rules.decks * NUM_CARDS]),
        "decisions": round_so_far(env.tables, row).decisions,
    }
