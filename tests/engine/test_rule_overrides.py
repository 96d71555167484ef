"""Every option can be overridden on every preset: in the engine, in the AEC and in the batch environment.

`single_overrides` yields all values of all options, one at a time. If the number of decks or their cards change, so do
the kitty, which must fit them, and what else `WITH_IT` names.

Source: docs/rules.md §14.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from shengji_env import shengji_v0
from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.rule_options import CHOICES, OPTION_NAMES
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, rule_set
from shengji_env.records.writing import finished_round
from shengji_env.tables.infos import with_nulls
from shengji_env.vector import BatchEnv
from tests.helpers import oracle
from tests.helpers.oracle_recorder import OPTION_VALUES, any_rules, kitties_of, random_round
from tests.helpers.oracle_rounds import check_round
from tests.helpers.rule_draws import LEAST_POINTS
from tests.helpers.thorough import thorough

WITH_IT = {
    "decks": {"kitty", "no_trump_bids", "result_table"},
    "cards": {"kitty", "no_trump_bids", "bidding", "result_table"},
}
"""What must change with an option."""


def single_overrides(preset: str) -> Iterator[tuple[str, RuleSet]]:
    """Each option's name with a preset in which it has another value, for every such value."""
    base = RULE_SETS[preset]
    values = {name: values for name, values in OPTION_VALUES.items() if name not in ("decks", "cards")}
    values["no_trump_bids"] = (True, False) if base.decks > 1 else (False,)
    values["result_table"] = tuple(
        table for table in values["result_table"] if LEAST_POINTS.get(table, 80) <= base.points
    )
    kitties = kitties_of(base.decks)
    values["kitty"] = (kitties[0], kitties[-1])
    for name, others in values.items():
        for value in others:
            if value != base.options[name]:
                yield name, rule_set(preset, **{name: value})
    for rules in with_cards(preset):
        yield "cards", rules
    for decks in range(1, MAX_DECKS + 1):
        if decks != base.decks:
            bids = base.no_trump_bids and decks > 1
            table = table_of(preset, decks)
            kitty = kitties_of(decks)[1]
            yield "decks", rule_set(preset, decks=decks, kitty=kitty, no_trump_bids=bids, result_table=table)


def with_cards(preset: str) -> Iterator[RuleSet]:
    """A preset with fewer cards, no bids of jokers, and no bids at all if ranks are missing; if a kitty fits."""
    base = RULE_SETS[preset]
    for cards in OPTION_VALUES["cards"][1:]:
        bidding = base.bidding if oracle.RANKS in cards else "fixed"
        others = {"bidding": bidding, "no_trump_bids": False, "result_table": "share"}
        for kitty in kitties_of(base.decks, cards, 0 if bidding == "fixed" else 1)[:1]:
            yield rule_set(preset, cards=cards, kitty=kitty, **others)


OPEN_PRESETS = [name for name, rules in RULE_SETS.items() if not rules.cards and rules.kitty_retake == "none"]
"""Presets of which any option can be overridden by itself: those of fewer cards, and overbids, need others with it."""


def table_of(preset: str, decks: int) -> str:
    """The preset's result table, or one that fits so few points."""
    table = RULE_SETS[preset].result_table
    return table if LEAST_POINTS.get(table, 80) <= 100 * decks else "share"


def check(rules: RuleSet, seed: int) -> None:
    """A round of the engine under these rules is one by the oracle's."""
    check_round(random_round(rules, seed), rules.options)


def play_both(rules: RuleSet) -> dict[str, Any]:
    """A round in both environments, which show the same; returns its record."""
    batch = BatchEnv(1, rules, seed=17, start="any", skip_forced=True, record=True)
    aec = shengji_v0.raw_env(rules, start="any", skip_forced=True)
    aec.reset(seed=17)
    while not batch.terminated[0]:
        assert aec.last()[0]["observation"].tobytes() == batch.observation[0].tobytes()
        actions = batch.sample_actions()
        aec.step(int(actions[0]))
        batch.step(actions)
    assert all(aec.terminations.values())
    record = finished_round(batch, 0)
    result = with_nulls(aec.infos["player_0"]["result"])
    assert {name: result[name] for name in record["result"]} == record["result"]
    return record


@pytest.mark.parametrize("preset", OPEN_PRESETS)
def test_14_single_overrides_are_all_of_them(preset: str) -> None:
    changed: dict[str, set[Any]] = {name: {RULE_SETS[preset].options[name]} for name in OPTION_NAMES}
    for name, rules in single_overrides(preset):
        differing = {other for other in OPTION_NAMES if rules.options[other] != RULE_SETS[preset].options[other]}
        assert name in differing <= {name} | WITH_IT.get(name, set())
        changed[name].add(rules.options[name])
    assert all(changed[name] == set(values) for name, values in CHOICES.items() if name != "result_table")
    assert len(changed["result_table"]) >= 5
    assert changed["decks"] == {1, 2, 3, 4}
    fixed = {"cards"} if len(changed["cards"]) == 1 else set()
    fixed |= {"no_trump_bids"} if RULE_SETS[preset].decks == 1 else set()
    assert {name for name, values in changed.items() if len(values) == 1} == fixed


@pytest.mark.parametrize("preset", [*OPEN_PRESETS[:2], *thorough(*OPEN_PRESETS[2:])])
def test_14_both_environments_play_every_override_of_every_preset(preset: str) -> None:
    for _, rules in single_overrides(preset):
        record = play_both(rules)
        assert len(oracle.parse(record["buried"])) == rules.kitty
        assert len(oracle.parse(record["deal"])) == rules.total


@pytest.mark.thorough
def test_14_each_override_of_a_preset_is_played_by_the_oracle_s_rules() -> None:
    """One preset for each override, in turn; the slow suite has all."""
    overrides = {preset: dict(enumerate(single_overrides(preset))) for preset in OPEN_PRESETS}
    for index in range(max(map(len, overrides.values()))):
        preset = OPEN_PRESETS[index % len(OPEN_PRESETS)]
        if index in overrides[preset]:
            check(overrides[preset][index][1], index)


@pytest.mark.slow
@pytest.mark.parametrize("preset", OPEN_PRESETS)
def test_14_every_override_of_every_preset_is_played_by_the_oracle_s_rules(preset: str) -> None:
    for index, (_, rules) in enumerate(single_overrides(preset)):
        for seed in range(5):
            check(rules, 100 * index + seed)


@pytest.mark.nojit
def test_14_random_rules_override_every_option() -> None:
    seen: dict[str, set[Any]] = {name: set() for name in OPTION_NAMES}
    decks, overridden = set(), set()
    for seed in range(3000):
        rules = any_rules(random.Random(seed))
        base = RULE_SETS[rules.preset].options
        decks.add((rules.preset, rules.decks))
        for name, value in rules.options.items():
            seen[name].add(value)
            overridden |= {name} if value != base[name] else set()
    assert all(seen[name] == set(values) for name, values in CHOICES.items())
    assert overridden == set(OPTION_NAMES)
    assert decks == {(preset, number) for preset in RULE_SETS for number in range(1, MAX_DECKS + 1)}
