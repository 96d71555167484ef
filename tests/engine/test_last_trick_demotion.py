"""The fall of the declarers by the last trick.

Source: docs/rules.md §12 and §13, `last_trick_demotion`.
"""

import numpy as np
import pytest

from shengji_env.engine.cards import ACE, RANKS, parse_card_list
from shengji_env.engine.results import all_worth_to_attackers, close_round, worth_to_attackers
from shengji_env.engine.rule_sets import NUM_SEATS, rule_set
from shengji_env.engine.slots import slot_of_card
from shengji_env.engine.state import STATE_DTYPE, State, Winner
from shengji_env.tables.infos import result_info, with_nulls
from shengji_env.tables.rewards import LEVELS, POINTS, WIN, add_reward

pytestmark = pytest.mark.nojit

JACK, SIX = RANKS.index("J"), RANKS.index("6")
SPADES = 3


def closed(play: str, *, points: int = 80, level: int = JACK, attackers_win: bool = True, **options: object) -> State:
    """A state after seat 0's round at a level was closed, spades being trumps and `play` winning the last trick."""
    s: State = np.zeros(1, dtype=STATE_DTYPE)[0]
    s.levels[:] = (level, 0)
    s.level_rank, s.trump, s.declarer = level, SPADES, 0
    s.attackers_points = points
    s.winning = s.leader = 1 if attackers_win else 0
    cards = parse_card_list(play)
    s.lead_size = len(cards)
    for card in cards:
        s.trick[s.winning, slot_of_card(card, SPADES, level)] += 1
    close_round(s, rule_set("competition", **options).record()[0], 0, 0, attackers_win)
    return s


@pytest.mark.parametrize(
    ("kind", "play", "level", "points", "lost"),
    [
        ("none", "SJ", JACK, 80, 0),
        ("jack_single", "SJ", JACK, 80, JACK),
        ("jack_single", "HJ", JACK, 40, JACK),
        ("jack_single", "HJ HJ", JACK, 80, 0),
        ("jack_single", "HQ", JACK, 80, 0),
        ("jack_single", "BJ", JACK, 80, 0),
        ("jack_single", "SJ", RANKS.index("T"), 80, 0),
        ("jack_single", "SA", ACE, 80, 0),
        ("jack_suit", "SJ", JACK, 80, JACK),
        ("jack_suit", "HJ", JACK, 80, JACK - SIX),
        ("jack_suit", "SJ", JACK, 75, 0),
        ("jack_suit", "SJ SJ", JACK, 80, 0),
        ("jack_ace", "HJ", JACK, 40, JACK),
        ("jack_ace", "HJ HJ", JACK, 80, JACK),
        ("jack_ace", "HJ DJ", JACK, 80, 0),
        ("jack_ace", "SA SA", ACE, 80, ACE),
        ("jack_ace", "SJ", ACE, 80, 0),
        ("jack_ace", "HJ HJ SJ SJ", JACK, 80, 0),
    ],
)
def test_13_which_cards_cost_the_declarers_how_many_levels(
    kind: str, play: str, level: int, points: int, lost: int
) -> None:
    s = closed(play, points=points, level=level, last_trick_demotion=kind)
    assert s.result.levels_lost == lost
    risen = 1 if points in (40, 75) and lost == 0 and level < ACE else 0
    if points >= 80:
        assert s.levels[0] == level - lost + risen


@pytest.mark.parametrize("kind", ["jack_single", "jack_suit", "jack_ace"])
def test_13_declarers_who_win_the_last_trick_do_not_fall(kind: str) -> None:
    assert closed("SJ", attackers_win=False, last_trick_demotion=kind).result.levels_lost == 0


def test_13_no_jack_is_of_the_trump_suit_where_there_is_none() -> None:
    s: State = closed("HJ", last_trick_demotion="jack_suit")
    assert s.levels[0] == SIX
    s.levels[0], s.declarer, s.trump = JACK, 0, 4
    s.trick[:] = 0
    s.trick[1, slot_of_card(parse_card_list("SJ")[0], 4, JACK)] = 1
    close_round(s, rule_set("two_deck", last_trick_demotion="jack_suit").record()[0], 0, 0, True)
    assert s.levels[0] == SIX


def test_13_declarers_who_held_rise_from_where_they_fell_to() -> None:
    s = closed("HJ", points=30, last_trick_demotion="jack_single")
    assert (s.result.winner, s.result.levels_nominal, s.result.levels_lost) == (Winner.DECLARERS, 2, JACK)
    assert (s.result.levels, s.levels[0]) == (2, 2)
    assert s.declarer == 2


def test_13_a_level_fallen_to_is_not_held() -> None:
    s = closed("HJ", points=30, last_trick_demotion="jack_single", must_defend="25")
    assert (s.result.levels, s.levels[0]) == (0, 0)
    s = closed("HJ", points=0, last_trick_demotion="jack_single", must_defend="3")
    assert (s.result.levels, s.levels[0]) == (1, 1)


def test_13_a_round_at_the_ace_is_not_won_by_declarers_who_fall() -> None:
    s = closed("SA", points=30, level=ACE, last_trick_demotion="jack_ace")
    assert not s.result.match_over
    assert s.levels[0] == 2
    s = closed("SA", points=30, level=ACE, last_trick_demotion="jack_ace", attackers_win=False)
    assert s.result.match_over
    assert s.result.match_winner == 0


@pytest.mark.parametrize(("points", "worth"), [(120, 1 + JACK), (80, JACK), (40, JACK - 1), (0, JACK - 3)])
def test_12_levels_lost_count_for_the_attackers(points: int, worth: int) -> None:
    s = closed("HJ", points=points, last_trick_demotion="jack_single")
    assert worth_to_attackers(s.result) == worth
    assert all_worth_to_attackers(np.array([s.result], s.result.dtype)).tolist() == [worth]
    reward = np.zeros(NUM_SEATS, np.float32)
    rules = rule_set("competition", last_trick_demotion="jack_single").record()[0]
    add_reward(s, rules, LEVELS, False, reward)
    assert reward.tolist() == [-worth, worth, -worth, worth]
    reward[:] = 0
    add_reward(s, rules, WIN, False, reward)
    assert reward[1] == (1 if points >= 80 else -1)
    reward[:] = 0
    add_reward(s, rules, POINTS, False, reward)
    assert reward[1] == np.float32((points - 80) / 200)


def test_12_records_say_levels_lost_only_if_there_are_any() -> None:
    fallen = result_info(closed("HJ", last_trick_demotion="jack_single").result)
    assert with_nulls(fallen)["levels_lost"] == JACK
    usual = result_info(closed("HJ").result)
    assert usual["levels_lost"] == 0
    assert "levels_lost" not in with_nulls(usual)
