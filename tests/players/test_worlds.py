"""Worlds for search: they agree with everything public, and all worlds that agree are equally likely."""

import itertools
from collections import Counter

import numpy as np
import pytest

from shengji_env.engine.actions import DONE
from shengji_env.engine.cards import NUM_CARDS, card_id
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rule_sets import PRESETS, as_rules
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, slot_of_card, suit_of_slot
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.players import Decisions, num_plays
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.search import begin_decisions
from shengji_env.players.search.card_allocation import KITTY, TURNED
from shengji_env.players.search.likelihood import FOLLOWED, THROW_STOOD, num_failed
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import deal_again
from tests.helpers.phases import phases_of_cards

SPADES, TWO = 3, 0
HEARTS, TRUMPS = 2, 4
HEURISTIC = HeuristicPlayer()


def slots_of(text):
    return [int(slot_of_card(card_id(card), SPADES, TWO)) for card in text.split()]


def counts_of(text):
    return np.bincount(np.array(slots_of(text), np.int64), minlength=NUM_SLOTS).astype(np.int8)


def hidden_state(env, row=0):
    """A table as its seat to move may know it, and the round's plays."""
    tables = Decisions.at(env.tables, np.array([row]))
    begin_decisions(tables.states)
    return tables.states, tables.plays[0]


def draw(env, count, row=0, key=1):
    """Worlds for the seat to move, and how many of them contradict earlier plays."""
    state, plays = hidden_state(env, row)
    sampler = Sampler(env.tables.shared["rules"].copy())
    sampler.prepare(state, plays)
    worlds = np.zeros(count, STATE_DTYPE)
    return worlds, int(sampler.draw(state, key, 0, worlds).sum()), sampler


class Late:
    """A late position of two decks: spades are trumps, level 2, seat 1 declares; seat 0 is to lead."""

    def __init__(self, own, rooms, hidden):
        self.env = BatchEnv(1, "two_deck", seed=0, history=num_plays(as_rules("two_deck")))
        while self.env.phase[0] != Phase.LEAD:
            self.env.step(self.env.action_mask.argmax(axis=1))
        s = self.env.tables.states[0]
        s["trump"], s["level_rank"], s["declarer"], s["seat"], s["leader"] = SPADES, TWO, 1, 0, 0
        for field in ("played", "known", "voids", "buried", "turned", "taken", "hands"):
            s[field] = 0
        self.env.tables.plays[:] = 0
        s["hands"][0] = counts_of(own)
        s["played"][0] = 2 - counts_of(own) - counts_of(hidden)
        self.state, self.rooms, self.hidden = s, rooms, slots_of(hidden)

    def sampler(self):
        """A sampler for hands and a kitty of these sizes."""
        state, plays = hidden_state(self.env)
        rules = self.env.tables.shared["rules"].copy()
        rules["kitty"] = self.rooms[KITTY]
        rules["hand"] = max(self.rooms)
        sampler = Sampler(rules)
        for seat, room in enumerate(self.rooms[:KITTY], 1):
            state["played"][0, seat] = 0
            spent = int(rules["hand"][0]) - room
            state["played"][0, seat, 0] = spent
            state["played"][0, 0, 0] -= spent
        sampler.prepare(state, plays)
        return sampler, state

    def drawn(self, count):
        """How often each world comes: the three hands and the kitty, as tuples of slots."""
        sampler, state = self.sampler()
        worlds = np.zeros(count, STATE_DTYPE)
        sampler.draw(state, 5, 0, worlds)
        places = [worlds["hands"][:, 1], worlds["hands"][:, 2], worlds["hands"][:, 3], worlds["buried"]]
        return Counter(
            tuple(tuple(np.repeat(np.arange(NUM_SLOTS), place[row]).tolist()) for place in places)
            for row in range(count)
        )

    def expected(self, allowed=lambda holder, slot: True):
        """The weight of each world: the number of ways to deal the individual cards that come to it."""
        ways = Counter()
        for holders in itertools.product(range(4), repeat=len(self.hidden)):
            if all(holders.count(holder) == room for holder, room in enumerate(self.rooms)) and all(
                allowed(holder, slot) for holder, slot in zip(holders, self.hidden, strict=True)
            ):
                dealt = zip(holders, self.hidden, strict=True)
                hands = [[], [], [], []]
                for holder, slot in dealt:
                    hands[holder].append(slot)
                ways[tuple(tuple(sorted(hand)) for hand in hands)] += 1
        return ways


def check_frequencies(seen, ways):
    """Pearson's statistic is within five standard deviations of its mean."""
    assert set(seen) <= set(ways)
    count, total = seen.total(), sum(ways.values())
    statistic = sum(
        (seen[world] - count * number / total) ** 2 / (count * number / total) for world, number in ways.items()
    )
    freedom = len(ways) - 1
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5, (statistic, freedom)


def test_every_deal_of_the_hidden_cards_is_equally_likely():
    late = Late("HA", (2, 2, 1, 1), "H3 H3 H4 D5 SK SK")
    check_frequencies(late.drawn(40_000), late.expected())


def test_voids_leave_the_other_deals_equally_likely():
    late = Late("HA", (2, 2, 1, 2), "H3 H3 H4 D5 D6 SK SK")
    late.state["voids"][1, HEARTS] = late.state["voids"][3, TRUMPS] = 1
    check_frequencies(
        late.drawn(60_000),
        late.expected(
            lambda holder, slot: (holder, suit_of_slot(slot, SPADES)) not in ((0, HEARTS), (2, TRUMPS)),
        ),
    )


def test_the_only_holder_left_has_the_suit():
    late = Late("HA", (2, 2, 2, 0), "H3 H4 D5 D6 SK SA")
    late.state["declarer"] = 0
    late.state["voids"][1, HEARTS] = late.state["voids"][3, HEARTS] = 1
    late.rooms = (2, 2, 2, 0)
    seen = late.drawn(2000)
    assert {world[1] for world in seen} == {tuple(sorted(slots_of("H3 H4")))}


def test_shown_cards_stay_where_they_were_shown():
    late = Late("HA", (2, 2, 1, 1), "H3 H3 H4 D5 SK SK")
    late.state["known"][2] = counts_of("SK")
    free = Late("HA", (2, 1, 1, 1), "H3 H3 H4 D5 SK").expected()
    king = slots_of("SK")[0]
    ways = {(a, tuple(sorted((*b, king))), c, d): number for (a, b, c, d), number in free.items()}
    check_frequencies(late.drawn(40_000), ways)


def test_cards_turned_up_lie_with_the_declarer_or_buried():
    late = Late("HA", (2, 2, 1, 1), "H3 H3 H4 D5 SK SQ")
    late.state["turned"][slots_of("SQ")[0]] = 1
    sampler, _ = late.sampler()
    assert sampler.memory["holders"]["sizes"][0, TURNED] == 1
    ways = late.expected(lambda holder, slot: slot != slots_of("SQ")[0] or holder in (0, KITTY))
    check_frequencies(late.drawn(40_000), ways)


class Trick:
    """One trick of two decks, spades trumps, level 2, seat 0 declarer and leader; seat 0 is to move again."""

    def __init__(self, hands, plays):
        self.env = Late("HA", (2, 2, 2, 0), "").env
        s = self.env.tables.states[0]
        s["hands"] = [counts_of(hand) for hand in hands]
        s["played"], s["declarer"] = 0, 0
        s["played"][0] = 2 - s["hands"].sum(axis=0)
        for play in plays:
            for slot in slots_of(play):
                self.env.tables.step(np.array([slot]))
            if self.env.phase[0] == Phase.LEAD and s["taken_size"]:
                self.env.tables.step(np.array([DONE]))
        self.state, taken = hidden_state(self.env)
        self.sampler = Sampler(self.env.tables.shared["rules"].copy())
        self.sampler.prepare(self.state, taken)
        self.tests = self.sampler.tests[: self.sampler.memory["num_tests"][0]]

    def kinds(self):
        return sorted((int(test["seat"]), int(test["kind"])) for test in self.tests)

    def contradicted(self, seat, hand):
        """How many plays a hand of a seat, all that it holds now, contradicts."""
        world = self.state.copy()
        world["hands"][0, seat] = counts_of(hand)
        rules, work = self.env.tables.shared["rules"][0], self.sampler.memory["work"][0]
        return num_failed(world[0], rules, work, self.sampler.tests[: len(self.tests)], 10)


def test_who_did_not_play_a_pair_held_none():
    hands = ["HA HA C3 C4", "H3 H5 D5 D6", "H6 H6 D7 D8", "H7 H8 H9 C9"]
    trick = Trick(hands, ["HA HA", "H3 H5", "H6 H6", "H7 H8"])
    assert trick.kinds() == [(1, FOLLOWED), (2, FOLLOWED), (3, FOLLOWED)]
    assert trick.contradicted(3, "H9 C9") == 0
    assert trick.contradicted(3, "HT HT") == 1
    assert trick.contradicted(3, "H8 C9") == 1
    assert trick.contradicted(1, "H3 D5") == 1
    assert trick.contradicted(2, "HT HT") == 0


def test_nobody_could_beat_a_throw_that_stood():
    hands = ["HA HQ C3 C4", "H3 H5 D5 D6", "H6 H9 D7 D8", "H7 H8 H9 C9"]
    trick = Trick(hands, ["HQ HA", "H3 H5", "H6 H9", "H7 H8"])
    assert trick.kinds() == [(1, THROW_STOOD), (2, THROW_STOOD), (3, THROW_STOOD)]
    assert trick.contradicted(3, "H9 C9") == 0
    assert trick.contradicted(3, "HQ C9") == 0
    assert trick.contradicted(3, "HK C9") == 1
    assert trick.contradicted(3, "S3 DA") == 0


def records(rules, steps, seed=3):
    """An environment during rounds of heuristic and random play."""
    env = BatchEnv(8, rules, seed=seed, start="any", skip_forced=True, history=num_plays(as_rules(rules)))
    no_key = np.zeros(8, np.uint64)
    for step in range(steps):
        actions = HEURISTIC.act(env.observation, env.action_mask, no_key) if step % 3 else env.sample_actions()
        env.step(actions)
        yield step, env


@pytest.mark.parametrize("rules", [*PRESETS, "two_deck(failed_throw=next_seat_chooses)"])
def test_worlds_agree_with_all_that_is_public(rules):
    phases = set()
    for step, env in records(rules, 160):
        row = step % 8
        truth = env.states[row]
        phases.add(int(truth["phase"]))
        worlds, _, _ = draw(env, 4, row)
        for world in worlds:
            check_world(world, truth, env.rules)
    assert phases_of_cards(rules) <= phases


def check_world(world, truth, rules):
    seat = truth["seat"]
    assert (world["hands"].sum(axis=1) == truth["hands"].sum(axis=1)).all()
    assert (world["hands"][seat] == truth["hands"][seat]).all()
    if truth["phase"] in (Phase.BID, Phase.NAME) and not truth["num_takers"]:
        check_deal(world, truth, rules)
        return
    others = [other for other in range(4) if other != seat]
    cards = world["hands"].sum(axis=0) + world["played"].sum(axis=0) + world["buried"]
    if truth["phase"] == Phase.REBEL:  # the kitty is not taken up yet
        for card in world["deal"][4 * rules.hand : rules.total].tolist():
            cards[slot_of_card(card, int(truth["trump"]), int(truth["level_rank"]))] += 1
    assert (cards == truth["slot_copies"]).all()
    assert (world["hands"][others] >= truth["known"][others]).all()
    assert world["buried"].sum() == truth["buried"].sum()
    if last_taker(truth) == seat:
        assert (world["buried"] == truth["buried"]).all()
    else:
        declarers = world["hands"] + world["played"]
        assert (declarers[truth["declarer"]] + world["buried"] >= truth["turned"]).all()
    for other, suit in itertools.product(others, range(5)):
        if truth["voids"][other, suit]:
            held = np.repeat(np.arange(NUM_SLOTS), world["hands"][other])
            assert all(suit_of_slot(slot, truth["trump"]) != suit for slot in held.tolist())


def check_deal(world, truth, rules):
    seat = truth["seat"]
    assert tuple(np.bincount(world["deal"][: rules.total], minlength=NUM_CARDS)) == rules.copies
    own = (truth["first_drawer"] + np.arange(truth["drawn"])) % 4 == seat
    assert (world["deal"][: truth["drawn"]][own] == truth["deal"][: truth["drawn"]][own]).all()
    for other in range(4):
        level = truth["levels"][(truth["declarer"] if truth["had_declarer"] else other) % 2]
        drawn = world["deal"][: truth["drawn"]][(truth["first_drawer"] + np.arange(truth["drawn"])) % 4 == other]
        hand = np.bincount([slot_of_card(card, NO_TRUMP, level) for card in drawn.tolist()], minlength=NUM_SLOTS)
        assert (hand == world["hands"][other]).all()
        assert (np.bincount(drawn, minlength=NUM_CARDS) >= truth["known"][other]).all()


def test_the_real_world_contradicts_no_play():
    number = kinds = 0
    for step, env in itertools.chain(records("two_deck", 200), records("four_deck", 300)):
        _, _, sampler = draw(env, 1, step % 8)
        tests = sampler.memory["num_tests"][0]
        truth, rules, work = env.states[step % 8], env.tables.shared["rules"][0], sampler.memory["work"][0]
        assert num_failed(truth, rules, work, sampler.tests[:tests], 1000) == 0
        number += tests
        kinds += (sampler.tests[:tests]["kind"] == THROW_STOOD).sum()
    assert number > 300
    assert kinds > 20


def test_nearly_all_worlds_agree_with_the_follow_duty():
    drawn = contradicting = 0
    for step, env in records("two_deck", 200):
        _, failed, _ = draw(env, 10, step % 8)
        drawn += 10
        contradicting += failed
    assert contradicting < 0.01 * drawn


def scramble_leftovers(s, rng):
    """What earlier decisions may have left behind."""
    for field in ("owed_width", "owed_length"):
        s[field][s["num_owed"] :] = rng.integers(9)
    s["components"][s["num_components"] :] = rng.integers(99)
    s["choices"][s["num_choices"] :] = rng.integers(99)
    if s["phase"] != Phase.FORCED:
        s["num_choices"] = rng.integers(3)
        s["last_slot"] = rng.integers(54) if not s["taken_size"] else s["last_slot"]
    s["deal_given"] = rng.integers(2)
    for field in set(s["result"].dtype.names) - {"filling"}:
        s["result"][field] = rng.integers(3)


@pytest.mark.parametrize("rules", ["two_deck", "one_deck", "competition", "two_deck(failed_throw=next_seat_chooses)"])
def test_a_veiled_table_tells_nothing_that_the_seat_cannot_know(rules):
    rng = np.random.default_rng(1)
    changed = 0
    for step, env in records(rules, 250):
        row = step % 8
        before, plays = hidden_state(env, row)
        other = deal_again(env.states[row : row + 1], int(env.seat[row]), env.rules, rng)
        changed += other.tobytes() != env.states[row : row + 1].tobytes()
        scramble_leftovers(other[0], rng)
        env.tables.states[row : row + 1], kept = other, env.states[row : row + 1].copy()
        after, _ = hidden_state(env, row)
        env.tables.states[row : row + 1] = kept
        assert after.tobytes() == before.tobytes(), Phase(int(env.phase[row])).name
    assert changed > 200
    assert len(plays) == num_plays(env.rules)


def test_worlds_are_a_function_of_their_key_and_number():
    env = None
    for _, env in records("two_deck", 90):  # noqa: B007  # the last one
        pass
    first, _, sampler = draw(env, 20)
    state, _ = hidden_state(env)
    later = np.zeros(10, STATE_DTYPE)
    sampler.draw(state, 1, 10, later)
    assert later.tobytes() == first[10:].tobytes()
    assert draw(env, 20, key=2)[0].tobytes() != first.tobytes()
    assert len({world.tobytes() for world in first}) > 15
