"""Every policy decides by the information state: alike at tables that the seat to move cannot tell apart.

The other table is made anew for each card of a play, from the table where the policy has planned the play or not.
"""

import numpy as np
import pytest

from shengji_env.engine.compile import jit
from shengji_env.engine.masks import legal_of_mask
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.players import Decisions, FastPlayer, ObservationPlayer, Player, make_player
from shengji_env.players.hiding import hide_all_unknown
from shengji_env.players.networks.policy import PolicyPlayer
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.playing import policies_of
from shengji_env.players.registry import BUILT_IN
from shengji_env.tables.policies import Policy, next_of
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import deal_again
from tests.helpers.policies import random_layers
from tests.helpers.selfplay_networks import write_random

RULES = ("two_deck", "one_deck_45", "duplicate", "three_deck(failed_throw=next_seat_chooses)", "chaodipi")
PLAYERS = (
    *(name for name, make in BUILT_IN.items() if make.__name__ not in ("SearchPlayer", "HumanPlayer")),
    "champion?part=playouts", "policy:layers", "selfplay:{folder}", "docs.tutorials.fast_policy:HighLow",
)  # fmt: skip
SEEN = {Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW}


@jit
def ask(states, rules, masks, keys, policies, is_new):
    slots, others = legal_of_mask(masks[0])
    return next_of(policies, 0, states[0], rules[0], slots, others, is_new, keys[0])


@jit
def next_by_neighbour(s, r, slots, others, is_new, key, memory):
    """A policy that looks at the next seat's lowest card."""
    action = lowest_slot(slots) if slots else NUM_SLOTS + lowest_slot(others)
    theirs = s.hands[(s.seat + 1) % 4]
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if theirs[slot]:
            action = slot
    return action


class Peeking(FastPlayer):
    name = "peeking"

    def policy(self, rules):
        return Policy("peeking", next_by_neighbour, ())


def player_of(text, folder):
    if text == "policy:layers":
        return PolicyPlayer(random_layers(), {}, name=text)
    if text.startswith("selfplay:"):
        write_random(folder)
    return make_player(text.format(folder=folder))


def walk(player, rules, steps=250):
    """Compare what a policy does at decisions of a table, at tables like them, and where it answers observations.

    Returns:
        How many other tables were compared, the phases met, and at how many cards it went on with its plan.
    """
    env = BatchEnv(1, rules, seed=7, start="any", skip_forced=True)
    given, rng = env.rules, np.random.default_rng(7)
    here, there, wiped = (policies_of(player, given) for _ in range(3))
    others, phases, planned, is_new = 0, set(), 0, True
    for _ in range(steps):
        decisions = Decisions.at(env.tables, np.zeros(1, np.int64))
        state = env.states[:1].copy()
        other, hidden = deal_again(state, int(state["seat"][0]), given, rng), state.copy()
        hide_all_unknown(hidden, given.record())
        asked = given.record(), decisions.action_mask, decisions.key
        action = ask(state.copy(), *asked, here.packed, is_new)
        assert decisions.action_mask[0, action]
        for policies, table in ((there, other), (wiped, hidden)):
            assert ask(table, *asked, policies.packed, is_new) == action, (player.name, Phase(state["phase"][0]).name)
        if isinstance(player, ObservationPlayer):
            assert player.act(decisions.observation, decisions.action_mask, decisions.key)[0] == action
        if is_new:
            assert player.decide(decisions)[0] == action
        others += other.tobytes() != state.tobytes()
        phases.add(Phase(int(state["phase"][0])))
        planned += not is_new
        env.step(np.array([action]))
        is_new = bool(env.states["taken_size"][0] <= state["taken_size"][0])
    return others, phases, planned


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("text", PLAYERS)
def test_no_policy_sees_what_its_seat_cannot(text, rules, tmp_path):
    others, phases, planned = walk(player_of(text, tmp_path), rules)
    assert others > 200
    assert planned > 5
    assert phases >= SEEN - ({Phase.BID} if as_rules(rules).bidding == "fixed" else set())


def test_a_policy_that_looks_at_hidden_cards_is_found_out():
    with pytest.raises(AssertionError, match="peeking"):
        walk(Peeking(), "two_deck")


def test_every_player_of_the_package_with_a_policy_is_among_them():
    classes = {type(make_player(name)) for name in BUILT_IN} | {PolicyPlayer, SelfplayPlayer}
    with_policy = {each.__name__.removesuffix("Player") for each in classes if each.policy is not Player.policy}
    assert with_policy == {"Random", "Greedy", "Heuristic", "Policy", "Selfplay"}
