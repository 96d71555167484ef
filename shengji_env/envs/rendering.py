"""What `render` does: the same in every environment that shows tables. `OneTableEnv` does it for one table.

| mode | `render` |
|---|---|
| ``"human"`` | prints the table as text |
| ``"ansi"`` | returns it as text |
| ``"svg"`` | returns a picture as the text of an SVG file |
| ``"rgb_array"`` | returns the picture as pixels, uint8 (800, 1280, 3); with the extra ``render`` installed |
"""

import sys
from abc import ABC, abstractmethod
from typing import Any, TypeAlias

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError
from shengji_env.render import render_table
from shengji_env.render.picture.raster import can_rasterise, check_can_rasterise, rasterise
from shengji_env.render.picture.table_picture import svg_in_cell, table_svg
from shengji_env.render.public_history import PLAYS_REMEMBERED, history_of_plays
from shengji_env.render.view import view_table
from shengji_env.support.arguments import check_render_mode
from shengji_env.tables.one_table import OneTable
from shengji_env.tables.tables import Tables

Rendered: TypeAlias = str | NDArray[np.uint8] | None
_PIXELS = "rgb_array"
_PICTURES = ("svg", _PIXELS)
RENDER_MODES = ("human", "ansi", "svg", *((_PIXELS,) if can_rasterise() else ()))
"""The modes that work here."""
FRAMES_PER_SECOND = 2
"""How fast a film of one decision after the other is shown."""


def read_render_mode(mode: str | None) -> str | None:
    """Return a mode itself, if it is None or one of RENDER_MODES.

    Raises:
        RenderModeError: it is unknown, or it needs what is not installed.
    """
    if isinstance(mode, str) and mode == _PIXELS:
        check_can_rasterise()
    return check_render_mode(mode, RENDER_MODES)


def plays_to_keep(mode: str | None, history: int) -> int:
    """Return how many plays a table must keep: pictures show the last trick too."""
    return max(history, PLAYS_REMEMBERED) if mode in _PICTURES else history


def render_as(mode: str | None, tables: Tables, rules: RuleSet, *, viewer: int | None, row: int = 0) -> Rendered:
    """Show one of some tables in the way that a mode asks for."""
    if mode is None:
        logger.warn("render() does nothing without a render_mode; make the environment with render_mode='ansi'")
        return None
    if mode in _PICTURES:
        svg = draw(tables, rules, viewer=viewer, row=row)
        return svg if mode == "svg" else rasterise(svg)
    view = view_table(tables.states[row], rules, viewer=viewer)
    text = render_table(view, color=mode == "ansi" or sys.stdout.isatty())
    if mode == "ansi":
        return text
    print(text)  # noqa: T201  # what the render mode "human" is for
    return None


def draw(tables: Tables, rules: RuleSet, *, viewer: int | None, row: int = 0) -> str:
    """Return a picture of one of some tables as the text of an SVG file."""
    state = tables.states[row]
    return table_svg(view_table(state, rules, viewer=viewer, public=history_of_plays(tables.plays[row], state)))


class OneTableEnv(ABC):
    """What environments of one table have in common; `reset` must be called before the table is shown.

    Attributes:
        rules: the rules.
        render_mode: one of RENDER_MODES, or None.
    """

    rules: RuleSet
    render_mode: str | None
    _table: OneTable
    _NOT_BEGUN: str
    """What the error says before the first `reset`."""

    @property
    @abstractmethod
    def _viewer(self) -> int | None:
        """The seat whose view is shown; None shows all cards."""

    @property
    def tables(self) -> Tables:
        """The engine's own memory, for code of this package: what is written there is not checked."""
        return self._table.tables

    @property
    def states(self) -> NDArray[Any]:
        """The raw state, shape (1,), `engine.state.STATE_DTYPE`: a read-only view."""
        return self._table.states

    def render(self) -> Rendered:
        """Show the view in the way of the render mode; under ``"human"`` every step does so too."""
        self._check_begun()
        return render_as(self.render_mode, self.tables, self.rules, viewer=self._viewer)

    def _show_to_people(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _repr_html_(self) -> str | None:
        """Return the picture as HTML for a notebook."""
        if self._table.seed is None:
            return None
        return f'<div style="max-width:960px">{svg_in_cell(draw(self.tables, self.rules, viewer=self._viewer))}</div>'

    def _check_begun(self) -> None:
        if self._table.seed is None:
            raise ShengjiError(self._NOT_BEGUN)
