"""Expanding: the rounds of a shard are played again, and every labelled decision is written out for a learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.generating import blocks_of, digest_of, generate
from shengji_env.datasets.rollouts.rollout_settings import default_settings
from shengji_env.datasets.rollouts.shard_sections import Sections
from shengji_env.datasets.rollouts.shards import Shard, check_arrays
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals
from shengji_env.engine.opening import begin_first
from shengji_env.engine.play import Plays, make_legal
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, Phase, State
from shengji_env.errors import RecordError
from shengji_env.players.candidates import NUM_FEATURES
from shengji_env.players.candidates.candidate_arrays import MEMORY_DTYPE
from shengji_env.players.candidates.candidate_list import write_cards_found
from shengji_env.players.candidates.features import FEATURES_DTYPE, make_features, write_features
from shengji_env.players.candidates.finding import find_candidates_at
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.smoothing import smooth_levels
from shengji_env.support.announcing import part
from shengji_env.support.arguments import check_index
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE

_DECISIONS, _CANDIDATES, _ACTIONS = range(1, 4)
_ILLEGAL, _ENDLESS, _MISPLACED, _DIFFERENT = range(4)
_REASONS = (
    "has an action that is not legal",
    "goes on after its end, or has no end",
    "has a labelled decision where its explorer does not decide",
    "has other candidates than those that were labelled",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Expanded:
    """Labelled decisions as a learner reads them: D decisions with C candidates in all.

    The candidates of decision d are ``offsets[d]`` to ``offsets[d + 1] - 1``; in shards the first is the heuristic
    player's.
    """

    observations: NDArray[np.int8]
    """(D, OBSERVATION_SIZE) what the seat that decides sees as the decision begins (`tables/observation.py`)."""
    rounds: NDArray[np.int64]
    """(D,) number of the round: decisions of one round are not independent."""
    phases: NDArray[np.int8]
    """(D,) a `Phase`."""
    offsets: NDArray[np.int64]
    """(D + 1,) where the candidates of each decision begin."""
    actions: NDArray[np.int8]
    """(C,) the action; -1 for a set of cards."""
    cards: NDArray[np.int8]
    """(C, 54) the cards of a set by slot; zero for an action."""
    features: NDArray[np.int8]
    """(C, NUM_FEATURES) `players.candidates.FEATURES`."""
    levels: NDArray[np.int8]
    """(C,) levels, positive for the seat's team."""
    points: NDArray[np.int16]
    """(C,) the attackers' final points, negative where the seat's team declared."""
    is_attacker: NDArray[np.int8]
    """(C,) 1 where the seat's team attacked."""
    smooth: NDArray[np.float32]
    """(C,) smoothed levels (`players.smoothing`)."""

    def __len__(self) -> int:
        return len(self.rounds)

    def take(self, rows: NDArray[np.int64]) -> "Expanded":
        """Return some of the decisions, given by their indices, with their candidates."""
        indices, offsets = self.candidates_of(rows), _sums(np.diff(self.offsets)[rows])
        by_decision = {name: getattr(self, name)[rows] for name in _BY_DECISION}
        by_candidate = {name: getattr(self, name)[indices] for name in _BY_CANDIDATE}
        return Expanded(offsets=offsets, **by_decision, **by_candidate)

    def candidates_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the indices of the candidates of some decisions, in the order of `take`."""
        sizes = np.diff(self.offsets)[rows]
        offsets = _sums(sizes)
        indices: NDArray[np.int64] = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        return indices


_BY_DECISION = ("observations", "rounds", "phases")
_BY_CANDIDATE = ("actions", "cards", "features", "levels", "points", "is_attacker", "smooth")


def join(parts: Sequence[Expanded]) -> Expanded:
    """Return all decisions of some parts, at least one, in their order."""
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in (*_BY_DECISION, *_BY_CANDIDATE)}
    return Expanded(offsets=_sums(np.concatenate([np.diff(part.offsets) for part in parts])), **arrays)


def expand(shard: Shard, first: int = 0, end: int | None = None) -> Expanded:
    """Write out the labelled decisions of rounds number first..end-1 of a shard, counted from 0.

    Raises:
        RecordError: the shard's candidates are not those that are found here, or a round cannot be played again.
        ShengjiError: the shard has no such rounds.
    """
    end = check_index("end", shard.num_rounds if end is None else end, 0, shard.num_rounds)
    first = check_index("first", first, 0, end)
    digest = digest_of(shard.settings)
    if shard.digest != digest:
        raise RecordError(
            f"the shard's candidates have the digest {shard.digest}, those found here {digest}: it was made by another"
            " version, whose labels belong to other candidates; make it again"
        )
    compile_expanding()
    start = shard.first_round
    blocks = blocks_of(shard.settings, start + first, start + end) or [(start + first, start + end)]
    return join([_expand(shard, one - start, other - start) for one, other in blocks])


compile_expanding = part("expanding", "expanding: rollouts read back, learning values")(
    lambda: _expand(generate(default_settings(), 0, 1), 0, 1)
)


def _expand(shard: Shard, first: int, end: int) -> Expanded:
    """Write out the decisions of rounds that have the same rules."""
    made_of = shard.settings.for_round(shard.first_round + first)
    rounds = np.array(shard.rounds[first:end])
    num_actions, num_decisions = (_sums(shard.rounds[name]) for name in ("num_actions", "num_decisions"))
    decisions = np.array(shard.decisions[num_decisions[first] : num_decisions[end]])
    before = int(shard.decisions["num_candidates"][: num_decisions[first]].sum(dtype=np.int64))
    offsets = _sums(decisions["num_candidates"])
    labels = np.array(shard.candidates[before : before + offsets[-1]])
    size, total = len(decisions), len(labels)
    observations = np.empty((size, OBSERVATION_SIZE), np.int8)
    features = np.empty((total, NUM_FEATURES), np.int8)
    written = Written(
        observations.view(OBSERVATION_DTYPE)[:, 0], np.empty(size, np.int8),
        Plays(np.empty(total, np.int8), np.empty((total, NUM_SLOTS), np.int8)), features.view(FEATURES_DTYPE)[:, 0],
        make_features(),
    )  # fmt: skip
    actions = np.array(shard.actions[num_actions[first] : num_actions[end]])
    sections = Sections(rounds, decisions, labels, actions, np.zeros(4, np.int64))
    check_arrays(sections, shard.settings)  # these copies: a shard's arrays may have changed since it was read
    memory: NDArray[Any] = np.zeros(1, MEMORY_DTYPE)
    memory["scratch"] = make_scratch(made_of.rules.record(), 1)
    deals = Deals(np.uint64(made_of.seed), shard.first_round + first)
    failed, reason = expand_rounds(np.zeros(1, STATE_DTYPE), memory, deals, made_of.candidates, sections, written)
    if failed >= 0:
        raise RecordError(f"round {failed} {_REASONS[reason]}")
    return Expanded(
        observations=observations,
        rounds=np.repeat(np.arange(len(rounds)) + shard.first_round + first, rounds["num_decisions"]),
        phases=written.phases,
        offsets=offsets,
        actions=written.candidates.actions,
        cards=written.candidates.cards,
        features=features,
        **{name: np.ascontiguousarray(labels[name]) for name in ("levels", "points", "is_attacker")},
        smooth=smooth_levels(labels["levels"], labels["points"], labels["is_attacker"], made_of.rules),
    )


def _sums(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each of some runs begins, and where the last ends."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


class Written(NamedTuple):
    """What is written of D labelled decisions with C candidates."""

    observations: NDArray[Any]
    """(D,) OBSERVATION_DTYPE."""
    phases: NDArray[np.int8]
    """(D,)."""
    candidates: Plays
    """The C candidates."""
    features: NDArray[Any]
    """(C,) FEATURES_DTYPE."""
    blank: NDArray[Any]
    """Scratch memory: features of one decision's candidates, `make_features`."""


@jit
def expand_rounds(
    states: NDArray[Any], memory: NDArray[Any], first: Deals, most: int, shard: Sections, written: Written
) -> tuple[int, int]:
    """Play rounds again, from that of the deals `first` on, and write their labelled decisions.

    Returns:
        The first round that cannot be played as it is written, and why (an index of `_REASONS`); -1 and 0 if all can.
    """
    s, own, filled = states[0], memory[0], shard.filled
    r, w = own.scratch.rules, own.scratch.work
    rounds, decisions = shard.rounds, shard.decisions
    for row in range(rounds.size):
        deals = Deals(first.seed, first.table + row)
        begin_first(s, r, w, deals, True)
        last = filled[_DECISIONS] + rounds[row].num_decisions
        for step in range(rounds[row].num_actions):
            if s.phase == Phase.OVER:
                return deals.table, _ENDLESS
            if filled[_DECISIONS] < last and decisions[filled[_DECISIONS]].ply == step:
                if s.seat != rounds[row].explorer or s.taken_size > 0:
                    return deals.table, _MISPLACED
                if find_candidates_at(s, own, most, own.found) != decisions[filled[_DECISIONS]].num_candidates:
                    return deals.table, _DIFFERENT
                _write_decision(s, own, decisions[filled[_DECISIONS]].num_candidates, filled, written)
            if not make_legal(s, r, w, deals, shard.actions[filled[_ACTIONS]]):
                return deals.table, _ILLEGAL
            filled[_ACTIONS] += 1
        if s.phase != Phase.OVER or filled[_DECISIONS] != last:
            return deals.table, _ENDLESS if s.phase != Phase.OVER else _MISPLACED
    return -1, 0


@jit
def _write_decision(s: State, memory: Any, number: int, filled: NDArray[Any], written: Written) -> None:
    """Write a decision and the candidates that have just been found for it, and count them."""
    found = memory.found
    written.phases[filled[_DECISIONS]] = s.phase
    written.observations[filled[_DECISIONS]] = memory.scratch.observation
    write_features(memory.seen, memory.scratch, found, number, written.blank)
    for index in range(number):
        row = filled[_CANDIDATES] + index
        written.features[row] = written.blank[index]
        written.candidates.actions[row] = found.actions[index]
        write_cards_found(found, index, written.candidates.cards[row])
    filled[_DECISIONS] += 1
    filled[_CANDIDATES] += number
