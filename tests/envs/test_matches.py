"""Matches of every preset, in the AEC and the batch environment at the same time; the oracle checks them.

The slow suite plays every preset to every kind of match end; the fast one starts near the end.

Source: docs/rules.md §4, §12, §13; docs/environments/rewards.md.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, rule_set
from shengji_env.records.writing import finished_round
from shengji_env.tables.infos import result_info, with_nulls
from shengji_env.vector import BatchEnv
from tests.helpers import oracle
from tests.helpers.oracle import NUM_SEATS, RANKS
from tests.helpers.oracle_rounds import check_match

Match = list[dict[str, Any]]
MAX_ROUNDS = 300
SOME_ROUNDS = 3


def match_rules(preset: str, match_end: str) -> RuleSet:
    return rule_set(preset, match_end=match_end, match_rounds=SOME_ROUNDS)


class Pair:
    """One match in both environments at once."""

    def __init__(self, rules: RuleSet, seed: int, levels: tuple[int, int] | None = None) -> None:
        self.rules = rules
        self.batch = BatchEnv(1, rules, seed=seed, episode="match", record=True)
        self.aec = shengji_v0.raw_env(rules, episode="match")
        self.aec.reset(seed=seed)
        if levels is not None:
            self._begin_at(levels)
        self.records: Match = []

    def _begin_at(self, levels: tuple[int, int]) -> None:
        self.aec.reset(seed=self.aec.seed_in_use, options={"levels": [RANKS[level] for level in levels]})
        self.batch.tables.states["levels"][0] = levels
        self.batch.tables.begin(given=True)

    def play(self) -> Match:
        """Random actions to the end of the match; returns its records."""
        while len(self.records) < MAX_ROUNDS:
            actions = self.batch.sample_actions()
            assert self.aec.last()[0]["observation"].tobytes() == self.batch.observation[0].tobytes()
            self.aec.step(int(actions[0]))
            self.batch.step(actions)
            if self._has_finished_a_round():
                self._take_result()
            else:
                assert not self.batch.reward.any()
            if self.batch.terminated[0]:
                assert all(self.aec.terminations.values())
                return self.records
            assert not any(self.aec.terminations.values())
        raise AssertionError(f"no end after {MAX_ROUNDS} rounds")

    def _has_finished_a_round(self) -> bool:
        return bool(self.batch.terminated[0] or self.batch.states["match_round"][0] > len(self.records))

    def _take_result(self) -> None:
        """Infos, rewards and the next round's start are those of the record."""
        record = finished_round(self.batch, 0)
        self.records.append(record)
        info = result_info(self.batch.result[0])
        assert all(self.aec.infos[agent] == {"result": info} for agent in self.aec.agents)
        assert {name: with_nulls(info)[name] for name in record["result"]} == record["result"]
        assert info["declarer"] == record["tricks"][0]["leader"]
        assert info["match_over"] == self.batch.terminated[0]
        reward = self.batch.reward[0]
        assert reward.tolist() == list(self.aec.rewards.values())
        assert reward.sum() == 0
        side = {"attackers": 1, "declarers": -1, "draw": 0}[info["winner"]] * info["levels_nominal"]
        assert reward.tolist() == [-side if seat % 2 == info["declarer"] % 2 else side for seat in range(NUM_SEATS)]


def check_winner(records: Match, result: dict[str, Any], rules: RuleSet) -> None:
    """Who has won the match: at its end the declarers at A, who rose beyond A, or the team that stands higher."""
    levels = [RANKS.index(level) for level in result["new_levels"]]
    if rules.match_end == "pass_ace":
        assert records[-1]["levels"][result["match_winner"]] == "A"
        assert result["match_winner"] == result["declarer"] % 2
        assert result["winner"] == "declarers"
    elif rules.match_end == "beyond_ace":
        before = RANKS.index(records[-1]["levels"][result["match_winner"]])
        assert before + result["levels"] == oracle.ACE + 1
    else:
        assert result["match_winner"] == (-1 if levels[0] == levels[1] else levels.index(max(levels)))
    if rules.match_end == "rounds":
        assert len(records) == rules.match_rounds


@pytest.mark.parametrize("match_end", CHOICES["match_end"])
@pytest.mark.parametrize("preset", RULE_SETS)
def test_13_matches_of_every_preset_end_as_the_rules_say(preset: str, match_end: str) -> None:
    """Matches that begin at Q and K, but for those of three rounds."""
    pair = Pair(match_rules(preset, match_end), 3, None if match_end == "rounds" else (oracle.ACE - 2, oracle.ACE - 1))
    records = pair.play()
    check_match(records, pair.rules.options)
    check_winner(records, result_info(pair.batch.result[0]), pair.rules)


@pytest.mark.slow
@pytest.mark.parametrize("match_end", ["reach_ace", "pass_ace"])
@pytest.mark.parametrize("preset", RULE_SETS)
def test_13_whole_matches_of_every_preset_end_as_the_rules_say(preset: str, match_end: str) -> None:
    pair = Pair(match_rules(preset, match_end), 4)
    records = pair.play()
    assert records[0]["levels"] == ["2", "2"]
    assert records[0]["declarer"] is None
    check_match(records, pair.rules.options)
    check_winner(records, result_info(pair.batch.result[0]), pair.rules)


def matches_of(rules: RuleSet, num_envs: int, seed: int) -> list[Match]:
    """One match of random play at each table of a batch environment."""
    env = BatchEnv(num_envs, rules, seed=seed, episode="match", record=True)
    matches: list[Match] = [[] for _ in range(num_envs)]
    live = np.ones(num_envs, np.bool_)
    while live.any():
        played = env.states["match_round"].copy()
        env.step(env.sample_actions())
        for table in np.flatnonzero(live & (env.terminated | (env.states["match_round"] > played))).tolist():
            matches[table].append(finished_round(env, table))
        live &= ~env.terminated
    return matches


def test_12_after_a_draw_nobody_declares_and_each_seat_bids_its_own_level() -> None:
    rules = rule_set("one_deck_45", match_end="rounds", match_rounds=12)
    bids = {0: 0, 1: 0}
    with_draw = []
    for match in matches_of(rules, 24, seed=12):
        for before, after in pairwise(match):
            if before["result"]["winner"] is None:
                with_draw.append(match)
                check_after_draw(before, after, bids)
    assert len(with_draw) > 3
    assert min(bids.values()) > 0
    for match in with_draw[:2]:
        check_match(match, rules.options)


def check_after_draw(before: dict[str, Any], after: dict[str, Any], bids: dict[int, int]) -> None:
    """The round after a draw; counts the bids of each team if their levels differ."""
    assert before["result"]["new_levels"] == before["levels"] == after["levels"]
    assert before["result"]["next_declarer"] is after["declarer"] is None
    for step in after["decisions"]:
        if step.get("bid") and after["levels"][0] != after["levels"][1]:
            team = step["seat"] % 2
            bids[team] += 1
            assert step["bid"][1] == after["levels"][team]


def test_13_a_match_s_rewards_are_zero_sum_under_every_scheme() -> None:
    for reward in ("levels", "points", "win"):
        for shaping in ("none", "trick_points", "potential"):
            env = BatchEnv(
                8, "one_deck(match_end=rounds, match_rounds=2)", seed=5, episode="match", reward=reward, shaping=shaping
            )
            ended = 0
            for _ in range(500):
                env.step(env.sample_actions())
                ended += int(env.terminated.sum())
                assert np.allclose(env.reward.sum(axis=1), 0, atol=1e-6)
                assert (env.reward[:, :2] == env.reward[:, 2:]).all()
            assert ended > 0
