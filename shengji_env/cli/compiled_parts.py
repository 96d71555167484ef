"""The parts of compiled code that commands compile ahead.

| who | compiles |
|---|---|
| `shengji warm-up` | the parts that it is told to, or all |
| `shengji play`, `train.py` | what the table or the run needs, before it begins, in two processes |
| `shengji serve` | what reviews need, in another process, while the first round is played |
| everybody else | a part when its environment or player is made (`support/announcing.py`) |

Parts are registered where their kernels are; what is imported here registers all of them.
"""

import io
import itertools
from collections.abc import Iterable

import numpy as np

from shengji_env import shengji_v0, vector  # noqa: F401
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.review.network_valuer import compile_values
from shengji_env.arena.review.reviewing import review_replay
from shengji_env.arena.review.valuers import as_valuer
from shengji_env.datasets import recorded, rollouts  # noqa: F401
from shengji_env.datasets.selfplay import label_blocks  # noqa: F401
from shengji_env.engine.rule_sets import NUM_SEATS, rule_set
from shengji_env.engine.source_digest import LAYERS
from shengji_env.envs import plays, positions  # noqa: F401
from shengji_env.players import whole_rounds  # noqa: F401
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.human import HumanPlayer
from shengji_env.players.human.terminal import Terminal
from shengji_env.players.networks.selfplay import CHAMPION
from shengji_env.players.player import Player
from shengji_env.players.random import RandomPlayer
from shengji_env.players.registry import compile_correcting
from shengji_env.players.search import compile_search
from shengji_env.records.reading import compile_replay
from shengji_env.records.replays import Replay
from shengji_env.records.writing import record_header, record_line
from shengji_env.support import announcing
from shengji_env.support.announcing import Part, part


@part("human", "a person's table: play")
def compile_human() -> None:
    """Play a round with a person who does what the hints say."""
    person = HumanPlayer(terminal=_Obedient(writer=io.StringIO()))
    _play_round((person, *itertools.repeat(HeuristicPlayer(), NUM_SEATS - 1)))


@part("reviewing", "reviews: of a round, replay, serve")
def compile_reviewing() -> None:
    """Play a round with mistakes, read its record, and make its page with a review that says why they are mistakes."""
    lines = _play_round(tuple(itertools.repeat(RandomPlayer(), NUM_SEATS)))
    replay = Replay.of([record_line(record_header(rule_set(), ["random"] * NUM_SEATS, None)), *lines])
    valuer = as_valuer(None, replay.rules)
    review_replay(replay, valuer, playouts=False)  # playouts deny most mistakes, of which then nothing is said
    review_replay(replay, valuer).html()


def _play_round(players: tuple[Player, ...]) -> list[str]:
    """Play a round; return its line of a record."""
    batch = DealBatch(players, rule_set(), 0, range(1), lineup=np.arange(NUM_SEATS)[None])
    _, lines = batch.play_out(keeps_lines=True)
    return lines


class _Obedient(Terminal):
    """A terminal at which every hint is followed."""

    _said = ""

    def say(self, text: str) -> None:
        """Show nothing, but remember it."""
        self._said = text

    def ask(self, prompt: str) -> str:
        """Ask for a hint, then do what it says."""
        return self._said.partition("  heuristic: ")[2] or "hint"


PARTS = dict(sorted(announcing.PARTS.items(), key=lambda item: (LAYERS.index(item[1].layer), item[0])))
"""All parts, those of lower layers first."""


REVIEWS = (compile_replay, compile_search, compile_values, compile_reviewing)
"""What the first review of a process needs."""


_NEEDED_BY = {"human": {"human", "heuristic"}, "selfplay": {CHAMPION}, f"{CHAMPION}:": {compile_correcting.name}}
"""Parts of players whose kind is not the name of their part."""


def parts_of_table(players: Iterable[str]) -> list[Part]:
    """Return what a table with these players needs."""
    needed = {"batch"}
    for text in players:
        kind, colon, _ = text.strip().partition("?")[0].partition(":")
        needed |= _NEEDED_BY.get(kind + colon, _NEEDED_BY.get(kind, {kind}))
    return [each for name, each in PARTS.items() if name in needed]
