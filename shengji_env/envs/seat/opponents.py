"""The players around the agent: read from an argument, and what tables must keep for them."""

from collections.abc import Sequence
from typing import Any, Literal

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.envs.rendering import plays_to_keep
from shengji_env.errors import PlayerError, show
from shengji_env.players import Player, as_player
from shengji_env.players.player import kept_for, needs_of
from shengji_env.support.arguments import MAX_HISTORY, check_choice, check_index
from shengji_env.tables.rewards import RewardScheme, Shaping
from shengji_env.tables.settings import EPISODES, Episode, Start, TableSettings

IllegalActions = Literal["replace", "raise"]
ILLEGAL_ACTIONS: tuple[IllegalActions, ...] = ("replace", "raise")

NUM_OPPONENTS = NUM_SEATS - 1

Opponents = Any
"""A player, its text or an object with a method `act`, for all other seats; or a sequence of three of them."""


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


def settings_among(
    opponents: tuple[Player, ...],
    rules: RuleSet,
    *,
    episode: Episode,
    start: Start | None,
    reward: RewardScheme,
    shaping: Shaping,
    skip_forced: bool,
    history: int,
    render_mode: str | None,
) -> TableSettings:
    """Return the settings of tables at which an agent sits among these players.

    Args:
        opponents: the players; tables keep what they need.
        rules: the rules.
        start: None: ``"any"`` for rounds, ``"first"`` for matches.
        history: plays that the agent observes.
        render_mode: tables keep what it shows.
        episode, reward, shaping, skip_forced: as `TableSettings` says.

    Raises:
        ShengjiError: a value is invalid, or values do not fit together.
    """
    kept = kept_for(needs_of(opponents), rules)
    observed = check_index("history", history, 0, MAX_HISTORY)
    if start is None:
        start = "first" if check_choice("episode", episode, EPISODES) == "match" else "any"
    return TableSettings(
        rules=rules, episode=episode, start=start,
        reward=reward, shaping=shaping, skip_forced=skip_forced,
        history=plays_to_keep(render_mode, max(observed, kept["history"])), record=kept["record"],
    )  # fmt: skip
