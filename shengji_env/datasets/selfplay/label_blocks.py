"""Labels of many rounds: workers make blocks of rounds, in any order, and what they make is put together in order."""

import functools
from typing import NamedTuple

import numpy as np

from shengji_env.datasets.labelling import joined, walk_all
from shengji_env.datasets.selfplay.label_kernels import (
    COUNTED,
    LabelArrays,
    LabelMaker,
    LabelSettings,
    Networks,
    label_rounds,
    make_label_maker,
    make_labels,
)
from shengji_env.engine.drawn_rules import drawn_rules
from shengji_env.engine.rule_sets import RuleSet, rule_set
from shengji_env.players.networks.selfplay.choices import CANDIDATES
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS
from shengji_env.players.networks.selfplay.selfplay_network import blank_network
from shengji_env.players.player import Player
from shengji_env.players.playing import player_with_policy, policy_under
from shengji_env.players.registry import make_player
from shengji_env.players.smoothing import smooth_levels
from shengji_env.support.announcing import part
from shengji_env.support.workers.jobs import Executor, Job, Watch
from shengji_env.tables.policies import Policies

ITSELF = "itself"
"""The opponent of a policy that has all seats."""
BLOCK = 25
"""Rounds of a block."""
_DECISIONS_A_ROUND = 400
"""More labelled decisions than rounds usually have; if there are more, there is twice the room."""


class BlockTask(NamedTuple):
    """A block of rounds to be labelled; its labels depend on nothing else."""

    networks: Networks
    proposals: str
    rules: RuleSet | None
    settings: LabelSettings
    seed: int
    first: int
    end: int
    reads_rules: bool
    opponent: str


class LabelBlocks:
    """Makes labels.

    Args:
        proposals: who proposes sets of cards.
        rules: what is played; None: each block has rules of its own, drawn by the seed (`engine.drawn_rules`).
        settings: how rounds are made and labelled.
        seed: seed of the deals.
        executor: who makes them. What is made does not depend on it.
        reads_rules: whether the network reads rows of the rules.
        opponent: text of the player in the seats of one team, each in every other round, which has a policy under the
            rules; ITSELF: the policy has all seats.
    """

    def __init__(
        self, proposals: str, rules: RuleSet | None, settings: LabelSettings, seed: int, executor: Executor,
        reads_rules: bool, opponent: str = ITSELF,
    ) -> None:  # fmt: skip
        compile_selfplay_labels()
        self._proposals, self._rules, self._settings, self._seed = proposals, rules, settings, seed
        self._executor, self._reads_rules, self._opponent = executor, reads_rules, opponent

    def make(
        self, networks: Networks, first: int, end: int, played_out: float = 1.0, watch: Watch = lambda _: None
    ) -> LabelArrays:
        """Make the labels of rounds first..end-1 of a policy with itself.

        Choices of a share of the decisions, `played_out`, are played to the end of the round, those of the others for
        the settings' tricks. What `watch` raises, which is called now and then, ends the work.
        """
        settings = self._settings._replace(played_out=np.array([played_out]))
        tasks = [
            BlockTask(
                networks, self._proposals, self._rules, settings, self._seed, start, min(end, start + BLOCK),
                self._reads_rules, self._opponent,
            )
            for start in range(first, end, BLOCK)
        ]  # fmt: skip
        parts = dict(self._executor.do(_BLOCKS, tasks, watch))
        return joined([parts[task.first] for task in tasks])


def _make_block(task: BlockTask, watch: Watch | None) -> tuple[int, LabelArrays]:
    """Return a block's first round, and its labels."""
    rules = drawn_rules(task.seed, task.first // BLOCK) if task.rules is None else task.rules
    opponent = opponent_under(task.opponent, rules)
    maker = make_label_maker(task.networks, task.proposals, rules, task.reads_rules, opponent.packed)
    decisions, read = (task.end - task.first) * _DECISIONS_A_ROUND, maker.rule_rows.shape[1]
    labels = make_labels(decisions, task.settings, read, task.networks.policy.shape.suit > 0)
    made = walk_all(label_rounds, maker, task.settings, (task.seed, range(task.first, task.end)), labels, COUNTED)
    smooth = smooth_levels(made.levels, made.points, made.is_attacker, rules)
    features = rules.record()["features"] if task.rules is None else np.zeros((1, 0), np.int8)
    return task.first, made._replace(smooth=smooth, rules=features.repeat(len(made.groups), 0))


def opponent_under(text: str, rules: RuleSet) -> Policies:
    """Return the policy of an opponent under some rules, or none if it is ITSELF.

    Raises:
        PlayerError: there is no such player, or it has none.
    """
    return Policies(() if text == ITSELF else [policy_under(_player(text), rules)])


@functools.lru_cache(maxsize=2, typed=True)
def _player(text: str) -> Player:
    """Return a player with a policy, made once."""
    return player_with_policy(make_player(text))


@part("selfplay-labels", "labels of self-play: learning by it")
def compile_selfplay_labels() -> None:
    """Label the decisions of a round."""
    settings = LabelSettings(np.ones(NUM_GROUPS), np.zeros(1), np.ones(1), 2, np.zeros(1), 1)
    maker: LabelMaker = make_label_maker(Networks(blank_network(), blank_network()), CANDIDATES, rule_set(), False)
    label_rounds(maker, settings, np.uint64(0), 0, 0, make_labels(_DECISIONS_A_ROUND, settings))


_BLOCKS: Job[BlockTask, tuple[int, LabelArrays]] = Job(
    _make_block, compile_selfplay_labels, lambda task: f"labels of rounds {task.first} to {task.end - 1}"
)
