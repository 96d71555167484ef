"""Players that answer inside the step of the environments of one seat, from the agent's action to its next decision.

Each has a kernel of its own, `tables.seat_stepping.step_on` around the player, so that a user compiles only what sits
at the table. All other players are asked from Python, in batches (`envs.seat.seat_tables`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Seated:
    """How a player answers inside the step."""

    step: Callable[..., None]
    """``step(arrays, rows, actions, of_seats, chosen, sits_at, memory)``, a compiled `seat_stepping.step_on`."""
    memory: np.dtype[np.void]
    """dtype of `memory`, scratch memory of shape (1,); nothing is kept in it from one decision to the next."""
