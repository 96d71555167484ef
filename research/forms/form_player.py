"""A form at the table: it decides about cards; bids and other single actions are those of whom it learned from."""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.state import Phase
from shengji_env.players.decisions import Decisions, tables_behind
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.networks.selfplay.choices import CANDIDATES
from shengji_env.players.networks.selfplay.selfplay_file import SelfplayFile
from shengji_env.players.networks.selfplay.selfplay_network import SelfplayNetwork
from shengji_env.players.player import Player
from shengji_env.players.registry import make_player

_OF_CARDS = Phase.BURY, Phase.LEAD, Phase.FOLLOW


class FormPlayer(Player):
    """A player that takes the candidate which a form values most.

    Args:
        name: its name.
        network: the form, fitted.
        player: text of whom it learned from.
    """

    def __init__(self, name: str, network: SelfplayNetwork, player: str) -> None:
        self.name = name
        self._of_cards, self._other = SelfplayPlayer(SelfplayFile(network, CANDIDATES), name=name), make_player(player)

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,)."""
        tables, rows = tables_behind(decisions)
        is_of_cards = np.isin(tables.states["phase"][rows], _OF_CARDS)
        chosen = np.zeros(len(rows), np.int64)
        for player, mine in ((self._of_cards, is_of_cards), (self._other, ~is_of_cards)):
            if mine.any():
                chosen[mine] = player.decide(Decisions.at(tables, rows[mine]))
        return chosen
