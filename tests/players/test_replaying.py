"""Replaying: plays are made again as they were made, chances sum to 1, and likely deals are taken as they should."""

from collections import Counter

import numpy as np
import pytest

from shengji_env.arena import make_player
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.errors import PlayerError
from shengji_env.players import Decisions, num_plays
from shengji_env.players.networks.selfplay.choices import find_choices, make_selfplay_memory, value_choices
from shengji_env.players.networks.selfplay.selfplay_player import chance_of
from shengji_env.players.search.replaying import ReplayingSampler, log_likelihood
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.players.whole_plays import begin_decisions
from shengji_env.vector import BatchEnv

PLAYS = Phase.LEAD, Phase.FOLLOW


@jit
def _log_likelihood(deals, plays, seat, replay):
    return log_likelihood(deals[0], plays, seat, replay)


def moments(rules="two_deck", *, tables=8, seed=3, by="champion?part=playouts"):
    """Leads and follows of rounds that a player plays: a table as it is (1,), as its seat sees it, and all plays."""
    env = BatchEnv(tables, rules, seed=seed, start="any", history=num_plays(rule_set(rules)))
    player, live = make_player(by), np.ones(tables, np.bool_)
    while live.any():
        rows = np.flatnonzero(live)
        asked = Decisions.at(env.tables, rows)
        for index, row in enumerate(rows.tolist()):
            if asked.states["phase"][index] in PLAYS and asked.states["taken_size"][index] == 0:
                yield env.tables.states[row : row + 1], asked.states[index : index + 1].copy(), asked.plays[index]
        actions = np.full(tables, -1)
        actions[rows] = player.decide(asked)
        env.step(actions)
        live &= ~env.terminated


def prepared(state, plays, proposals=8, rules="two_deck", by="champion?part=playouts"):
    sampler = ReplayingSampler(rule_set(rules), make_player(by), proposals=proposals)
    begin_decisions(state)
    sampler.prepare(state, plays)
    return sampler


# ---- making plays again


@pytest.mark.thorough
@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "competition", "four_deck"])
def test_what_is_made_again_ends_where_it_began(rules):
    made = 0
    for index, (table, seen, plays) in enumerate(moments(rules, tables=3)):
        if index % 5 == 0 and len(played := plays[plays[:, 0] > 0]):
            sampler = prepared(seen, plays, rules=rules)
            replay = sampler.replay_arrays(0)
            _log_likelihood(table, played, int(table["seat"][0]), replay)
            again = replay.replays["state"][:1]
            for name in ("hands", "played", "trick", "voids", "seat", "leader", "tricks", "winning", "lead_size"):
                assert (again[name] == table[name]).all(), name
            made += 1
    assert made > 20


def test_plays_of_a_seat_that_knows_its_own_do_not_count():
    """What all four have played is worth as much as what each of them has, all others left out: three times."""
    for table, seen, plays in moments(tables=2):
        played = plays[plays[:, 0] > 0]
        if len(played) > 60:
            sampler = prepared(seen, plays)
            replay = sampler.replay_arrays(0)
            but_one = [_log_likelihood(table, played, seat, replay) for seat in range(4)]
            assert sum(but_one) / 3 == pytest.approx(_log_likelihood(table, played, -1, replay))
            assert len(set(but_one)) == 4


@jit
def _sum_of_chances(states, rules, memory):
    if find_choices(states[0], rules[0], memory.works[0], memory) < 2:
        return 1.0
    value_choices(memory)
    d, total = memory.decision[0], 0.0
    for index in range(d.number):
        total += chance_of(d, d.cards[index])
    return total


@pytest.mark.thorough
def test_chances_of_the_choices_sum_to_one():
    rules, file = rule_set("two_deck"), make_player("champion").file
    memory = make_selfplay_memory(file.network, file.proposals, rules)
    for _, seen, _ in moments(tables=4):
        assert _sum_of_chances(seen, rules.record(), memory) == pytest.approx(1)


# ---- taking deals


def test_one_proposal_is_a_deal_sampled_without_trumps_in_the_kitty():
    for index, (_, seen, plays) in enumerate(moments(tables=2)):
        if index % 20 == 0:
            drawn = [np.zeros(4, STATE_DTYPE) for _ in range(2)]
            plain = Sampler(rule_set("two_deck").record(), trumps_buried=False)
            sampler = prepared(seen, plays, proposals=1)
            plain.prepare(seen, plays)
            for each, samples in zip((sampler, plain), drawn, strict=True):
                each.draw(seen, 7, 3, samples)
            assert drawn[0].tobytes() == drawn[1].tobytes()


def test_deals_are_the_same_however_they_are_shared_out():
    for index, (_, seen, plays) in enumerate(moments(tables=2)):
        if index % 20 == 0:
            sampler, together, apart = prepared(seen, plays), np.zeros(6, STATE_DTYPE), np.zeros(6, STATE_DTYPE)
            sampler.draw(seen, 7, 2, together)
            sampler.draw(seen, 7, 5, apart[3:])
            sampler.draw(seen, 7, 2, apart[:3])
            assert together.tobytes() == apart.tobytes()


@pytest.mark.thorough
def test_of_two_proposals_each_is_taken_by_its_weight():
    """Checked at positions of few deals: how often each is drawn, against what it should be from the draws of one."""
    checked = 0
    for _table, seen, plays in moments(tables=8, seed=9):
        if seen["hands"].sum() > 3:
            continue
        one, two, size = prepared(seen, plays, 1), prepared(seen, plays, 2), 1000
        samples = np.zeros(size, STATE_DTYPE)
        one.draw(seen, 1, 0, samples)
        weights = dict(zip(map(bytes, samples["hands"]), np.exp(one.log_likelihoods(samples)), strict=True))
        before = Counter(map(bytes, samples["hands"]))
        if len(before) > 20 or max(weights.values()) < 1.5 * min(weights.values()):
            continue
        expected = Counter()
        for first, a in before.items():
            for second, b in before.items():
                both = weights[first] + weights[second]
                for deal in (first, second):
                    expected[deal] += a * b / size * weights[deal] / both
        two.draw(seen, 2, 0, samples)
        after = Counter(map(bytes, samples["hands"]))
        for deal, number in expected.items():
            assert abs(after[deal] - number) < 5 * (number + before[deal]) ** 0.5 + 5
        checked += 1
    assert checked > 4


@pytest.mark.thorough
@pytest.mark.parametrize("by", ["champion?part=playouts", "champion"])
def test_the_true_deal_explains_plays_better_than_others(by):
    ranks = []
    for index, (table, seen, plays) in enumerate(moments(tables=8, by=by)):
        if index % 9 == 0 and (plays[:, 0] > 0).sum() > 20:
            sampler, samples = prepared(seen, plays, 1, by=by), np.zeros(15, STATE_DTYPE)
            sampler.draw(seen, 5, 0, samples)
            ranks.append((sampler.log_likelihoods(samples) >= sampler.log_likelihoods(table)[0]).mean())
    assert len(ranks) > 30
    assert np.mean(ranks) < 0.25


@pytest.mark.thorough
def test_deals_that_contradict_earlier_plays_are_the_least_likely():
    found = 0
    for _, seen, plays in moments(tables=3):
        sampler, samples = prepared(seen, plays, 1), np.zeros(15, STATE_DTYPE)
        contradicts = sampler.draw(seen, 5, 0, samples)
        if contradicts.any() and not contradicts.all():
            likely = sampler.log_likelihoods(samples)
            assert likely[contradicts].max() < likely[~contradicts].min() - 1000
            found += 1
    assert found > 5


@pytest.mark.parametrize("proposals", [0, -1, 1001, True])
def test_impossible_numbers_of_proposals_are_refused(proposals):
    with pytest.raises(PlayerError, match=f"proposals={proposals} must be"):
        ReplayingSampler(rule_set("two_deck"), make_player("champion?part=playouts"), proposals=proposals)


def test_who_has_no_likelihoods_is_refused():
    with pytest.raises(PlayerError, match="heuristic does not say how likely its plays are"):
        ReplayingSampler(rule_set("two_deck"), make_player("heuristic"), proposals=4)
