"""The player that the warm start imitates."""

from agents.ppo.ppo_config import PPOConfig
from shengji_env.errors import ConfigError, PlayerError
from shengji_env.players import Needs, Player, make_player


def teacher_of(config: PPOConfig) -> Player:
    """Make the player that is imitated.

    Raises:
        ConfigError: ``imitation.teacher`` names no player, or one that needs more than observations.
    """
    name = config.imitation.teacher
    try:
        teacher = make_player(name)
    except PlayerError as error:
        raise ConfigError(f"imitation.teacher = {name!r}: {error}") from error
    if teacher.needs != Needs.NOTHING:
        raise ConfigError(f"imitation.teacher = {name!r} needs whole positions; name a player that takes observations")
    return teacher
