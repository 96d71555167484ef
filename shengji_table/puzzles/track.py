"""The track ``decisions``: what players lose in the puzzles that come with the package."""

from functools import partial

import numpy as np

from shengji_env.arena.statistics import Interval, mean_interval
from shengji_env.arena.track import Measurement, Track, Work
from shengji_env.engine.rule_sets import RuleSet, parse_rules
from shengji_env.errors import PlayerError
from shengji_env.players import Player, make_player
from shengji_env.players.player import Needs
from shengji_table.puzzles.puzzle import shipped_puzzles
from shengji_table.puzzles.solving import loss_of


def _prepare(text: str) -> Measurement:
    player = make_player(text)
    if player.needs & Needs.PERSON:
        raise PlayerError(f"{player.name} is a person, and a track measures players that can be asked again")
    return partial(_mean_loss, player)


def _mean_loss(player: Player, work: Work) -> tuple[float, Interval]:
    puzzles, losses = shipped_puzzles(), []
    for puzzle in puzzles:
        losses.append(loss_of(puzzle, player))
        if work.watch is not None:
            work.watch(len(losses), len(puzzles))
    return mean_interval(np.array(losses))


def _rules() -> list[RuleSet]:
    return [parse_rules(rules) for rules in dict.fromkeys(puzzle.rules for puzzle in shipped_puzzles())]


DECISIONS = Track(
    "decisions/2", "find the best play: the 110 puzzles that come with the package",
    "mean loss in levels a decision; 95 % interval over decisions",
    is_higher_better=False, prepare=_prepare, rules=_rules, unit_of_progress="puzzles",
)  # fmt: skip
