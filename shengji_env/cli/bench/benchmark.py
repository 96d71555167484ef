"""The whole benchmark: all cases, which of them are measured, and the report of one run."""

import contextlib
import datetime
import importlib.util
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from shengji_env.cli.bench import (
    networks,
    offline,
    ours,
    part_cases,
    peer_open_spiel,
    peer_pettingzoo,
    peer_rlcard,
    start_cases,
)
from shengji_env.cli.bench.timing import OURS, Case, Group, Row, measure_case, version_of
from shengji_env.errors import ShengjiError
from shengji_env.support.arguments import check_index
from shengji_env.support.cores import num_cores
from shengji_env.support.extras import install_hint

INTERRUPTED = "interrupted"
REPETITIONS = 5
SECONDS = 0.5
MAX_REPETITIONS, MAX_SECONDS = 1000, 3600.0
INSTALL = install_hint("bench")
_LIBRARIES = ("numpy", "numba", "gymnasium", "pettingzoo", "open_spiel", "rlcard", "shimmy", "pygame-ce")
_PEERS = (peer_open_spiel, peer_rlcard, peer_pettingzoo)
_PEER_GROUPS = (Group.PEERS, Group.PEERS_LEGAL, Group.PEERS_ROLLOUT)

Progress = Callable[[int, int, str], object]
"""Called before each case with the number of cases done, the number of all cases, and the case's name."""


@dataclass(frozen=True)
class Skipped:
    """A case that was not measured."""

    name: str
    library: str
    reason: str


@dataclass(frozen=True)
class Report:
    """The measurements of one run."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    versions: dict[str, str]
    rows: tuple[Row, ...]
    skipped: tuple[Skipped, ...]

    def to_json(self) -> dict[str, Any]:
        """Return everything."""
        return {
            **vars(self),
            "rows": [row.to_json() for row in self.rows],
            "skipped": [vars(case) for case in self.skipped],
            "comparison": self.comparison(),
        }

    @property
    def is_interrupted(self) -> bool:
        """Whether an interruption left cases unmeasured."""
        return any(case.reason == INTERRUPTED for case in self.skipped)

    def comparison(self) -> dict[str, Any] | None:
        """Compare our headline with the fastest peer with observation and mask; None unless both were measured."""
        headline = next((row for row in self.rows if row.group == Group.BATCH and row.name == ours.HEADLINE), None)
        peers = [row for row in self.rows if row.group == Group.PEERS]
        if headline is None or not peers:
            return None
        fastest = max(peers, key=lambda row: row.median)
        most_cards = max(peers, key=lambda row: row.cards_per_second or 0.0)
        return {
            "ours": headline.name,
            "steps": _ratios(headline, fastest, lambda row: row.median),
            "cards": _ratios(headline, most_cards, lambda row: row.cards_per_second),
        }


def _ratios(headline: Row, peer: Row, speed: Callable[[Row], float | None]) -> dict[str, Any] | None:
    """Divide our speed by a peer's, by the clock and by the CPU time that each had."""
    mine, theirs = speed(headline), speed(peer)
    if not mine or not theirs:
        return None
    by_cpu = peer.cpu_share / headline.cpu_share if peer.cpu_share and headline.cpu_share else 1.0
    return {"peer": peer.name, "ratio": mine / theirs, "ratio_by_cpu_time": mine / theirs * by_cpu}


def run_benchmark(
    *,
    only: Sequence[str] = (),
    repetitions: int = REPETITIONS,
    seconds: float = SECONDS,
    peers: bool = True,
    pin: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Measure everything in one run on this machine; an interrupted run reports what it has measured so far.

    Args:
        only: measure the cases whose group and name contain one of these texts; empty means all.
        repetitions: number of measurements of each case.
        seconds: time of each measurement; cases that start processes take as long as they need.
        peers: whether other libraries are measured too, if they are installed.
        pin: core on which one-threaded cases run (Linux only).
        progress: called before each case.

    Raises:
        ShengjiError: `only` matches no case, a number is out of range, or cores cannot be chosen here.
    """
    repetitions = check_index("repetitions", repetitions, 1, MAX_REPETITIONS)
    if not 0 < seconds <= MAX_SECONDS:
        raise ShengjiError(f"seconds={seconds:g} must be above 0, and at most {MAX_SECONDS:g}")
    chosen = _choose(only, peers)
    rows: list[Row] = []
    skipped: list[Skipped] = []
    done = 0
    settings = {"repetitions": repetitions, "seconds": seconds, "pinned_to": pin, "only": list(only)}
    try:
        for done, case in enumerate(chosen):
            if progress is not None:
                progress(done, len(chosen), case.name)
            reason = _missing(case) or _measure(case, repetitions, seconds, pin, rows)
            if reason:
                skipped.append(Skipped(case.name, case.library, reason))
    except KeyboardInterrupt:
        skipped += [Skipped(case.name, case.library, INTERRUPTED) for case in chosen[done:]]
    return Report(_machine(), settings, _versions(), tuple(rows), tuple(skipped))


def _choose(only: Sequence[str], peers: bool) -> list[Case]:
    cases = [*ours.cases(), *networks.cases(), *offline.cases(), *part_cases.cases(), *start_cases.cases()]
    if peers:
        cases += [case for peer in _PEERS for case in peer.cases()]
        order = list(Group)
        cases.sort(key=lambda case: order.index(case.group))
    texts = [text.casefold() for text in only]
    chosen = [case for case in cases if not texts or any(text in _label(case) for text in texts)]
    if not chosen:
        names = "\n  ".join(f"{case.group}: {case.name}" for case in cases)
        raise ShengjiError(f"nothing that is measured is called {' or '.join(map(repr, only))}; there are\n  {names}")
    return chosen


def _label(case: Case) -> str:
    return f"{case.group}: {case.name}".casefold()


def _missing(case: Case) -> str | None:
    missing = [module for module in case.needs if importlib.util.find_spec(module) is None]
    if not missing:
        return None
    how = "" if case.library == OURS else f": {INSTALL}"
    return f"no module {' or '.join(missing)} here{how}"


def _measure(case: Case, repetitions: int, seconds: float, pin: int | None, rows: list[Row]) -> str | None:
    """Add a case's rows; if a peer fails, return the reason instead of raising."""
    try:
        with _pinned(pin if case.threads == 1 else None):
            rows += measure_case(case, repetitions, seconds)
    except Exception as error:
        if case.group not in _PEER_GROUPS:
            raise
        return f"failed: {type(error).__name__}: {error}"
    return None


@contextlib.contextmanager
def _pinned(core: int | None) -> Iterator[None]:
    """Keep this thread and the processes that it starts on one core."""
    if core is None:
        yield
        return
    if not hasattr(os, "sched_setaffinity"):
        raise ShengjiError("threads can be pinned to a core on Linux only")
    before = os.sched_getaffinity(0)
    if core not in before:
        raise ShengjiError(f"core {core} is not one that this process may use: {sorted(before)}")
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _machine() -> dict[str, Any]:
    return {
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": num_cores(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    versions = {OURS: version_of(OURS)}
    for library in _LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[library] = version_of(library)
    return versions
