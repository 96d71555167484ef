"""The report as a table on the terminal."""

from collections import defaultdict
from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table

from shengji_env.cli.bench.benchmark import Report
from shengji_env.cli.bench.timing import Row

_BUSY = 0.9
_FIGURES = ("median", "lowest", "highest", "unit", "rounds/s", "cards/s")


def show(report: Report, console: Console) -> None:
    """Print the table, the skipped cases, and the comparison with the peers."""
    console.print(report_table(report))
    for line in (*_notes(report.rows), *_skipped(report), *_busy(report.rows), *_comparison(report)):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def report_table(report: Report) -> Table:
    """Make the table of all rows, group by group."""
    machine, settings = report.machine, report.settings
    versions = ", ".join(f"{library} {version}" for library, version in report.versions.items())
    table = Table(
        box=box.SIMPLE_HEAD,
        title=f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}; "
        f"{settings['repetitions']} repetitions of {settings['seconds']:g} s",
        caption=versions,
        title_justify="left",
        caption_justify="left",
        pad_edge=False,
    )
    table.add_column("a step is one agent's decision")
    for name in _FIGURES:
        table.add_column(name, justify="left" if name == "unit" else "right", no_wrap=True)
    group = None
    for row in report.rows:
        if row.group != group:
            group = row.group
            table.add_section()
            table.add_row(f"[bold]{group}[/bold]")
        table.add_row(f"  {row.name}", *_cells(row))
    return table


def _cells(row: Row) -> tuple[str, ...]:
    values = (row.median, min(row.values), max(row.values))
    paces = (row.rounds_per_second, row.cards_per_second)
    return (*map(number_text, values), row.unit, *("" if pace is None else number_text(pace) for pace in paces))


def number_text(number: float) -> str:
    """Write a number with two or more significant digits, never in powers of ten: ``1,318,961``, ``56.4``, ``0.15``."""
    digits = 0 if number >= 100 else 1 if number >= 10 else 2
    return f"{number:,.{digits}f}"


def _notes(rows: Iterable[Row]) -> list[str]:
    by_note: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.note:
            by_note[row.note][row.name] = None
    return [f"{'; '.join(names)}: {note}" for note, names in by_note.items()]


def _skipped(report: Report) -> list[str]:
    by_reason: dict[tuple[str, str], list[str]] = defaultdict(list)
    for case in report.skipped:
        by_reason[case.library, case.reason].append(case.name)
    return [f"skipped: {library}, {len(names)} rows; {reason}" for (library, reason), names in by_reason.items()]


def _busy(rows: Iterable[Row]) -> list[str]:
    busy = [row for row in rows if row.cpu_share is not None and row.cpu_share < _BUSY]
    if not busy:
        return []
    return [
        f"the machine was busy: {len(busy)} rows had a core for less than {_BUSY:.0%} of their time "
        f"(`cpu_share` in the JSON); the lowest is {min(row.cpu_share or 0.0 for row in busy):.0%}"
    ]


def _comparison(report: Report) -> list[str]:
    compared = report.comparison()
    if compared is None:
        return []
    return [
        f"{compared['ours']} makes {ratios['ratio']:.1f} times the {unit} of {ratios['peer']}, the most of any peer "
        f"with observation and mask ({ratios['ratio_by_cpu_time']:.1f} times by CPU time)"
        for unit in ("steps", "cards")
        if (ratios := compared[unit])
    ]
