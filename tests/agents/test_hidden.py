"""The critic's columns: together with what the seat itself sees, they make up the whole deck, slot by slot."""

import numpy as np

from agents.hidden import NUM_HIDDEN, NUM_ROWS, write_hidden
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.tables.observation import view
from shengji_env.vector import BatchEnv

TABLES = 64


def test_own_and_hidden_cards_make_up_the_deck() -> None:
    env = BatchEnv(TABLES, seed=5, start="any", skip_forced=True)
    out = np.full((TABLES, NUM_HIDDEN), 99, np.int8)
    seen = set()
    for _ in range(250):
        write_hidden(env.tables.states, env.rules, out)
        rows = out.reshape(TABLES, NUM_ROWS, NUM_SLOTS)
        own = view(env.observation)
        total = rows.sum(1) + own["hand"] + own["taken"] + own["played"].sum(1)
        np.testing.assert_array_equal(total, env.rules.decks)
        is_bidding = env.phase == Phase.BID
        assert (rows[~is_bidding, 0] == 0).all()
        seen |= set(env.phase.tolist())
        env.step(env.sample_actions())
    assert {Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW} <= seen
