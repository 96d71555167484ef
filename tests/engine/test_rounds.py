"""Whole rounds of every preset, played by the engine and checked by the oracle; what holds at every ply.

Source: docs/rules.md §2 to §13.
"""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba.core import config as numba_config

from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.rule_sets import NUM_SEATS, RULE_SETS, RuleSet, rule_set
from shengji_env.engine.slots import TRUMP
from shengji_env.engine.state import NOBODY, UNNAMED, Phase
from shengji_env.engine.tricks import suit_of_play
from tests.helpers import oracle, oracle_rounds
from tests.helpers.oracle_positions import TrickCase, is_over_ruff
from tests.helpers.oracle_recorder import EngineTable, Style, any_rules, play_round, random_round
from tests.helpers.thorough import every_third

ROUNDS_OF_SLOW_RUNS = 2_000
SHARE = 4 if numba_config.DISABLE_JIT else 1
"""Plain Python is slow: it plays one in so many of the fast suite's rounds."""


def check(record: dict[str, Any], rules: RuleSet) -> None:
    """Let the oracle replay a record."""
    oracle_rounds.check_round(record, oracle_rounds.options_of(rules.to_json()))


def features_of(record: dict[str, Any]) -> Counter[str]:
    """How often what random play may miss is in a round."""
    kinds = Counter(key for step in record["decisions"] for key in step if key not in ("seat", "drawn"))
    level = oracle.RANKS.index(record["level_rank"])
    trump = oracle.Trump(None if record["trump"] == "NT" else oracle.SUITS.index(record["trump"]), level)
    leads = [oracle.parse(step["lead"]) for step in record["decisions"] if "lead" in step]
    follows = [oracle.parse(step["follow"]) for step in record["decisions"] if "follow" in step]
    for index, (lead, trick) in enumerate(zip(leads, record["tricks"], strict=True)):
        led = oracle.parse(trick["led"])
        kinds["failed throw"] += led != lead
        kinds["standing throw"] += led == lead and len(oracle.decompose(led, trump)) > 1
        kinds["run"] += any(length > 1 for _, length in oracle.shapes_of(oracle.decompose(led, trump)))
        plays = (led, *follows[3 * index : 3 * index + 3])
        kinds["ruff"] += is_ruffed(plays, trump)
        kinds["over-ruff"] += is_over_ruff(TrickCase(rule_set(), trump, plays))
    kinds["redeal"] += record["redeals"]
    return kinds


def is_ruffed(plays: tuple[oracle.Cards, ...], trump: oracle.Trump) -> bool:
    """Whether a trick of a plain suit was won by trumps."""
    suits = [oracle.effective_suit(plays[place][0], trump) for place in (0, oracle.trick_winner(plays, trump))]
    return suits[0] != suits[1] == oracle.TRUMP_SUIT


@pytest.mark.nojit
@pytest.mark.parametrize("name", every_third(RULE_SETS))
def test_rounds_of_a_preset_replay_by_the_oracle(name: str) -> None:
    for seed in range(8 // SHARE):
        check(random_round(rule_set(name), seed), rule_set(name))


@pytest.mark.nojit
def test_rounds_of_any_options_replay_by_the_oracle() -> None:
    for seed in range(24 // SHARE):
        rules = any_rules(random.Random(seed))
        check(random_round(rules, seed), rules)


def test_random_rounds_throw_fail_choose_name_and_deal_again() -> None:
    seen: Counter[str] = Counter()
    for seed in range(10):
        for name in ("competition", "three_deck", "two_deck"):
            seen += features_of(random_round(rule_set(name), 100 + seed))
    wanted = ("bid", "name", "bury", "lead", "forced", "follow", "failed throw", "standing throw", "run", "redeal")
    assert all(seen[kind] > 0 for kind in wanted), seen


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_rounds_of_a_preset_replay_by_the_oracle_slow(name: str) -> None:
    rules, seen = rule_set(name), Counter[str]()
    for seed in range(1000, 1000 + ROUNDS_OF_SLOW_RUNS):
        record = random_round(rules, seed)
        check(record, rules)
        seen += features_of(record)
    wanted = {"ruff", "over-ruff"} | ({"failed throw", "standing throw"} if rules.throws else set())
    wanted |= {"forced"} if rules.throws and rules.failed_throw == "next_seat_chooses" else set()
    if name == "small_two_ranks":
        wanted -= {"standing throw"}  # two cards a hand: there is hardly a throw that nobody beats
    assert all(seen[kind] > (20 if rules.cards else 50) for kind in wanted), seen


@pytest.mark.slow
def test_rounds_of_any_options_replay_by_the_oracle_slow() -> None:
    for seed in range(1000, 1000 + ROUNDS_OF_SLOW_RUNS):
        rules = any_rules(random.Random(seed))
        check(random_round(rules, seed), rules)


# ---- §13 matches


def play_match(rules: RuleSet, seed: int, most: int = 400) -> tuple[list[dict[str, Any]], EngineTable]:
    """A match of random rounds, and the table as it lies at the end."""
    generator = random.Random(seed)
    table = EngineTable(rules, seed)
    table.draw_setup(any_start=False)
    records = []
    while len(records) < most:
        records.append(play_round(table, Style.any(generator).choose))
        if table.state.result.match_over:
            return records, table
        table.state.round_index += 1
        table.state.trump = UNNAMED
    raise AssertionError(f"no end after {most} rounds")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("two_deck", {}),
        ("one_deck_45", {}),
        ("three_deck", {"match_end": "rounds", "match_rounds": 3}),
        ("competition", {"result_table": "two_deck"}),
    ],
)
def test_13_matches_replay_by_the_oracle(name: str, options: dict[str, Any]) -> None:
    rules = rule_set(name, **options)
    records, table = play_match(rules, 5)
    oracle_rounds.check_match(records, oracle_rounds.options_of(rules.to_json()))
    levels, last = [int(level) for level in table.state.levels], records[-1]
    winner = int(table.state.result.match_winner)
    if rules.match_end == "pass_ace":
        assert winner == last["tricks"][0]["leader"] % 2
        assert last["levels"][winner] == "A"
    else:
        assert winner == (NOBODY if levels[0] == levels[1] else levels.index(max(levels)))


# ---- at every ply


class Watcher:
    """Checks what must hold before every action of a round."""

    def __init__(self) -> None:
        self.throw_stands = False
        self.trick = -1

    def __call__(self, table: EngineTable) -> None:
        table.check_conserved()
        s = table.state
        if s.phase == Phase.FOLLOW:
            self._check_winner(table)
            self._check_duty(table)

    def _check_winner(self, table: EngineTable) -> None:
        """§8: a lead that stands is beaten by ruffs only, if it is a throw."""
        s = table.state
        if s.num_components > 1 and s.winning != s.leader:
            suit = suit_of_play(s.trick[s.winning], int(s.lead_size), int(s.lead_suit), int(s.trump))
            assert (suit, s.lead_suit == TRUMP) == (TRUMP, False)

    def _check_duty(self, table: EngineTable) -> None:
        """§9: who played another suit holds none of the led one any more."""
        s = table.state
        if s.taken_size or s.position < 2:
            return
        suit = oracle_suit(table, int(np.flatnonzero(s.trick[s.leader])[0]))
        of_suit = [oracle_suit(table, slot) == suit for slot in range(NUM_CARDS)]
        for step in range(1, int(s.position)):
            seat = (s.leader + step) % NUM_SEATS
            played, held = s.trick[seat][of_suit].sum(), s.hands[seat][of_suit].sum()
            assert s.trick[seat].sum() == s.lead_size
            assert played == s.lead_size or held == 0
            assert s.voids[seat, s.lead_suit] == (played < s.lead_size)


def oracle_suit(table: EngineTable, slot: int) -> int:
    """The oracle's effective suit of a slot's card."""
    return oracle.effective_suit(table.card(slot), table.oracle_trump())


@given(name=st.sampled_from(sorted(RULE_SETS)), seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_cards_duty_and_throws_hold_at_every_ply(name: str, seed: int) -> None:
    watcher = Watcher()
    record = random_round(rule_set(name), seed, watcher)
    captured = sum(trick["points"] for trick in record["tricks"])
    assert captured + record["result"]["kitty_points"] == RULE_SETS[name].points


@given(name=st.sampled_from(sorted(RULE_SETS)), seed=st.integers(0, 2**32), turn=st.integers(1, 3))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_rotating_the_seats_changes_only_their_numbers(name: str, seed: int, turn: int) -> None:
    generator, rules = random.Random(seed), rule_set(name)
    table, turned = EngineTable(rules, seed), EngineTable(rules, seed)
    table.draw_setup()
    turned.states[...] = table.states
    deal = list(range(NUM_CARDS)) * rules.decks
    generator.shuffle(deal)
    for each in (table, turned):
        each.give_deal(tuple(deal))
    turned.state.first_drawer = (table.state.first_drawer + turn) % NUM_SEATS
    if table.state.declarer != NOBODY:
        turned.state.declarer = (table.state.declarer + turn) % NUM_SEATS
    turned.state.levels[:] = np.roll(table.state.levels, turn)
    style = Style.any(generator)
    table.begin()
    turned.begin()
    while table.state.phase != Phase.OVER:
        legal = table.legal_actions()
        assert legal == turned.legal_actions()
        assert turned.state.seat == (table.state.seat + turn) % NUM_SEATS
        action = style.choose(table, legal)
        table.apply(action)
        turned.apply(action)
    assert turned.state.phase == Phase.OVER
    for field in ("attackers_points", "winner", "levels", "levels_nominal", "kitty_multiplier"):
        assert table.state.result[field] == turned.state.result[field]


@given(name=st.sampled_from(sorted(set(RULE_SETS) - {"duplicate"})), seed=st.integers(0, 2**32))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_playing_on_from_a_copy_is_playing_on(name: str, seed: int) -> None:
    generator, rules = random.Random(seed), rule_set(name)
    table, copy = EngineTable(rules, seed), EngineTable(rules, seed)
    table.draw_setup()
    table.begin()
    style, left = Style.any(generator), generator.randint(0, 150)
    while table.state.phase != Phase.OVER and left > 0:
        table.apply(style.choose(table, table.legal_actions()))
        left -= 1
    copy.states[...] = table.states
    while table.state.phase != Phase.OVER:
        legal = table.legal_actions()
        assert legal == copy.legal_actions()
        action = style.choose(table, legal)
        table.apply(action)
        copy.apply(action)
    assert table.states.tobytes() == copy.states.tobytes()


@pytest.mark.nojit
def test_2_the_deal_depends_on_seed_round_and_redeal_only() -> None:
    deals = {}
    for seed in (0, 1):
        for round_index in (0, 1):
            table = EngineTable(rule_set("two_deck"), seed)
            table.state.round_index = round_index
            table.draw_setup()
            table.begin()
            deal = tuple(int(card) for card in table.state.deal[:108])
            assert sorted(deal) == sorted(list(range(54)) * 2)
            deals[seed, round_index] = deal
            table.begin()
            assert tuple(table.state.deal[:108]) == deal
    assert len(set(deals.values())) == 4
