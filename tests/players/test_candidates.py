"""Candidates and their features: pinned, blind to what the seat cannot know, the same for every name of a suit."""

import json

import numpy as np
import pytest

from shengji_env.engine.play import CARDS
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.players.candidates import (
    CANDIDATES_VERSION,
    FEATURES,
    NUM_FEATURES,
    candidates_digest,
    digest_of_all_rules,
    features_table,
)
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE
from shengji_env.players.candidates.features import FEATURES_DTYPE, make_features, write_features
from shengji_env.players.candidates.finding import find_candidates
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.hiding import hide_all_unknown
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import deal_again
from tests.helpers.make_candidates import FORCED_RULES, PINNED
from tests.helpers.make_candidates import RULES as ALL_RULES
from tests.helpers.phases import phases_of_cards
from tests.helpers.thorough import thorough

HEURISTIC = HeuristicPlayer()


class Finder:
    """Finds the candidates of a state, with their features."""

    def __init__(self, rules, most=10):
        self.rules = as_rules(rules).record()
        self.most = most

    def __call__(self, state):
        """Actions (C,), cards (C, 54), features (C,) FEATURES_DTYPE, and the bytes of the observation."""
        hidden_state, scratch, found = state.copy(), make_scratch(self.rules, 1), np.zeros(1, CANDIDATE_LIST_DTYPE)
        hide_all_unknown(hidden_state, self.rules)
        number = min(find_candidates(hidden_state[0], scratch[0], self.most, found[0]), self.most)
        seen = scratch["observation"].tobytes()
        rows = make_features()
        write_features(hidden_state[0], scratch[0], found[0], number, rows)
        assert not rows[len(rows) - 1].tobytes().strip(b"\0")
        actions, cards = found["actions"][0, :number], found["cards"][0, :number]
        return actions, np.where((actions == CARDS)[:, None], cards, 0), rows[:number].view(FEATURES_DTYPE).copy(), seen


def decisions(rules, steps, seed=5, tables=8):
    """States (1,) at which decisions begin, in rounds of heuristic and random play."""
    env = BatchEnv(tables, rules, seed=seed, start="any", skip_forced=True)
    for step in range(steps):
        for row in range(tables):
            if env.states["taken_size"][row] == 0 and (step + row) % 3 == 0:
                yield env.states[row : row + 1].copy()
        chosen = HEURISTIC.act(env.observation, env.action_mask, np.zeros(tables, np.uint64))
        env.step(np.where(np.arange(tables) + step % 5 == 0, env.sample_actions(), chosen))


def test_the_parts_make_up_the_features():
    assert sum(feature.size for feature in FEATURES) == NUM_FEATURES == FEATURES_DTYPE.itemsize
    assert f"| {NUM_FEATURES} | | | total | |" in features_table()


@pytest.mark.parametrize("rules", ALL_RULES)
def test_the_digest_is_the_pinned_one(rules):
    """Otherwise candidates or features have changed: raise CANDIDATES_VERSION, and pin the digests again.

    ``python -m tests.helpers.make_candidates`` pins them.
    """
    pinned = json.loads(PINNED.read_text())
    assert pinned["version"] == CANDIDATES_VERSION
    assert candidates_digest(rules) == pinned["digests"][rules]


def test_the_digest_of_many_rule_sets_is_the_pinned_one():
    assert digest_of_all_rules() == json.loads(PINNED.read_text())["digests"]["all"]
    assert digest_of_all_rules(with_features=False) != digest_of_all_rules()


@pytest.mark.parametrize("rules", [*ALL_RULES[:1], *thorough(*ALL_RULES[1:])])
def test_worlds_that_look_the_same_have_the_same_candidates(rules):
    rng = np.random.default_rng(7)
    find, phases = Finder(rules), set()
    for state in decisions(rules, 90):
        seat = int(state["seat"][0])
        world = deal_again(state, seat, as_rules(rules), rng)
        mine, others = find(state), find(world)
        phases.add(int(state["phase"][0]))
        assert mine[3] == others[3]
        for here, there in zip(mine[:3], others[:3], strict=True):
            assert here.tobytes() == there.tobytes()
    assert phases_of_cards(rules) <= phases


# ---- what features say


@pytest.mark.parametrize("rules", ["two_deck", "four_deck", "one_deck_45"])
def test_features_of_cards_count_them(rules):
    find = Finder(rules)
    for state in decisions(rules, 60):
        actions, cards, rows, _ = find(state)
        if actions[0] != CARDS:
            continue
        s = state[0]
        hand = s["hands"][s["seat"]].astype(int)
        assert rows["first"][:, 0].tolist() == [1] + [0] * (len(rows) - 1)
        assert rows["gain"][0, 0] == 0
        for play, row in zip(cards.astype(int), rows, strict=True):
            assert row["cards"][0] == play.sum() == row["suit_cards"].sum()
            assert row["points"][0] * 5 == play @ s["slot_points"]
            assert row["widest"][0] == play.max()
            assert row["kinds"][0] == (play > 0).sum()
            assert row["suit_left"].sum() == (hand - play).sum()
            assert row["suit_pairs"].sum() == ((hand - play) > 1).sum()
            assert row["broken"][0] == ((play > 0) & (hand > play)).sum()
            assert (row["suit_emptied"] == ((row["suit_left"] == 0) & (row["suit_cards"] > 0))).all()
            assert row["wins"][0] + row["loses"][0] == (s["phase"] == Phase.FOLLOW)


def test_in_last_seat_a_follow_wins_if_its_seat_leads_next():
    seen = {0: 0, 1: 0}
    for seed in range(3):
        env = BatchEnv(16, "two_deck", seed=seed, start="any")
        find = Finder("two_deck")
        wanted = np.full(16, -1)
        for _ in range(140):
            seats, tricks = env.seat.copy(), env.states["tricks"].copy()
            chosen = HEURISTIC.act(env.observation, env.action_mask, np.zeros(16, np.uint64))
            for row in range(16):
                if env.states["position"][row] == 3 and env.states["taken_size"][row] == 0:
                    wanted[row] = find(env.states[row : row + 1])[2]["wins"][0, 0]
            env.step(chosen)
            over = (env.states["tricks"] == tricks + 1) & (env.phase == Phase.LEAD)
            for row in np.flatnonzero(over):
                assert wanted[row] == (env.seat[row] == seats[row])
                seen[int(wanted[row])] += 1
    assert min(seen.values()) > 100


def test_under_no_trump_four_plain_suits_are_told_apart():
    rules = "duplicate(no_trump_bids=True)"
    find, found = Finder(rules), 0
    for state in decisions(rules, 300, seed=11, tables=16):
        if state["trump"][0] == 4 and state["phase"][0] == Phase.BURY:
            _, cards, rows, _ = find(state)
            for play, row in zip(cards, rows, strict=True):
                assert row["suit_cards"][:4].tolist() == play[:48].reshape(4, 12).sum(axis=1).tolist()
                assert row["suit_cards"][4] == play[48:].sum()
            found += 1
    assert found


def test_features_of_bids_say_what_would_be_trumps():
    find, bids, passes = Finder("two_deck"), 0, 0
    for state in decisions("two_deck", 40):
        if state["phase"][0] != Phase.BID:
            continue
        s = state[0]
        actions, cards, rows, _ = find(state)
        assert not cards.any()
        for action, row in zip(actions.tolist(), rows, strict=True):
            if action == 54:
                assert row["passes"][0] == 1
                assert row["names"].sum() == row["bidder"].sum() == (s["bid_count"] > 0)
                passes += 1
            elif action < 71:
                count, suit = divmod(action - 55, 4)
                assert (row["bid_size"][0], row["names"][suit], row["bidder"][0]) == (count + 1, 1, 1)
                held = s["hands"][s["seat"]].astype(int)
                assert row["trumps"][0] == held[12 * suit : 12 * suit + 12].sum() + held[48:].sum()
                assert row["strength"][0] >= 4 * row["trumps"][0]
                bids += 1
    assert bids > 20
    assert passes > 20


def test_features_of_forced_components_are_those_of_the_component():
    find, found = Finder(FORCED_RULES), 0
    for state in decisions(FORCED_RULES, 400, seed=2, tables=16):
        if state["phase"][0] == Phase.FORCED:
            actions, _, rows, _ = find(state)
            for action, row in zip(actions.tolist(), rows, strict=True):
                assert state["trick"][0, state["leader"][0], action] >= row["width"][0] >= 1
                assert row["cards"][0] == row["width"][0] * row["length"][0]
                found += 1
    assert found


# ---- suits


def slots_permuted(order, trump):
    """For each slot, the slot to which it goes when plain suit i takes the place of plain suit order[i]."""
    slots = np.arange(NUM_SLOTS)
    for old, new in enumerate(order):
        slots[12 * old : 12 * old + 12] = 12 * new + np.arange(12)
        slots[48 + old] = 48 + new
    return slots


def permuted(state, order):
    """A state with plain suits permuted, after trumps were named."""
    other, s = state.copy(), state[0]
    slots = slots_permuted(order, s["trump"])
    suits = np.arange(5)
    suits[: len(order)] = order
    for name in ("hands", "played", "trick", "known", "taken", "buried", "turned", "slot_points"):
        other[name][..., slots] = state[name]
    other["voids"][..., suits] = state["voids"]
    for name in ("lead_suit", "winning_suit"):
        other[name] = suits[s[name]]
    other["last_slot"] = slots[s["last_slot"]] if s["last_slot"] else 0
    for name in ("components", "choices"):
        codes = state[name]
        other[name] = np.where(codes & 63, codes & ~63 | slots[codes & 63], codes)
    return other, slots, suits


def test_permuting_the_plain_suits_permutes_candidates_and_features():
    """Nearly: ties of value are broken in slot order, for plays (`plans.slot_for`, `add_cheapest`) and for suits."""
    find, matched, total, firsts, decided = Finder("two_deck"), 0, 0, 0, 0
    for number, state in enumerate(decisions("two_deck", 300, tables=16)):
        if state["phase"][0] not in (Phase.BURY, Phase.LEAD, Phase.FOLLOW):
            continue
        order = (1, 2, 3, 0) if state["trump"][0] == 4 else ((1, 2, 0), (0, 2, 1), (2, 1, 0))[number % 3]
        other, slots, suits = permuted(state, order)
        _, cards, rows, _ = find(state)
        _, other_cards, other_rows, _ = find(other)
        places = {play.tobytes(): place for place, play in enumerate(other_cards)}
        moved = np.zeros_like(cards)
        moved[:, slots] = cards
        total += len(cards)
        decided += 1
        is_same_first = moved[0].tobytes() == other_cards[0].tobytes()
        firsts += is_same_first
        for play, row in zip(moved, rows, strict=True):
            place = places.get(play.tobytes())
            if place is None:
                continue
            matched += 1
            for feature in FEATURES:
                if feature.name in ("first", "gain") and not is_same_first:
                    continue
                expected = row[feature.name].copy()
                if feature.name.startswith("suit_"):
                    expected[suits] = row[feature.name]
                assert other_rows[place][feature.name].tolist() == expected.tolist(), feature.name
    assert decided > 300
    assert firsts / decided > 0.95
    assert matched / total > 0.95
