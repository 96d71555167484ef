"""The tables of a batch environment as a grid: one picture, for notebooks, reports and films.

Cards and letters are in it once, whatever the number of tables.
"""

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any, Protocol

from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError, show
from shengji_env.render.picture.elements import Element, element, group, place, rectangle, to_svg
from shengji_env.render.picture.lettering import draw_text
from shengji_env.render.picture.sheet import Style
from shengji_env.render.picture.table_picture import symbols_in, table_parts
from shengji_env.render.public_history import history_of_plays
from shengji_env.render.view import View, view_table

MAX_TABLES = 100
"""Most tables of a grid."""
WIDTH = 1280
"""Width of a grid; it can be shown at any."""
_LABEL = 2.2
"""Height of the line above a table, in heights of its text."""


class TablesShown(Protocol):
    """An environment with several tables: `BatchEnv`, `PlayBatchEnv`."""

    @property
    def states(self) -> NDArray[Any]:
        """The raw states, (N,)."""

    @property
    def rules(self) -> RuleSet:
        """The rules."""


def batch_svg(
    env: TablesShown,
    n: int | None = None,
    *,
    viewer: int | None = None,
    style: Style | None = None,
    columns: int | None = None,
) -> str:
    """Return the first tables of a batch environment as a grid, the text of an SVG file.

    Args:
        env: the environment; the last trick is shown if it keeps eight plays (`history=8`).
        n: how many tables; None: all, but at most 16.
        viewer: whose view is shown at each table: a seat, `WATCHER`, or None for all hands.
        style: how a table looks.
        columns: tables in a row; None: about as many as there are rows.

    Raises:
        ShengjiError: the environment has no tables, there are fewer, or it is no number from 1.
    """
    states: Any = getattr(env, "states", None)
    if not isinstance(getattr(env, "rules", None), RuleSet) or getattr(states, "ndim", None) != 1:
        raise ShengjiError(f"{show(env)} has no tables to draw; batch_svg takes a batch environment, such as BatchEnv")
    most = min(len(states), MAX_TABLES)
    number = _whole("n", min(16, most) if n is None else n, most, "tables are there")
    across = _whole("columns", ceil(sqrt(number)) if columns is None else columns, number, "tables are drawn")
    plays = _plays(env)
    views = []
    for row in range(number):
        public = None if plays is None else history_of_plays(plays[row], states[row])
        views.append(view_table(states[row], env.rules, viewer=viewer, public=public))
    return to_svg(draw_grid(views, style or Style(), across))


def _plays(env: Any) -> Any:
    """Return the last plays of each table, (N, K, 55), if the environment keeps them."""
    tables = getattr(env, "tables", None)
    for each in (tables, getattr(tables, "tables", None)):
        if getattr(getattr(each, "plays", None), "ndim", None) == 3:
            return getattr(each, "plays", None)
    return None


def _whole(name: str, value: Any, most: int, what: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 1 <= int(value) <= most:
        raise ShengjiError(f"{name}={show(value)} must be a whole number from 1 to {most}: so many {what}")
    return int(value)


def draw_grid(views: Sequence[View], style: Style, columns: int) -> Element:
    """Return tables in rows, each with its number above it."""
    width, height = style.places["size"]
    size = style.places["text"] * 1.4
    down = height + size * _LABEL
    parts = []
    for number, view in enumerate(views):
        x, y = width * (number % columns), down * (number // columns)
        label = draw_text(f"#{number}", x + size, y + size * 0.8, size, style.colors["soft"])
        there = {"transform": place(x, y + size * _LABEL), "data_table": str(number)}
        table = group(*table_parts(view, style), **there)
        parts += [label, table]
    across, high = width * columns, down * ceil(len(views) / columns)
    grid = group(rectangle(0, 0, across, high, fill=style.colors["page"]), *parts)
    frame = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {across} {high:g}", "role": "img"}
    extent: dict[str, str | float] = {"width": WIDTH, "height": WIDTH * high / across}
    title = element("title", {}, style.word("title"))
    return element("svg", {**frame, **extent}, title, element("defs", {}, *symbols_in(grid, style)), grid)
