"""Throws in the environment: what a failed throw reveals, who chooses what is led, and what it costs.

Source: docs/rules.md §8; docs/environments/actions.md.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shengji_env import shengji_v0
from shengji_env.engine.slots import card_of_slot
from shengji_env.engine.state import Phase
from shengji_env.records.writing import finished_round
from shengji_env.tables.observation import OBSERVATION_DTYPE, view
from shengji_env.tables.queries import observe_seat
from shengji_env.tables.truth import view_truth
from shengji_env.vector import BatchEnv
from tests.helpers import oracle
from tests.helpers.make_playthroughs import failed_throw
from tests.helpers.oracle import NUM_SEATS
from tests.helpers.oracle_recorder import slots_of
from tests.helpers.oracle_rounds import check_round

Hand = Counter[int]
RULES = ("two_deck", "one_deck", "competition", "duplicate", "three_deck", "four_deck")
PENALTY = 40


def hand_of(notation: str) -> Hand:
    return Counter(oracle.parse(notation))


def cards_of(state: Any, by_slot: NDArray[np.int8]) -> Hand:
    """Cards of counts by slot, trumps being named."""
    trump, level = int(state["trump"]), int(state["level_rank"])
    return Counter({int(card_of_slot(slot, trump, level)): int(by_slot[slot]) for slot in np.flatnonzero(by_slot)})


def known_to(env: BatchEnv, seat: int) -> dict[int, Hand]:
    """What a seat sees known of each other seat."""
    observations = np.zeros(1, OBSERVATION_DTYPE)
    observe_seat(env.tables.states, env.tables.shared, 0, seat, observations)
    known = observations["known"][0]
    return {(seat + step) % NUM_SEATS: cards_of(env.states[0], known[step - 1]) for step in range(1, NUM_SEATS)}


def played_round(rules: str, seed: int) -> tuple[dict[str, Any], list[list[dict[int, Hand]]]]:
    """A round of random play; its record, and what each seat sees known before each of its decisions but bids."""
    env = BatchEnv(1, rules, seed=seed, start="any", record=True)
    seen = []
    while not env.terminated[0]:
        if env.phase[0] > Phase.NAME and env.states["taken_size"][0] == 0:
            seen.append([known_to(env, seat) for seat in range(NUM_SEATS)])
        env.step(env.sample_actions())
    return finished_round(env, 0), seen


def shown_before_decisions(record: dict[str, Any]) -> Iterator[list[Hand]]:
    """What of each hand was shown and not yet played, before each decision but bids: from the record alone."""
    held: list[Hand] = [Counter() for _ in range(NUM_SEATS)]
    led = iter(record["tricks"])
    lead = leader = None
    for step in record["decisions"]:
        seat, (kind, answer) = step["seat"], list(step.items())[-1]
        if kind == "bid" and answer:
            held[seat] |= hand_of(answer)
        if kind in ("bid", "name"):
            continue
        if lead is not None and leader is not None and kind == "follow":
            held[leader] -= lead
            lead = None
        yield [hand.copy() for hand in held]
        if kind == "bury":
            held[seat].clear()
        elif kind == "lead":
            lead, leader = hand_of(next(led)["led"]), seat
            if hand_of(answer) != lead:
                held[seat] |= hand_of(answer)
        elif kind == "follow":
            held[seat] -= hand_of(answer)


@pytest.mark.parametrize("rules", RULES)
def test_8_what_a_failed_throw_showed_is_known_to_all_until_it_is_played(rules: str) -> None:
    failed = shown = 0
    for seed in range(6):
        record, seen = played_round(rules, seed)
        failed += failed_throw(record)
        expected = list(shown_before_decisions(record))
        assert len(seen) == len(expected)
        for known, held in zip(seen, expected, strict=True):
            for seat in range(NUM_SEATS):
                assert known[seat] == {other: held[other] for other in range(NUM_SEATS) if other != seat}
            shown += sum(hand.total() for hand in held)
    assert failed >= 3
    assert shown > 0


def test_8_the_seat_after_the_thrower_chooses_among_the_beaten_components() -> None:
    env = shengji_v0.raw_env("competition", start="any")
    rng = np.random.default_rng(8)
    chosen: Counter[int] = Counter()
    for seed in range(6):
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            legal = np.flatnonzero(env.last()[0]["action_mask"])
            action = int(rng.choice(legal))
            if env.states["phase"][0] == Phase.FORCED:
                check_forced(env, set(legal.tolist()), action)
                chosen[len(legal)] += 1
            else:
                env.step(action)
    assert chosen.total() > 20
    assert min(chosen) > 1


def check_forced(env: shengji_v0.raw_env, legal: set[int], action: int) -> None:
    """Choices, chooser and outcome of a failed throw are the oracle's; makes the choice."""
    state, truth = env.states[0].copy(), view_truth(env.state())
    leader, chooser = int(state["leader"]), int(env.agent_selection[-1])
    assert chooser == (leader + 1) % NUM_SEATS
    trump = oracle.Trump(int(state["trump"]) if state["trump"] < 4 else None, int(state["level_rank"]))
    hands = [tuple(sorted(cards_of(state, hand).elements())) for hand in truth["hands"]]
    seen = view(env.last()[0]["observation"])
    thrown = tuple(sorted(cards_of(state, seen["trick"][NUM_SEATS - 1]).elements()))
    others = [hands[(leader + step) % NUM_SEATS] for step in range(1, NUM_SEATS)]
    choices = oracle.forced_choices(thrown, others, trump)
    highest = {max(slots_of(choice.cards, int(state["trump"]), trump.level)): choice for choice in choices}
    assert set(highest) == legal
    env.step(action)
    assert tuple(sorted(cards_of(state, env.states[0]["trick"][leader]).elements())) == highest[action].cards


@pytest.mark.parametrize("preset", RULES)
def test_8_penalties_move_points_and_may_take_them_below_zero(preset: str) -> None:
    env = BatchEnv(16, f"{preset}(throw_penalty={PENALTY})", seed=9, start="any", record=True)
    below = 0
    lowest = 0
    live = np.ones(16, np.bool_)
    while live.any():
        env.step(env.sample_actions())
        points = env.states["attackers_points"]
        assert (view(env.observation)["attackers_points"][:, 0] == np.clip(points // 5, -128, 127)).all()
        lowest = min(lowest, int(points.min()))
        for table in np.flatnonzero(live & env.terminated).tolist():
            below += check_penalties(finished_round(env, table), env.rules.options, env.reward[table])
        live &= ~env.terminated
    assert lowest < 0
    assert below > 0


def check_penalties(record: dict[str, Any], options: dict[str, Any], reward: NDArray[np.float32]) -> bool:
    """The oracle agrees; attackers below zero lose as at zero. Returns whether they were."""
    check_round(record, options)
    result = record["result"]
    if result["attackers_points"] >= 0:
        return False
    leader, last = record["tricks"][0]["leader"], record["tricks"][-1]["winner"]
    expected = oracle.settle(options["result_table"], 0, last % 2 != leader % 2)
    assert (result["winner"], result["levels_nominal"]) == expected
    assert abs(reward).tolist() == [result["levels_nominal"]] * NUM_SEATS
    return True
