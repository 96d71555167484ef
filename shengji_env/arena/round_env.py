"""The single-agent environment with players named by text: the entry point of ``shengji/Round-v0``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.envs.one_table import OneTable
from shengji_env.players.registry import make_player
from shengji_env.players.veil import ask_player, is_person, num_plays, sees_tables
from shengji_env.round_env import Opponent, RoundEnv


def make_round_env(opponents: str | Opponent | Sequence[str | Opponent] = "greedy", **kwargs: Any) -> RoundEnv:
    """A `RoundEnv`; opponents may be texts (`arena.make_player`): one for all other seats, or three.

    Raises:
        PlayerError: a text names no player.
    """
    is_one = isinstance(opponents, str) or not isinstance(opponents, Sequence)
    named: Sequence[Any] = [opponents] * 3 if is_one else opponents  # type: ignore[assignment]  # `is_one`
    players = [make_player(player) if isinstance(player, str) else player for player in named]
    return SeenRoundEnv(players, **kwargs) if any(map(sees_tables, players)) else RoundEnv(players, **kwargs)


class SeenRoundEnv(RoundEnv):
    """A `RoundEnv` some of whose players are asked with veiled tables (`veil.py`)."""

    def __init__(self, opponents: Sequence[Opponent], **kwargs: Any) -> None:
        super().__init__([_Onlooker(player, self) if sees_tables(player) else player for player in opponents], **kwargs)
        old = self._table.tables.shared
        shared = {name: old[name][0] for name in old.dtype.names or () if name not in ("rules", "filling")}
        shared["record"] = int(any(map(is_person, opponents)))
        self._table = OneTable(self.rules, shared, history=num_plays(self.rules))

    def ask(self, player: Any, key: NDArray[np.uint64]) -> Any:
        """What a player answers that is shown the table as the seat to move may know it."""
        return ask_player(player, self._table.tables, np.zeros(1, np.int64), key)


class _Onlooker:
    """A player that is shown the table when it is asked."""

    def __init__(self, player: Any, env: SeenRoundEnv) -> None:
        self.player, self.env = player, env

    def __repr__(self) -> str:
        return repr(self.player)

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The player's action for the table that it is shown."""
        return np.asarray(self.env.ask(self.player, key))
