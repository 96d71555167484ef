"""The single-agent environment with players named by text: the entry point of ``shengji/Round-v0``."""

from collections.abc import Sequence
from typing import Any

from shengji_env.arena.player import make_player
from shengji_env.envs.single import Opponent, RoundEnv


def make_round_env(opponents: str | Opponent | Sequence[str | Opponent] = "greedy", **kwargs: Any) -> RoundEnv:
    """A `RoundEnv`; opponents may be texts (`arena.make_player`): one for all other seats, or three.

    Raises:
        PlayerError: a text names no player.
    """
    if isinstance(opponents, Sequence) and not isinstance(opponents, str):
        return RoundEnv([_as_player(player) for player in opponents], **kwargs)
    return RoundEnv(_as_player(opponents), **kwargs)


def _as_player(player: str | Opponent) -> Opponent:
    return make_player(player) if isinstance(player, str) else player
