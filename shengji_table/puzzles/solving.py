"""What answers to a puzzle are worth: the mean of the champion's playouts in the same sampled deals, in levels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.errors import RecordError, show
from shengji_env.players.answers import Answer
from shengji_env.players.asking import decide_whole
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.player import Player
from shengji_env.players.playing import policies_of
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.players.smoothing import smooth_levels
from shengji_env.players.whole_plays import make_decision
from shengji_env.render.decision_values import ValuedAnswer
from shengji_env.tables.one_table import OneTable
from shengji_env.tables.tables import Tables
from shengji_table.puzzles.known import in_order
from shengji_table.puzzles.puzzle import Puzzle
from shengji_table.valuing.reviewed_decisions import Choice, choice_at, table_from
from shengji_table.valuing.valuers import play_out

FINAL_DEALS, FINAL_FIRST = 4000, 2_000_000
"""Sampled deals that the values of a file come from; they found nothing."""


class DealValues:
    """Values plays in sampled deals.

    Args:
        rules: the rules.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._policies = policies_of(SelfplayPlayer.champion().playing_on, rules)
        self._sampler = Sampler(rules.record())

    def outcomes(self, choice: Choice, plays: Plays, number: int, first: int) -> NDArray[np.float32]:
        """Return what plays of a decision come to in sampled deals number first…, (C, W) smoothed levels."""
        samples: NDArray[Any] = np.zeros(number, STATE_DTYPE)
        self._sampler.prepare(choice.seen, choice.plays)
        self._sampler.draw(choice.seen, 0, first, samples)
        outcomes = play_out(choice, plays, samples, self._policies)
        return smooth_levels(*outcomes, self.rules)


def table_of_puzzle(puzzle: Puzzle) -> OneTable:
    """Return a table at a puzzle's decision.

    Raises:
        ShengjiError: the puzzle's cards or actions are not possible.
    """
    table = table_from(puzzle.rule_set, puzzle.start)
    actions = iter(puzzle.actions)

    def legal_action() -> int:
        action = next(actions)
        if action not in range(NUM_ACTIONS) or not table.tables.masks[0][action]:
            raise RecordError(f"its action {show(str(action))} is not legal")
        return action

    left = len(puzzle.actions)
    while left:
        left -= len(make_decision(table.tables, legal_action))
    return table


def loss_of(puzzle: Puzzle, player: Player) -> float:
    """Return the levels that a player's answer to a puzzle loses (`Puzzle.loss`)."""
    answer = decide_whole(player, table_of_puzzle(puzzle).tables)
    return puzzle.loss(judge(puzzle, table_of_puzzle(puzzle).tables, answer)[1])


def judge(puzzle: Puzzle, tables: Tables, answer: Answer) -> ValuedAnswer:
    """Return an answer to a puzzle as one of its options, with its value.

    If it is none of them, it is valued now, in the same deals.

    Args:
        puzzle: the puzzle.
        tables: a table at its decision.
        answer: the answer.
    """
    choice = choice_at(puzzle.rule_set, tables, answer)
    given = choice.answer(choice.played)
    for option in puzzle.options:
        if in_order(option[0]) == in_order(given):
            return option
    plays = Plays(*(np.copy(each[[choice.played]]) for each in choice.candidates))
    outcomes = DealValues(puzzle.rule_set).outcomes(choice, plays, FINAL_DEALS, FINAL_FIRST)
    return given, round(float(outcomes.mean()), 3)
