"""One labeller: rounds are played, and choices of some decisions are played on in the true deal.

Compiled code. `make_walk` makes the function that plays rounds of the one that makes their decisions. To label a
choice, this one calls `begin_playout`, plays on as it likes, and writes the `outcome_for` a team.

| whose | choices | playout policy | what is written |
|---|---|---|---|
| `rollouts` | candidates, of one seat | policies, to the end of the round | outcomes, and all actions |
| `selfplay` | the network's own, of all seats | the network; or for a few tricks | rows, outcomes, how it stood |

Every random draw is a function of (seed, round, index), so rounds can be made in any order and by any thread.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import ROLLOUT_STREAM, Deals, stream_key
from shengji_env.engine.opening import begin_first
from shengji_env.engine.play import Play, make_play
from shengji_env.engine.state import NUM_TEAMS, Phase, Result
from shengji_env.players.candidates.scratch import value_of
from shengji_env.support.workers.jobs import Watch
from shengji_env.tables.no_refcount import no_refcount

AnyLabels = TypeVar("AnyLabels", bound=NamedTuple)
Walk = Callable[..., int]

FIRST_WORD = 8
"""Index of the random word with which a round's decisions begin; those before it are the round's."""
NO_ROOM = -1
"""Returned by a decision instead of the index of the next one's first word."""
_AT_ONCE = 25
"""Rounds between two calls of a watch: at most some 0.15 s; a block of self-play is made in one call."""


class Turn(NamedTuple):
    """What a decision may draw from."""

    deals: Deals
    """Where the round's deals come from."""
    key: np.uint64
    """Key of the round's random words."""
    word: int
    """Index of the decision's first one."""


class Outcome(NamedTuple):
    """What became of a round, for a team."""

    levels: int
    """Levels, positive for the team."""
    points: int
    """The attackers' points, negative where the team declared."""
    is_attacker: bool


def make_walk(decide: Callable[..., int]) -> Walk:
    """Return the compiled function ``walk(maker, settings, seed, first, end, labels)``.

    It makes rounds first..end-1 and returns the first that was not made, since there was no room for its labels; `end`
    if all were. The maker's `states` are the table and that of a playout, (2,); `rules` and `works` go with both.

    Args:
        decide: ``decide(maker, settings, turn, labels)``, a `jit_inline`: makes the decision that begins at the table,
            and may write labels, as far as ``labels.filled`` says; returns the next decision's first word, or NO_ROOM.
            Called, not inlined, it cost self-play 5 %: each array is passed as seven numbers, hundreds a decision.
    """

    @jit
    def walk(maker: Any, settings: Any, seed: np.uint64, first: int, end: int, labels: Any) -> int:
        maker, settings, labels = no_refcount(maker), no_refcount(settings), no_refcount(labels)
        s = maker.states[0]
        for number in range(first, end):
            before, deals, word = labels.filled.copy(), Deals(seed, number), FIRST_WORD
            begin_first(s, maker.rules[0], maker.works[0], deals, True)
            key = stream_key(deals.seed, deals.table, 0, ROLLOUT_STREAM)
            while s.phase != Phase.OVER:
                word = decide(maker, settings, Turn(deals, key, word), labels)
                if word == NO_ROOM:
                    labels.filled[:] = before
                    return number
        return end

    return walk


def walk_all(
    walk: Walk, maker: Any, settings: Any, deals: tuple[int, range], labels: AnyLabels, counted: Mapping[str, int],
    watch: Watch = lambda _: None,
) -> AnyLabels:  # fmt: skip
    """Make rounds; return their labels.

    Args:
        walk: of `make_walk`; the next two are its arguments.
        maker: what rounds are made with.
        settings: how.
        deals: seed of the deals and of all draws, and the rounds' numbers.
        labels: room for labels, zero; it grows as need be.
        counted: which entry of ``labels.filled`` says how far each other array is written.
        watch: called now and then with the number of rounds made; what it raises ends the work.
    """
    seed, rounds = deals
    done = rounds.start
    while done < rounds.stop:
        end = min(done + _AT_ONCE, rounds.stop)
        done = walk(maker, settings, np.uint64(seed), done, end, labels)
        if done < end:
            labels = written(labels, counted, 2)
        watch(done - rounds.start)
    return written(labels, counted)


def written(labels: AnyLabels, counted: Mapping[str, int], room: int = 0) -> AnyLabels:
    """Return a copy of what has been written, with room for so many times as much as there was room for."""
    arrays, found = labels._asdict(), {}
    for name, place in counted.items():
        kept = arrays[name][: arrays["filled"][place]]
        more = max(0, room * len(arrays[name]) - len(kept))
        found[name] = np.concatenate([kept, np.zeros((more, *kept.shape[1:]), kept.dtype)])
    return labels._replace(**found)


def joined(parts: Sequence[AnyLabels]) -> AnyLabels:
    """Return the labels of some parts, in their order."""
    arrays = {
        name: np.sum(each, axis=0) if name == "filled" else np.concatenate(each)
        for name, *each in zip(parts[0]._fields, *parts, strict=True)
    }
    return parts[0]._replace(**arrays)


@jit
def begin_playout(maker: Any, deals: Deals, play: Play) -> None:
    """Make a play, which is legal, at a copy of the table."""
    maker.states[1] = maker.states[0]
    assert make_play(maker.states[1], maker.rules[0], maker.works[0], deals, play)


@jit
def outcome_for(result: Result, team: int) -> Outcome:
    """Return what a finished round is for a team."""
    is_attacker = result.declarer % NUM_TEAMS != team
    points = int(result.attackers_points)
    return Outcome(int(value_of(result, team, 0.0)), points if is_attacker else -points, is_attacker)
