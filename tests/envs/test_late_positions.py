"""Positions of rounds in which the kitty is taken up again, or weak hands rebel (docs/rules.md §4, §5)."""

from collections import Counter

import numpy as np
import pytest

from shengji_env.engine.actions import PASS, REBEL
from shengji_env.engine.state import UNNAMED, Phase
from shengji_env.envs.positions import Position
from shengji_env.errors import ShengjiError
from shengji_env.records import finished_round
from tests.helpers.late_bidders import LATE_RULES, REBEL_RULES, RETAKE_RULES, late_rounds


def late_walk(rules, seed):
    """The positions of a round that is seldom bid for, and often bid over."""
    generator = np.random.default_rng(seed)
    position = Position.new(rules, seed=seed, start="any")
    while True:
        yield position
        if position.is_terminal():
            return
        legal = position.legal_actions()
        action = int(generator.choice(legal))
        if position.phase == Phase.BID:
            is_named = position.states["trump"][0] != UNNAMED
            action = legal[1] if generator.random() < (0.8 if is_named else 0.05) else PASS
        position = position.apply(action)


@pytest.mark.parametrize("rules", LATE_RULES)
def test_every_position_is_read_back_from_its_text(rules):
    phases = Counter()
    for seed in range(6):
        for number, position in enumerate(late_walk(rules, seed)):
            state = position.states[0]
            phases[position.phase] += 1
            if number % 17 == 0 or position.phase == Phase.REBEL or (state["num_takers"] > 1 and number % 5 == 0):
                again = Position.from_text(str(position))
                assert again == position
                assert again.states.tobytes() == position.states.tobytes()
    assert phases[Phase.REBEL] or "rebellion" not in rules


@pytest.mark.parametrize("rules", LATE_RULES)
def test_a_resampled_position_is_the_same_to_the_seat_to_move(rules):
    kinds = Counter()
    for seed in range(12):
        for number, position in enumerate(late_walk(rules, seed)):
            takers = int(position.states["num_takers"][0])
            if position.is_terminal() or not (number % 11 == 0 or position.phase == Phase.REBEL):
                continue
            try:
                other = position.resample(seed)
            except ShengjiError:
                kinds["none found"] += 1  # it is looked for in 1,000 deals
                continue
            assert other.information_state_text(position.seat) == position.information_state_text(position.seat)
            assert other.legal_actions() == position.legal_actions()
            kinds["retaken"] += takers > 1
            kinds["other"] += other != position
    assert kinds["other"] > 50 * kinds["none found"]
    assert kinds["retaken"] or "kitty_retake" not in rules


@pytest.mark.parametrize("rules", RETAKE_RULES)
def test_5_nobody_knows_what_the_next_taker_has_buried(rules):
    """What a seat knows of burials: its own, and what it has taken up."""
    found = 0
    for seed in range(30):
        for position in late_walk(rules, seed):
            state = position.states[0]
            if position.phase == Phase.LEAD and state["num_takers"] > 1 and not state["tricks"]:
                takers = state["takers"][: state["num_takers"]].tolist()
                for seat in range(4):
                    text = position.information_state_text(seat)
                    assert text.count("bury hidden") == len(takers) - takers.count(seat)
                    assert text.count("took up") == takers.count(seat)
                found += 1
                break
    assert found


@pytest.mark.parametrize("rules", REBEL_RULES)
def test_4_after_a_rebellion_the_cards_are_dealt_again(rules):
    found = 0
    for seed in range(30):
        for position in late_walk(rules, seed):
            if position.phase == Phase.REBEL:
                later = position.apply(REBEL)
                assert later.states["rebellions"][0] == position.states["rebellions"][0] + 1
                assert later.states["deal"].tobytes() != position.states["deal"].tobytes()
                assert later.actions == ()
                found += 1
                break
    assert found > 5


@pytest.mark.parametrize("rules", LATE_RULES)
def test_positions_of_a_record(rules):
    for record in late_rounds(rules, 4, on_end=finished_round):
        end = Position.from_record(record, rules)
        assert end.is_terminal()
        assert end.result["attackers_points"] == record["result"]["attackers_points"]
        assert end.states["rebellions"][0] == len(record.get("abandoned", ()))
