"""The error for an action that the mask forbids: who tried what in which phase, and what is legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS, action_text
from shengji_env.engine.bids import reading_of
from shengji_env.engine.state import Phase
from shengji_env.errors import IllegalActionError, show
from shengji_env.support.arguments import as_index


def illegal_action(state: Any, mask: NDArray[np.int8], action: Any, where: str = "") -> IllegalActionError:
    """Return the error for an action that a mask forbids: who tried what in which phase, and what is legal."""
    trump, level = reading_of(state, int(state["seat"]))

    def text(legal: int) -> str:
        return action_text(legal, trump=trump, level=level, is_bid=int(state["phase"]) == Phase.BID)

    chosen = as_index(action)
    is_action = chosen is not None and 0 <= chosen < NUM_ACTIONS
    tried = f"{chosen} ({text(chosen)})" if chosen is not None and is_action else show(action)
    reason = "the mask forbids it here" if is_action else f"actions are the integers 0..{NUM_ACTIONS - 1}"
    legal = [f"{legal} ({text(legal)})" for legal in np.flatnonzero(mask).tolist()]
    return IllegalActionError(Phase(int(state["phase"])).name, int(state["seat"]), tried, reason + where, legal)
