"""The player that sees all hands, with which what can be won from others is estimated."""

import numpy as np
import pytest

from shengji_env.arena import play_matchup
from shengji_env.players import make_player


@pytest.mark.parametrize("policy", ["heuristic", "champion"])
def test_who_sees_all_hands_wins_by_far(policy):
    player = f"tools.open_hands:OpenHands?policy={policy}"
    result = play_matchup(player, "heuristic", num_deals=40, seed=3)
    assert result.interval[0] > 0.5
    assert result.players[0] == f"open hands ({policy}, distilled)"


def test_it_wins_more_than_the_player_that_it_believes_in():
    player = make_player("tools.open_hands:OpenHands")
    fair = play_matchup("heuristic", "greedy", num_deals=20, rules="one_deck", seed=1).levels
    open_ = play_matchup(player, "greedy", num_deals=20, rules="one_deck", seed=1).levels
    assert np.asarray(open_).sum() > np.asarray(fair).sum()
