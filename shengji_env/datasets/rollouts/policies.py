"""Compiled code: the policy's plays, and how it plays on from a candidate to the end of the round.

| policy | sits in the seats without noise | plays on |
|---|---|---|
| `heuristic` | the heuristic player | the player of playouts |
| a network | the network | the network, until `network_tricks` more tricks are over; then the player of playouts |

The player of playouts is `heuristic` unless the settings' `playouts` says otherwise.

Where `greedy`, `heuristic`, `random` or another network sits in the opponents' seats, it plays on there; the network
as long as the policy.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.memory import Memory, deals_of, make_memory
from shengji_env.datasets.rollouts.rollout_settings import OTHERS, RolloutSettings
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import later_key
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.play import make_play
from shengji_env.engine.rows import ALL_SLOTS, count_cards_at, lowest_slot
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NUM_TEAMS, Phase, Rules, State, Workspace
from shengji_env.players.candidates.candidate_list import CandidateList, candidate_play
from shengji_env.players.candidates.finding import find_hidden
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.champion.choosing import Evaluator, choose_candidate, make_evaluator
from shengji_env.players.networks.champion.compiled_network import Weights, blank_network, network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.playing import play_next, play_out, player_with_policy, word_of
from shengji_env.players.random import RandomPlayer
from shengji_env.tables.policies import PackedPolicies, Policies

GREEDY_OPPONENTS = OTHERS.index("greedy opponents")
HEURISTIC_OPPONENTS = OTHERS.index("heuristic opponents")
RANDOM_OPPONENTS = OTHERS.index("random opponents")
NETWORK_OPPONENTS = OTHERS.index("network opponents")
PLAYOUTS = 0
"""Places among `Maker.policies`."""
_GREEDY, _HEURISTIC, _RANDOM = 1, 2, 3
_POLICY_OF = np.zeros(len(OTHERS), np.int64)
_POLICY_OF[[GREEDY_OPPONENTS, HEURISTIC_OPPONENTS, RANDOM_OPPONENTS]] = _GREEDY, _HEURISTIC, _RANDOM


class Maker(NamedTuple):
    """What rollouts are made with: a thread's memory, settings, and a network with the memory for asking it."""

    memory: NDArray[Any]
    """(1,) MEMORY_DTYPE, its scratch memory prepared for the rules."""
    settings: NDArray[Any]
    """(1,) SETTINGS_DTYPE."""
    evaluator: Evaluator
    """The policy's, without meaning if `network_tricks` of the settings is 0."""
    opponents: Evaluator
    """That of `network_opponents`, without meaning if there is none."""
    policies: PackedPolicies
    """PLAYOUTS, who plays on to the end of the round; those after it are the opponents of other kinds."""


def make_policies(settings: RolloutSettings) -> Policies:
    """Return the policies of rollouts."""
    others = GreedyPlayer(is_asked=False), HeuristicPlayer(is_asked=False), RandomPlayer()
    made = [player.policy(settings.rules) for player in (player_with_policy(settings.playouts_by), *others)]
    return Policies([policy for policy in made if policy is not None])


def make_maker(settings: RolloutSettings, policies: Policies) -> Maker:
    """Return what a thread makes rollouts with; valid while `policies` live."""
    return Maker(
        make_memory(settings),
        settings.record(),
        _evaluator_of(settings.weights, settings),
        _evaluator_of(settings.opponents_weights, settings),
        policies.packed,
    )


def _evaluator_of(weights: Weights | None, settings: RolloutSettings) -> Evaluator:
    """Return what computes a network's values under the settings' rules."""
    if weights is None:
        return make_evaluator(blank_network())
    return make_evaluator(network_of(for_rules(weights, features_of(settings.rules))))


@jit
def best_found(maker: Maker, found: CandidateList, number: int, opponents: int) -> int:
    """Return which of the candidates that `find_hidden` has just found the policy takes, or `NETWORK_OPPONENTS`."""
    memory = maker.memory[0]
    if maker.settings[0].network_tricks == 0:
        return 0
    evaluator = maker.opponents if opponents == NETWORK_OPPONENTS else maker.evaluator
    return int(choose_candidate(memory.seen, memory.scratch, found, number, evaluator))


@jit
def only_action(s: State, r: Rules, w: Workspace) -> int:
    """Return the action if it is the only one at the beginning of a decision and no card, such as a pass; or -1."""
    slots, others = legal_actions(s, r, w)
    return NUM_SLOTS + lowest_slot(others) if slots == 0 and others & (others - 1) == 0 else -1


@jit
def opponents_at(memory: Memory, seat: int) -> int:
    """Return the kind of opponents, an index of `OTHERS`, if one of the exploring seat's sits there; or 0."""
    is_opponent = memory.others >= GREEDY_OPPONENTS and seat % NUM_TEAMS != memory.explorer % NUM_TEAMS
    return int(memory.others) if is_opponent else 0


@jit
def policy_of(opponents: int) -> int:
    """Return which of `Maker.policies` sits in the seats of opponents; PLAYOUTS for those that have none."""
    return int(_POLICY_OF[opponents])


@jit
def key_of(memory: Memory, s: State, policy: int) -> np.uint64:
    """Return the key of a policy's next play: `random` has words by the cards in hand, not by tricks."""
    if policy != _RANDOM:
        return memory.key  # type: ignore[no-any-return]  # a field of a record
    hand = count_cards_at(s.hands[s.seat], ALL_SLOTS)
    return later_key(memory.key, word_of(hand, s.seat) - word_of(s.tricks, s.seat))


@jit
def play_on(maker: Maker, tricks: int) -> None:
    """Let the policy play ``memory.playout`` to the end of the round; a network plays until so many tricks are over."""
    memory, settings = maker.memory[0], maker.settings[0]
    playout, found, deals = memory.playout, memory.found_on, deals_of(memory, settings)
    s, r, w = playout.state, playout.rules, playout.work
    is_mixed = policy_of(memory.others) != PLAYOUTS
    while (s.tricks < tricks or is_mixed) and s.phase != Phase.OVER:
        opponents = opponents_at(memory, s.seat)
        policy = policy_of(opponents)
        if s.tricks < tricks and policy == PLAYOUTS and only_action(s, r, w) < 0:
            best = best_found(maker, found, find_hidden(s, memory, settings.most, found), opponents)
            make_play(s, r, w, deals, candidate_play(found, best))
        else:
            play_next(s, r, w, deals, maker.policies, policy, key_of(memory, s, policy))
    play_out(s, r, w, deals, maker.policies, PLAYOUTS, memory.key)
