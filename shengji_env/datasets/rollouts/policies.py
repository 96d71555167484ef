"""Compiled code: who plays rollouts, at the table and on from a candidate to the end of the round.

| place | who | sits | plays on |
|---|---|---|---|
| POLICY | the policy | in all seats without others | for `network_tricks`; `heuristic` for none |
| PLAYOUTS | the player of playouts | nowhere | then, to the end of the round |
| FIRST_SEATED on | those of `RolloutSettings.seated` | as opponents, or around the seat that explores | as opponents |

Who plays on as an opponent does so to the end of the round.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.labelling import Turn
from shengji_env.datasets.rollouts.rollout_settings import PLAYOUTS, POLICY, RolloutSettings, RoundSettings
from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import later_key
from shengji_env.engine.game import apply_action
from shengji_env.engine.rows import ALL_SLOTS, count_cards_at, fill_row
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Phase, State
from shengji_env.players.candidates.candidate_arrays import MEMORY_DTYPE
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.playing import next_action_by, play_next, policy_under, word_of
from shengji_env.players.whole_plays import is_single
from shengji_env.tables.policies import PackedPolicies, Policies


class Maker(NamedTuple):
    """What rollouts are made with: a thread's memory, and the policies."""

    states: NDArray[Any]
    """(2,) STATE_DTYPE: the table, and that of a playout."""
    rules: NDArray[Any]
    """(1,) RULES_DTYPE."""
    works: NDArray[Any]
    """(1,) WORKSPACE_DTYPE."""
    memory: NDArray[Any]
    """(1,) MEMORY_DTYPE of candidates."""
    policies: PackedPolicies
    seats: NDArray[np.int64]
    """(2, NUM_SEATS) which policy sits in each seat; the same in playouts."""
    noise: NDArray[np.float64]
    """(NUM_SEATS,) how often each takes another candidate than its policy's."""
    known: NDArray[np.int64]
    """(1,) the candidate, if any, whose outcome the policy reaches from here; NONE."""
    cards: NDArray[np.int8]
    """(54,) what a policy has played, if that is a set of cards."""


def make_policies(settings: RolloutSettings) -> Policies:
    """Return the policies of rollouts.

    Raises:
        ShengjiError: a player is not at hand, or cannot play under the rules.
    """
    names = settings.policy, settings.playouts, *settings.seated
    return Policies([policy_under(settings.player(name), settings.rules) for name in names])


def make_maker(rules: NDArray[Any], policies: PackedPolicies) -> Maker:
    """Return what a thread makes rollouts with, for its rules; valid while the `policies` live."""
    memory: NDArray[Any] = np.zeros(1, MEMORY_DTYPE)
    memory["scratch"] = make_scratch(rules, 1)
    return Maker(
        np.zeros(2, STATE_DTYPE), rules, np.zeros(1, WORKSPACE_DTYPE), memory, policies,
        np.full((2, NUM_SEATS), POLICY), np.zeros(NUM_SEATS), np.zeros(1, np.int64), np.zeros(NUM_SLOTS, np.int8),
    )  # fmt: skip


@jit
def _key_of(turn: Turn, s: State, policy: int) -> np.uint64:
    """Return the key of a policy's next play; others than PLAYOUTS have words by the cards in hand."""
    if policy == PLAYOUTS:
        return turn.key
    hand = count_cards_at(s.hands[s.seat], ALL_SLOTS)
    words = np.int64(word_of(hand, s.seat) - word_of(s.tricks, s.seat))
    return later_key(turn.key, words)  # type: ignore[arg-type]  # below 0, of which only NumPy's numbers wrap around


@jit
def play_at(maker: Maker, turn: Turn, table: int, log: NDArray[Any]) -> int:
    """Make the play of the policy of the seat to move at the table, or at its copy; return its number of actions.

    They are written to ``log``, the cards to ``maker.cards``.
    """
    s, r, w, cards = maker.states[table], maker.rules[0], maker.works[0], maker.cards
    policy, is_set, is_new, number = maker.seats[0, s.seat], not is_single(s.phase), True, 0
    key = _key_of(turn, s, policy)
    fill_row(cards, 0)
    while True:
        action, is_new = next_action_by(s, r, w, maker.policies, policy, is_new, key)
        if is_set and action != DONE:
            cards[action] += 1
        log[number] = action
        number += 1
        apply_action(s, r, w, turn.deals, action)
        if s.taken_size == 0:
            return number


@jit
def play_on(maker: Maker, settings: RoundSettings, turn: Turn) -> None:
    """Play the copy of the table to the end of the round: each policy for its tricks, then PLAYOUTS."""
    s, before = maker.states[1], maker.states[0].tricks
    while s.phase != Phase.OVER:
        policy = maker.seats[1, s.seat]
        if s.tricks >= before + settings.tricks[policy]:
            policy = PLAYOUTS
        play_next(s, maker.rules[0], maker.works[0], turn.deals, maker.policies, policy, _key_of(turn, s, policy))
