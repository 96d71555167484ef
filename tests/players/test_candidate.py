"""Players that choose among candidates: they see what an environment of whole plays shows, and make what they chose."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest

from shengji_env.engine.state import Phase
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.errors import PlayerError
from shengji_env.players import CandidatePlayer, Choices, Decisions
from shengji_env.players.candidates import NUM_FEATURES
from shengji_env.tables.infos import result_info
from shengji_env.vector import BatchEnv
from tests.helpers.thorough import thorough

RULES = ["two_deck", "one_deck_45", "three_deck", "two_deck(failed_throw=next_seat_chooses)"]
SHOWN = ("observation", "action_mask", "actions", "cards", "features", "seat", "phase")
WEIGHTS = np.random.default_rng(1).normal(size=NUM_FEATURES)


class Linear(CandidatePlayer):
    """Takes what a model with random weights values most, and notes what it is asked."""

    name = "linear"

    def __init__(self, candidates=10):
        self.candidates = candidates
        self.asked = []

    def choose(self, choices):
        for row in range(len(choices)):
            self.asked.append(b"".join(getattr(choices, name)[row].tobytes() for name in SHOWN))
        return np.where(choices.action_mask, choices.features @ WEIGHTS, -np.inf).argmax(axis=1)


class Random(CandidatePlayer):
    """Takes a random candidate, another one each time that it is asked."""

    name = "random candidate"

    def __init__(self):
        self.random, self.last = np.random.default_rng(0), None

    def choose(self, choices):
        best = (self.random.random(choices.action_mask.shape) * choices.action_mask).argmax(axis=1)
        self.last = choices, best
        return best


def one_round(env, choose):
    """The result of each table's first round."""
    results = [None] * env.num_envs
    while not all(results):
        env.step(choose(np.array([result is None for result in results])))
        for table in np.flatnonzero(env.terminated):
            results[table] = results[table] or result_info(env.result[table])
    return results


def at_tables(env, player):
    def choose(going):
        actions = np.full(env.num_envs, -1)
        actions[going] = player.decide(Decisions.at(env.tables, np.flatnonzero(going)))
        return actions

    return choose


@pytest.mark.parametrize("skip_forced", [False, *thorough(True)])
@pytest.mark.parametrize(("rules", "candidates"), [*((rules, 10) for rules in RULES), ("two_deck", 3)])
def test_it_is_shown_and_plays_what_an_environment_of_whole_plays_does(rules, candidates, skip_forced):
    there, here = Linear(), Linear(candidates)
    env = PlayBatchEnv(4, rules, candidates=candidates, seed=6, start="any", skip_forced=True)

    def choose(going):
        seen = {name: getattr(env, name)[going].copy() for name in SHOWN}
        chosen = np.full(env.num_envs, -1)
        chosen[going] = there.choose(Choices(**seen, key=np.zeros(going.sum(), np.uint64)))
        return chosen

    cards = BatchEnv(4, rules, seed=6, start="any", skip_forced=skip_forced)
    assert one_round(cards, at_tables(cards, here)) == one_round(env, choose)
    assert Counter(here.asked) == Counter(there.asked)


def test_a_play_is_chosen_once_and_then_made():
    player, phases = Random(), Counter()
    env = BatchEnv(1, "two_deck", seed=2, start="any")
    while not env.terminated[0]:
        before, player.last = env.states[0].copy(), None
        begins = before["taken_size"] == 0
        env.step(player.decide(Decisions.at(env.tables, np.zeros(1, np.int64))))
        if player.last and begins:
            choices, best = player.last
            phases[Phase(int(before["phase"])).name] += 1
            seat, wanted = int(before["seat"]), choices.cards[0, best[0]]
            while env.states["taken_size"][0] and not env.terminated[0]:
                player.last = None
                env.step(player.decide(Decisions.at(env.tables, np.zeros(1, np.int64))))
                assert player.last is None
            after = env.states[0]
            if before["phase"] == Phase.BURY:
                assert (after["buried"] == wanted).all()
            elif before["phase"] in (Phase.LEAD, Phase.FOLLOW) and not env.terminated[0]:
                assert (after["played"][seat] - before["played"][seat] == wanted).all()
    assert phases["BURY"]
    assert phases["LEAD"] > 5
    assert phases["FOLLOW"] > 15


def test_words_of_chance_come_with_each_decision():
    keys = set()

    class Keyed(CandidatePlayer):
        name = "keyed"

        def choose(self, choices):
            keys.update(choices.key.tolist())
            return choices.key % choices.action_mask.sum(axis=1, dtype=np.uint64)

    env = BatchEnv(8, "two_deck", seed=2, start="any", skip_forced=True)
    one_round(env, at_tables(env, Keyed()))
    assert len(keys) > 100


def test_copies_play_the_same():
    player = Linear()
    first = BatchEnv(2, "two_deck", seed=9, start="any")
    expected = one_round(first, at_tables(first, player))
    for other in (copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        env = BatchEnv(2, "two_deck", seed=9, start="any")
        assert one_round(env, at_tables(env, other)) == expected


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda choices: None, "choose must return 1 integers, one for each decision, not object of shape ()"),
        (lambda choices: np.zeros(1), "not float64 of shape (1,)"),
        (lambda choices: np.zeros(2, int), "not int64 of shape (2,)"),
        (lambda choices: [-1], "choose returned -1 for decision 0, which has the candidates 0 to"),
        (lambda choices: choices.action_mask.sum(axis=1), "for decision 0, which has the candidates 0 to"),
    ],
)
def test_what_is_no_candidate_is_refused(answer, message):
    class Wrong(CandidatePlayer):
        name = "wrong"

        def choose(self, choices):
            return answer(choices)

    env = BatchEnv(1, "two_deck", seed=2, start="any")
    with pytest.raises(PlayerError) as error:
        one_round(env, at_tables(env, Wrong()))
    assert f"wrong: {message}" in str(error.value) or message in str(error.value)


@pytest.mark.parametrize("candidates", [1, 97, "ten"])
def test_a_number_of_candidates_that_cannot_be_is_refused(candidates):
    env = BatchEnv(1, "two_deck", seed=2)
    with pytest.raises(PlayerError, match="must be a whole number from 2 to 96"):
        one_round(env, at_tables(env, Linear(candidates)))
