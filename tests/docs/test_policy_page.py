"""The page on fast policies: its file is the one beside it, and what it shows works."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from shengji_env.engine.rule_sets import rule_set
from shengji_env.envs.seat import SeatVectorEnv
from shengji_env.players import Decisions, make_player
from shengji_env.players.whole_rounds import policy_rounds
from shengji_env.vector import BatchEnv

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = re.findall(r"```python\n(.*?)```", (DOCS / "tutorials" / "policy.md").read_text(encoding="utf-8"), re.S)


@pytest.fixture
def high_low(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "tutorials"))
    return make_player("fast_policy:HighLow")


def test_the_page_shows_the_file():
    assert BLOCKS[0] == (DOCS / "tutorials" / "fast_policy.py").read_text(encoding="utf-8")


@pytest.mark.usefixtures("high_low")
def test_what_it_shows_runs(tmp_path):
    for number in (1, 2):
        (tmp_path / f"block_{number}.py").write_text(BLOCKS[number], encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(tmp_path / "block_1.py"))
    means, levels = printed.getvalue().splitlines()
    assert all(float(mean) > 0 for mean in means.split())
    assert float(levels) > 0
    assert runpy.run_path(str(tmp_path / "block_2.py"))["memory_at"] is not None


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "duplicate"])
def test_it_decides_alike_where_hidden_cards_are_wiped(high_low, rules):
    results, _ = policy_rounds(high_low, rules, seed=5, count=8)
    env, live = BatchEnv(8, rules, seed=5), np.ones(8, np.bool_)
    while live.any():
        env.step(np.where(live, high_low.decide(Decisions.at(env.tables, np.arange(8))), -1))
        live &= ~env.terminated
    assert results.tobytes() == env.result.tobytes()


def test_it_sits_inside_the_step_beside_another_one(high_low):
    env = SeatVectorEnv(4, [high_low, "greedy", high_low], rules=rule_set("two_deck"), seat=0)
    env.reset(seed=1)
    for _ in range(30):
        env.step(env.sample_actions())
        assert (env._seats.tables.seats == 0).all()
