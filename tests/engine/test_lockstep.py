"""Engine and oracle side by side, at every position of random rounds of random games.

`python -m tests.helpers.run_lockstep` is the same with any number of rounds, and prints what happened in them.

Source: docs/rules.md §1 to §13.
"""

from collections import Counter

import pytest

from shengji_env.engine.rule_sets import RULE_SETS, rule_set
from tests.helpers.lockstep_tally import WANTED
from tests.helpers.rule_draws import OPTION_VALUES
from tests.helpers.run_lockstep import compare, drawn_games, run
from tests.helpers.thorough import thorough

FAST_GAMES, FAST_ROUNDS = 30, 3
SLOW_GAMES, SLOW_ROUNDS = 300, 4_200
FREE = {"decks", "kitty", "cards"}
"""Options whose values are drawn to fit each other, not from `OPTION_VALUES`."""


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_position_of_a_preset_agrees(name: str) -> None:
    rules = rule_set(name)
    assert compare(rules, 1, 1)["positions"] >= rules.total - rules.kitty


@pytest.mark.parametrize("part", [0, *thorough(1, 2, 3, 4)])
def test_every_position_of_random_games_agrees(part: int) -> None:
    for game in range(part, FAST_GAMES, 5):
        assert run(game, FAST_GAMES, FAST_ROUNDS, 1)["rounds"] == FAST_ROUNDS


def test_14_random_games_have_every_value_of_every_option() -> None:
    games = drawn_games(0, SLOW_GAMES)
    for name, values in OPTION_VALUES.items():
        seen = {game.options[name] for game in games}
        assert seen >= set(values) or name in FREE, (name, seen)
    assert {game.decks for game in games} == {1, 2, 3, 4}
    assert 0 in {game.kitty for game in games}
    assert sum(game.cards != "" for game in games) > SLOW_GAMES // 4


@pytest.mark.slow
def test_every_position_of_random_games_agrees_slow() -> None:
    seen: Counter[str] = Counter()
    for game in range(SLOW_GAMES):
        seen += run(game, SLOW_GAMES, -(-SLOW_ROUNDS // SLOW_GAMES), 0)
    assert seen["rounds"] >= SLOW_ROUNDS
    assert all(seen[name] > 0 for name in WANTED), seen
