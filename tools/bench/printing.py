"""The report as a table on the terminal."""

from collections import defaultdict
from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table

from tools.bench.running import Report
from tools.bench.timing import BenchRow

_BUSY = 0.9
_FIGURES = ("median", "lowest", "highest", "unit", "rounds/s", "cards/s")


def show(report: Report, console: Console) -> None:
    """Print the table, the notes, what was not measured, and the comparison with the peers."""
    console.print(report_table(report))
    notes = ((row.note, row.name) for row in report.rows if row.note)
    skipped = ((f"not measured, {reason}", name) for name, reason in report.skipped.items())
    for line in (*_grouped(notes), *_grouped(skipped), *_busy(report.rows), *_comparison(report)):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def report_table(report: Report) -> Table:
    """Make the table of all rows, group by group."""
    machine, settings = report.machine, report.settings
    table = Table(
        box=box.SIMPLE_HEAD,
        title=f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}; "
        f"{settings['repetitions']} repetitions of {settings['seconds']:g} s",
        caption=", ".join(f"{library} {version}" for library, version in report.versions.items()),
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


def _cells(row: BenchRow) -> tuple[str, ...]:
    values = (row.median, min(row.values), max(row.values))
    paces = (row.rounds_per_second, row.cards_per_second)
    return (*map(number_text, values), row.unit, *("" if pace is None else number_text(pace) for pace in paces))


def number_text(number: float) -> str:
    """Write a number with two or more significant digits, never in powers of ten: ``1,318,961``, ``56.4``, ``0.15``."""
    digits = 0 if number >= 100 else 1 if number >= 10 else 2
    return f"{number:,.{digits}f}"


def _grouped(said: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each text, after the names of the rows that it is about."""
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for text, name in said:
        names[text][name] = None
    return [f"{'; '.join(about)}: {text}" for text, about in names.items()]


def _busy(rows: Iterable[BenchRow]) -> list[str]:
    shares = [row.cpu_share for row in rows if row.cpu_share is not None and row.cpu_share < _BUSY]
    return [
        f"the machine was busy: {len(shares)} rows had a core under {_BUSY:.0%} of their time, one for {low:.0%}"
        for low in sorted(shares)[:1]
    ]


def _comparison(report: Report) -> list[str]:
    compared = report.comparison() or {"steps": None, "cards": None}
    return [
        f"{compared['ours']} makes {ratio['ratio']:.1f} times the {unit} of {ratio['peer']}, the most of any peer "
        "with observation and mask"
        for unit in ("steps", "cards")
        if (ratio := compared[unit])
    ]
