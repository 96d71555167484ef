"""The ablation: only the decisions of one phase are replaced, and replacing them costs levels."""

import numpy as np

from agents.evaluation import Matchup, PhaseReplaced, ablate, play_duplicate
from agents.run_config import Config, EvaluationConfig
from shengji_env.arena import make_player
from shengji_env.engine.state import Phase
from shengji_env.players import Decisions, ObservationPlayer
from shengji_env.vector import BatchEnv


class Last(ObservationPlayer):
    """Takes the last legal action."""

    name = "last"

    def act(self, observation: np.ndarray, action_mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(1)


class First(ObservationPlayer):
    """Takes the first legal action."""

    name = "first"

    def act(self, observation: np.ndarray, action_mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        return action_mask.argmax(1)


def test_only_the_named_phase_is_given_away() -> None:
    env = BatchEnv(64, seed=3, start="any", skip_forced=True)
    mixed = PhaseReplaced(First(), Phase.BURY, Last())
    keys = np.zeros(64, np.uint64)
    seen = set()
    for _ in range(60):
        given = env.observation, env.action_mask, keys
        expected = np.where(env.phase == Phase.BURY, Last().act(*given), First().act(*given))
        np.testing.assert_array_equal(mixed.decide(Decisions(*given)), expected)
        seen |= set(env.phase.tolist())
        env.step(env.sample_actions())
    assert {Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW} <= seen


def test_random_burying_costs_greedy_levels() -> None:
    config = Config(evaluation=EvaluationConfig(ablation_deals=300))
    losses = ablate(make_player("greedy"), config)
    assert set(losses) == {"BID", "BURY"}
    assert losses["BURY"]["interval"][0] > 0
    assert losses["BURY"]["deals"] == 300


def test_a_player_against_itself_is_even() -> None:
    matchup = play_duplicate(make_player("greedy"), "greedy", 20, Config())
    assert isinstance(matchup, Matchup)
    assert matchup.result.levels_per_round == 0
    assert "vs greedy: +0.000 levels a round [+0.000, +0.000], level rate 50.0% [50.0%, 50.0%], 20 deals" in str(
        matchup
    )
