"""Golden playthroughs: the decisions of a record give the same record again, byte for byte; the oracle agrees."""

import json

import numpy as np
import pytest

from shengji_env.engine.actions import DONE, NAME, PASS, REBEL, TRUMP_TEXTS, action_text
from shengji_env.engine.bids import bid_level
from shengji_env.engine.cards import parse_card_list
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, slot_of_card, suit_of_slot
from shengji_env.engine.state import Phase
from shengji_env.records.writing import finished_round, record_header, record_line
from shengji_env.vector import BatchEnv
from tests.helpers.make_playthroughs import CASES, MATCH, PLAYTHROUGHS
from tests.helpers.oracle_rounds import check_match, check_round

NAMES = sorted(path.stem for path in PLAYTHROUGHS.glob("*.jsonl"))


def read(name):
    """The text of a playthrough, its rules, header and rounds."""
    text = (PLAYTHROUGHS / f"{name}.jsonl").read_text(encoding="utf-8")
    header, *rounds = map(json.loads, text.splitlines())
    return text, RuleSet.from_json(header["rules"]), header, rounds


def bid_action(text, env):
    """The legal bid that shows these cards."""
    if text is None:
        return PASS
    level = int(bid_level(env.states[0], int(env.seat[0])))
    legal = np.flatnonzero(env.action_mask[0]).tolist()
    return next(action for action in legal if action_text(action, trump=NO_TRUMP, level=level) == f"bid {text}")


def make_decision(env, decision):
    """Make the actions of one decision."""
    assert decision["seat"] == env.seat[0]
    kind, answer = list(decision.items())[-1]
    if kind == "bid":
        assert decision["drawn"] == env.states["drawn"][0]
        env.step([bid_action(answer, env)])
        return
    if kind in ("name", "rebel"):
        env.step([NAME + TRUMP_TEXTS.index(answer) if kind == "name" else REBEL if answer else PASS])
        return
    state = env.states[0]
    trump, level, led = int(state["trump"]), int(state["level_rank"]), int(state["lead_suit"])
    slots = sorted(int(slot_of_card(card, trump, level)) for card in parse_card_list(answer))
    if kind == "follow":
        slots.sort(key=lambda slot: suit_of_slot(slot, trump) != led)
    for slot in slots[-1:] if kind == "forced" else slots:
        env.step([slot])
    if kind == "lead" and env.phase[0] == Phase.LEAD and env.states["taken_size"][0]:
        env.step([DONE])


def make_round(env, line):
    """Make the decisions of a round's line, those of its abandoned deals included; nobody bids in deals between."""
    for deal in (*line.get("abandoned", ()), line):
        while env.states["redeals"][0] < deal["redeals"]:
            env.step([PASS])
        for decision in deal["decisions"]:
            make_decision(env, decision)


@pytest.mark.parametrize("name", NAMES)
def test_its_decisions_give_the_same_record_again(name):
    text, rules, header, rounds = read(name)
    world = {"episode": "match"} if name == MATCH else {"start": "any"}
    env = BatchEnv(1, rules, seed=header["seed"], tables=[rounds[0]["table"]], record=True, **world)
    lines = [record_line(record_header(rules, header["players"], header["seed"]))]
    for line in rounds:
        make_round(env, line)
        lines.append(record_line({"table": line["table"], **finished_round(env, 0)}))
    assert env.terminated[0]
    assert "".join(lines) == text


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_agrees(name):
    _, rules, _, rounds = read(name)
    if name == MATCH:
        check_match(rounds, rules.options)
    for line in rounds:
        check_round(line, rules.options)


def test_every_preset_has_one():
    assert set(RULE_SETS) <= set(NAMES), "run: python -m tests.helpers.make_playthroughs"
    for name in RULE_SETS:
        assert read(name)[1] == RULE_SETS[name]


def test_every_case_still_shows_what_it_is_named_for():
    assert set(NAMES) == {*CASES, MATCH}
    for name, case in CASES.items():
        assert any(case.shows(line) for line in read(name)[3]), name
