"""What is left of a run: ``result.json``, a table for the terminal, the learning curve as a picture."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agents.checkpoint import library_versions, replace_file
from agents.evaluation import Matchup
from agents.session import Session
from shengji_env.engine.rules import parse_rules

RESULT_NAME = "result.json"
CURVE_NAME = "learning_curve.png"
COLOURS = {"random": "tab:blue", "greedy": "tab:orange"}


def result_of(session: Session, matchups: Sequence[Matchup], ablation: dict[str, Any]) -> dict[str, Any]:
    """The figures of ``result.json``; seconds are of learning, match-ups on the way included."""
    progress, rules = session.progress, parse_rules(session.config.environment.rules)
    return {
        "steps": progress.steps,
        "seconds": round(progress.seconds, 3),
        "steps_per_second": round(progress.steps_per_second, 1),
        "opponents": {matchup.opponent: matchup.to_json() for matchup in matchups},
        "ablation": ablation,
        "shares": {name: round(share, 4) for name, share in progress.shares().items()},
        "imitation": {"steps": progress.imitation_steps, "seconds": round(progress.imitation_seconds, 3)},
        "evaluation_seconds": round(progress.evaluation_seconds, 3),
        "rules": session.config.environment.rules,
        "rules_fingerprint": rules.fingerprint,
        "seed": session.config.run.seed,
        "precision": session.precision,
        "libraries": library_versions(),
    }


def write_result(folder: Path, result: dict[str, Any]) -> None:
    """Write ``result.json``."""
    replace_file(folder / RESULT_NAME, json.dumps(result, indent=2).encode() + b"\n")


def print_result(console: Console, result: dict[str, Any]) -> None:
    """Print the final tables."""
    table = Table(title=f"{result['steps']:,} steps of self-play, {result['seconds']:,.0f} s of learning")
    for heading in ("", "deals", "levels/round", "95 % interval", "level rate"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for name, figures in result["opponents"].items():
        levels, rate = figures["levels_per_round"], figures["level_rate"]
        table.add_row(f"against {name}", f"{figures['deals']:,}", f"{levels:+.3f}", _interval(figures), f"{rate:.1%}")
    for phase, figures in result["ablation"].items():
        lost = figures["levels_per_round_lost"]
        table.add_row(f"cost of random {phase}", f"{figures['deals']:,}", f"{lost:+.3f}", _interval(figures), "")
    console.print(table)
    shares = ", ".join(f"{name} {share:.0%}" for name, share in result["shares"].items())
    console.print(f"{result['steps_per_second']:,.0f} steps/s: {shares}", markup=False)


def draw_curve(folder: Path, session: Session, matchups: Sequence[Matchup]) -> Path:
    """Draw levels a round against each opponent with their intervals, and the entropy; the picture's path."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    progress = session.progress
    figure, (upper, lower) = pyplot.subplots(2, 1, figsize=(8, 7), sharex=True, height_ratios=(2, 1))
    final = [{"seconds": progress.seconds, "opponent": each.opponent, **each.to_json()} for each in matchups]
    for opponent, colour in COLOURS.items():
        rows = [row for row in [*progress.matchups, *final] if row["opponent"] == opponent]
        minutes = [row["seconds"] / 60 for row in rows]
        upper.plot(
            minutes,
            [row["levels_per_round"] for row in rows],
            "o-",
            color=colour,
            label=f"against {opponent}",
        )
        lows, highs = zip(*(row["interval"] for row in rows), strict=True) if rows else ((), ())
        upper.fill_between(minutes, lows, highs, color=colour, alpha=0.2)
    upper.axhline(0, color="black", linewidth=0.8)
    upper.set_ylabel("levels a round, duplicate deals")
    upper.legend()
    rows_of_history = progress.history
    lower.plot([row["seconds"] / 60 for row in rows_of_history], [row["entropy"] for row in rows_of_history])
    lower.set_ylabel("entropy of the policy")
    lower.set_xlabel("minutes of learning")
    upper.set_title(f"{session.config.run.name}: {session.config.environment.rules}, {progress.steps:,} steps")
    figure.tight_layout()
    path = folder / CURVE_NAME
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path


def _interval(figures: dict[str, Any]) -> str:
    low, high = figures["interval"]
    return f"{low:+.3f} to {high:+.3f}"
