"""Rollouts in one call give the same rounds as a batch environment under random play."""

import numpy as np
import pytest
from numba.core import config as numba_config

from shengji_env.errors import ShengjiError
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.random_rounds import random_rounds_with_sizes
from shengji_env.vector import BatchEnv, random_rounds

WORLDS = [
    ("two_deck", "first"),
    ("two_deck(failed_throw=next_seat_chooses, max_redeals=1)", "any"),
    ("one_deck", "any"),
    ("one_deck_45", "any"),
    ("competition", "any"),
    ("duplicate", "first"),
    ("three_deck", "any"),
    ("four_deck(throws=False)", "any"),
]
TABLES = 2 if numba_config.DISABLE_JIT else 12


@pytest.mark.nojit
@pytest.mark.parametrize(("rules", "start"), WORLDS)
def test_a_rollout_is_what_stepping_comes_to(rules, start):
    env = BatchEnv(TABLES, rules, seed=51, start=start)
    steps = np.zeros(TABLES, np.int64)
    live = np.ones(TABLES, np.bool_)
    while live.any():
        env.step(np.where(live, env.sample_actions(), STAND_STILL))
        steps += live
        live &= ~env.terminated
    results, sizes = random_rounds_with_sizes(rules, seed=51, count=TABLES, start=start)
    assert results.tobytes() == env.result.tobytes()
    assert (sizes == steps).all()


def test_results_depend_neither_on_the_count_nor_on_threads():
    results = random_rounds("two_deck", seed=52, count=64)
    assert len({result.tobytes() for result in results}) > 32
    assert random_rounds("two_deck", seed=52, count=10).tobytes() == results[:10].tobytes()
    assert random_rounds("two_deck", seed=52, count=64, threads=2).tobytes() == results.tobytes()
    assert random_rounds("two_deck", seed=53, count=64).tobytes() != results.tobytes()


@pytest.mark.parametrize("arguments", [{"count": 0}, {"count": 1, "threads": 0}, {"count": 1, "start": "last"}])
def test_what_makes_no_sense_is_refused(arguments):
    with pytest.raises(ShengjiError):
        random_rounds(seed=0, **arguments)
