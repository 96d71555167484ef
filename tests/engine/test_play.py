"""Whole plays: a legal set of cards is made as if its cards were taken one by one, and any other is refused.

`make_action`, `take_left` and `is_legal_play` are `make_legal`, `take_play` and `take_cards` for Python: no test has to
compile others.
"""

import numpy as np
import pytest
from numba.core import config as numba_config

from shengji_env.engine.actions import DONE, REBEL
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.play import ILLEGAL, as_play, make_play, next_card, next_of_play
from shengji_env.engine.rule_sets import PRESETS, rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Phase
from shengji_env.envs.positions.histories import game_of
from shengji_env.envs.positions.position_kernels import make_action, take_left
from shengji_env.players.whole_plays import is_legal_play
from tests.helpers.oracle_recorder import EngineTable

CARD_PHASES = (Phase.BURY, Phase.LEAD, Phase.FOLLOW)


def copy_of(table):
    states = np.zeros(1, STATE_DTYPE)
    states[0] = table.state
    return states


def decisions(rules, seed):
    """The decisions of a round of random actions: the state before each, its actions, and the state after it."""
    table = EngineTable(rule_set(rules), seed)
    rng = np.random.default_rng(seed)
    table.draw_setup()
    table.begin()
    while table.state.phase != Phase.OVER:
        before, actions = copy_of(table), []
        while not actions or table.state.taken_size:
            legal = table.legal_actions()
            actions.append(legal[int(rng.integers(len(legal)))])
            table.apply(actions[-1])
        yield table, before, actions, copy_of(table)


class Taking:
    """Makes decisions in states (1,) under some rules."""

    def __init__(self, rules):
        self.rules, self.works = rule_set(rules).record(), np.zeros(1, WORKSPACE_DTYPE)
        self.memory = game_of(rule_set(rules)).scratch.memory

    def act(self, states, action, deals=SAME_CARDS):
        """Whether an action is legal, which is then made."""
        return make_action(states, self.memory, *deals, action) != ILLEGAL

    def play(self, states, cards):
        """Whether cards are a whole play, which is then made."""
        return is_legal_play(states, self.rules, self.works, cards)

    def take(self, states, cards, log, is_whole=True):
        """The number of actions that take the cards, which are logged; ILLEGAL if they cannot be made."""
        return take_left(states, self.memory, cards, is_whole, log)


def cards_of(actions):
    return np.bincount([action for action in actions if action < NUM_SLOTS], minlength=NUM_SLOTS).astype(np.int8)


@pytest.mark.nojit
@pytest.mark.parametrize("rules", PRESETS)
def test_a_play_is_its_actions_one_by_one(rules):
    log, taking = np.zeros(64, np.uint8), Taking(rules)
    for table, before, actions, after in decisions(rules, 3):
        is_set = before["phase"][0] in CARD_PHASES
        play = as_play(cards_of(actions) if is_set else int(actions[0]))
        again = before.copy()
        assert taking.play(again, play.cards) if is_set else taking.act(again, play.action, table.deals)
        assert again.tobytes() == after.tobytes()
        assert next_of_play(play, before[0]["taken"], 1 << actions[0] if is_set else 0) == actions[0]
        if is_set:
            again = before.copy()
            assert taking.take(again, play.cards, log) == len(actions)
            assert log[: len(actions)].tolist() == actions
            assert again.tobytes() == after.tobytes()


@pytest.mark.parametrize("rules", ["two_deck", "three_deck"])
def test_what_is_not_a_whole_legal_play_is_refused(rules):
    refused, taking = 0, Taking(rules)
    for _, before, actions, _ in decisions(rules, 5):
        if before["phase"][0] not in CARD_PHASES:
            continue
        for slot in range(NUM_SLOTS):
            cards = cards_of(actions)
            cards[slot] += 1
            again = before.copy()
            is_made = taking.play(again, cards)
            is_lead = before["phase"][0] == Phase.LEAD
            assert not is_made or (is_lead and cards[slot] <= before["hands"][0, before["seat"][0], slot])
            refused += not is_made
        assert not taking.play(before.copy(), np.zeros(NUM_SLOTS, np.int8))
    assert refused > 1000


@pytest.mark.nojit
def test_a_part_of_a_play_can_be_taken_and_a_log_may_be_too_short():
    taking = Taking("two_deck")
    for _, before, actions, _ in decisions("two_deck", 7):
        if before["phase"][0] == Phase.BURY:
            part, log = cards_of(actions[:3]), np.full(2, 77, np.uint8)
            again = before.copy()
            assert taking.take(again, part, log, is_whole=False) == 3
            assert log.tolist() == actions[:2]
            assert again["taken_size"][0] == 3
            rest = again.copy()
            assert taking.take(rest.copy(), cards_of(actions[3:]), log) == len(actions) - 3
            assert taking.play(rest, cards_of(actions[3:]))
            assert not taking.play(again, part)


@pytest.mark.nojit
def test_the_next_card_of_a_play_may_come_after_other_legal_ones():
    cards = np.zeros(NUM_SLOTS, np.int8)
    cards[2] = 1
    assert next_card(np.zeros(NUM_SLOTS, np.int8), 0b110, cards) == 2
    assert next_card(cards, 0b110, cards) == DONE


def test_done_ends_a_lead_that_could_go_on():
    """§8: with throws, a lead of one card of several ends with `done`."""
    ended, taking = 0, Taking("two_deck")
    for _, before, actions, _ in decisions("two_deck", 11):
        if before["phase"][0] == Phase.LEAD and actions[-1] == DONE:
            log, again = np.zeros(64, np.uint8), before.copy()
            number = taking.take(again, cards_of(actions), log)
            assert log[number - 1] == DONE
            assert not taking.act(before.copy(), DONE)
            ended += 1
    assert ended


@pytest.mark.nojit
@pytest.mark.skipif(not numba_config.DISABLE_JIT, reason="only other compiled code calls it")
def test_a_whole_play_is_made_at_once_or_refused():
    rules, work = rule_set("two_deck").record()[0], np.zeros(1, WORKSPACE_DTYPE)[0]
    for table, before, actions, after in decisions("two_deck", 3):
        is_set = before["phase"][0] in CARD_PHASES
        again, refused = before.copy(), before.copy()
        play = as_play(cards_of(actions) if is_set else int(actions[0]))
        assert make_play(again[0], rules, work, table.deals, play)
        assert again.tobytes() == after.tobytes()
        nothing = as_play(np.zeros(NUM_SLOTS, np.int8) if is_set else REBEL)
        assert not make_play(refused[0], rules, work, table.deals, nothing)
