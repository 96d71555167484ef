"""What players are asked and answer is the same for all who ask: the arena, environments of one seat, the web's table.

Source: docs/arena.md.
"""

import re

import numpy as np
import pytest

from shengji_env.arena import play_matchup
from shengji_env.engine.rule_sets import rule_set
from shengji_env.envs.seat.seat_env import SeatEnv
from shengji_env.envs.seat.seat_vector import SeatVectorEnv
from shengji_env.errors import PlayerError
from shengji_env.players import CandidatePlayer, ObservationPlayer, Player, as_player
from shengji_env.players.partners import PartnersPlayer
from shengji_env.tables.observation import view
from shengji_table.web.board import Board


class Faulty:
    """Plays the first legal action, but answers something else where there is a choice."""

    name = "faulty"

    def __init__(self, answer):
        self.answer = answer

    def act(self, observation, action_mask, key):
        has_choice = (action_mask.sum(axis=1) > 1).all()
        return self.answer(action_mask) if has_choice else action_mask.argmax(axis=1)


def in_the_arena(player):
    play_matchup(player, "random", num_deals=2, rules="one_deck", batch_size=1)


def beside_one_seat(player):
    env = SeatEnv(player, rules="one_deck", seat=0)
    _, info = env.reset(seed=1)
    while True:
        info = env.step(int(info["action_mask"].argmax()))[-1]


def beside_seats(player):
    envs = SeatVectorEnv(1, player, rules="one_deck", seat=0)
    _, infos = envs.reset(seed=1)
    while True:
        infos = envs.step(infos["action_mask"].argmax(axis=1))[-1]


def at_the_web_table(player):
    board = Board(rule_set("one_deck"), 1, ("a", "b", "c", "d"))
    while True:
        board.show(board.ask(as_player(player)))


WHERE = {
    in_the_arena: r" \(deal \d, ply \d+, seat \d, [A-Z]+\)",
    beside_one_seat: "",
    beside_seats: r" \(table 0\)",
    at_the_web_table: "",
}
FORM = r"; it must be \d+ actions 0\.\.82, shape \(\d+,\): actions "
ILLEGAL = r"it answered illegally: seat \d cannot take '{}' in [A-Z]+: {}; legal: \d+ \(.*"


@pytest.mark.parametrize("ask", WHERE)
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda mask: None, f"it answered None{FORM}are object; they must be integers"),
        (lambda mask: np.ones(len(mask)), rf"it answered array\(.*{FORM}are float64; they must be integers"),
        (lambda mask: [0] * 9, rf"it answered \[0, .*{FORM}have shape \(9,\); it must be \(\d+,\)"),
        (lambda mask: [[1, 2], [3]], rf"it answered \[\[1, 2\], \[3\]\]{FORM}cannot be read as an array: .*"),
        (lambda mask: [True] * len(mask), rf"it answered \[True.*{FORM}are bool; they must be integers"),
        (lambda mask: np.full(len(mask), -1), ILLEGAL.format("-1", r"actions are the integers 0\.\.82")),
        (lambda mask: np.full(len(mask), 83), ILLEGAL.format("83", r"actions are the integers 0\.\.82")),
        (lambda mask: mask.argmin(axis=1), ILLEGAL.format(r"\d+ \(.*\)", "the mask forbids it here")),
    ],
)
def test_a_wrong_answer_is_refused_in_the_same_words_by_all_who_ask(ask, answer, message):
    with pytest.raises(PlayerError) as refused:
        ask(Faulty(answer))
    assert re.fullmatch(f"player 'faulty'{WHERE[ask]}: {message}", str(refused.value))


@pytest.mark.parametrize("ask", WHERE)
def test_a_player_cannot_allow_itself_what_is_illegal(ask):
    def forge(mask):
        wrong = mask.argmin(axis=1)
        mask[:] = 1
        return wrong

    with pytest.raises(PlayerError, match=r"it answered illegally: .* the mask forbids it here"):
        ask(Faulty(forge))


class SeenEnough(PlayerError):
    """Raised by a player of a test that has been asked often."""


class Remembering:
    """Checks that the history of all plays says what the observation says was played, and plays the first action."""

    name = "remembering"
    history = 150

    def __init__(self):
        self.num_plays = 0

    def act(self, observation, action_mask, key, history):
        assert history.shape == (len(observation), self.history, 55)
        who = (history[..., :1] == np.arange(1, 5)).astype(np.int64)
        played = np.einsum("nkp,nks->nps", who, history[..., 1:].astype(np.int64))
        assert (played == view(observation)["played"]).all()
        self.num_plays = max(self.num_plays, int(who.sum(axis=(1, 2)).max()))
        if self.num_plays > 20:
            raise SeenEnough(f"{self.num_plays} plays")
        return action_mask.argmax(axis=1)


@pytest.mark.parametrize("ask", WHERE)
def test_a_player_that_declares_a_history_is_shown_it_by_all_who_ask(ask):
    with pytest.raises(PlayerError, match=r"2[1-9] plays"):
        ask(Remembering())


def test_a_player_of_our_base_class_may_declare_a_history():
    class Derived(Remembering, ObservationPlayer):
        pass

    with pytest.raises(PlayerError, match=r"2[1-9] plays"):
        in_the_arena(Derived())


def test_partners_may_declare_different_histories():
    class Brief(Remembering):
        history = 3

        def act(self, observation, action_mask, key, history):
            assert history.shape == (len(observation), 3, 55)
            return action_mask.argmax(axis=1)

    with pytest.raises(PlayerError, match=r"2[1-9] plays"):
        in_the_arena(PartnersPlayer(as_player(Brief()), as_player(Remembering())))


@pytest.mark.parametrize("history", [-1, "8", 2.0, 1001, None])
def test_a_history_that_is_no_number_of_plays_is_refused(history):
    player = Remembering()
    player.history = history
    with pytest.raises(PlayerError, match=r"history of remembering=.* must be a whole number from 0 to 1000"):
        as_player(player)


class Blind:
    name = "blind"

    def act(self, observation):
        return observation


class Forgetful:
    name = "forgetful"
    history = 8

    def act(self, observation, action_mask, key):
        return action_mask.argmax(axis=1)


class Named:
    name = "named"

    def act(self, observation, action_mask, *, key):
        return action_mask.argmax(axis=1)


class Undecided(Player):
    name = "undecided"

    def decide(self):
        return 0


class Unseeing(ObservationPlayer):
    name = "unseeing"

    def act(self, observation, action_mask):
        return action_mask.argmax(axis=1)


class Choosy(CandidatePlayer):
    name = "choosy"

    def choose(self, choices, depth):
        return 0


@pytest.mark.parametrize("ask", [as_player, *WHERE])
@pytest.mark.parametrize(
    ("player", "message"),
    [
        (Blind, r"Blind.act(observation) takes other arguments: it is called as act(observation, action_mask, key),"),
        (Forgetful, "it is called as act(observation, action_mask, key, history), but too many positional arguments"),
        (Named, "Named.act(observation, action_mask, *, key) takes other arguments"),
        (Undecided, "Undecided.decide() takes other arguments: it is called as decide(decisions)"),
        (Unseeing, "Unseeing.act(observation, action_mask) takes other arguments"),
        (Choosy, "it is called as choose(choices), but missing a required argument: 'depth'"),
    ],
)
def test_a_method_that_takes_other_arguments_is_named_with_its_file(ask, player, message):
    with pytest.raises(PlayerError) as refused:
        ask(player())
    assert message in str(refused.value)
    method = next(vars(player)[name] for name in ("act", "decide", "choose") if name in vars(player))
    assert str(refused.value).endswith(f" ({__file__}, line {method.__code__.co_firstlineno})")


def test_a_class_in_place_of_a_player_is_named():
    with pytest.raises(PlayerError, match=r"Faulty is a class: give an object of it, Faulty\(\)"):
        as_player(Faulty)
