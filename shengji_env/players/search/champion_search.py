"""`champion:N`: the champion's network decides, and playouts in N sampled deals correct it."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError
from shengji_env.players.asking import decide_once
from shengji_env.players.networks.champion.champion_player import CHAMPION, named_file
from shengji_env.players.networks.champion.choosing import (
    compile_champion_values,
    make_evaluator,
    value_candidates_found,
)
from shengji_env.players.networks.champion.compiled_network import Weights, network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.networks.champion.value_file import weights_digest
from shengji_env.players.networks.distilled.distilled_file import distilled_digest, shipped_network
from shengji_env.players.player import Player
from shengji_env.players.playing import DISTILLED
from shengji_env.players.search import SearchPlayer
from shengji_env.players.search.judging import Judge, PriorJudge
from shengji_env.players.search.replaying import DEFAULT_PROPOSALS, MAX_PROPOSALS, ReplayingSampler
from shengji_env.support.announcing import part
from shengji_env.support.arguments import check_index, is_number

DEFAULT_WEIGHT, DEFAULT_GROWTH = 60.0, 0.35
"""Sampled deals that the network counts as: so many, and so many more for each (research/trials/replaying.md)."""
DEFAULT_MARGIN = 0.2
_USUAL = {
    "weight": None,
    "margin": DEFAULT_MARGIN,
    "playouts": DISTILLED,
    "proposals": DEFAULT_PROPOSALS,
}
"""What the name of a player does not say."""


class ChampionSearch(SearchPlayer):
    """A player that weighs what the champion's network expects against playouts.

    The score of a candidate is (w · network + N · playouts) / (w + N), both in levels, the mean of levels and smoothed
    levels. Each sampled deal is one of several, taken by how well it explains what the others have played
    (`replaying.py`); those that contradict earlier plays do not count.

    Args:
        worlds, seconds, threads, seed, candidates: as those of `SearchPlayer`.
        weight: sampled deals that the network counts as, w, above 0; None: 60 + 0.35 · N, which is 200 where N is 400.
        margin: levels by which the network may put a candidate behind its best one; those beyond are not played out.
        playouts: who plays the rounds to their end, as there.
        proposals: deals of which one is taken; 1: nothing is replayed.
    """

    def __init__(
        self,
        worlds: int,
        seconds: float | None = None,
        *,
        threads: int | None = None,
        seed: int = 0,
        candidates: int = 10,
        weight: float | None = None,
        margin: float = DEFAULT_MARGIN,
        playouts: str | Player = DISTILLED,
        proposals: int = DEFAULT_PROPOSALS,
    ) -> None:
        for name, value in (("weight", 1 if weight is None else weight), ("margin", margin)):
            if not is_number(value) or not 0 < value < math.inf:
                raise PlayerError(f"{name}={value!r} must be a number above 0 and finite")
        proposals = check_index("proposals", proposals, 1, MAX_PROPOSALS, error=PlayerError)
        super().__init__(worlds, seconds, threads=threads, seed=seed, candidates=candidates, playouts=playouts)
        self._weight, self._growth = (DEFAULT_WEIGHT, DEFAULT_GROWTH) if weight is None else (float(weight), 0.0)
        self._margin, self._proposals = float(margin), proposals
        given = {"weight": weight, "margin": margin, "playouts": self.playouts, "proposals": proposals}
        changed = "&".join(f"{name}={value}" for name, value in given.items() if value != _USUAL[name])
        self.name = CHAMPION + self.name.partition("?")[0].removeprefix("search") + (f"?{changed}" if changed else "")
        compile_champion_values()
        if proposals > 1:
            compile_replaying()

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digests of the network, and of those who play playouts and whose plays it expects, each once."""
        replaying = [distilled_digest(shipped_network())] if self._proposals > 1 else []
        return tuple(dict.fromkeys([weights_digest(self.weights(rules)), *replaying, *super().identity(rules)]))

    def __getstate__(self) -> dict[str, Any]:
        """Without scratch memory: a copy makes its own."""
        return {**super().__getstate__(), "_evaluator": None}

    def weights(self, rules: RuleSet) -> Weights:
        """Return the weights with which the network plays under some rules."""
        return named_file(CHAMPION).weights_under(rules, self.name)

    def _make_memory(self, rules: RuleSet) -> None:
        super()._make_memory(rules)
        self._evaluator = make_evaluator(network_of(for_rules(self.weights(rules), features_of(rules))))

    def _make_sampler(self, rules: RuleSet) -> ReplayingSampler:
        return ReplayingSampler(rules.record(), self._comparison.threads, proposals=self._proposals)

    def _make_judge(self, start: NDArray[Any], number: int) -> Judge:
        assert self._rules is not None
        values = value_candidates_found(start[0], self._scratch[0], self._found[0], number, self._evaluator)
        expected = values.mean(axis=1, dtype=np.float64)
        return PriorJudge(expected, self._weight, self._growth, self._margin, self._rules)


compile_replaying = part("searching-champion", "the searching champion player: champion:N")(
    lambda: decide_once(ChampionSearch(2, threads=1))
)
