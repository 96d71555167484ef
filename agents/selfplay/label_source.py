"""Where a stage's labels come from: rounds of the policy with itself, and a critic of those not played out.

While a generation of labels is learned from, the next one is made: by the network of before, so that it depends neither
on threads nor on how long they take.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait

import numpy as np

from agents.selfplay.critic import CriticFitting
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.datasets.selfplay.label_blocks import LabelBlocks
from shengji_env.datasets.selfplay.label_kernels import LabelArrays, LabelSettings, Networks
from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.rule_record import NUM_RULE_FEATURES
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.support.workers.jobs import Executor

_PATIENCE = 0.2
"""Seconds between two looks at whether the user has asked to stop."""
_FALL = 0.95
"""How much smaller the critic's steps get over a stage."""


def make_critic(config: SelfplayConfig) -> CriticFitting | None:
    """Make a run's critic, with random weights; None: it has none."""
    if not config.critic.learns:
        return None
    if config.selfplay.draws_rules:
        return CriticFitting(config.run.seed, config.critic, MAX_DECKS, NUM_RULE_FEATURES)
    return CriticFitting(config.run.seed, config.critic, parse_rules(config.environment.rules).decks, 0)


class LabelSource:
    """The labels of a stage.

    Args:
        config: the run's.
        executor: who makes them.
        critic: what stands in for the ends of rounds, and learns from those that are played out.

    Attributes:
        ahead: The networks that make, or will make, the next labels; None: those that they are asked of.
    """

    def __init__(self, config: SelfplayConfig, executor: Executor, critic: CriticFitting | None) -> None:
        table = config.selfplay
        self._rounds, self._at_once = range(table.rounds), table.rounds_at_once
        settings = LabelSettings(
            np.array(table.shares), np.array(table.temperatures), np.array([table.pick_temperature]),
            table.most_choices, np.ones(1), 0 if critic is None else config.critic.tricks,
        )  # fmt: skip
        rules = None if table.draws_rules else parse_rules(config.environment.rules)
        self._blocks = LabelBlocks(
            table.proposals, rules, settings, config.run.seed, executor, config.reads_rules, table.opponent
        )
        self._table, self._critic = config.critic, critic
        self._made: LabelArrays | None = None
        self.ahead: Networks | None = None
        self._thread = ThreadPoolExecutor(1, "next labels")
        self._next: Future[LabelArrays] | None = None
        self._is_closed = False

    def generation(self, done: int) -> range:
        """Return the rounds of the next generation, once some of the stage's are done."""
        return self._rounds[done : done + self._at_once]

    def make(self, networks: Networks, done: int, check: Callable[[], None]) -> LabelArrays:
        """Return the labels of the next generation, and begin with those of the one after it, which the networks make.

        The critic values them once it has learned from enough rounds.
        """
        rounds = self.generation(done)
        then = self.generation(done + len(rounds))
        made = self._next or self._begin(self.ahead or networks, rounds)
        while wait([made], _PATIENCE).not_done:
            check()
        self._made = labels = made.result()
        self.ahead, self._next = networks, self._begin(networks, then) if then else None
        critic = self._critic_of(rounds)
        return labels if critic is None else critic.label(labels)

    def _begin(self, networks: Networks, rounds: range) -> Future[LabelArrays]:
        played_out = 1.0 if self._critic_of(rounds) is None else self._table.share
        return self._thread.submit(self._blocks.make, networks, rounds.start, rounds.stop, played_out, self._watch)

    def _watch(self, _: float) -> None:
        if self._is_closed:
            raise CancelledError

    def _critic_of(self, rounds: range) -> CriticFitting | None:
        """Return the critic that values a generation; None: it is played out."""
        return self._critic if rounds.start >= self._table.rounds else None

    def learn(self, done: float) -> None:
        """Let the critic learn from the last labels; ``done``: share of the stage that is done, by which steps fall."""
        if self._critic is not None and self._made is not None:
            self._critic.fit(self._made, self._table.learning_rate * (1 - _FALL * done))
        self._made = None

    def close(self) -> None:
        """Stop what is being made."""
        self._is_closed = True
        self._thread.shutdown(cancel_futures=True)
