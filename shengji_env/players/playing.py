"""Playing on: policies make whole plays at a table, to the end of the round.

Playouts of searches and reviews, rollouts and whole rounds (`whole_rounds.py`) share these functions. Only one legal
action is taken without asking; otherwise a policy is told whether the decision begins, and plans once.
"""

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals, later_key
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import first_legal, legal_actions, num_legal
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import Phase, Rules, State, Workspace
from shengji_env.errors import PlayerError, show
from shengji_env.players.fast_player import announce_policy
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.player import Player
from shengji_env.tables.policies import PackedPolicies, Policies, Policy, next_of

HEURISTIC = "heuristic"
"""The usual playout policy."""
_MOST_TAKEN = 64
"""More cards than a play has."""
_ONE_COPY = 1


@jit
def next_action_by(
    s: State, r: Rules, w: Workspace, policies: PackedPolicies, policy: int, is_new: bool, key: np.uint64
) -> tuple[int, bool]:
    """Return a policy's next action, and whether it has not been asked yet in this decision.

    Args:
        s: the table.
        r: its rules.
        w: scratch memory.
        policies: some policies.
        policy: which of them.
        is_new: whether it has not been asked before this action.
        key: of the round's random words, one for each action of a seat in a trick.
    """
    slots, others = legal_actions(s, r, w)
    if num_legal(slots, others) == 1:
        return first_legal(slots, others), is_new
    own_key = later_key(key, word_of(s.tricks, s.seat) + int(s.taken_size))
    return next_of(policies, policy, s, r, slots, others, is_new, own_key), False


@jit
def word_of(count: int, seat: int) -> int:
    """Return the index of a seat's first random word, where something has been counted, such as tricks."""
    return (int(count) * NUM_SEATS + int(seat)) * _MOST_TAKEN


@jit
def play_next(
    s: State, r: Rules, w: Workspace, deals: Deals, policies: PackedPolicies, policy: int, key: np.uint64
) -> None:
    """Make a policy's next play, or the rest of a play that has begun; `deals` is where redeals come from."""
    is_new = True
    while True:
        action, is_new = next_action_by(s, r, w, policies, policy, is_new, key)
        apply_action(s, r, w, deals, action)
        if s.taken_size == 0:
            return


@jit
def play_out(
    s: State, r: Rules, w: Workspace, deals: Deals, policies: PackedPolicies, policy: int, key: np.uint64
) -> None:
    """Play the round to its end with a policy in all four seats."""
    while s.phase != Phase.OVER:
        play_next(s, r, w, deals, policies, policy, key)


def player_with_policy(player: str | Player) -> Player:
    """Return a player, or HEURISTIC by name, after checking that its kind has a policy.

    Raises:
        PlayerError: it has none.
    """
    made = HeuristicPlayer(is_asked=False) if player == HEURISTIC else player
    if not isinstance(made, Player) or type(made).policy is Player.policy:
        name = made.name if isinstance(made, Player) else show(made)
        raise PlayerError(f"{name} has no policy in compiled code; it must be {HEURISTIC}, or a player with one")
    return made


def policies_of(player: Player, rules: RuleSet, copies: int = _ONE_COPY) -> Policies:
    """Return a player's policy under some rules, with memory for so many threads.

    Raises:
        PlayerError: it has none, or cannot play under these rules.
    """
    return Policies([policy_under(player, rules) for _ in range(copies)])


def policy_under(player: Player, rules: RuleSet) -> Policy:
    """Return a player's policy under some rules.

    Raises:
        PlayerError: it has none, or cannot play under these rules.
    """
    policy = player.policy(rules)
    if policy is None:
        raise PlayerError(f"{player.name} has no policy in compiled code under these rules")
    announce_policy(policy)
    return policy
