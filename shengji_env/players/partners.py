"""Two players as partners of each other: ``partners?first=champion&second=heuristic`` names both.

One sits in seats 0 and 1, the other in seats 2 and 3. So where a side has two copies of this player, one of each plays
on it, whichever side it is.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.players.decisions import AtTables, Decisions, tables_behind
from shengji_env.players.player import Player, needs_of
from shengji_env.render.round_record import Round

_SEATS_OF_EACH = NUM_SEATS // NUM_TEAMS


class PartnersPlayer(Player):
    """Two players, each in the seats of one of two partners.

    Attributes:
        partners: who sits in seats 0 and 1, and who in seats 2 and 3.
    """

    def __init__(self, first: Player, second: Player) -> None:
        self.partners = first, second
        self.name = f"{first.name} + {second.name}"
        self.needs = needs_of(self.partners)

    def check(self, rules: RuleSet) -> None:
        """Check that both can play under some rules."""
        for partner in self.partners:
            partner.check(rules)

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return who both are, one after the other."""
        return tuple(each for partner in self.partners for each in partner.identity(rules))

    @property
    def num_not_own(self) -> int:
        """How many actions of both were no decisions of their own."""
        return sum(partner.num_not_own for partner in self.partners)

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Let each partner choose its actions, (B,) int64."""
        actions = np.zeros(len(decisions), np.int64)
        tables, at = tables_behind(decisions)
        which = tables.states["seat"][at] // _SEATS_OF_EACH
        for index, partner in enumerate(self.partners):
            rows = np.flatnonzero(which == index)
            if rows.size:
                actions[rows] = partner.decide(decisions[rows])
        return actions

    def show_result(self, state: NDArray[Any], record: Round, rules: RuleSet) -> None:
        """Show a person the end of a round."""
        for partner in self.partners:
            partner.show_result(state, record, rules)

    def end_rounds(self, ended: AtTables) -> None:
        """Tell both of rounds that have ended."""
        for partner in self.partners:
            partner.end_rounds(ended)


def all_players(players: Iterable[Player]) -> Iterator[Player]:
    """Yield players, and in the place of partners each of them."""
    for player in players:
        if isinstance(player, PartnersPlayer):
            yield from all_players(player.partners)
        else:
            yield player


def player_in(player: Player, seat: int) -> Player:
    """Return who plays in a seat: a player itself, or the one of two partners who sits there."""
    while isinstance(player, PartnersPlayer):
        player = player.partners[seat // _SEATS_OF_EACH]
    return player
