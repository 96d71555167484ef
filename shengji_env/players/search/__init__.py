"""Players that search: they try plays in sampled deals that may be the real one (determinised Monte Carlo).

| step | what | where |
|---|---|---|
| 1 | find candidates: the heuristic player's play and others | `players/candidates/` |
| | or the choices of a player with values, to correct these | `players/searchable.py`, `correcting.py` |
| 2 | sample deals: hidden cards dealt again | `sampled_deals.py`, `card_allocation.py`, `dealing.py`, `likelihood.py` |
| | of several, take one that explains what the others have played | `replaying.py` |
| 3 | play each candidate in each sampled deal, and the round to its end by one policy in all seats | `playout.py` |
| 4 | give up what is far behind, and take the best | `comparing.py`, `judging.py` |

`search` (below) takes the candidate that wins most levels if its gain over the heuristic player's play exceeds its
error. Others, such as `champion:N`, are players of their own that playouts correct (`correcting.py`).

All candidates are tried in the same sampled deals, so their differences are paired. Candidates that fall far behind
are given up after some of them. A whole play is decided when it begins; its cards are then taken one by one
(`whole_plays.py`).

Without `seconds` a decision is a function of what the seat to move may know and of the player's own `seed`: it depends
neither on the batch nor on threads nor on the order of calls, and the player plays identical games against itself.
With `seconds`, deals are sampled until the time is up, so the plays depend on the machine and are not reproducible.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.play import Play, Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError
from shengji_env.players.asking import decide_once
from shengji_env.players.candidates.finding import CandidateFinder
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.decisions import Decisions
from shengji_env.players.player import Needs, Player
from shengji_env.players.playing import HEURISTIC
from shengji_env.players.search.comparing import Comparison, Sampling
from shengji_env.players.search.judging import CautiousJudge, Judge
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.players.whole_plays import PlaysUnderWay, begin_decisions, digest_of_decision, next_action
from shengji_env.support.announcing import part
from shengji_env.support.arguments import NUM_SEEDS, check_index, check_positive, is_number
from shengji_env.support.cores import share_of_cores
from shengji_env.tables.own_arrays import writable

DEFAULT_WORLDS = 100
MAX_WORLDS, MAX_THREADS, MAX_CANDIDATES, MAX_SECONDS = 100_000, 1024, 1000, 86_400.0
"""Upper bounds: anything larger is a mistake, and would fill the memory."""


class SearchPlayer(Player):
    """A player that tries plays in sampled deals.

    Args:
        worlds: sampled deals for a decision, at least 2; with `seconds`, the maximum.
        seconds: time for a decision; None: no limit.
        threads: most threads that play them out; None: one per core of this process's share. Decisions do not depend on
            it.
        seed: determines the sampled deals, together with what the seat to move may know.
        candidates: most plays that are compared, at least 2.
        caution: standard errors that a gain over the heuristic player's play must have.
        points_weight: levels that each of the attackers' points counts for, in addition to the levels won.
        playouts: the playout policy: that of `heuristic`, or of another player.

    Attributes:
        playouts: the name of the player with the playout policy.
        num_decisions: decisions searched so far.
        num_samples: deals sampled for them.
        num_playouts: rounds played out in them.
    """

    needs = Needs.POSITIONS

    def __init__(
        self,
        worlds: int = DEFAULT_WORLDS,
        seconds: float | None = None,
        *,
        threads: int | None = None,
        seed: int = 0,
        candidates: int = 10,
        caution: float = 1.0,
        points_weight: float = 0.005,
        playouts: str | Player = HEURISTIC,
    ) -> None:
        threads = share_of_cores() if threads is None else threads
        worlds = check_index("worlds", worlds, 2, MAX_WORLDS, error=PlayerError)
        threads = check_index("threads", threads, 1, MAX_THREADS, error=PlayerError)
        candidates = check_index("candidates", candidates, 2, MAX_CANDIDATES, error=PlayerError)
        seed = check_index("seed", seed, 0, NUM_SEEDS - 1, error=PlayerError)
        if seconds is not None:
            check_positive("seconds", seconds, MAX_SECONDS, PlayerError)
        for name, value in (("caution", caution), ("points_weight", points_weight)):
            if not (is_number(value) and 0 <= value < math.inf):
                raise PlayerError(f"{name}={value!r} must be a number, 0 or more and finite")
        self.name = f"search:{worlds}" if seconds is None else f"search:{worlds}:{seconds:g}"
        self._comparison = Comparison(worlds, seconds, threads, playouts=playouts)
        self.playouts = self._comparison.player.name
        self.name += "" if self.playouts == HEURISTIC else f"?playouts={self.playouts}"
        self.num_decisions = self.num_samples = self.num_playouts = 0
        self._caution, self._points_weight = float(caution), float(points_weight)
        self._candidates = candidates
        self._key = seed.to_bytes(8, "little")
        self._rules: RuleSet | None = None
        compile_search()
        self._under_way = PlaysUnderWay()

    def check(self, rules: RuleSet) -> None:
        """Check that the playout policy can play under some rules.

        Raises:
            PlayerError: it cannot.
        """
        self._comparison.player.check(rules)

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return the digests of the playout policy.

        Raises:
            PlayerError: it cannot play under these rules.
        """
        return (*self._comparison.player.identity(rules), *super().identity(rules))

    def __getstate__(self) -> dict[str, Any]:
        """Without scratch memory: a copy makes its own."""
        return {**self.__dict__, "_sampler": None, "_scratch": None, "_propose": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for digest, play in self._under_way.items():
            self._under_way[digest] = play._replace(cards=writable(play.cards))
        if self._rules is not None:
            self._make_memory(self._rules)

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,)."""
        states, plays, rules = decisions.states, decisions.plays, decisions.rules
        starts = states.copy()
        begin_decisions(starts)
        chosen = np.empty(len(starts), np.int64)
        for row in range(len(starts)):
            chosen[row] = _only_action(decisions.action_mask[row])
            if chosen[row] < 0:
                play = self.find_play(starts[row : row + 1], plays[row], rules)
                chosen[row] = next_action(states[row : row + 1], decisions.action_mask[row], play)
        return chosen

    def _prepare(self, rules: RuleSet) -> None:
        """Make everything that depends on the rules, if they have changed."""
        if rules is not self._rules and rules != self._rules:
            self._make_memory(rules)
            self._rules = rules
            self._under_way.clear()

    def _make_memory(self, rules: RuleSet) -> None:
        """Make scratch memory."""
        self._comparison.prepare(rules)
        self._sampler = self._make_sampler(rules)
        self._scratch = make_scratch(rules.record(), self._comparison.threads)
        self._propose = self._make_proposer(rules)

    def _make_sampler(self, rules: RuleSet) -> Sampler:
        """Make what samples deals under some rules."""
        return Sampler(rules.record(), self._comparison.threads)

    def _make_proposer(self, rules: RuleSet) -> Callable[[NDArray[Any], int], tuple[Plays, Judge]]:
        """Make what finds at most so many candidates for an information state (1,), and what judges them."""
        finder = CandidateFinder(rules)

        def propose(start: NDArray[Any], most: int) -> tuple[Plays, Judge]:
            plays = finder.find(start, most)
            return plays, CautiousJudge(len(plays.actions), self._caution, self._points_weight)

        return propose

    def find_play(self, start: NDArray[Any], plays: NDArray[np.int8], rules: RuleSet) -> Play:
        """Search the play for a decision that begins at an information state (1,), after plays (K, 55)."""
        self._prepare(rules)
        digest = digest_of_decision(start.tobytes() + plays.tobytes(), self._key)
        if digest not in self._under_way:
            self._under_way[digest] = self._search(start, plays, digest)
        return self._under_way[digest]

    def _search(self, start: NDArray[Any], plays: NDArray[np.int8], digest: bytes) -> Play:
        began = time.perf_counter()
        self._comparison.wait()
        candidates, judge = self._propose(start, self._candidates)
        best = 0
        if len(candidates.actions) > 1:
            self._sampler.prepare(start, plays)
            sampling = Sampling(self._sampler, int.from_bytes(digest[:8], "little"))
            compared = self._comparison.compare(start, candidates, sampling, judge, self._scratch, began)
            best = compared.best
            self.num_samples += compared.num_samples
            self.num_playouts += compared.num_playouts
        self.num_decisions += 1
        return Play(int(candidates.actions[best]), candidates.cards[best])


def _only_action(mask: NDArray[np.int8]) -> int:
    """Return the only legal action; -1 if there are several."""
    legal = np.flatnonzero(mask)
    return int(legal[0]) if len(legal) == 1 else -1


compile_search = part("search", "the search player")(lambda: decide_once(SearchPlayer(2, threads=1)))
