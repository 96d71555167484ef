"""Walks through library and table: how far apart what a reader follows is. ``python -m tools.walks`` prints the table.

Each function counts once, where it is first called, as a reader reads it. `modules` are those entered, `changes` go
from one module to another, `climbs` go back to a module that had been left. The left columns are of functions that
Python runs, the right ones of all, those that Numba compiles included: nothing is compiled here. With
``PYTHONPATH=CHECKOUT`` it measures another checkout.
"""

import asyncio
import json
import linecache
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import numpy as np

import shengji_env
import shengji_table
from shengji_env import shengji_v0
from shengji_env.arena.chunks import Chunk, play_chunk
from shengji_env.datasets.rollouts import RolloutSettings, expand, expanding, generate, generating
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import Phase
from shengji_env.players import Decisions, make_player
from shengji_env.vector import BatchEnv
from shengji_table.web import messages
from shengji_table.web.handling import handle
from shengji_table.web.round_loop import play_rounds
from shengji_table.web.table import Table
from shengji_table.web.table_timing import Timing

PACKAGES = tuple(str(Path(package.__file__ or "").parent) for package in (shengji_env, shengji_table))
_COMPILED = ("@jit", "@njit")


class CalledFunctions:
    """The functions of library and table that are called in a block, each once, in the order of their first calls."""

    def __init__(self) -> None:
        self.codes: dict[CodeType, bool] = {}
        """Whether each is compiled: it says so, or compiled code has called it."""

    def __enter__(self) -> "CalledFunctions":
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in self.codes or not code.co_filename.startswith(PACKAGES):
            return
        line = linecache.getline(code.co_filename, code.co_firstlineno).strip()
        is_called_by_compiled = frame.f_back is not None and self.codes.get(frame.f_back.f_code, False)
        self.codes[code] = line.startswith(_COMPILED) or is_called_by_compiled

    def counts(self, *, compiled: bool) -> tuple[int, int, int]:
        """Return the modules entered, the changes of module, and the climbs; with compiled functions or without."""
        stays: list[str] = []
        for code, is_compiled in self.codes.items():
            if (compiled or not is_compiled) and stays[-1:] != [code.co_filename]:
                stays.append(code.co_filename)
        return len(set(stays)), len(stays) - 1, len(stays) - len(set(stays))


def _action() -> CalledFunctions:
    env = shengji_v0.env(rules="two_deck", episode="round")
    env.reset(seed=7)
    for _ in range(60):
        env.step(_legal(env))
    action = _legal(env)
    with CalledFunctions() as walk:
        env.step(action)
    return walk


def _legal(env: Any) -> int:
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])


def _deal() -> CalledFunctions:
    def play(deal: int) -> None:
        play_chunk(Chunk(0, ("greedy", "random"), ("a", "b"), rule_set("small_two_ranks"), 0, deal, deal + 1))

    play(0)
    with CalledFunctions() as walk:
        play(1)
    return walk


def _decision() -> CalledFunctions:
    player, env, rows = make_player("champion"), BatchEnv(1, seed=1, skip_forced=True), np.arange(1)
    while env.phase[0] != Phase.LEAD or env.states["tricks"][0] < 15:
        env.step(env.sample_actions())
    player.decide(Decisions.at(env.tables, rows))
    decisions = Decisions.at(env.tables, rows)
    with CalledFunctions() as walk:
        player.decide(decisions)
    return walk


def _labels() -> Iterator[CalledFunctions]:
    for module in (generating, expanding):  # a digest is made once, by code that only runs compiled
        module.digest_of = lambda _: ""  # type: ignore[attr-defined]  # imported there
    settings = RolloutSettings(rules=rule_set("small_two_ranks"), candidates=2)
    generate(settings, 0, 1)
    with CalledFunctions() as walk:
        shard = generate(settings, 1, 1)
    yield walk
    expand(shard)
    with CalledFunctions() as walk:
        expand(shard)
    yield walk


async def _click() -> CalledFunctions:
    with ThreadPoolExecutor(1) as executor:
        players = tuple(map(make_player, ("human", "greedy", "greedy", "greedy")))
        table = Table(players, rule_set("one_deck"), 1, executor=executor, timing=Timing(0, 0, 0, 0, 0))
        table.has_begun = True
        playing = asyncio.create_task(play_rounds(table))
        while table.decision is None or table.decision.phase not in (Phase.LEAD, Phase.FOLLOW, Phase.BURY):
            await asyncio.sleep(0.01)
        hint: Any = await handle(table, 0, messages.AskHint(table.move), make_player("greedy"), executor)
        message = messages.read_message(json.dumps({"type": "play", "move": table.move, "cards": hint.cards}))
        with CalledFunctions() as walk:
            await handle(table, 0, message, make_player("greedy"), executor)
        playing.cancel()
    return walk


WALKS: dict[str, Callable[[], CalledFunctions]] = {
    "an action (AEC)": _action,
    "a tournament's deal": _deal,
    "a decision of champion": _decision,
    "a click": lambda: asyncio.run(_click()),
}


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    walks = {name: walk() for name, walk in WALKS.items()}
    walks |= dict(zip(("a label made", "a label read"), _labels(), strict=True))
    print(f"{'':<24}{'Python: modules changes climbs':>32}{'all: modules changes climbs':>32}")
    for name, walk in walks.items():
        cells = [" ".join(f"{count:>7}" for count in walk.counts(compiled=each)) for each in (False, True)]
        print(f"{name:<24}{cells[0]:>32}{cells[1]:>32}")
    for name in sys.argv[1:] if argv is None else argv:
        print(f"\n{name}")
        for code in walks[name].codes:
            print(f"  {Path(code.co_filename).relative_to(Path(PACKAGES[0]).parent)}: {code.co_qualname}")


if __name__ == "__main__":
    main()
