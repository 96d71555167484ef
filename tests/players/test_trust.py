"""What a player is handed shows no more than its seat may know.

Source: docs/arena.md, Trust.
"""

import numpy as np
import pytest

from shengji_env.engine.rule_sets import rule_set
from shengji_env.errors import PlayerError
from shengji_env.players import Decisions, num_plays
from shengji_env.players.decisions import AtTables, tables_behind
from shengji_env.tables.tables import Tables
from shengji_env.vector import BatchEnv


def decisions_under_way():
    env = BatchEnv(4, seed=3, skip_forced=True, record=True, history=num_plays(rule_set()))
    for _ in range(150):
        env.step(env.sample_actions())
    return env, Decisions.at(env.tables, np.array([2, 0]))


def public_values(thing):
    return {name: getattr(thing, name) for name in dir(thing) if not name.startswith("_")}


def test_nothing_public_of_decisions_holds_the_tables_or_their_memory():
    env, decisions = decisions_under_way()
    for name, value in public_values(decisions).items():
        assert not isinstance(value, Tables), name
        if isinstance(value, np.ndarray):
            assert not any(np.shares_memory(value, held) for held in vars(env.tables).values()
                           if isinstance(held, np.ndarray)), name  # fmt: skip
    assert "rows" not in public_values(decisions)


def test_tables_that_are_handed_on_show_only_how_many_they_are():
    env, _ = decisions_under_way()
    ended = AtTables(env.tables, np.array([1, 3]))
    assert not public_values(ended)
    assert len(ended) == 2


def test_what_tells_players_finds_the_tables():
    env, decisions = decisions_under_way()
    tables, rows = tables_behind(decisions)
    assert tables is env.tables
    assert rows.tolist() == [2, 0]
    assert tables_behind(decisions[np.array([False, True])])[1].tolist() == [0]


def test_observations_alone_have_no_tables():
    alone = Decisions(np.zeros((1, 1), np.int8), np.ones((1, 83), np.int8), np.zeros(1, np.uint64))
    with pytest.raises(PlayerError, match="observations alone"):
        tables_behind(alone)
