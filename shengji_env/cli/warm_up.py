"""``shengji warm-up``: everything compiled in advance, as for a container."""

import argparse
import time
from typing import NamedTuple

from shengji_env.cli.compiled_parts import PARTS
from shengji_env.cli.option_types import whole_number
from shengji_env.engine.compile import is_kept
from shengji_env.engine.compiler import compiled
from shengji_env.errors import ShengjiError
from shengji_env.support.announcing import loading_all
from shengji_env.support.cores import num_cores
from shengji_env.support.workers.jobs import Job, Watch
from shengji_env.support.workers.pools import executor_for

_WIDTH = max(map(len, PARTS))
_LINES = "\n".join(f"  {name:<{_WIDTH}} {part.about}" for name, part in PARTS.items())
DESCRIPTION = """\
Compile what would otherwise be compiled when it is first used, and keep it in the cache: in
$XDG_CACHE_HOME/shengji_env, by default ~/.cache/shengji_env. What is there already is loaded, and compiled again only
if it is damaged.
"""
EPILOG = f"""\
parts:
{_LINES}

The code is for this version of the package and of its libraries, and for this machine's kind of processor. An image
that will run on other processors needs NUMBA_CPU_NAME=generic and NUMBA_CPU_FEATURES= (empty) in its environment,
here and later (docs/installing.md).

exit code:
  0   all parts are compiled and kept
  1   they are compiled, but could not be kept: nothing can be written to the cache, or others may write to it
  2   an error

examples:
  shengji warm-up
  shengji warm-up --only batch heuristic human     what `shengji play` needs
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--only", nargs="+", metavar="PART", default=list(PARTS), help="these parts (all)")
    parser.add_argument(
        "--workers", type=whole_number, metavar="N", help="processes that compile at the same time (one per core)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    unknown = [name for name in arguments.only if name not in PARTS]
    if unknown:
        raise ShengjiError(f"--only {unknown[0]}: there is no such part; parts are {', '.join(PARTS)}")
    names = list(dict.fromkeys(arguments.only))
    began, num_compiled = time.perf_counter(), 0
    workers = min(num_cores() if arguments.workers is None else arguments.workers, max(1, len(names)))
    with executor_for(workers) as executor:
        for made in executor.do(_MAKING, names, lambda _: None):
            how = f"compiled in {made.seconds:.1f} s" if made.compiled else "ready"
            print(f"{made.name:<{_WIDTH}}  {how}", flush=True)
            num_compiled += made.compiled
    if num_compiled:
        print(f"{num_compiled} of {len(names)} parts compiled in {time.perf_counter() - began:.1f} s")
    if all(PARTS[name].is_ready for name in names) and is_kept():
        return 0
    print(
        "what was compiled could not be kept: make the cache writable, for this user alone,"
        " or let XDG_CACHE_HOME name another folder"
    )
    return 1


class _Made(NamedTuple):
    """A part that is there now."""

    name: str
    seconds: float
    compiled: bool
    """Whether it was missing, or a part of it was damaged."""


def _make(name: str, watch: Watch | None = None) -> _Made:
    """Load a part; compile what is missing."""
    began, was_ready, before = time.perf_counter(), PARTS[name].is_ready, len(compiled)
    with loading_all():
        PARTS[name]()
    return _Made(name, time.perf_counter() - began, not was_ready or len(compiled) > before)


_MAKING: Job[str, _Made] = Job(_make, lambda: None, lambda name: f"compiling {name}")
