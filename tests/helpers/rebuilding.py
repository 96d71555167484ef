"""States rebuilt and rounds played again by the kernels that check snapshots: no test has to compile others."""

import numpy as np

from shengji_env.tables.arrays import new_arrays
from shengji_env.tables.snapshots import rebuild_tables, replay_tables


class Rebuilder:
    """Rebuilds states (1,) of some rules (`engine/validation.py`)."""

    def __init__(self, rules):
        self.arrays = new_arrays(1, threads=1, history=0, keeps_logs=False)
        self.arrays.shared["rules"] = rules.record()

    def rebuilt(self, states):
        """Which flaw states have (`engine.flaws`), and the states rebuilt."""
        again, flaws = states.copy(), np.zeros(1, np.int64)
        rebuild_tables(states, self.arrays._replace(states=again), flaws)
        return int(flaws[0]), again

    def replayed(self, states, actions):
        """Whether actions, (n,) int8, are legal from the start of the states' deal on, and the states they lead to."""
        again, is_legal = states.copy(), np.zeros(1, np.bool_)
        sizes = np.array([len(actions)], np.int32)
        replay_tables(states, self.arrays._replace(states=again), actions[None].copy(), sizes, is_legal)
        return bool(is_legal[0]), again
