"""Replaying: of several deals, take one that explains what the others have played.

All plays of the round are made again in a sampled deal, from the first lead on. What the distilled network decides,
leads and follows of one card, has a probability: a softmax of what it says of the legal cards, card by card. Of follows
of several cards, the heuristic player's counts as so much likelier than others. The product over the plays of the other
three seats is the weight of the deal, and of some deals one is taken by these weights.

Bids, burials and failed throws are not among the plays: what was forced counts as the lead.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.clearing import begin_trick
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import SAME_CARDS, fold
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.play import next_card
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, Phase, State
from shengji_env.errors import PlayerError
from shengji_env.players.candidates.scratch import Scratch, make_scratch
from shengji_env.players.heuristic import plan_cards
from shengji_env.players.heuristic.seeing import write_view
from shengji_env.players.networks.distilled.distilled_file import shipped_network
from shengji_env.players.networks.distilled.distilled_network import (
    DISTILLED_DTYPE,
    DistilledNetwork,
    is_for_network,
    log_chance,
    look_at,
)
from shengji_env.players.search.dealing import uniform
from shengji_env.players.search.sampled_deals import Sampler, SamplerArrays, draw_samples
from shengji_env.players.whole_plays import next_of_plan
from shengji_env.support.arguments import check_index

DEFAULT_PROPOSALS = 4
"""Deals of which one is taken, as research/trials/replaying.md found."""
MAX_PROPOSALS = 1000
"""Most deals of which one is taken."""
_SURPRISE = -1.5
"""Logarithm of how much less likely than the heuristic player's another follow of several cards is."""
_CONTRADICTION = -1e6
"""What a deal that contradicts earlier plays gets as its logarithm: it counts only if all others do so, too."""
_GUMBEL_COUNTER = 2000
"""Counter of a stream beyond those that deal cards."""
_TINY = 1e-12


class ReplayArrays(NamedTuple):
    """The arrays of a thread that replays, for compiled code."""

    pool: NDArray[Any]
    """(proposals,) STATE_DTYPE: the deals of which one is taken."""
    contradicts: NDArray[np.bool_]
    """(proposals,)"""
    scratch: NDArray[Any]
    """(1,) SCRATCH_DTYPE."""
    network: DistilledNetwork
    """Whose plays are likely."""
    looks: NDArray[Any]
    """(1,) DISTILLED_DTYPE, its memory."""


class ReplayingSampler(Sampler):
    """Samples deals, without trumps in the kitty where that is possible, that explain what the others have played.

    Args:
        rules: (1,) RULES_DTYPE.
        threads: threads that draw at the same time.
        proposals: deals of which one is taken, 1 to MAX_PROPOSALS; with 1, nothing is replayed.

    Raises:
        PlayerError: `proposals` is out of range.
    """

    def __init__(self, rules: NDArray[Any], threads: int = 1, *, proposals: int) -> None:
        super().__init__(rules, threads, trumps_buried=False)
        self.proposals = check_index("proposals", proposals, 1, MAX_PROPOSALS, error=PlayerError)
        self._network, self._looks = shipped_network(), np.zeros(threads, DISTILLED_DTYPE)
        self._scratch = make_scratch(rules, threads)
        self._pool: NDArray[Any] = np.zeros((threads, self.proposals), STATE_DTYPE)
        self._contradicts = np.zeros((threads, self.proposals), np.bool_)
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
        """Return the arrays with which a thread replays."""
        scratch, looks = self._scratch[thread : thread + 1], self._looks[thread : thread + 1]
        return ReplayArrays(self._pool[thread], self._contradicts[thread], scratch, self._network, looks)


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
    """Do the work of `ReplayingSampler.draw`.

    Of n deals with the weights w, each is taken with the probability w / sum of all w: the one with the highest
    log w + g, where g are independent numbers of the standard Gumbel distribution.
    """
    sampler, replay = arrays
    pool, proposals = replay.pool, replay.pool.size
    for row in range(samples.size):
        stream = fold(key, first + row)
        draw_samples(states, sampler, stream, 0, pool, replay.contradicts)
        best, most = 0, -np.inf
        for index in range(proposals):
            weight = _CONTRADICTION
            if not replay.contradicts[index]:
                weight = log_likelihood(pool[index], plays, states[0].seat, replay)
            weight += _gumbel(fold(stream, index))
            if weight > most:
                best, most = index, weight
        samples[row] = pool[best]
        contradicts[row] = replay.contradicts[best]


@jit
def weigh_deals(deals: NDArray[Any], plays: NDArray[Any], replay: ReplayArrays, found: NDArray[np.float64]) -> None:
    """Do the work of `ReplayingSampler.log_likelihoods`."""
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
        replay: scratch memory, and whose plays are likely.
    """
    scratch = replay.scratch[0]
    scratch.state = deal
    s = scratch.state
    _go_back(s, plays[0, 0] - 1)
    total = 0.0
    for row in range(plays.shape[0]):
        # In a deal that contradicts a play, a throw may fail here, and others than then are to move.
        if s.seat != plays[row, 0] - 1 or (s.phase != Phase.LEAD and s.phase != Phase.FOLLOW):
            break
        counts = s.seat != seat
        total += _replay(plays[row, 1:], counts, scratch, replay.looks[0], replay.network)
    return total


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


@jit
def _replay(cards: NDArray[Any], counts: bool, scratch: Scratch, own: Any, network: DistilledNetwork) -> float:
    """Make a play again; return the logarithm of its probability if it counts, or 0."""
    s, r, w = scratch.state, scratch.rules, scratch.work
    by_network, is_seen, total = is_for_network(s), False, 0.0
    while True:
        slots, others = legal_actions(s, r, w)
        action = next_card(s.taken, slots, cards)
        if action == DONE and others == 0:  # the deal does not allow the play
            return total
        is_choice = slots != 0 and (others != 0 or slots & (slots - 1) != 0)
        if is_choice and counts and (by_network or total == 0.0):
            if not is_seen:
                is_seen = True
                if by_network:
                    look_at(s, own)
                else:
                    write_view(s, r, scratch.observation)
                    plan_cards(scratch.observation, scratch.plan)
            if by_network:
                total += log_chance(s, slots, others != 0, own, network, action)
            elif next_of_plan(s.taken, slots, others != 0, scratch.plan.want, scratch.plan.charge) != action:
                total = _SURPRISE
        apply_action(s, r, w, SAME_CARDS, action)
        if s.taken_size == 0:
            return total
