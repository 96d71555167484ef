"""The heuristic player without its overbids, to measure what they are worth."""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import PASS
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import Phase
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.player import ObservationPlayer
from shengji_env.tables.observation import view


class NeverOverbids(ObservationPlayer):
    """`heuristic`, but it passes whenever it is asked for an overbid."""

    name = "never-overbids"

    def __init__(self) -> None:
        self._player = HeuristicPlayer()

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Choose actions, shape (B,)."""
        chosen = np.array(self._player.act(observation, action_mask, key))
        seen = view(np.ascontiguousarray(observation))
        is_overbid = (seen["phase"][:, Phase.BID] == 1) & (seen["trump"][:, NO_TRUMP + 1] == 0)
        return np.where(is_overbid, PASS, chosen)
