"""The parts of compiled code that commands compile ahead.

| who | compiles |
|---|---|
| `shengji warm-up` | the parts that it is told to, or all |
| `shengji play`, `train.py` | what the table or the run needs, before it begins, in two processes |
| `shengji serve` | what reviews need, in another process, while the first round is played |
| everybody else | a part when its environment or player is made (`support/announcing.py`) |

Parts are registered where their kernels are; what is imported here registers all of them. Other packages add more, by
the entry points ``shengji_env.parts``.
"""

import io
import itertools
from collections.abc import Iterable

import numpy as np

from shengji_env import shengji_v0, vector  # noqa: F401
from shengji_env.arena.deal_batch import DealBatch
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
from shengji_env.players.registry import compile_correcting
from shengji_env.records import reading  # noqa: F401
from shengji_env.support import announcing
from shengji_env.support.announcing import Part, part
from shengji_env.support.registered import registered


@part("human", "a person's table: play")
def compile_human() -> None:
    """Play a round with a person who does what the hints say."""
    person = HumanPlayer(terminal=_Obedient(writer=io.StringIO()))
    players = (person, *itertools.repeat(HeuristicPlayer(), NUM_SEATS - 1))
    DealBatch(players, rule_set(), 0, range(1), lineup=np.arange(NUM_SEATS)[None]).play_out()


class _Obedient(Terminal):
    """A terminal at which every hint is followed."""

    _said = ""

    def say(self, text: str) -> None:
        """Show nothing, but remember it."""
        self._said = text

    def ask(self, prompt: str) -> str:
        """Ask for a hint, then do what it says."""
        return self._said.partition("  heuristic: ")[2] or "hint"


registered("shengji_env.parts")
PARTS = dict(sorted(announcing.PARTS.items(), key=lambda item: (LAYERS.index(item[1].layer), item[0])))
"""All parts, those of lower layers first."""


_NEEDED_BY = {"human": {"human", "heuristic"}, "selfplay": {CHAMPION}, f"{CHAMPION}:": {compile_correcting.name}}
"""Parts of players whose kind is not the name of their part."""


def parts_of_table(players: Iterable[str]) -> list[Part]:
    """Return what a table with these players needs."""
    needed = {"batch"}
    for text in players:
        kind, colon, _ = text.strip().partition("?")[0].partition(":")
        needed |= _NEEDED_BY.get(kind + colon, _NEEDED_BY.get(kind, {kind}))
    return [each for name, each in PARTS.items() if name in needed]
