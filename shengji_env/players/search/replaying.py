"""Replaying: of several deals, take one that explains what the others have played.

All plays of the round are made again in a sampled deal, from the first lead on, and a policy says how likely each was
(`tables.policies`). The product over the plays of the other three seats is the weight of the deal, and of some deals
one is taken by these weights.

Bids, burials and failed throws are not among the plays: what was forced counts as the lead.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.clearing import begin_trick
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.deal import fold
from shengji_env.engine.play import take_play
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, Phase, State
from shengji_env.errors import PlayerError
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.player import Player
from shengji_env.players.playing import policy_under
from shengji_env.players.search.dealing import uniform
from shengji_env.players.search.sampled_deals import Sampler, SamplerArrays, draw_samples
from shengji_env.support.arguments import check_index
from shengji_env.tables.policies import PackedPolicies, Policies, replay_by

MAX_PROPOSALS = 1000
"""Most deals of which one is taken."""
_CONTRADICTION = -1e6
"""What a deal that contradicts earlier plays gets as its logarithm: it counts only if all others do so, too."""
_GUMBEL_COUNTER = 2000
"""Counter of a stream beyond those that deal cards."""
_TINY = 1e-12

REPLAY_DTYPE = record_type(
    [
        ("state", STATE_DTYPE),  # the table, as far as its plays have been made again
        ("number", np.int64),  # of these plays
        ("total", np.float64),  # how likely they are: a logarithm, up to a constant
        ("chance", np.float64),  # what a deal has got by chance
    ]
)
"""A deal whose plays are made again."""
DealReplay: TypeAlias = np.record


class ReplayArrays(NamedTuple):
    """The arrays of a thread that replays, for compiled code."""

    pool: NDArray[Any]
    """(proposals,) STATE_DTYPE: the deals of which one is taken."""
    contradicts: NDArray[np.bool_]
    """(proposals,)"""
    replays: NDArray[Any]
    """(proposals,) REPLAY_DTYPE: how far each has been replayed."""
    scratch: NDArray[Any]
    """(1,) SCRATCH_DTYPE."""
    policies: PackedPolicies
    """The policy that says what is likely, with memory for each thread."""
    thread: int
    """Which of them to use."""


class ReplayingSampler(Sampler):
    """Samples deals, without trumps in the kitty where that is possible, that explain what the others have played.

    Args:
        rules: the rules.
        player: whose policy says what is likely.
        threads: threads that draw at the same time.
        proposals: deals of which one is taken, 1 to MAX_PROPOSALS; with 1, nothing is replayed.

    Raises:
        PlayerError: `proposals` is out of range, or the player has no such policy under these rules.
    """

    def __init__(self, rules: RuleSet, player: Player, threads: int = 1, *, proposals: int) -> None:
        super().__init__(rules.record(), threads, trumps_buried=False)
        self.proposals = check_index("proposals", proposals, 1, MAX_PROPOSALS, error=PlayerError)
        policies = [policy_under(player, rules) for _ in range(threads)]
        if policies[0].replay is None:
            raise PlayerError(f"{player.name} does not say how likely its plays are under these rules")
        self._policies = Policies(policies, replays=True)
        self._scratch = make_scratch(rules.record(), threads)
        self._pool: NDArray[Any] = np.zeros((threads, self.proposals), STATE_DTYPE)
        self._contradicts = np.zeros((threads, self.proposals), np.bool_)
        self._replays: NDArray[Any] = np.zeros((threads, self.proposals), REPLAY_DTYPE)
        self._plays: NDArray[np.int8] = np.zeros((0, NUM_SLOTS + 1), np.int8)

    def prepare(self, state: NDArray[Any], plays: NDArray[np.int8]) -> None:
        """Work out what the seat to move of an information state (1,) knows; `plays` (K, 55) are those of the round."""
        super().prepare(state, plays)
        self._plays = plays[plays[:, 0] > 0]

    def draw(
        self, state: NDArray[Any], key: int, first: int, samples: NDArray[Any], thread: int = 0
    ) -> NDArray[np.bool_]:
        """Write sampled deals number first.. of the stream `key` for the prepared state, as one of the threads.

        Returns:
            (W,) which of these contradict an earlier play.
        """
        if self.proposals == 1 or not len(self._plays):
            return super().draw(state, key, first, samples, thread)
        contradicts = np.zeros(len(samples), np.bool_)
        arrays = self.arrays(thread), self.replay_arrays(thread)
        draw_likely(state, self._plays, arrays, np.uint64(key), first, samples, contradicts)
        return contradicts

    def log_likelihoods(self, deals: NDArray[Any]) -> NDArray[np.float64]:
        """Return how likely deals (N,) make the plays of the prepared decision: logarithms, up to a constant, (N,).

        A deal that contradicts an earlier play gets less than any other.
        """
        found = np.zeros(len(deals))
        if len(self._plays):
            weigh_deals(deals, self._plays, self.replay_arrays(0), found)
            # Its plays are made again up to the contradiction only, so what it had got would be too much.
            contradicted = [self.num_contradicted(deals[row : row + 1]) for row in range(len(deals))]
            found[np.array(contradicted) > 0] = _CONTRADICTION
        return found

    def replay_arrays(self, thread: int) -> ReplayArrays:
        """Return the arrays with which a thread replays; valid while this sampler lives."""
        scratch = self._scratch[thread : thread + 1]
        return ReplayArrays(
            self._pool[thread], self._contradicts[thread], self._replays[thread], scratch, self._policies.packed, thread
        )


@jit
def draw_likely(
    states: NDArray[Any],
    plays: NDArray[Any],
    arrays: tuple[SamplerArrays, ReplayArrays],
    key: np.uint64,
    first: int,
    samples: NDArray[Any],
    contradicts: NDArray[np.bool_],
) -> None:
    """Write W sampled deals into ``samples``, and which of them contradict an earlier play.

    Of n deals with the weights w, each is taken with the probability w / sum of all w: the one with the highest
    log w + g, where g are independent numbers of the standard Gumbel distribution. Only the deal that is ahead is
    replayed further, since a play makes no deal more likely.
    """
    sampler, replay = arrays
    pool, proposals = replay.pool, replay.pool.size
    for row in range(samples.size):
        stream = fold(key, first + row)
        draw_samples(states, sampler, stream, 0, pool, replay.contradicts)
        for index in range(proposals):
            _begin(replay.replays[index], pool[index], plays, _gumbel(fold(stream, index)))
            if replay.contradicts[index]:
                replay.replays[index].total, replay.replays[index].number = _CONTRADICTION, plays.shape[0]
        best = _ahead(replay)
        while replay.replays[best].number < plays.shape[0]:
            _replay_next(replay.replays[best], plays, states[0].seat, replay)
            best = _ahead(replay)
        samples[row] = pool[best]
        contradicts[row] = replay.contradicts[best]


@jit
def _ahead(replay: ReplayArrays) -> int:
    """Return which deal is ahead, of equal ones the first."""
    best, most = 0, -np.inf
    for index in range(replay.replays.size):
        weight = replay.replays[index].total + replay.replays[index].chance
        if weight > most:
            best, most = index, weight
    return best


@jit
def weigh_deals(deals: NDArray[Any], plays: NDArray[Any], replay: ReplayArrays, found: NDArray[np.float64]) -> None:
    """Write the `log_likelihood` of plays (K, 55) in each of N deals into ``found``, (N,)."""
    for row in range(deals.size):
        found[row] = log_likelihood(deals[row], plays, deals[row].seat, replay)


@jit
def _gumbel(key: np.uint64) -> float:
    """Draw a number of the standard Gumbel distribution."""
    return -math.log(-math.log(max(uniform(key, _GUMBEL_COUNTER), _TINY)))


@jit
def log_likelihood(deal: State, plays: NDArray[Any], seat: int, replay: ReplayArrays) -> float:
    """Return how likely a deal makes what all but one seat have played: a logarithm, up to a constant.

    Args:
        deal: the whole table; it is not changed.
        plays: (K, 55) the plays since the first lead, as `tables.history` keeps them.
        seat: whose plays do not count.
        replay: scratch memory, and the policy that says what is likely.
    """
    x = replay.replays[0]
    _begin(x, deal, plays, 0.0)
    while x.number < plays.shape[0]:
        _replay_next(x, plays, seat, replay)
    return float(x.total)


@jit
def _begin(x: DealReplay, deal: State, plays: NDArray[Any], chance: float) -> None:
    x.state = deal
    x.number, x.total, x.chance = 0, 0.0, chance
    _go_back(x.state, plays[0, 0] - 1)


@jit
def _replay_next(x: DealReplay, plays: NDArray[Any], seat: int, replay: ReplayArrays) -> None:
    """Make the next play again, and add how likely it is."""
    s, r, w, row = x.state, replay.scratch[0].rules, replay.scratch[0].work, x.number
    if s.seat != plays[row, 0] - 1 or (s.phase != Phase.LEAD and s.phase != Phase.FOLLOW):
        # In a deal that contradicts a play, a throw may fail here, and others than then are to move.
        x.number = plays.shape[0]
        return
    if s.seat == seat:
        take_play(s, r, w, plays[row, 1:], None)
    else:
        x.total += replay_by(replay.policies, replay.thread, s, r, w, plays[row, 1:])
    x.number += 1


@jit
def _go_back(s: State, leader: int) -> None:
    """Take a table back to the first lead."""
    for seat in range(NUM_SEATS):
        for slot in range(NUM_SLOTS):
            s.hands[seat, slot] += s.played[seat, slot]
            s.played[seat, slot] = 0
        for suit in range(NUM_EFFECTIVE_SUITS):
            s.voids[seat, suit] = 0
    s.attackers_points = 0
    s.tricks = 0
    begin_trick(s, leader)
