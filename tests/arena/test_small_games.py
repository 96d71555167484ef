"""Small games: positions as the oracle has them, information sets as positions tell them, replies against brute force.

Source: research/small_games.md.
"""

import itertools
import random
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from shengji_env.arena.small_games import GameTree, build_tree, exploit, play_of
from shengji_env.arena.small_games.best_replies import best_reply, following, odds_of, single_gains, value_of
from shengji_env.arena.small_games.exploiting import TEAMS, Bounds
from shengji_env.arena.small_games.game_tree import ROOT
from shengji_env.arena.small_games.tree_play import tables_at, uniform
from shengji_env.engine.rule_sets import NUM_SEATS, parse_rules
from shengji_env.engine.state import NOBODY
from shengji_env.envs.positions import Position
from shengji_env.envs.positions.whole_deals import MAX_DEALS, num_deals, whole_deals
from shengji_env.errors import RuleSetError
from shengji_env.players import Decisions, make_player
from shengji_env.players.random import RandomPlayer
from tests.helpers.lockstep import Lockstep

TINY = "small_two_ranks(cards=H TJ, decks=4)"
"""Two trumps a hand, of two kinds: 19 deals, and all four seats choose."""
THROWS = "small_two_ranks(cards=H TJQK)"
"""Two trumps a hand: many throws fail."""


@pytest.fixture(scope="module", params=["small_two_ranks", TINY])
def tree(request) -> GameTree:
    return build_tree(parse_rules(request.param))


@pytest.fixture(scope="module")
def two_ranks() -> GameTree:
    return build_tree(parse_rules("small_two_ranks"))


# ---- deals


@pytest.mark.parametrize(("rules", "number"), [("small_two_ranks", 282), ("small_four_ranks", 2520), (TINY, 19)])
def test_14_deals_are_all_there_and_as_likely_as_they_are(rules, number):
    rules = parse_rules(rules)
    deals = whole_deals(rules)
    assert len(deals) == num_deals(rules) == number == len({deal.hands for deal in deals})
    generator, cards = random.Random(0), [card for card, copies in enumerate(rules.copies) for _ in range(copies)]
    drawn: dict[tuple, int] = defaultdict(int)
    for _ in range(20_000):
        generator.shuffle(cards)
        drawn[tuple(tuple(sorted(cards[seat::NUM_SEATS])) for seat in range(NUM_SEATS))] += 1
    ways = sum(deal.ways for deal in deals)
    for deal in deals:
        share = Fraction(deal.ways, ways)
        assert abs(drawn.pop(deal.hands, 0) - 20_000 * share) < 6 * (20_000 * share) ** 0.5 + 6
    assert not drawn


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("two_deck", "has bids or a kitty"),
        ("duplicate", "has bids or a kitty"),
        ("small_four_ranks(decks=2)", "too many to be solved; small_two_ranks, small_three_ranks"),
        ("small_two_ranks(cards=CDHS 23456789TJQKA, decks=1)", "more than 20,000 deals"),
        ("small_two_ranks(cards=HS T, decks=2)", "there is nothing to choose"),
    ],
)
def test_rules_that_are_no_small_games_are_refused(rules, why):
    with pytest.raises(RuleSetError, match=why):
        build_tree(parse_rules(rules))
    assert num_deals(parse_rules("small_three_ranks")) == 16_260 < MAX_DEALS


def test_deals_are_counted_only_until_they_are_too_many():
    assert MAX_DEALS < num_deals(parse_rules("four_deck(bidding=fixed, kitty=0)")) < 100 * MAX_DEALS


# ---- positions


class Script:
    """Makes the choices that are written down, then the first; forced actions are not choices."""

    def __init__(self, choices: tuple[int, ...]) -> None:
        self.choices, self.made, self.legal = choices, [], []

    def choose(self, table, legal: list[int]) -> int:
        if len(legal) == 1:
            return legal[0]
        step = len(self.made)
        self.made.append(self.choices[step] if step < len(self.choices) else legal[0])
        self.legal.append(legal)
        return self.made[-1]


def oracle_rounds_of(rules, tree: GameTree, deal: int) -> dict[tuple[int, ...], int]:
    """All rounds of a deal in which the engine and the oracle agree at every position: levels by the choices made."""
    found: dict[tuple[int, ...], int] = {}
    ahead: list[tuple[int, ...]] = [()]
    while ahead:
        script = Script(ahead.pop())
        lockstep = Lockstep(rules, 0)
        state, start = lockstep.table.state, Position.new(rules, seed=0, options=tree.options(deal)).states[0]
        lockstep.table.give_deal(tree.deals[deal].order)
        for name in ("levels", "declarer", "first_drawer", "trump"):
            state[name] = start[name]
        record = lockstep.play_round([script] * NUM_SEATS)
        result = record["result"]
        assert tuple(script.made) not in found
        found[tuple(script.made)] = result["levels_nominal"] * (1 if result["winner"] == "declarers" else -1)
        for step in range(len(script.choices), len(script.made)):
            ahead += [(*script.made[:step], other) for other in script.legal[step][1:]]
    return found


def check_deals(tree: GameTree, deals) -> None:
    ends = defaultdict(dict)
    for node in np.flatnonzero(tree.seat == NOBODY).tolist():
        ends[int(tree.deal[node])][tuple(tree.path_to(node))] = tree.worth[node]
    for deal in deals:
        assert oracle_rounds_of(tree.rules, tree, deal) == ends[deal]


def test_all_positions_are_those_of_the_oracle(tree):
    check_deals(tree, range(len(tree.deals)))


@pytest.mark.slow
def test_all_positions_of_four_ranks_are_those_of_the_oracle():
    tree = build_tree(parse_rules("small_four_ranks"))
    assert (len(tree.deals), tree.num_histories) == (2520, 18_036)
    check_deals(tree, range(len(tree.deals)))


@pytest.mark.parametrize("rules", ["small_two_ranks", TINY, THROWS])
def test_information_sets_are_what_seats_can_tell_apart(rules):
    """A seat's text is equal in two positions exactly if it has seen the same (docs/environments/positions.md)."""
    tree = build_tree(parse_rules(rules))
    single, joint = {}, {}
    nodes = np.flatnonzero(tree.seat != NOBODY).tolist()
    for node in nodes if len(nodes) < 3000 else random.Random(0).sample(nodes, 3000):
        position = tree.position(node)
        assert position.seat == tree.seat[node]
        texts = [position.information_state_text(seat) for seat in (position.seat, (position.seat + 2) % NUM_SEATS)]
        assert single.setdefault(texts[0], tree.single.of_node[node]) == tree.single.of_node[node]
        assert joint.setdefault(tuple(texts), tree.joint.of_node[node]) == tree.joint.of_node[node]
    assert len(set(single.values())) == len(single)
    assert len(set(joint.values())) == len(joint)


def test_choices_of_a_set_stand_side_by_side(tree):
    for sets in (tree.single, tree.joint):
        for node in range(0, len(tree.parent), 7):
            parent = tree.parent[node]
            if parent != ROOT:
                number = sets.of_node[parent]
                assert sets.first[number] <= sets.choice[node] < sets.first[number + 1]
                assert sets.of_choice[sets.choice[node]] == number
        children = np.bincount(tree.parent[tree.parent != ROOT], minlength=len(tree.parent))
        inner = tree.seat != NOBODY
        assert (children[inner] == np.diff(sets.first)[sets.of_node[inner]]).all()
        assert not children[~inner].any()


def test_tables_are_at_their_nodes(two_ranks):
    nodes = np.flatnonzero(two_ranks.seat != NOBODY)
    tables = tables_at(two_ranks, nodes.tolist())
    assert (tables.seats == two_ranks.seat[nodes]).all()
    assert (tables.masks.sum(axis=1) == np.diff(two_ranks.single.first)[two_ranks.single.of_node[nodes]]).all()


# ---- values and replies


def test_the_value_is_the_mean_over_rounds_that_are_played(two_ranks):
    """Exactly: all deals, all histories, `random` against `greedy`."""
    greedy = play_of(two_ranks, make_player("greedy"))
    odds = odds_of(two_ranks, uniform(two_ranks))
    for seat in (1, 3):
        odds = following(two_ranks, odds, seat, greedy)
    total = 0.0
    for node in np.flatnonzero(two_ranks.seat == NOBODY).tolist():
        share, at = 1.0, node
        while at != ROOT:
            share *= odds[at]
            at = two_ranks.parent[at]
        total += share * two_ranks.worth[node]
    assert value_of(two_ranks, odds) == pytest.approx(total)


def sets_of(tree: GameTree, seats) -> np.ndarray:
    """The information sets of some seats."""
    return np.unique(tree.single.of_node[np.isin(tree.seat, seats)])


def team_best(tree: GameTree, odds, seats) -> float:
    """The best pair of strategies without communication, by trying all pairs: for very few information sets."""
    sign = 1 if seats[0] == 0 else -1
    moved, sets, sizes = np.isin(tree.mover, seats), sets_of(tree, seats), np.diff(tree.single.first)
    best = -np.inf
    for places in itertools.product(*(range(sizes[number]) for number in sets)):
        strategy = np.zeros(tree.single.num_choices)
        strategy[tree.single.first[sets] + np.array(places, int)] = 1
        best = max(best, sign * value_of(tree, np.where(moved, strategy[tree.single.choice], odds)))
    return best


def few_deals(tree: GameTree, seat: int, generator) -> GameTree:
    """Four to eight deals in which a seat has the same hand, of two kinds of cards: all seats choose, but not often."""
    hands = sorted({deal.hands[seat] for deal in tree.deals})
    hand = hands[1] if generator.random() < 0.5 else hands[-2]
    same = [index for index, deal in enumerate(tree.deals) if deal.hands[seat] == hand]
    return tree.part(np.isin(tree.deal, generator.choice(same, generator.integers(4, 9), replace=False)))


@pytest.mark.thorough
def test_bounds_hold_the_best_that_partners_can_do(two_ranks):
    """Mostly where seeing both hands would be worth something, so that branches must bring the upper value down."""
    generator, is_too_high, is_missed, choosing = np.random.default_rng(0), 0, 0, set()
    for trial in range(200):
        part = few_deals(two_ranks, trial % NUM_SEATS, generator)
        strategy = generator.random(part.single.num_choices) ** 3
        strategy /= np.bincount(part.single.of_choice, strategy)[part.single.of_choice]
        found = [exploit(part, "drawn", strategy, starts=1, branches=branches) for branches in (0, 3, 1000)]
        for team, name in zip(TEAMS, ("declarers", "attackers"), strict=True):
            bounds = [getattr(each, name) for each in found]
            number = np.diff(part.single.first)[sets_of(part, team)].prod(dtype=float)
            if number > 4096 or (bounds[0].is_exact and trial > 20):
                continue
            choosing |= set(part.seat[np.isin(part.seat, team)].tolist())
            best = team_best(part, odds_of(part, strategy), team)
            for each in bounds:
                assert each.lower - 1e-9 <= best <= each.upper + 1e-9
            assert bounds[0].upper + 1e-9 >= bounds[1].upper >= bounds[2].upper - 1e-9
            assert bounds[2].is_exact
            is_too_high += bounds[0].upper > best + 1e-9
            is_missed += bounds[0].lower < best - 1e-9
    assert choosing == set(range(NUM_SEATS))
    assert is_too_high > 20
    assert is_missed > 0


def test_branches_bring_the_upper_value_down_and_never_below_the_lower_one(two_ranks):
    strategy = play_of(two_ranks, make_player("champion"))
    found = [exploit(two_ranks, "champion", strategy, starts=4, branches=number) for number in (0, 20, 1000)]
    uppers = [each.exploitability.upper for each in found]
    assert uppers[0] > uppers[1] >= uppers[2]
    assert found[2].declarers.is_exact
    assert found[2].attackers.is_exact
    assert found[2].exploitability.lower >= found[0].exploitability.lower - 1e-9


def test_a_reply_is_never_worse_than_what_it_replies_for(tree):
    for text in ("random", "greedy", "heuristic"):
        strategy = play_of(tree, make_player(text))
        found = exploit(tree, text, strategy, starts=3)
        assert found.declarers.lower >= found.value - 1e-9
        assert found.attackers.lower >= -found.value - 1e-9
        assert 0 <= found.exploitability.lower <= found.exploitability.upper
        gains = single_gains(tree, odds_of(tree, strategy))
        assert min(gains) > -1e-9
        assert sum(gains) == pytest.approx(found.nash_conv)
        assert max(gains[0], gains[2]) <= found.declarers.lower - found.value + 1e-9
        assert max(gains[1], gains[3]) <= found.attackers.lower + found.value + 1e-9


def test_a_reply_wins_what_it_says(two_ranks):
    odds = odds_of(two_ranks, play_of(two_ranks, make_player("greedy")))
    for seats in ((0,), (1,), (2,), (3,), *TEAMS):
        reply = best_reply(two_ranks, odds, seats)
        sign = 1 if seats[0] % 2 == 0 else -1
        assert value_of(two_ranks, reply.odds) == pytest.approx(sign * reply.value)
        others = ~np.isin(two_ranks.mover, seats)
        assert (reply.odds[others] == odds[others]).all()


# ---- players


def test_a_player_is_asked_as_it_plays(two_ranks):
    """Its rounds, played by itself at real tables, are the histories that its strategy makes likely."""
    strategy = play_of(two_ranks, make_player("heuristic"))
    assert np.bincount(two_ranks.single.of_choice, strategy) == pytest.approx(1)
    odds = odds_of(two_ranks, strategy)
    player = make_player("heuristic")
    starts = two_ranks.layers[0]
    tables = tables_at(two_ranks, list(range(starts.start, starts.stop)))
    paths = [[] for _ in range(len(two_ranks.deals))]
    while (rows := np.flatnonzero(tables.seats != NOBODY)).size:
        actions = np.full(len(paths), -1)
        actions[rows] = player.decide(Decisions.at(tables, rows))
        for row in rows.tolist():
            paths[row].append(int(actions[row]))
        tables.step(actions)
    reach = odds.copy()
    for layer in two_ranks.layers[1:]:
        reach[layer] *= reach[two_ranks.parent[layer]]
    ends = [node for node in np.flatnonzero(two_ranks.seat == NOBODY).tolist() if reach[node] > 0]
    assert len(ends) == len(paths)
    for node in ends:
        assert two_ranks.path_to(node) == paths[two_ranks.deal[node]]


def test_each_of_two_partners_is_asked_in_its_own_seats(two_ranks):
    pair, random, greedy = (
        play_of(two_ranks, make_player(text))
        for text in ("partners?first=greedy&second=partners?first=greedy%26second=random", "random", "greedy")
    )
    seats = two_ranks.seat[np.unique(two_ranks.single.of_node, return_index=True)[1][1:]][two_ranks.single.of_choice]
    assert np.array_equal(pair, np.where(seats < 2, greedy, random))
    both = play_of(two_ranks, make_player("partners?first=random&second=random"))
    assert np.array_equal(both, random)


class Dice(RandomPlayer):
    """Throws dice, which nobody knows of who asks it."""

    name = "dice"


@pytest.mark.thorough
def test_a_player_that_throws_dice_is_asked_as_often_as_is_said(two_ranks):
    once, often = (play_of(two_ranks, Dice(), draws) for draws in (1, 200))
    assert set(once) <= {0.0, 1.0} | set(uniform(two_ranks))  # uniform where it does not come
    assert np.bincount(two_ranks.single.of_choice, often) == pytest.approx(1)
    assert often * 200 == pytest.approx(np.round(often * 200))
    assert np.abs(often - uniform(two_ranks)).max() < 0.15


# ---- bounds


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (0.25, 0.25, "0.250 exactly"),
        (-0.3, 0.123, "-0.300 to 0.123"),
        (0.00561, 0.00579, "0.0056 to 0.0058"),
        (0.005601, 0.005602, "0.00560 to 0.00560"),
    ],
)
def test_bounds_that_differ_look_different_if_they_can(lower, upper, text):
    assert Bounds(lower, upper).text() == text
