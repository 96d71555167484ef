"""The report of a run: ``result.json``, a table for the terminal, the learning curve as a picture."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from agents.evaluation import OPPONENTS, Matchup
from agents.folder import CURVE_NAME, RESULT_NAME
from agents.learner_protocol import Stage, main_stage
from agents.session import Session
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players import KINDS
from shengji_env.support.whole_files import write_json

_ROOM_FOR_LEGEND = 0.94
"""The part of the picture's height that is left below the legend."""


def result_of(session: Session, matchups: Sequence[Matchup], ablation: dict[str, Any]) -> dict[str, Any]:
    """Collect the metrics of ``result.json``; seconds are of learning, including the match-ups during the run."""
    progress, config = session.progress, session.config
    return {
        "seconds": round(progress.seconds, 3),
        "stages": [_stage_metrics(session, stage) for stage in session.learner.stages],
        "opponents": {matchup.opponent: matchup.to_json() for matchup in matchups},
        "ablation": ablation,
        "evaluation_seconds": round(progress.evaluation_seconds, 3),
        "rules": config.environment.rules,
        "rules_fingerprint": parse_rules(config.environment.rules).fingerprint,
        "seed": config.run.seed,
        "learner": session.about,
        "libraries": session.libraries,
    }


def _stage_metrics(session: Session, stage: Stage) -> dict[str, Any]:
    own = session.progress.of(stage)
    return {
        "name": stage.name,
        "unit": stage.unit,
        "amount": own.amount,
        "seconds": round(own.seconds, 3),
        "per_second": round(own.per_second, 1),
        "shares": {name: round(share, 4) for name, share in own.shares().items()},
    }


def write_result(folder: Path, result: dict[str, Any]) -> None:
    """Write ``result.json``."""
    write_json(folder / RESULT_NAME, result, ensure_ascii=True)


def print_result(console: Console, result: dict[str, Any], main_name: str) -> None:
    """Print the final table, at most 80 columns wide; ``main_name`` is that of the main stage."""
    main = next(stage for stage in result["stages"] if stage["name"] == main_name)
    title = f"{main['amount']:,} {main['unit']} of {main['name']}, {result['seconds']:,.0f} s of learning"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.show_edge = table.pad_edge = False
    for heading in ("", "deals", "levels a round\n(95 % interval)", "level rate\n(95 % interval)"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for name, metrics in result["opponents"].items():
        levels = _with_interval("+.3f", metrics["levels_per_round"], metrics["interval"])
        rate = _with_interval(".1%", metrics["level_rate"], metrics["level_rate_interval"])
        table.add_row(f"against {name}", f"{metrics['deals']:,}", levels, rate)
    for phase, metrics in result["ablation"].items():
        lost = _with_interval("+.3f", metrics["levels_per_round_lost"], metrics["interval"])
        table.add_row(f"random {phase} costs", f"{metrics['deals']:,}", lost, "")
    console.print(table)
    shares = ", ".join(f"{name} {share:.0%}" for name, share in main["shares"].items())
    console.print(f"{main['per_second']:,.0f} {main['unit']}/s: {shares}", markup=False)


def draw_curve(folder: Path, session: Session, matchups: Sequence[Matchup]) -> Path:
    """Draw levels per round and level rate against each opponent, and the learner's own metrics; return the path."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import PercentFormatter

    progress, drawn, main = session.progress, session.learner.drawn, main_stage(session.learner.stages)
    num_own = len(drawn)
    size, heights = (8, 8 + 2 * num_own), (2, 2, *[1] * num_own)
    figure, (levels, rate, *others) = pyplot.subplots(2 + num_own, 1, figsize=size, sharex=True, height_ratios=heights)
    final = [progress.row(main) | {"opponent": each.opponent} | each.to_json() for each in matchups]
    rows = [*progress.matchups, *final]
    _draw_metric(levels, rows, "levels_per_round", "interval")
    levels.axhline(0, color="black", linewidth=0.8)
    levels.set_ylabel("levels a round, duplicate deals")
    figure.legend(
        *levels.get_legend_handles_labels(), title="shaded: 95 % intervals", ncols=len(OPPONENTS), loc="upper center"
    )
    amount = f"{progress.of(main).amount:,} {main.unit}"
    levels.set_title(f"{session.config.run.name}: {session.config.environment.rules}, {amount}")
    _draw_metric(rate, rows, "level_rate", "level_rate_interval")
    rate.axhline(0.5, color="black", linewidth=0.8)
    rate.yaxis.set_major_formatter(PercentFormatter(1.0))
    rate.set_ylabel("level rate (levels won / awarded)")
    for axes, (name, label) in zip(others, drawn.items(), strict=True):
        own = [row for row in progress.history if math.isfinite(row.get(name, math.nan))]
        axes.plot([row["seconds"] / 60 for row in own], [row[name] for row in own], ".-")
        axes.set_ylabel(label)
    [rate, *others][-1].set_xlabel("minutes of learning")
    figure.tight_layout(rect=(0, 0, 1, _ROOM_FOR_LEGEND))
    path = folder / CURVE_NAME
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path


def _draw_metric(axes: Any, rows: Sequence[Mapping[str, Any]], name: str, interval: str) -> None:
    """Draw one metric of the match-ups over time, one line per opponent with its 95 % interval."""
    colors = {kind.name: kind.color for kind in KINDS}
    for opponent in OPPONENTS:
        own = [row for row in rows if row["opponent"] == opponent]
        minutes = [row["seconds"] / 60 for row in own]
        axes.plot(minutes, [row[name] for row in own], "o-", color=colors[opponent], label=f"against {opponent}")
        lows, highs = zip(*(row[interval] for row in own), strict=True) if own else ((), ())
        axes.fill_between(minutes, lows, highs, color=colors[opponent], alpha=0.2)


def _with_interval(form: str, value: float, interval: Sequence[float]) -> str:
    low, high = interval
    return f"{value:{form}} ({low:{form}} to {high:{form}})"
