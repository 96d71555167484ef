"""What a search needs of a player that it corrects (`players/search`): values of choices, and a playout policy."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.fast_player import FastPlayer
from shengji_env.players.player import Player


class Proposals(NamedTuple):
    """The C choices of a decision that are worth comparing."""

    plays: Plays
    """The choices."""
    values: NDArray[np.float64]
    """(C,) what they are worth, in levels; they mean something only relative to each other."""


Proposer: TypeAlias = Callable[[NDArray[Any], int], Proposals]
"""``propose(start, most)``: at most so many choices of a decision that begins at an information state (1,)."""


class Prior(NamedTuple):
    """What a player's values count for beside playouts."""

    weight: float
    """Sampled deals that they count as, where there are none yet (`search.judging.PriorJudge`)."""
    growth: float
    """How many more for each sampled deal."""
    margin: float
    """Levels behind the best value; choices beyond are not played out."""
    proposals: int
    """Deals of which one is taken, by how likely it makes what has been played (`search.replaying`)."""


class SearchablePlayer(FastPlayer):
    """A player whose decisions a search can correct."""

    prior: ClassVar[Prior]
    """What its values count for, as it was measured."""

    @abstractmethod
    def proposer(self, rules: RuleSet) -> Proposer:
        """Return what finds and values its choices under some rules, with memory of its own.

        Raises:
            PlayerError: it cannot play under these rules.
        """

    @property
    @abstractmethod
    def playing_on(self) -> Player:
        """The player with the playout policy: itself, or a faster one; its policy replays, too (`Policy.replay`)."""
