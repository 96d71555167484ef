"""The players around the agent, read from an argument."""

from collections.abc import Sequence
from typing import TypeAlias

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.errors import PlayerError, show
from shengji_env.players import Player, PlayerLike, as_player

NUM_OPPONENTS = NUM_SEATS - 1

Opponents: TypeAlias = PlayerLike | Sequence[PlayerLike]
"""A player, its text or an object that acts, for all other seats; or a sequence of three of them."""


def as_opponents(opponents: Opponents) -> tuple[Player, ...]:
    """Return the players of the next, partner and previous seats.

    Raises:
        PlayerError: there are not one or three players.
    """
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return (as_player(opponents),) * NUM_OPPONENTS
    if len(opponents) != NUM_OPPONENTS:
        raise PlayerError(f"opponents={show(opponents)} must be one player or three: next, partner, previous")
    return tuple(map(as_player, opponents))
