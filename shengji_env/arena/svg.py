"""Charts as SVG text, without a plotting library: they are part of a page, and take its colours.

Each chart is scaled to its data in user units and has a ``<title>`` for those who cannot see it. Tables next to it give
the exact values.
"""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WIDTH = 720
"""Width of all charts."""
STYLE = """
svg { font: 12px system-ui, sans-serif; }
svg text { fill: currentColor; } svg .grid { stroke: #8885; }
svg .interval { stroke: currentColor; stroke-width: 2; }
svg .mark { stroke: currentColor; stroke-dasharray: 4 3; }
"""
"""The style that a page must include for its charts; a chart in its own file includes it (`standalone`)."""
COLORS = ("#2a6fbb", "#d1732b")
"""Colours of the first and the second of two things compared; people with red-green blindness can tell them apart."""
_LABEL, _ROW, _TOP, _BOTTOM, _RIGHT = 210, 26, 10, 34, 40
_TICKS = 6


class Bar(NamedTuple):
    """A value with its interval."""

    label: str
    """What the value describes."""
    value: float
    """The value."""
    low: float
    """Its interval's lower end."""
    high: float
    """Its upper end."""
    color: int = 0
    """Which of COLORS."""


def interval_chart(title: str, bars: Sequence[Bar], axis: str, text: str = "{:+.2f}") -> str:
    """Draw bars from 0, one below the other, with their intervals as lines.

    Args:
        title: what the chart shows.
        bars: at least one.
        axis: unit of the horizontal axis.
        text: format of the values next to the bars.
    """
    ticks = _ticks(min(0.0, *(bar.low for bar in bars)), max(0.0, *(bar.high for bar in bars)))
    height = _TOP + _ROW * len(bars) + _BOTTOM
    scale = _Scale(ticks, _LABEL, WIDTH - _RIGHT - 40)
    parts = [_axis(scale, ticks, height, axis)]
    for row, bar in enumerate(bars):
        middle = _TOP + _ROW * row + _ROW / 2
        left, right = sorted((scale(0.0), scale(bar.value)))
        end = max(scale(bar.high), right) + 6
        parts += [
            f'<text x="{_LABEL - 8}" y="{middle + 4:.1f}" text-anchor="end">{escape(short(bar.label))}</text>',
            f'<rect x="{left:.1f}" y="{middle - 8:.1f}" width="{right - left:.1f}" height="16"'
            f' fill="{COLORS[bar.color]}"/>',
            f'<line x1="{scale(bar.low):.1f}" x2="{scale(bar.high):.1f}" y1="{middle:.1f}" y2="{middle:.1f}"'
            ' class="interval"/>',
            f'<text x="{end:.1f}" y="{middle + 4:.1f}">{text.format(bar.value)}</text>',
        ]
    return _svg(title, height, parts)


class Shares(NamedTuple):
    """How values are distributed over classes."""

    series: Sequence[tuple[str, NDArray[np.float64]]]
    """At most two, each a label and the shares of the classes, shape (classes,)."""
    edges: NDArray[np.float64]
    """Borders of the classes, shape (classes + 1,)."""
    mark: float
    """A value that a line marks."""
    axis: str
    """Unit of the horizontal axis."""
    unit: str
    """What the shares are shares of."""


def histogram(title: str, shares: Shares) -> str:
    """Draw the share of each class, one outline for each series, on top of one another."""
    series, edges, mark, axis, unit = shares
    height = 230
    bottom = height - _BOTTOM
    ticks = _ticks(float(edges[0]), float(edges[-1]))
    scale = _Scale(ticks, 20, WIDTH - 20)
    most = max(float(values.max()) for _, values in series) or 1.0
    parts = [_axis(scale, ticks, height, axis)]
    unit_height = (bottom - _TOP - 18 * len(series) - 6) / most
    top = bottom - unit_height * most
    parts.append(f'<line x1="20" x2="{WIDTH - 20}" y1="{top:.1f}" y2="{top:.1f}" class="grid"/>')
    parts.append(f'<text x="24" y="{top - 4:.1f}">{most:.1%} {escape(unit)}</text>')
    parts.append(f'<line x1="{scale(mark):.1f}" x2="{scale(mark):.1f}" y1="{_TOP}" y2="{bottom}" class="mark"/>')
    for number, (label, values) in enumerate(series):
        points = [f"{scale(edges[0]):.1f},{bottom}"]
        for index, share in enumerate(values):
            top = bottom - unit_height * share
            points += [f"{scale(edges[index]):.1f},{top:.1f}", f"{scale(edges[index + 1]):.1f},{top:.1f}"]
        points.append(f"{scale(edges[-1]):.1f},{bottom}")
        color = COLORS[number]
        parts.append(f'<polygon points="{" ".join(points)}" fill="{color}" fill-opacity="0.25" stroke="{color}"/>')
        where = f'x="{WIDTH - 20}" y="{_TOP + 12 + 18 * number}" text-anchor="end"'
        parts.append(f'<text {where} style="fill:{color}">{escape(short(label, 60))}</text>')
    return _svg(title, height, parts)


def standalone(chart: str) -> str:
    """Make an SVG file of a chart, on a white background."""
    head, title, rest = chart.partition("<title>")
    ground = '<rect width="100%" height="100%" fill="white"/>'
    return f"{head}<style>{STYLE}svg {{ color: black; }}</style>{ground}{title}{rest}\n"


class _Scale:
    """Maps a value to a position between two borders, given the first and the last tick."""

    def __init__(self, ticks: Sequence[float], left: float, right: float) -> None:
        self.first, self.left = ticks[0], left
        self.unit = (right - left) / (ticks[-1] - ticks[0])

    def __call__(self, value: float) -> float:
        return self.left + (value - self.first) * self.unit


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers that enclose a range."""
    span = high - low or 1.0
    power = 10.0 ** np.floor(np.log10(span / _TICKS))
    step = next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= _TICKS)
    first, last = int(np.floor(low / step + 1e-9)), int(np.ceil(high / step - 1e-9))
    return [float(number * step) for number in range(first, max(last, first + 1) + 1)]


def _axis(scale: _Scale, ticks: Sequence[float], height: int, label: str) -> str:
    bottom = height - _BOTTOM
    parts = [
        f'<line x1="{scale(tick):.1f}" x2="{scale(tick):.1f}" y1="{_TOP}" y2="{bottom}" class="grid"/>'
        f'<text x="{scale(tick):.1f}" y="{bottom + 15}" text-anchor="middle">{tick:g}</text>'
        for tick in ticks
    ]
    middle = (scale(ticks[0]) + scale(ticks[-1])) / 2
    return "".join(parts) + f'<text x="{middle:.1f}" y="{height - 6}" text-anchor="middle">{escape(label)}</text>'


def short(text: str, most: int = 32) -> str:
    """Shorten a long text by leaving out its middle, since players may differ at either end."""
    return text if len(text) <= most else f"{text[: most // 2 - 1]}…{text[-(most // 2) :]}"


def _svg(title: str, height: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    return f"{head}<title>{escape(title)}</title>{''.join(parts)}</svg>"
