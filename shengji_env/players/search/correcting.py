"""A player whose values playouts in sampled deals correct, such as `champion:N`."""

import math
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError
from shengji_env.players.player import Player
from shengji_env.players.search import DEFAULT_WORLDS, SearchPlayer
from shengji_env.players.search.judging import Judge, PriorJudge
from shengji_env.players.search.replaying import MAX_PROPOSALS, ReplayingSampler
from shengji_env.players.searchable import SearchablePlayer
from shengji_env.support.arguments import check_index, is_number


class CorrectingPlayer(SearchPlayer):
    """A player that weighs the values of another against playouts.

    The score of a choice is (w · value + N · playouts) / (w + N), both in levels, the mean of levels and smoothed
    levels. Each sampled deal is one of several, taken by how well it explains what the others have played
    (`replaying.py`); those that contradict earlier plays do not count.

    Args:
        player: who is corrected. It names its playout policy, and what its values count for.
        worlds, seconds, threads, seed, candidates: as those of `SearchPlayer`.
        playouts: another playout policy; None: that of the player.
        weight: sampled deals that its values count as, w, above 0; None: more, the larger N is.
        margin: levels by which a choice may be behind the best one; those beyond are not played out.
        proposals: deals of which one is taken; 1: nothing is replayed.
    """

    def __init__(
        self,
        player: SearchablePlayer,
        worlds: int = DEFAULT_WORLDS,
        seconds: float | None = None,
        *,
        threads: int | None = None,
        seed: int = 0,
        candidates: int = 10,
        playouts: str | Player | None = None,
        weight: float | None = None,
        margin: float | None = None,
        proposals: int | None = None,
    ) -> None:
        for name, value in (("weight", weight), ("margin", margin)):
            if value is not None and (not is_number(value) or not 0 < value < math.inf):
                raise PlayerError(f"{name}={value!r} must be a number above 0 and finite")
        usual, playing_on = player.prior, player.playing_on
        proposals = usual.proposals if proposals is None else proposals
        proposals = check_index("proposals", proposals, 1, MAX_PROPOSALS, error=PlayerError)
        playouts = playing_on if playouts is None else playouts
        super().__init__(worlds, seconds, threads=threads, seed=seed, candidates=candidates, playouts=playouts)
        self._player, self._playing_on = player, playing_on
        self._prior = usual._replace(margin=float(usual.margin if margin is None else margin), proposals=proposals)
        if weight is not None:
            self._prior = self._prior._replace(weight=float(weight), growth=0.0)
        said = [] if weight is None else [f"weight={weight}"]
        said += [f"margin={margin}"] * (self._prior.margin != usual.margin)
        said += [f"playouts={self.playouts}"] * (self.playouts != playing_on.name)
        said += [f"proposals={proposals}"] * (proposals != usual.proposals)
        self.name = _name_of(player.name, self.name.partition("?")[0].split(":")[1:], said)

    def check(self, rules: RuleSet) -> None:
        """Check that all whom it asks can play under some rules.

        Raises:
            PlayerError: one of them cannot.
        """
        self._player.check(rules)
        super().check(rules)

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digests of the player, of the policy that replays, and of the playout policy, each once."""
        replaying = self._playing_on.identity(rules) if self._prior.proposals > 1 else ()
        return tuple(dict.fromkeys((*self._player.identity(rules), *replaying, *super().identity(rules))))

    def _make_sampler(self, rules: RuleSet) -> ReplayingSampler:
        threads = self._comparison.threads
        return ReplayingSampler(rules, self._playing_on, threads, proposals=self._prior.proposals)

    def _make_proposer(self, rules: RuleSet) -> Callable[[NDArray[Any], int], tuple[Plays, Judge]]:
        proposer, (weight, growth, margin, _) = self._player.proposer(rules), self._prior

        def propose(start: NDArray[Any], most: int) -> tuple[Plays, Judge]:
            plays, values = proposer(start, most)
            return plays, PriorJudge(values, weight, growth, margin, rules)

        return propose


def _name_of(player: str, numbers: list[str], said: list[str]) -> str:
    """Return the name of a player that is corrected: ``champion:100?weight=50``, ``selfplay:PATH?worlds=100``."""
    if ":" in player or "?" in player:
        said = [f"{name}={number}" for name, number in zip(("worlds", "seconds"), numbers, strict=False)] + said
    else:
        player = ":".join((player, *numbers))
    return player + ("&" if "?" in player else "?") * bool(said) + "&".join(said)
