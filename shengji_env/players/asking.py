"""Asking players: what they answer is checked, the same for all who ask: one legal action for each decision.

| what is wrong | what is said |
|---|---|
| the form | what was answered, how many actions are expected, and why the answer is not that |
| an action | the first that is not legal, and what is legal there |
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.players.answers import Answer
from shengji_env.players.decisions import Decisions
from shengji_env.players.player import Player, kept_for
from shengji_env.players.whole_plays import choose_whole
from shengji_env.support.arguments import read_actions
from shengji_env.tables.illegal import illegal_action
from shengji_env.tables.queries import first_illegal_row
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables, compile_tables


def decide_whole(player: Player, tables: Tables) -> Answer:
    """Return what a player answers to the next decision of the one table: an action, or cards by slot.

    It is asked only where it has a choice, as in the arena. The table goes on to the decision after.

    Raises:
        PlayerError: it is no decision of the player's own (`Player.num_not_own`).
    """
    before = player.num_not_own

    def choose() -> int:
        legal = np.flatnonzero(tables.masks[0])
        return int(legal[0] if len(legal) == 1 else player.decide(Decisions.at(tables))[0])

    answer = choose_whole(tables, choose)
    if player.num_not_own > before:
        raise PlayerError(f"player {player.name!r} has not decided itself: what it plays stands in for its decision")
    return answer


def ask(player: Player, tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what a player answers at some tables, given by their indices (B,).

    Raises:
        PlayerError: an answer is not a legal action.
    """
    answer = player.decide(Decisions.at(tables, rows))
    return check_answers(answer, tables, rows, lambda row: f"player {player.name!r} (table {row})")


def decide_once(player: Player) -> None:
    """Let a player decide once where others have played and there is a choice: what a decision calls is compiled."""
    compile_tables()
    rules, chosen = rule_set(), np.zeros(1, np.int64)
    tables = Tables(TableSettings(rules=rules, **kept_for(player.needs, rules)), np.zeros(1, np.int64))
    tables.begin()
    while tables.phases[0] != Phase.FOLLOW or tables.masks.sum() < 2:
        tables.choose_random(chosen)
        tables.step(chosen)
    player.decide(Decisions.at(tables))


def check_answers(answer: Any, tables: Tables, rows: NDArray[np.int64], who: Callable[[int], str]) -> NDArray[np.int64]:
    """Return a player's actions at some tables, (B,), if each is legal there.

    Legal is what the tables' own masks allow; a player may have written to those that it was shown.

    Args:
        answer: what the player has answered.
        tables: where it was asked.
        rows: (B,) at which tables, by their indices.
        who: says who was asked at a table, given by its index, and where that is.

    Raises:
        PlayerError: it is something else.
    """
    try:
        chosen = read_actions(answer, len(rows))
    except ShengjiError as error:
        form = f"it must be {len(rows)} actions 0..{NUM_ACTIONS - 1}, shape ({len(rows)},)"
        raise PlayerError(f"{who(int(rows[0]))}: it answered {show(answer)}; {form}: {error}") from error
    wrong = first_illegal_row(tables.masks, rows, chosen)
    if wrong < len(rows):
        row = int(rows[wrong])
        why = illegal_action(tables.states[row], tables.masks[row], int(chosen[wrong]))
        raise PlayerError(f"{who(row)}: it answered illegally: {why}")
    return chosen
