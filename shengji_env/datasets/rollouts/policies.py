"""Compiled code: the policy's plays, and how it plays on from a candidate to the end of the round.

| policy | sits in the seats without noise | plays on |
|---|---|---|
| `heuristic` | the heuristic player | the player of playouts |
| a network | the network | the network, until `network_tricks` more tricks are over; then the player of playouts |

Who sits in the opponents' seats plays on there, to the end of the round; a value network as long as one that is the
policy.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts.memory import Memory, deals_of, make_memory
from shengji_env.datasets.rollouts.named_players import USUAL
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
from shengji_env.players.networks.champion.choosing import Evaluator, choose_candidate, make_evaluator
from shengji_env.players.networks.champion.compiled_network import blank_network, network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.playing import play_next, play_out, policy_under, word_of
from shengji_env.tables.policies import PackedPolicies, Policies

FIRST_OPPONENTS = len(OTHERS)
"""Who sits in the other seats, from here on: players in the opponents' seats alone."""
PLAYOUTS = 0
"""Place among `Maker.policies`."""
GREEDY = 1 + list(USUAL).index("greedy")


class Maker(NamedTuple):
    """What rollouts are made with: a thread's memory, settings, and a network with the memory for asking it."""

    memory: NDArray[Any]
    """(1,) MEMORY_DTYPE, its scratch memory prepared for the rules."""
    settings: NDArray[Any]
    """(1,) SETTINGS_DTYPE."""
    evaluator: Evaluator
    """The policy's, without meaning if `network_tricks` of the settings is 0."""
    policies: PackedPolicies
    """PLAYOUTS, who plays on to the end of the round; then those of `RolloutSettings.seated`."""


def make_policies(settings: RolloutSettings) -> Policies:
    """Return the policies of rollouts.

    Raises:
        ShengjiError: a player is not at hand, or cannot play under the rules.
    """
    names = settings.playouts, *settings.seated
    return Policies([policy_under(settings.player(name), settings.rules) for name in names])


def make_maker(settings: RolloutSettings, policies: Policies) -> Maker:
    """Return what a thread makes rollouts with; valid while `policies` live."""
    weights, features = settings.weights, features_of(settings.rules)
    network = blank_network() if weights is None else network_of(for_rules(weights, features))
    return Maker(make_memory(settings), settings.record(), make_evaluator(network), policies.packed)


@jit
def best_found(maker: Maker, found: CandidateList, number: int) -> int:
    """Return which of the candidates that `find_hidden` has just found the policy takes."""
    memory = maker.memory[0]
    if maker.settings[0].network_tricks == 0:
        return 0
    return int(choose_candidate(memory.seen, memory.scratch, found, number, maker.evaluator))


@jit
def only_action(s: State, r: Rules, w: Workspace) -> int:
    """Return the action if it is the only one at the beginning of a decision and no card, such as a pass; or -1."""
    slots, others = legal_actions(s, r, w)
    return NUM_SLOTS + lowest_slot(others) if slots == 0 and others & (others - 1) == 0 else -1


@jit
def place_of(memory: Memory, seat: int) -> int:
    """Return which of `Maker.policies` sits in a seat as an opponent of the exploring one; 0 for none."""
    is_opponent = memory.others >= FIRST_OPPONENTS and seat % NUM_TEAMS != memory.explorer % NUM_TEAMS
    return int(memory.others) - FIRST_OPPONENTS + 1 if is_opponent else 0


@jit
def key_of(memory: Memory, s: State, policy: int) -> np.uint64:
    """Return the key of a policy's next play; other seats than those of PLAYOUTS have words by the cards in hand."""
    if policy == PLAYOUTS:
        return memory.key  # type: ignore[no-any-return]  # a field of a record
    hand = count_cards_at(s.hands[s.seat], ALL_SLOTS)
    return later_key(memory.key, word_of(hand, s.seat) - word_of(s.tricks, s.seat))


@jit
def play_on(maker: Maker) -> None:
    """Play ``memory.playout``, a copy of the table and one play more, to the end of the round.

    The policy plays on for its tricks if it is a network, the opponents for theirs, then the player of playouts.
    """
    memory, settings = maker.memory[0], maker.settings[0]
    playout, found, deals = memory.playout, memory.found_on, deals_of(memory, settings)
    s, r, w = playout.state, playout.rules, playout.work
    end, opponents_end = memory.table.tricks + settings.network_tricks, memory.table.tricks
    if memory.others >= FIRST_OPPONENTS:
        opponents_end += settings.opponents_tricks[memory.others - FIRST_OPPONENTS]
    while s.tricks < max(end, opponents_end) and s.phase != Phase.OVER:
        place = place_of(memory, s.seat)
        if place == 0 and s.tricks < end and only_action(s, r, w) < 0:
            best = best_found(maker, found, find_hidden(s, memory, settings.most, found))
            make_play(s, r, w, deals, candidate_play(found, best))
        else:
            policy = place if s.tricks < opponents_end else PLAYOUTS
            play_next(s, r, w, deals, maker.policies, policy, key_of(memory, s, policy))
    play_out(s, r, w, deals, maker.policies, PLAYOUTS, memory.key)
