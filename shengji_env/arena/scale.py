"""A scale: how a player stands among players of known strength, with as few deals as that takes.

It meets each opponent on the same duplicate deals, the weakest first. After `FIRST` deals, and each time that there are
twice as many, the likelihood ratio of `sequential.py` compares the means `-EDGE` and `+EDGE` levels a round: *worse*,
*better*, or *close* if `num_deals` do not tell them apart. The variance counts as `LEAST_VARIANCE` at least, since a
few deals may be more alike than deals are. Once it is worse than `LOSSES` opponents, stronger ones are left out.

There is no verdict (*none*), and the scale ends, where all deals of a match-up were lost or too few of the player's
decisions were its own (`Thinking.is_own`).

What has been played is kept in a file, from which the same scale goes on; a match-up without a verdict begins anew.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shengji_env.arena.chunks import CHUNKS
from shengji_env.arena.faults import Thinking
from shengji_env.arena.identities import player_digests
from shengji_env.arena.limits import MAX_DEALS
from shengji_env.arena.result import VERSIONS
from shengji_env.arena.sequential import DECISIVE, values_of
from shengji_env.arena.statistics import Interval, mean_interval
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError
from shengji_env.support.ledger import refuse_other
from shengji_env.support.settings import any_seed, between, check_fields
from shengji_env.support.text_files import parse_json, read_text
from shengji_env.support.whole_files import write_json
from shengji_env.support.workers.jobs import Executor

OPPONENTS = ("random", "greedy", "heuristic", "champion?part=playouts", "champion", "champion:100?threads=1")
"""The usual opponents, from weak to strong."""
FIRST = 10
"""Deals after which a match-up is looked at first."""
EDGE = 0.1
"""Levels a round: what is nearer to 0 may be called *better* or *worse*."""
LEAST_VARIANCE = 1.0
"""Squared levels a round of one deal."""
LOSSES = 2
"""Opponents to which a player loses before stronger ones are left out."""
FORMAT = "shengji-scale/1"

ScaleVerdict = Literal["better", "worse", "close", "none"]


@dataclass(frozen=True)
class Scale:
    """What is measured.

    Raises:
        ShengjiError: an argument is out of range.
    """

    player: str
    """The player's text."""
    rules: RuleSet
    """The rules of all rounds."""
    opponents: tuple[str, ...] = OPPONENTS
    """Their texts, from weak to strong."""
    num_deals: int = between(320, FIRST, MAX_DEALS, why="a match-up is first looked at then")
    """Most deals against each."""
    seed: int = any_seed()
    """Seed of deals and random words."""
    plays_all: bool = False
    """Whether opponents are met although the player has lost to weaker ones."""

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.opponents:
            raise ShengjiError("opponents=() names nobody to play against")
        if len(set(self.opponents)) < len(self.opponents):
            raise ShengjiError("an opponent is named twice")

    @property
    def looks(self) -> list[int]:
        """The numbers of deals after which a match-up is looked at."""
        looks, deals = [], FIRST
        while deals < self.num_deals:
            looks.append(deals)
            deals *= 2
        return [*looks, self.num_deals]

    def header(self) -> dict[str, Any]:
        """Return what a deal's outcome depends on, which must be equal if a scale goes on."""
        players = (self.player, *self.opponents)
        return {
            "player": self.player, "rules": self.rules.to_json(), "seed": self.seed, "versions": VERSIONS,
            "policies": player_digests(players, self.rules),
        }  # fmt: skip


@dataclass
class Rung:
    """A match-up of the player with one opponent."""

    opponent: str
    """Its text."""
    values: dict[int, float | None] = field(default_factory=dict)
    """By deal, the player's levels a round; None: the deal was lost to a fault."""
    faults: list[str] = field(default_factory=list)
    """What went wrong."""
    seconds: float = 0.0
    """Seconds that the player has thought."""
    decisions: int = 0
    """Its decisions."""
    not_own: int = 0
    """Those that were not its own."""

    @property
    def thinking(self) -> Thinking:
        """What the player has done."""
        return Thinking(self.seconds, self.decisions, self.not_own)

    @property
    def levels(self) -> list[float]:
        """Levels a round of the deals that have a result, in order."""
        return [value for _, value in sorted(self.values.items()) if value is not None]

    @property
    def mean(self) -> tuple[float, Interval]:
        """Mean and 95 % interval of levels a round; the interval is infinite with fewer than two deals."""
        levels = np.array(self.levels)
        return mean_interval(levels) if len(levels) > 1 else (float(levels.sum()), (-np.inf, np.inf))

    @property
    def verdict(self) -> ScaleVerdict:
        """What the deals say."""
        levels = np.array(self.levels)
        if len(levels) < 2 or not self.thinking.is_own:
            return "none"
        ratio = 2 * EDGE * float(levels.sum()) / max(float(levels.var(ddof=1)), LEAST_VARIANCE)
        return "close" if abs(ratio) < DECISIVE else "better" if ratio > 0 else "worse"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "opponent": self.opponent, "values": [[deal, value] for deal, value in sorted(self.values.items())],
            "faults": self.faults, "seconds": self.seconds, "decisions": self.decisions, "not_own": self.not_own,
        }  # fmt: skip


ScaleWatch = Callable[[str, int, int], object]
"""Called with the opponent, the deals played and those until the next look."""


def play_scale(scale: Scale, file: Path | None, executor: Executor, watch: ScaleWatch) -> list[Rung]:
    """Play a scale, or what is missing of it; return its match-ups, the weakest opponent first.

    Args:
        scale: what is measured.
        file: where what has been played is kept; None: nowhere.
        executor: who plays.
        watch: told how far it is.

    Raises:
        ShengjiError: the file is of another scale.
    """
    kept = _read(scale, file) if file is not None and file.exists() else {}
    rungs: list[Rung] = []
    for opponent in scale.opponents:
        is_beaten = not scale.plays_all and sum(rung.verdict == "worse" for rung in rungs) >= LOSSES
        if is_beaten or any(rung.verdict == "none" for rung in rungs):
            break
        rung = kept.get(opponent) or Rung(opponent)
        rungs.append(rung)
        for _ in _played(scale, rung, executor, watch):
            if file is not None:
                _write(scale, file, list({**kept, **{each.opponent: each for each in rungs}}.values()))
    return rungs


def _played(scale: Scale, rung: Rung, executor: Executor, watch: ScaleWatch) -> Iterator[None]:
    """Play a match-up until it is decided; yield after each chunk."""
    tournament = Tournament(
        (scale.player, rung.opponent), scale.rules, seed=scale.seed, num_deals=scale.num_deals, batch_size=FIRST
    )
    for look in scale.looks:
        watch(rung.opponent, len(rung.values), look)
        for played in executor.do(CHUNKS, tournament.chunks(0, look, set(rung.values)), lambda _: None):
            rung.values.update(values_of(played, scale.rules))
            rung.faults += [fault["error"] for fault in played.faults]
            rung.seconds, rung.decisions, rung.not_own = rung.thinking.plus(played.thinking[0])
            watch(rung.opponent, len(rung.values), look)
            yield
        if rung.verdict != "close":
            return


def standing(rungs: list[Rung]) -> str:
    """Return in a sentence where the player stands, or why nothing is known of that."""
    if any(rung.verdict == "none" for rung in rungs):
        thinking = rungs[-1].thinking
        why = "deals were lost" if thinking.is_own else thinking.why_not(f"against {rungs[-1].opponent}")
        return f"There is no verdict: {why}."
    better = [rung.opponent for rung in rungs if rung.verdict == "better"]
    worse = [rung.opponent for rung in rungs if rung.verdict == "worse"]
    close = [rung.opponent for rung in rungs if rung.verdict == "close"]
    places = ("above", better[-1:]), ("below", worse[:1]), ("close to", close)
    parts = [f"{where} {', '.join(names)}" for where, names in places if names]
    return f"It stands {', '.join(parts)}."


def _write(scale: Scale, file: Path, rungs: list[Rung]) -> None:
    data = {"format": FORMAT, **scale.header(), "rungs": [rung.to_json() for rung in rungs]}
    write_json(file, data, indent=1)


def _read(scale: Scale, file: Path) -> dict[str, Rung]:
    data = parse_json(read_text(file, ShengjiError), ShengjiError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ShengjiError(f"{file} is not a scale: its format is not {FORMAT}")
    now, then = json.loads(json.dumps(scale.header())), data.get("policies") or {}
    now["policies"] = {name: digest for name, digest in now["policies"].items() if name in then}
    refuse_other(file, "scale", data, now, advice="Name another file", error=ShengjiError)
    rungs = [Rung(**{**rung, "values": {int(deal): value for deal, value in rung["values"]}}) for rung in data["rungs"]]
    return {rung.opponent: rung for rung in rungs if rung.verdict != "none"}
