"""Arguments of the environments of one seat, and what is read from them.

`SeatArguments` are those that all of them take; `read_seat_settings` has their defaults.
"""

from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
from numpy.typing import DTypeLike

from shengji_env.engine.rule_sets import DEFAULT_RULES, RulesLike, as_rules
from shengji_env.envs.rendering import plays_to_keep, read_render_mode
from shengji_env.envs.seat.other_seats import Opponents, as_opponents
from shengji_env.players import Player
from shengji_env.players.player import kept_for, needs_of
from shengji_env.support.arguments import MAX_HISTORY, check_choice, check_dtype, check_index, check_seat
from shengji_env.tables.settings import EPISODES, EpisodeArguments, Start, TableSettings, takes_settings

IllegalActions = Literal["replace", "raise"]
ILLEGAL_ACTIONS: tuple[IllegalActions, ...] = ("replace", "raise")


class SeatArguments(EpisodeArguments, total=False):
    """What all environments of one seat take, beside the opponents; `SeatEnv` says what each means."""

    start: Start | None
    seat: int | None
    rules: RulesLike
    illegal_actions: IllegalActions
    history: int
    dtype: DTypeLike
    render_mode: str | None


class SeatSettings(NamedTuple):
    """What is read from these arguments."""

    opponents: tuple[Player, ...]
    """The players of the next, partner and previous seats."""
    tables: TableSettings
    """The settings of tables that keep what the players need, and what is rendered."""
    seat: int | None
    """The agent's seat; None draws one for each episode."""
    replaces: bool
    """Whether illegal actions are replaced."""
    history: int
    """How many plays the agent observes."""
    dtype: np.dtype[Any]
    """The type of its observations."""
    render_mode: str | None
    """The render mode."""


@takes_settings(TableSettings)
def read_seat_settings(
    opponents: Opponents,
    *,
    start: Start | None = None,
    seat: int | None = 0,
    rules: RulesLike = DEFAULT_RULES,
    illegal_actions: IllegalActions = "replace",
    history: int = 0,
    dtype: DTypeLike = "int8",
    render_mode: str | None = None,
    **settings: Unpack[EpisodeArguments],
) -> SeatSettings:
    """Read the arguments of an environment of one seat; each is what `SeatEnv` says.

    Raises:
        PlayerError: there are not one or three players.
        ShengjiError: a value is invalid, or values do not fit together.
    """
    players, given = as_opponents(opponents), as_rules(rules)
    if start is None:
        is_match = check_choice("episode", settings.get("episode", "round"), EPISODES) == "match"
        start = "first" if is_match else "any"
    observed = check_index("history", history, 0, MAX_HISTORY)
    mode = read_render_mode(render_mode)
    kept = kept_for(needs_of(players), given)
    kept["history"] = plays_to_keep(mode, max(observed, kept["history"]))
    return SeatSettings(
        opponents=players,
        tables=TableSettings(rules=given, start=start, **kept, **settings),
        seat=None if seat is None else check_seat("seat", seat, ", or None for any"),
        replaces=check_choice("illegal_actions", illegal_actions, ILLEGAL_ACTIONS) == "replace",
        history=observed,
        dtype=check_dtype(dtype),
        render_mode=mode,
    )
