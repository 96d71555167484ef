"""Generating: the rollouts of a range of rounds, as arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.labelling import walk_all
from shengji_env.datasets.rollouts.policies import make_maker, make_policies
from shengji_env.datasets.rollouts.rollout_settings import BLOCK, RolloutSettings, default_settings
from shengji_env.datasets.rollouts.round_making import label_tables, make_rounds
from shengji_env.datasets.rollouts.shard_sections import SECTIONS, Sections
from shengji_env.datasets.rollouts.shards import Shard
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.errors import ShengjiError
from shengji_env.players.candidates import candidates_digest, digest_of_all_rules
from shengji_env.support.announcing import part
from shengji_env.support.arguments import MAX_ROUNDS, check_index
from shengji_env.support.workers.jobs import Watch
from shengji_env.tables.own_arrays import writable

_DECISIONS_GUESSED, _CANDIDATES_GUESSED, _ACTIONS_GUESSED = 32, 8, 7
"""Room at first: decisions a round, candidates a decision, actions for each card of a hand."""


def generate(settings: RolloutSettings, first_round: int, num_rounds: int, *, watch: Watch | None = None) -> Shard:
    """Make the rollouts of some rounds; they depend on the settings and the rounds' numbers alone.

    Args:
        settings: what they are made of.
        first_round: number of the first round, 0 or more.
        num_rounds: how many rounds.
        watch: called now and then with the number of rounds made so far; what it raises ends the work.

    Raises:
        ShengjiError: there are no such rounds, or one of the settings' players is not at hand.
    """
    first = check_index("first_round", first_round, 0, MAX_ROUNDS - 1)
    count = check_index("num_rounds", num_rounds, 1, MAX_ROUNDS - first)
    compile_rollouts()
    watch, end = watch or (lambda _: None), first + count
    parts = []
    for start, stop in blocks_of(settings, first, end):
        parts.append(_generate(settings.for_round(start), start, stop - start, _watch_from(watch, start - first)))
    return Shard(
        settings=settings,
        first_round=first,
        digest=digest_of(settings),
        **{name: np.concatenate([part._asdict()[name] for part in parts]) for name in SECTIONS},
    )


def blocks_of(settings: RolloutSettings, first: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges of rounds first..end-1 that have the same rules: first and one past the last of each."""
    if not settings.draws_rules:
        return [(first, end)]
    starts = range(first - first % BLOCK, end, BLOCK)
    return [(max(start, first), min(start + BLOCK, end)) for start in starts]


def digest_of(settings: RolloutSettings) -> str:
    """Return the digest of the candidates that are labelled, without features."""
    if settings.draws_rules:
        return digest_of_all_rules(most=settings.candidates, with_features=False)
    return candidates_digest(settings.rules, most=settings.candidates, with_features=False)


def _watch_from(watch: Watch, before: int) -> Watch:
    """Return a watch that counts the rounds made before, too."""
    return lambda made: watch(before + made)


def label(
    states: NDArray[Any], settings: RolloutSettings, *, numbers: NDArray[np.int64] | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Label the decisions that begin at some tables, whoever is to move there.

    Args:
        states: (B,) `engine.state.STATE_DTYPE`, whole tables: nothing is hidden in them.
        settings: rules, policy, and most candidates; the seed is that of redeals.
        numbers: (B,) the tables' numbers, of which redeals are a function too; default: 0 to B - 1.

    Returns:
        (B,) LABELLED_DECISION_DTYPE, whose `ply` means nothing, and (C,) CANDIDATE_DTYPE. A decision without a choice
        has one candidate.

    Raises:
        ShengjiError: no decision begins at a table, there are not as many numbers as tables, or a player
            of the settings is not at hand, or they draw rules.
    """
    if settings.draws_rules:
        raise ShengjiError("the tables have rules already: draws_rules must be False")
    if (states["taken_size"] > 0).any() or (states["phase"] == Phase.OVER).any():
        raise ShengjiError("a table is in the middle of a decision, or its round is over: begin_decisions goes back")
    numbers = np.arange(len(states)) if numbers is None else np.asarray(numbers, np.int64)
    if numbers.shape != states.shape:
        raise ShengjiError(f"numbers has shape {numbers.shape}, states {states.shape}; they must be equal")
    _compile_labels()
    return _label(settings, writable(states), writable(numbers))


def _label(
    settings: RolloutSettings, states: NDArray[Any], numbers: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any]]:
    sizes = {"decisions": len(states), "candidates": len(states) * settings.candidates}
    policies, shard = make_policies(settings), _room(sizes)
    maker = make_maker(settings.rules.record(), policies.packed)
    label_tables(maker, settings.compiled(), states, (np.uint64(settings.seed), numbers), shard)
    return shard.decisions, shard.candidates[: shard.decisions["num_candidates"].sum(dtype=np.int64)]


compile_rollouts = part("rollouts", "rollouts: learning values")(
    lambda: _generate(default_settings(), 0, 1, lambda _: None)
)
_compile_labels = part("labels", "labels of tables: label()")(
    lambda: _label(default_settings(), np.zeros(0, STATE_DTYPE), np.zeros(0, np.int64))
)


def _generate(settings: RolloutSettings, first: int, count: int, watch: Watch) -> Sections:
    decisions = max(1, round(_DECISIONS_GUESSED * count * settings.label_share))
    sizes = {
        "rounds": count,
        "decisions": decisions,
        "candidates": decisions * _CANDIDATES_GUESSED,
        "actions": count * settings.rules.hand * _ACTIONS_GUESSED,
    }
    policies = make_policies(settings)
    maker, deals = make_maker(settings.rules.record(), policies.packed), (settings.seed, range(first, first + count))
    counted = {name: place for place, name in enumerate(SECTIONS)}
    return walk_all(make_rounds, maker, settings.compiled(), deals, _room(sizes), counted, watch)


def _room(sizes: dict[str, int]) -> Sections:
    """Make room for so many entries of each array."""
    arrays = {name: np.zeros(sizes.get(name, 0), dtype) for name, dtype in SECTIONS.items()}
    return Sections(**arrays, filled=np.zeros(len(SECTIONS), np.int64))
