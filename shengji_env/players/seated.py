"""Players that answer inside the step of environments, from one decision of an agent to its next.

Each kind has a kernel of its own, `tables.seat_stepping.step_on` around the player, so that a user compiles only what
sits at the table. All other players are asked from Python, in batches (`envs.seat.seat_tables`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Seated:
    """How a player answers inside the step under some rules."""

    kind: str
    """The kind of player, under which its kernel is marked as compiled."""
    step: Callable[..., None]
    """``step(packed, rows, actions, sits_at, memory)``, a compiled `seat_stepping.step_on`."""
    memory: Any
    """Scratch memory of this object alone, with weights if it has any; from one decision to the next nothing else is
    kept in it."""
