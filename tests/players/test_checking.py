"""What a player answers is checked alike by all who ask players: the arena, environments of one seat, the web's table.

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
from shengji_env.players import as_player
from shengji_env.web.board import Board


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
