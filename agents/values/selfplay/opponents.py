"""Who plays against the network: at most tables the network itself, in all four seats.

| tables, from the first on   | opponents, in the seats of team table % 2           |
|-----------------------------|-----------------------------------------------------|
| `earlier_share` of them     | an earlier state of the network, another each round |
| `heuristic_share`           | `heuristic`: the first candidate                    |
| `search_share`              | `search`                                            |
| all others                  | nobody                                              |

Everything follows from the tables' states and the earlier networks: nothing else is random.
"""

import numpy as np
from numpy.typing import NDArray

from agents.values.table_packing import inputs_at
from agents.values.value_config import SelfPlayConfig
from shengji_env.engine.play import CARDS
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.players.decisions import Decisions
from shengji_env.players.networks.champion.compiled_network import Weights, choose, values_of
from shengji_env.players.search import SearchPlayer
from shengji_env.tables.arrays import STAND_STILL

_NOBODY, _EARLIER, _HEURISTIC, _SEARCH = range(4)


class Opponents:
    """The opponents at N tables.

    Attributes:
        earlier: The weights of earlier states of the network.
    """

    def __init__(self, config: SelfPlayConfig, first: Weights) -> None:
        """``first`` is the network before self-play."""
        self.earlier: list[Weights] = [first]
        self._kept = config.earlier_kept
        self._kinds = np.full(config.tables, _NOBODY)
        shares = {_EARLIER: config.earlier_share, _HEURISTIC: config.heuristic_share, _SEARCH: config.search_share}
        start = 0
        for kind, share in shares.items():
            end = start + round(share * config.tables)
            self._kinds[start:end] = kind
            start = end
        self._teams = np.arange(config.tables) % NUM_TEAMS
        self._search = SearchPlayer(config.search_worlds, threads=1) if (self._kinds == _SEARCH).any() else None

    @property
    def need_plays(self) -> bool:
        """Whether tables must keep all plays of a round."""
        return self._search is not None

    def keep(self, weights: Weights) -> None:
        """Keep a state of the network; if there are too many, forget the oldest but the first."""
        self.earlier.append(weights)
        if len(self.earlier) > self._kept:
            del self.earlier[1]

    def rows_to_move(self, tables: PlayBatchEnv) -> NDArray[np.int64]:
        """Return the tables at which an opponent is to move."""
        return np.flatnonzero((self._kinds != _NOBODY) & (tables.seat % NUM_TEAMS == self._teams))

    def choose(self, tables: PlayBatchEnv, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose for the opponents at ``rows``; return candidates for all tables, (N,), STAND_STILL elsewhere."""
        chosen = np.full(tables.num_envs, STAND_STILL, np.int64)
        chosen[rows] = 0
        earlier = rows[self._kinds[rows] == _EARLIER]
        members = (earlier + tables.states["round_index"][earlier]) % len(self.earlier)
        for member in np.unique(members):
            mine = earlier[members == member]
            chosen[mine] = best_of(self.earlier[member], tables, mine)
        for row in rows[self._kinds[rows] == _SEARCH]:
            chosen[row] = self._searched(tables, row)
        return chosen

    def _searched(self, tables: PlayBatchEnv, row: np.int64) -> int:
        """Return the candidate that search takes."""
        assert self._search is not None
        decisions = Decisions.at(tables.tables.tables, np.array([row]))
        action, cards = self._search.find_play(decisions.states, decisions.plays[0], decisions.rules_record)
        is_same = tables.actions[row] == action
        if action == CARDS:
            is_same &= (tables.cards[row] == cards).all(axis=1)
        return int(is_same.argmax())


def best_of(weights: Weights, tables: PlayBatchEnv, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the candidates that a network values most at some tables."""
    inputs, offsets = inputs_at(tables, rows)
    return choose(values_of(weights, inputs).mean(axis=1), offsets)
