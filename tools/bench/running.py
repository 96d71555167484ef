"""The whole benchmark: all cases, which of them are measured, and the report of one run."""

import contextlib
import datetime
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

from shengji_env.errors import ShengjiError
from shengji_env.support.cores import num_cores
from tools.bench import networks, ours, peer_open_spiel, peer_pettingzoo, peer_rlcard, records, starts
from tools.bench.timing import BenchRow, Case, Group, measure_case

_LIBRARIES = ("shengji-env", "numpy", "numba", "gymnasium", "pettingzoo", "open_spiel", "rlcard", "shimmy", "pygame-ce")
_OURS = (ours, networks, records, starts)
_PEERS = (peer_open_spiel, peer_rlcard, peer_pettingzoo)
_PEER_GROUPS = (Group.PEERS, Group.PEERS_LEGAL, Group.PEERS_ROLLOUT)


@dataclass(frozen=True)
class Report:
    """The measurements of one run."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    versions: dict[str, str]
    rows: tuple[BenchRow, ...]
    skipped: dict[str, str]
    """Cases that were not measured, and why."""
    is_interrupted: bool = False
    """Whether cases were left out because of an interruption."""

    def to_json(self) -> dict[str, Any]:
        """Return everything."""
        return {**asdict(self), "rows": [row.to_json() for row in self.rows], "comparison": self.comparison()}

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
            "steps": _ratio(headline, fastest, lambda row: row.median),
            "cards": _ratio(headline, most_cards, lambda row: row.cards_per_second),
        }


def _ratio(headline: BenchRow, peer: BenchRow, speed: Callable[[BenchRow], float | None]) -> dict[str, Any] | None:
    mine, theirs = speed(headline), speed(peer)
    return {"peer": peer.name, "ratio": mine / theirs} if mine and theirs else None


def run_benchmark(
    *, only: Sequence[str] = (), repetitions: int = 5, seconds: float = 0.5, peers: bool = True, pin: int | None = None
) -> Report:
    """Measure everything in one run on this machine; an interrupted run reports what it has measured so far.

    Args:
        only: measure the cases whose group and name contain one of these texts; empty means all.
        repetitions: number of measurements of each case.
        seconds: time of each measurement; cases that start processes take as long as they need.
        peers: whether other libraries are measured too, if they are installed.
        pin: core on which one-threaded cases run (Linux only).

    Raises:
        ShengjiError: `only` matches no case, or a number is not above 0.
    """
    if repetitions < 1 or seconds <= 0:
        raise ShengjiError(f"repetitions={repetitions} and seconds={seconds:g} must be above 0")
    chosen, rows, skipped = _choose(only, peers), [], {}
    is_interrupted = False
    try:
        for number, case in enumerate(chosen, 1):
            print(f"{number} of {len(chosen)}: {case.name}", file=sys.stderr, flush=True)
            measured, reason = _measure(case, repetitions, seconds, pin)
            rows += measured
            if reason:
                skipped[case.name] = reason
    except KeyboardInterrupt:
        is_interrupted = True
    settings = {"repetitions": repetitions, "seconds": seconds, "pinned_to": pin, "only": list(only)}
    return Report(_machine(), settings, _versions(), tuple(rows), skipped, is_interrupted)


def _choose(only: Sequence[str], peers: bool) -> list[Case]:
    cases = [case for module in (*_OURS, *_PEERS * peers) for case in module.cases()]
    cases.sort(key=lambda case: list(Group).index(case.group))
    texts = [text.casefold() for text in only]
    chosen = [case for case in cases if not texts or any(text in _label(case).casefold() for text in texts)]
    if not chosen:
        names = "\n  ".join(map(_label, cases))
        raise ShengjiError(f"nothing that is measured is called {' or '.join(map(repr, only))}; there are\n  {names}")
    return chosen


def _label(case: Case) -> str:
    return f"{case.group}: {case.name}"


def _measure(case: Case, repetitions: int, seconds: float, pin: int | None) -> tuple[list[BenchRow], str]:
    """Return a case's rows, and why there are none; a peer may fail."""
    missing = [module for module in case.needs if importlib.util.find_spec(module) is None]
    if missing:
        return [], f"no module {' or '.join(missing)} here; make peers installs the other libraries"
    try:
        with _pinned(pin if case.threads == 1 else None):
            return measure_case(case, repetitions, seconds), ""
    except Exception as error:
        if case.group not in _PEER_GROUPS:
            raise
        return [], f"failed: {type(error).__name__}: {error}"


@contextlib.contextmanager
def _pinned(core: int | None) -> Iterator[None]:
    """Keep this thread and the processes that it starts on one core."""
    if core is None:
        yield
        return
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
    versions = {}
    for library in _LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[library] = metadata.version(library)
    return versions
