"""The shards of a run: those to learn from, and those held out.

They depend on the rules, the policy, the seed and the size of shards, so runs that agree in these share them. A run may
learn from the shards of earlier runs, too. Shards are learned from in groups, which are a function of the seed. In the
first epoch the run's own come in the order in which they are made (`making`), in all others the order is random.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cached_property
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from agents.checkpoint import count_of
from agents.toml_text import brief
from agents.values.minibatches import read_decisions
from agents.values.value_config import RolloutsConfig, ValuesConfig
from shengji_env.datasets.rollouts import Expanded, RolloutSettings, read_folder, write_rollouts
from shengji_env.datasets.rollouts.rollout_settings import RolloutOptions
from shengji_env.datasets.rollouts.shard_folder import RANGES, SETTINGS_FILE, shard_path
from shengji_env.datasets.rollouts.shards import read_header
from shengji_env.engine.drawn_rules import DRAWING_VERSION
from shengji_env.engine.rule_sets import RuleSet, parse_rules, rule_set
from shengji_env.errors import CheckpointError, ConfigError, RecordError
from shengji_env.players.playing import HEURISTIC
from shengji_env.support.cores import num_cores
from shengji_env.support.workers.pools import InProcess, Pool
from shengji_env.support.workers.ranges import RoundRange

HELD_OUT_SEED = 2**40
"""Added to the run's seed for the rounds that are held out."""
GROUP = 4
"""Shards whose decisions are mixed: some 60,000 decisions, 120 MB."""
_WORDS = {"greedy": "opponents"}
"""What folders' names call opponents, if not by their names."""
_MOST_NAMED = 120
"""Most characters of a folder's name that say who the opponents are; if they need more, a digest does."""
_SHARDS_AT_ONCE = 4
"""Shards that each worker makes between two looks at the clock."""


def earlier_shards(config: ValuesConfig) -> list[Path]:
    """Return the files of the earlier shards from which a run is to learn, in the order of its config.

    Raises:
        ConfigError: a pattern names no folder of shards, or several, or shards of other rules or of another size.
    """
    found: list[Path] = []
    for pattern in config.rollouts.earlier:
        try:
            found += _matching_shards(config, pattern)
        except (ConfigError, RecordError) as error:
            raise ConfigError(f"rollouts.earlier = {brief(pattern)}: {error}") from error
    return found


def _matching_shards(config: ValuesConfig, pattern: str) -> tuple[Path, ...]:
    size = config.rollouts.shard_rounds
    folders = sorted(path.parent for path in Path(config.rollouts.folder).glob(f"{pattern}/{SETTINGS_FILE}"))
    if len(folders) != 1:
        raise ConfigError(f"{len(folders)} folders of shards in {config.rollouts.folder} match; one must")
    folder = read_folder(folders[0])
    rules, draws_rules = _rules_of(config)
    if (folder.settings.rules, folder.settings.draws_rules) != (rules, draws_rules):
        raise ConfigError(f"{folder.path} is of other rules than {'those drawn' if draws_rules else rules}")
    if not folder.shards or any(read_header(path).num_rounds != size for path in folder.shards):
        raise ConfigError(f"{folder.path} has no shards, or others than of shard_rounds = {size}")
    return folder.shards


def _rules_of(config: ValuesConfig) -> tuple[RuleSet, bool]:
    """Return the rules of a run's rollouts, and whether they are drawn in place of these."""
    draws_rules = config.rollouts.draws_rules
    return (rule_set() if draws_rules else parse_rules(config.environment.rules)), draws_rules


def rollout_settings(config: ValuesConfig) -> RolloutSettings:
    """Return what a run's rollouts are made of.

    Raises:
        ShengjiError: a player that is named cannot play, or is not there.
    """
    rules, draws_rules = _rules_of(config)
    given = {entry.name: getattr(config.rollouts, entry.name) for entry in fields(RolloutOptions)}
    tricks = given.pop("network_tricks")
    settings = RolloutSettings(rules=rules, draws_rules=draws_rules, seed=config.run.seed, **given)
    return replace(settings, network_tricks=tricks) if settings.has_network else settings


class Labels:
    """The shards of a run, and those of earlier runs that it learns from.

    Args:
        config: the run's.
        executor: who makes shards; default: workers of its own.

    Attributes:
        found: rounds of which there were shards when the run started; those held out come first.
        made: rounds of which there are shards now, those found included.
        executor: who makes them.
    """

    def __init__(self, config: ValuesConfig, executor: InProcess | Pool | None = None) -> None:
        self.found = self.made = 0
        self._rollouts, self._seed = config.rollouts, config.run.seed
        self._settings = rollout_settings(config)
        self._epochs = config.fitting.epochs
        self._workers = config.rollouts.workers or num_cores()
        self._at_once = _SHARDS_AT_ONCE * self._workers * config.rollouts.shard_rounds
        self.executor = executor or (Pool(self._workers) if self._workers > 1 else InProcess())
        self._config = config

    @cached_property
    def _learned(self) -> list[Path]:
        """The files of the shards of an epoch."""
        return [*self._paths(is_held_out=False), *earlier_shards(self._config)]

    @property
    def wanted(self) -> int:
        """Number of rounds that the run has the shards of in the end, those held out included."""
        return self._rollouts.held_out_rounds + self._rollouts.rounds

    @property
    def num_held_out_missing(self) -> int:
        """Number of rounds held out that the run makes the shards of."""
        return max(0, self._rollouts.held_out_rounds - self.found)

    def find(self) -> None:
        """Count the shards that are there already.

        Raises:
            RecordError: a folder of shards is damaged.
        """
        self.found = self._num_found(is_held_out=True)
        if self.found == self._rollouts.held_out_rounds:
            self.found += self._num_found(is_held_out=False)
        self.made = self.found

    def save(self) -> dict[str, int]:
        """Return the counters, as plain values."""
        return {"found": self.found, "made": self.made, "rounds": self.num_rounds}

    def load(self, meta: Mapping[str, Any]) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned it, or there are other shards now.
        """
        self.found, self.made, rounds = (count_of(meta, name) for name in ("found", "made", "rounds"))
        if self.found > self.made:
            raise CheckpointError(f"found in its meta.json is {self.found}, more than made, {self.made}")
        if self.made > self.wanted:
            raise CheckpointError(f"made in its meta.json is {self.made}, more than the run's {self.wanted} rounds")
        if rounds != self.num_rounds:
            raise CheckpointError(f"it learned from {rounds:,} rounds, and now there are {self.num_rounds:,}")

    def _num_found(self, *, is_held_out: bool) -> int:
        """Return of how many rounds, from the first on, there are shards."""
        folder = self._folder(is_held_out)
        if not (folder / SETTINGS_FILE).exists():
            return 0
        there = read_folder(folder)
        shards = set(there.shards) if there.settings == self._settings_of(is_held_out) else set()
        return self._rollouts.shard_rounds * len(list(takewhile(shards.__contains__, self._paths(is_held_out))))

    @property
    def are_missing(self) -> bool:
        """Whether there are shards to make."""
        return self.made < self.wanted

    def start_workers(self) -> None:
        """Let each worker make a round, which is forgotten, before the clock of their stage runs."""
        tasks = [RoundRange(self._settings, 0, 1)] * self._workers
        for _ in self.executor.do(RANGES, tasks, lambda _: None):
            pass

    def make_some(self, check: Callable[[], None]) -> int:
        """Make some of the shards that are missing; return of how many rounds.

        Args:
            check: called now and then; what it raises ends the work.
        """
        held_out, before = self._rollouts.held_out_rounds, self.made
        is_held_out = before < held_out
        first, end = (0, held_out) if is_held_out else (held_out, held_out + self._rollouts.rounds)
        made = min(end, before + self._at_once)
        write_rollouts(
            self._folder(is_held_out),
            self._settings_of(is_held_out),
            made - first,
            shard_rounds=self._rollouts.shard_rounds,
            executor=self.executor,
            watch=lambda *_: check(),
        )
        self.made = made
        return made - before

    def _settings_of(self, is_held_out: bool) -> RolloutSettings:
        return replace(self._settings, seed=self._seed + (HELD_OUT_SEED if is_held_out else 0))

    def _folder(self, is_held_out: bool) -> Path:
        rules, policy = self._settings.rules, self._settings.policy
        parts = ["all", str(DRAWING_VERSION)] if self._settings.draws_rules else [rules.preset, rules.fingerprint]
        if self._settings.has_network:
            parts += [policy, f"tricks-{self._settings.network_tricks}"]
        if self._settings.playouts != HEURISTIC:
            parts += [f"playouts-{self._settings.playouts}"]
        named = [f"{_WORDS.get(name, name)}-{share:g}" for name, share in self._settings.opponents.items()]
        is_short = len("-".join(named)) <= _MOST_NAMED
        parts += named if is_short else [f"opponents-{sha256(''.join(named).encode()).hexdigest()}"]
        if self._settings.others_share != RolloutsConfig.others_share:
            parts += [f"others-{self._settings.others_share:g}"]
        parts += [f"seed-{self._seed}", f"by-{self._rollouts.shard_rounds}"]
        name = "-".join([*parts, *["held-out"] * is_held_out])
        return Path(self._rollouts.folder) / re.sub(r"[^\w.-]", "-", name)

    def _paths(self, is_held_out: bool) -> list[Path]:
        """Return the files of the run's own shards, by round."""
        size = self._rollouts.shard_rounds
        rounds = self._rollouts.held_out_rounds if is_held_out else self._rollouts.rounds
        return [shard_path(self._folder(is_held_out), first, first + size) for first in range(0, rounds, size)]

    def read_held_out(self) -> Expanded:
        """Read what is held out."""
        return read_decisions(self._paths(is_held_out=True))

    @property
    def num_rounds(self) -> int:
        """Number of rounds of an epoch."""
        return len(self._learned) * self._rollouts.shard_rounds

    @property
    def groups_per_epoch(self) -> int:
        """Number of groups of shards."""
        return -(-(self.num_rounds // self._rollouts.shard_rounds) // GROUP)

    @property
    def num_groups(self) -> int:
        """Number of groups of all epochs."""
        return self.groups_per_epoch * self._epochs

    def made_for(self, number: int) -> int:
        """Return how many rounds must have been made, those held out included, before a group can be read."""
        made = [shard for shard in self._group(number) if shard < self._num_own]
        size = self._rollouts.shard_rounds
        return self._rollouts.held_out_rounds + size * (max(made) + 1) if made else 0

    @property
    def _num_own(self) -> int:
        return self._rollouts.rounds // self._rollouts.shard_rounds

    def _group(self, number: int) -> list[int]:
        """Return which of the epoch's shards are in a group; the run's own are the first ones."""
        epoch, index = divmod(number, self.groups_per_epoch)
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._learned))
        if epoch == 0:
            order[order < self._num_own] = np.arange(self._num_own)
        return [int(shard) for shard in order[GROUP * index : GROUP * (index + 1)]]

    def rounds_of(self, number: int) -> int:
        """Return the number of rounds of a group."""
        return len(self._group(number)) * self._rollouts.shard_rounds

    def read_group(self, number: int) -> Expanded:
        """Read a group of shards, the groups of all epochs being numbered from 0."""
        return read_decisions([self._learned[shard] for shard in self._group(number)])

    def close(self) -> None:
        """End the workers."""
        self.executor.__exit__(None, None, None)
