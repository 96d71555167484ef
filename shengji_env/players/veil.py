"""Veiled tables: a round as the seat to move may know it, for players that think in whole positions.

A player with a method ``act_at(tables)`` is given `VeiledTables` instead of observations alone. Its states are copies
in which all that the seat to move cannot know is wiped:

| wiped | where |
|---|---|
| the other seats' hands | everywhere |
| the order of cards not drawn by the seat (-1) | `deal` while bids are made; later all of it |
| the buried cards | unless the seat buried them |
| choices of a failed throw | but in FORCED, where they have been told |
| what lies in arrays beyond their length, and the last round's result | everywhere |

How many cards a seat holds follows from what it has drawn or played. The cards of the decision under way (`taken`) are
the seat's own, and so is its duty (`must_match`, `owed_*`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_options import RULES_DTYPE
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import MAX_PLAY, NOBODY, NUM_TEAMS, UNNAMED, Phase, Rules, State
from shengji_env.envs.tables import Tables
from shengji_env.records.transcript import Round
from shengji_env.records.writing import round_so_far

UNKNOWN = -1
"""A card of the deal that the seat to move has not seen."""


@dataclass(frozen=True)
class VeiledTables:
    """B decisions, each as the seat to move may know it."""

    states: NDArray[Any]
    """(B,), `engine.state.STATE_DTYPE`, veiled: copies."""
    plays: NDArray[np.int8]
    """(B, K, 55), all plays of the round, newest last, with absolute seats (`envs/history.py`)."""
    rules: NDArray[Any]
    """(1,), `engine.options.RULES_DTYPE`."""
    observation: NDArray[np.int8]
    """(B, OBSERVATION_SIZE), what the seats to move see."""
    action_mask: NDArray[np.int8]
    """(B, 82), their legal actions."""
    key: NDArray[np.uint64]
    """(B,), random words, as for `Player.act`."""
    rule_set: RuleSet
    """The rules as a value."""
    told: tuple[Round, ...] = ()
    """(B,), for a person only (`is_person`): what all have seen and heard of the round (`Transcript.told`)."""


def num_plays(rules: RuleSet) -> int:
    """Most plays in a round: what ``history`` must be for `VeiledTables.plays` to hold all of them."""
    return NUM_SEATS * rules.hand


def veil_tables(
    tables: Tables, rows: NDArray[np.int64], key: NDArray[np.uint64], *, is_told: bool = False
) -> VeiledTables:
    """Some tables, as their seats to move may know them; `key` are those tables' random words.

    Args:
        is_told: whether `VeiledTables.told` is wanted; the tables must keep logs.
    """
    states = tables.states[rows]
    rules = tables.shared["rules"].astype(RULES_DTYPE)
    veil_all(states, rules)
    observation = tables.views[rows].view(np.int8).reshape(len(rows), -1)
    told = tuple(round_so_far(tables, int(row)).told() for row in rows) if is_told else ()
    return VeiledTables(states, tables.plays[rows], rules, observation, tables.masks[rows], key, tables.rules, told)


def sees_tables(player: Any) -> bool:
    """Whether a player is to be asked with `VeiledTables`."""
    return callable(getattr(player, "act_at", None))


def is_person(player: Any) -> bool:
    """Whether a player is played by a person at this process's terminal (`Player`)."""
    return bool(getattr(player, "is_person", False))


def ask_player(player: Any, tables: Tables, rows: NDArray[np.int64], key: NDArray[np.uint64]) -> Any:
    """What a player answers at some tables; it is given copies."""
    if sees_tables(player):
        return player.act_at(veil_tables(tables, rows, key, is_told=is_person(player)))
    return player.act(tables.views[rows].view(np.int8).reshape(len(rows), -1), tables.masks[rows], key)


@jit
def veil_all(states: NDArray[Any], rules: NDArray[Any]) -> None:
    """Veil each state for its seat to move."""
    for row in range(states.size):
        veil(states[row], rules[0])


@jit
def veil(s: State, r: Rules) -> None:
    """Wipe what the seat to move cannot know."""
    is_open = s.phase == Phase.BID or s.phase == Phase.NAME
    for place in range(s.deal.size):
        drawer = (int(s.first_drawer) + place) % NUM_SEATS
        is_own = is_open and place < s.drawn and drawer == s.seat
        if not is_own:
            s.deal[place] = UNKNOWN if place < r.decks * NUM_CARDS else 0
    for seat in range(NUM_SEATS):
        if seat != s.seat:
            for slot in range(NUM_SLOTS):
                s.hands[seat, slot] = 0
    if s.trump == UNNAMED or s.declarer != s.seat:
        for slot in range(NUM_SLOTS):
            s.buried[slot] = 0
    s.deal_given = 0
    _wipe_leftovers(s)


@jit
def _wipe_leftovers(s: State) -> None:
    """Wipe what means nothing here, but might tell something of what it was left by."""
    if s.phase != Phase.FORCED:
        s.num_choices = 0
    for place in range(MAX_PLAY):
        if place >= s.num_components:
            s.components[place] = 0
        if place >= s.num_choices:
            s.choices[place] = 0
        if place >= s.num_owed:
            s.owed_width[place] = 0
            s.owed_length[place] = 0
    if s.taken_size == 0 and s.phase != Phase.FORCED:
        s.last_slot = 0
    result: Any = s.result
    result.attackers_points = 0
    result.kitty_points = 0
    result.kitty_multiplier = 0
    result.winner = 0
    result.levels = 0
    result.levels_nominal = 0
    result.declarer = NOBODY
    result.next_declarer = NOBODY
    result.match_over = 0
    result.match_winner = NOBODY
    result.round_index = 0
    for team in range(NUM_TEAMS):
        result.new_levels[team] = 0
