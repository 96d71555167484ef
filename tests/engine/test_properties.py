"""What must hold in every round, and what must make no difference: properties over random rules, deals, players.

| property | where |
|---|---|
| cards conserved at every ply, a legal action until the end, follow duty, seats rotated | `test_rounds.py` |
| points conserved at every ply | here |
| an action is legal if and only if some legal play continues with it | here, in the last tricks of rounds |
| no play of the led suit beats a standing throw | here |
| record → text → record | here |
| result tables on both sides of every threshold | here |
| suits renamed, copies written in another order | here |

Source: docs/rules.md §8 to §12; docs/environments/actions.md.
"""

import json
import random
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shengji_env.engine import referee
from shengji_env.engine.actions import DONE, NAME, PASS, TRUMP_TEXTS
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, rule_set
from shengji_env.engine.slots import suit_of_slot
from shengji_env.engine.state import NOBODY, Phase
from shengji_env.records.writing import finished_round, record_header, record_line
from shengji_env.vector import BatchEnv
from tests.envs.test_playthroughs import make_round
from tests.helpers import oracle
from tests.helpers.make_perft import parse_trump
from tests.helpers.oracle import RANKS, SUITS
from tests.helpers.oracle_positions import (
    ThrowCase,
    cards_of,
    counts_of,
    random_follow,
    random_rules,
    random_stock,
    random_trump,
    referee_trump,
)
from tests.helpers.oracle_recorder import EngineTable, any_rules, counts_to_cards, play_round, random_round, slots_of

MAX_CARDS = 7
"""Hands of which every play is tried."""
CARD_KEYS = ("deal", "kitty", "buried", "bid", "bury", "lead", "forced", "follow", "led")
"""Keys of records whose values are cards."""
SEEDS = st.integers(0, 2**32)
slow_is_fine = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


# ---- at every ply


class Ledger:
    """Follows the points of a round from outside."""

    def __init__(self, rules: RuleSet) -> None:
        self.total = rules.points
        self.captured = [0, 0]
        self.tricks = 0

    def __call__(self, table: EngineTable) -> None:
        s = table.state
        if s.phase < Phase.BURY or s.phase == Phase.REBEL:
            return
        in_hands, played = points_of(table, s.hands.sum(axis=0)), points_of(table, s.played.sum(axis=0))
        lying = points_of(table, s.trick.sum(axis=0)) if s.phase == Phase.FOLLOW else 0
        if s.tricks > self.tricks:
            self.tricks = int(s.tricks)
            self.captured[s.leader % 2] += played - lying - sum(self.captured)
        assert in_hands + points_of(table, s.buried) + lying + sum(self.captured) == self.total
        assert s.attackers_points == self.captured[(s.declarer + 1) % 2]
        assert s.trick_points == lying


def points_of(table: EngineTable, by_slot: np.ndarray) -> int:
    return oracle.points(counts_to_cards(table.cards(by_slot)))


@given(name=st.sampled_from(sorted(RULE_SETS)), seed=SEEDS)
@settings(slow_is_fine, max_examples=8)
def test_1_points_are_conserved_at_every_ply(name: str, seed: int) -> None:
    rules = rule_set(name, throw_penalty=0)
    ledger = Ledger(rules)
    record = random_round(rules, seed, ledger)
    assert ledger.tricks == len(record["tricks"]) - 1


def check_mask(table: EngineTable) -> None:
    """What is marked is what some legal play goes on with, as the oracle lists them; only where there are few."""
    s = table.state
    if s.phase not in (Phase.LEAD, Phase.FOLLOW) or s.hands[s.seat].sum() > MAX_CARDS:
        return
    trump = table.oracle_trump()
    hand = counts_to_cards(table.cards(s.hands[s.seat]))
    if s.phase == Phase.LEAD:
        plays = oracle.legal_leads(hand, trump, table.rules.throws)
    else:
        led = counts_to_cards(table.cards(s.trick[s.leader]))
        plays = oracle.legal_follows(led, hand, trump, table.rules.follow_priority)
    taken = in_order(table, counts_to_cards(table.cards(s.taken)))
    ways = [in_order(table, play) for play in plays]
    going_on = {way[len(taken)] for way in ways if way[: len(taken)] == taken and len(way) > len(taken)}
    if s.phase == Phase.LEAD and taken in ways:
        going_on.add(DONE)
    assert set(table.legal_actions()) == going_on


def in_order(table: EngineTable, cards: oracle.Cards) -> list[int]:
    """Slots of a play as they are taken: ascending, in a follow those of the led suit first."""
    s = table.state
    slots = slots_of(cards, int(s.trump), int(s.level_rank))
    return sorted(slots, key=lambda slot: s.phase == Phase.FOLLOW and suit_of_slot(slot, int(s.trump)) != s.lead_suit)


@given(seed=SEEDS)
@settings(slow_is_fine, max_examples=25)
def test_9_actions_are_marked_if_and_only_if_a_legal_play_goes_on_with_them(seed: int) -> None:
    random_round(any_rules(random.Random(seed)), seed, check_mask)


def thrown(generator: random.Random) -> ThrowCase:
    """A throw of two components; the rest of some adjacent orders lies in the other hands."""
    rules, trump = random_rules(generator), random_trump(generator)
    stock = random_stock(generator, trump, rules.decks, 4)
    lead = stock.take_shapes([(generator.randint(1, rules.decks), 1), (generator.randint(1, 2), 1)])
    hands = tuple(stock.take_some(size) for size in (6, 6, 6))
    return ThrowCase(rules, trump, lead or stock.take_some(1), hands)


@pytest.mark.nojit
def test_8_no_play_of_the_led_suit_beats_a_standing_throw() -> None:
    generator = random.Random(8)
    tried = 0
    for _ in range(600):
        case = thrown(generator)
        trump, lead, others = referee_trump(case.trump), counts_of(case.lead), [counts_of(hand) for hand in case.others]
        if len(referee.decompose(lead, trump)) == 1 or referee.beaten_components(lead, others, trump):
            continue
        for hand in case.others:
            plays = list(oracle.sub_multisets(tuple(sorted(hand)), len(case.lead)))
            for play in generator.sample(plays, min(len(plays), 20)):
                tried += 1
                assert referee.trick_winner([lead, counts_of(play)], 0, trump, case.rules) == 0
    assert tried > 200


# ---- records


@given(seed=SEEDS, is_any=st.booleans(), skip_forced=st.booleans())
@settings(slow_is_fine, max_examples=15)
def test_a_record_s_text_is_read_and_played_to_the_same_text(seed: int, is_any: bool, skip_forced: bool) -> None:
    rules = any_rules(random.Random(seed))
    world: dict[str, Any] = {"seed": seed, "start": "any" if is_any else "first", "record": True}
    env = BatchEnv(1, rules, skip_forced=skip_forced, **world)
    while not env.terminated[0]:
        env.step(env.sample_actions())
    text = record_line(record_header(rules, ["random"] * 4, seed)) + record_line(finished_round(env, 0))
    header, line = map(json.loads, text.splitlines())
    again = BatchEnv(1, RuleSet.from_json(header["rules"]), **world)
    make_round(again, line)
    assert again.terminated[0]
    assert record_line(header) + record_line(finished_round(again, 0)) == text


# ---- §12 result tables

RESULTS: dict[str, list[tuple[int, str, int]]] = {
    "one_deck": [
        (1, "declarers", 1), (40, "attackers", 0), (80, "attackers", 1), (100, "attackers", 2), (120, "attackers", 3),
        (140, "attackers", 4), (160, "attackers", 5),
    ],
    "two_deck": [
        (1, "declarers", 2), (40, "declarers", 1), (80, "attackers", 1), (120, "attackers", 2), (160, "attackers", 3),
        (200, "attackers", 4),
    ],
    "botzone": [
        (1, "declarers", 2), (40, "declarers", 1), (80, "attackers", 1), (120, "attackers", 2), (160, "attackers", 3),
        (400, "attackers", 3),
    ],
    "competition": [
        (1, "declarers", 2), (40, "declarers", 1), (80, "attackers", 0), (120, "attackers", 1), (160, "attackers", 2),
        (200, "attackers", 3),
    ],
    "three_deck": [
        (1, "declarers", 2), (60, "declarers", 1), (120, "attackers", 0), (180, "attackers", 1), (240, "attackers", 2),
        (300, "attackers", 3), (360, "attackers", 4),
    ],
    "four_deck": [
        (1, "declarers", 2), (80, "declarers", 1), (160, "attackers", 0), (240, "attackers", 1), (320, "attackers", 2),
        (400, "attackers", 3),
    ],
}  # fmt: skip
"""From these points on: winner and levels. At 0 and below the declarers rise by 3, by 2 in `one_deck`."""
RESULTS_45: dict[bool, dict[int, tuple[str | None, int]]] = {
    False: {0: ("declarers", 1), 39: ("declarers", 1), 40: (None, 0), 41: ("declarers", 1), 44: ("declarers", 1),
            45: ("attackers", 1), 46: ("attackers", 1)},
    True: {0: ("attackers", 1), 39: ("attackers", 1), 40: ("attackers", 1), 41: ("attackers", 1),
           44: ("attackers", 1), 45: ("attackers", 2), 46: ("attackers", 2)},
}  # fmt: skip
"""`one_deck_45`, by whether the attackers took the last trick."""


@pytest.mark.nojit
@pytest.mark.parametrize("won_last", [False, True])
@pytest.mark.parametrize("table", RESULTS)
def test_12_results_change_at_the_thresholds_and_nowhere_beside_them(table: str, won_last: bool) -> None:
    below: tuple[str, int] = ("declarers", 2 if table == "one_deck" else 3)
    for threshold, winner, levels in RESULTS[table]:
        for points, expected in ((-1, below), (0, (winner, levels)), (1, (winner, levels))):
            found = referee.settle(rule_set(result_table=table), threshold + points, won_last)
            assert (found.winner, found.levels) == expected, threshold + points
            assert oracle.settle(table, threshold + points, won_last) == expected
        below = (winner, levels)


@pytest.mark.nojit
@pytest.mark.parametrize("won_last", RESULTS_45)
def test_12_45_points_the_last_trick_or_both(won_last: bool) -> None:
    for points, expected in RESULTS_45[won_last].items():
        found = referee.settle(rule_set("one_deck_45"), points, won_last)
        assert (found.winner, found.levels) == oracle.settle("one_deck_45", points, won_last) == expected


def test_12_every_table_is_here() -> None:
    assert {*RESULTS, "one_deck_45", "share"} == {rules.result_table for rules in RULE_SETS.values()}


# ---- what must make no difference


class Script:
    """Plays the decisions of a record."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.redeals = record["redeals"]
        self.decisions = iter(record["decisions"])
        self.actions: list[int] = []

    def choose(self, table: EngineTable, legal: list[int]) -> int:
        s = table.state
        if s.redeals < self.redeals:
            return PASS
        if self.actions == [DONE] and (s.phase != Phase.LEAD or s.taken_size == 0):
            self.actions = []
        if not self.actions:
            self.actions = list(self._actions(table, legal))
        return self.actions.pop(0)

    def _actions(self, table: EngineTable, legal: list[int]) -> Iterator[int]:
        decision = next(self.decisions)
        kind, answer = list(decision.items())[-1]
        assert decision["seat"] == table.state.seat
        if kind == "bid":
            yield PASS if answer is None else next(a for a in legal if a != PASS and table.bid_text(a) == answer)
        elif kind == "name":
            yield NAME + TRUMP_TEXTS.index(answer)
        elif kind == "forced":
            yield max(in_order(table, oracle.parse(answer)))
        else:
            yield from in_order(table, oracle.parse(answer))
            if kind == "lead":
                yield DONE


def replayed(record: dict[str, Any], rules: RuleSet) -> dict[str, Any]:
    """The record of the decisions of a record, made again from its start."""
    table = EngineTable(rules)
    s = table.state
    s.round_index = record["round"]
    s.levels[:] = [RANKS.index(level) for level in record["levels"]]
    s.declarer = NOBODY if record["declarer"] is None else record["declarer"]
    s.first_drawer = record["first_drawer"]
    if rules.bidding == "fixed":
        s.trump = TRUMP_TEXTS.index(record["trump"])
    table.give_deal(oracle.parse_in_order(record["deal"]))
    return play_round(table, Script(record).choose)


def renamed(value: Any, suits: dict[str, str], key: str = "") -> Any:
    """A record with its suits renamed."""
    if isinstance(value, dict):
        return {name: renamed(part, suits, name) for name, part in value.items()}
    if isinstance(value, list):
        return [renamed(part, suits, key) for part in value]
    if isinstance(value, str) and key in (*CARD_KEYS, "trump", "name"):
        words = value.split()
        return " ".join(
            suits.get(word[0], word[0]) + word[1:] if word not in ("LJ", "BJ", "NT") else word for word in words
        )
    return value


def as_sets(value: Any, key: str = "") -> Any:
    """A record whose cards are in one order, but for the deal's."""
    if isinstance(value, dict):
        return {name: as_sets(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [as_sets(part, key) for part in value]
    return oracle.parse(value) if isinstance(value, str) and key in CARD_KEYS and key != "deal" else value


def has_equal_cards_thrown_back(record: dict[str, Any]) -> bool:
    """Whether a failed throw held level cards of equal order: the one of the first suit stands for all (§7)."""
    trump = parse_trump(record["trump"] + record["level_rank"])
    attempts = [oracle.parse(step["lead"]) for step in record["decisions"] if "lead" in step]
    for attempt, trick in zip(attempts, record["tricks"], strict=True):
        level = {card for card in attempt if card < 52 and card % 13 == trump.level and card // 13 != trump.suit}
        if attempt != oracle.parse(trick["led"]) and len(level) > 1:
            return True
    return False


ALL_SUITS_ARE_ALIKE = sorted(
    name
    for name, rules in RULE_SETS.items()
    if not rules.cards and rules.bid_suits == "equal" and rules.rebellion == "none" and rules.no_bid != "random"
)
"""Presets in which suits have no order and are all dealt, and a round is one deal whose cards draw no lot."""


@given(name=st.sampled_from(ALL_SUITS_ARE_ALIKE), seed=SEEDS, order=st.sampled_from(list(permutations(SUITS))))
@settings(slow_is_fine, max_examples=15)
def test_6_renaming_the_suits_changes_nothing_else_in_a_round(name: str, seed: int, order: tuple[str, ...]) -> None:
    rules, suits = rule_set(name), dict(zip(SUITS, order, strict=True))
    record = random_round(rules, seed)
    assert replayed(record, rules) == record
    if not has_equal_cards_thrown_back(record):
        assert as_sets(replayed(renamed(record, suits), rules)) == as_sets(renamed(record, suits))


@pytest.mark.nojit
def test_1_the_order_in_which_copies_are_written_changes_nothing() -> None:
    generator = random.Random(1)
    for _ in range(60):
        case = random_follow(generator)
        trump = referee_trump(case.trump)
        lead, hand = (oracle.text(generator.sample(cards, len(cards))) for cards in (case.lead, case.hand))
        counts = counts_of(case.lead), counts_of(case.hand)
        assert referee.demand(lead, hand, trump, case.rules) == referee.demand(*counts, trump, case.rules)
        plays = [cards_of(play) for play in referee.legal_follows(lead, hand, trump, case.rules)]
        assert plays == [cards_of(play) for play in referee.legal_follows(*counts, trump, case.rules)]
