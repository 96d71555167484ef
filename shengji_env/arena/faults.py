"""Faults: what a tournament does with a player that raises, answers illegally or takes too long.

Such a player costs the deal, which is reported with player, ply and the round so far and counts in no figure; all
other deals go on. Players are asked for many decisions at once. If one call goes wrong, each of its decisions is asked
for alone, so that only deals are lost whose own decision goes wrong.

The time limit is one for each decision: a call for k of them may take k times as long. Where the system has timers
(not on Windows, nor outside the main thread), a call is broken off in Python code when its time is up; compiled code,
and anything elsewhere, is found too slow when it returns.
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

from shengji_env.arena.matchup import Window
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS, RANKS
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError
from shengji_env.players.veil import is_person
from shengji_env.records.writing import round_so_far

_LONGEST_TIMER = 1e6
"""Seconds that any system's timer can be set to; no decision takes that long."""

Fault = dict[str, Any]
"""A deal that was lost: ``player``, ``deal``, ``table``, ``round`` of its match, ``ply``, ``seat``, ``phase``, the
``error`` and ``record``, the round so far in the form of a record's line."""


class FaultKeeper:
    """Asks players for a window (`matchup.Referee`), keeps their faults, and how long they thought.

    Args:
        time_limit: seconds for each decision; None: any time, as for a person.

    Attributes:
        faults: what went wrong, in the order in which it did.
        thinking: by player's place, the seconds it thought and the number of its decisions.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self.time_limit = time_limit
        self.faults: list[Fault] = []
        self.thinking: dict[int, tuple[float, int]] = {}

    def decide(self, window: Window, place: int, rows: NDArray[np.int64]) -> None:
        """Put the actions of a window's player into the window; drop the deals in which it has none."""
        began = time.perf_counter()
        try:
            window.actions[rows] = self._ask(window, place, rows)
        except PlayerError:
            for row in rows:
                self._decide_alone(window, place, int(row))
        seconds, decisions = self.thinking.get(place, (0.0, 0))
        self.thinking[place] = (seconds + time.perf_counter() - began, decisions + len(rows))

    def _decide_alone(self, window: Window, place: int, row: int) -> None:
        if not window.live[row]:
            return
        try:
            window.actions[row] = self._ask(window, place, np.array([row]))[0]
        except PlayerError as error:
            self.faults.append(_fault(window, place, row, str(error)))
            window.drop(int(window.deals[row]))

    def _ask(self, window: Window, place: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.time_limit is None or is_person(window.players[place]):
            return window.ask(place, rows)
        allowed = self.time_limit * len(rows)
        began = time.perf_counter()
        try:
            with _broken_off_after(allowed):
                actions = window.ask(place, rows)
        except TimeoutError as error:  # its time was up between its answer and the end of the clock
            raise PlayerError(f"player {window.player_names[place]!r}: {error}") from error
        if time.perf_counter() - began > allowed:
            raise PlayerError(f"player {window.player_names[place]!r}: {_too_slow(allowed)}")
        return actions


def _too_slow(allowed: float) -> str:
    return f"it took longer than {allowed:g} s"


@contextlib.contextmanager
def _broken_off_after(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block when its time is up, where the system can."""
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


def _fault(window: Window, place: int, row: int, error: str) -> Fault:
    env = window.env
    return {
        "player": window.player_names[place],
        "deal": int(window.deals[row]),
        "table": row // window.num_deals,
        "round": int(env.states["round_index"][row]),
        "ply": int(env.ply[row]),
        "seat": int(env.seat[row]),
        "phase": Phase(int(env.phase[row])).name,
        "error": " ".join(error.split()),
        "record": _round_so_far(window, row),
    }


def _round_so_far(window: Window, row: int) -> dict[str, Any]:
    """A record's line as far as it goes: the deal and the decisions made; cards of an unfinished one are left out."""
    env = window.env
    state = env.states[row]
    return {
        "table": int(window.deals[row]),
        "players": list(window.names(row)),
        "round": int(state["round_index"]),
        "levels": [RANKS[level] for level in state["levels"]],
        "declarer": int(state["declarer"]) if state["had_declarer"] else None,
        "first_drawer": int(state["first_drawer"]),
        "redeals": int(state["redeals"]),
        "deal": " ".join(CARD_TEXTS[card] for card in state["deal"][: env.rules.decks * NUM_CARDS]),
        "decisions": round_so_far(env.tables, row).decisions,
    }
