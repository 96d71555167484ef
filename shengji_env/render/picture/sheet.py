"""The card sheet: letters, shapes, colours, places and words, which Python and the page both draw from.

| file | holds |
|---|---|
| `glyphs.json` | letters as strokes, each with its width; a capital is 70 high. Suits and other shapes, 100 square |
| `layout.json` | colours of each theme; where everything stands in each layout; what all hands open change; `shapes` |
| `words.json` | words in each language |

A page draws a layout that follows its window between the layout and its `shapes` (`openShapes` with all hands open).
Letters are strokes, so one set serves all weights. They are drawn for this package, so no font is needed.
"""

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from shengji_env.errors import ShengjiError, show
from shengji_env.render.view import View

_TWO_COLORS = {"C": "black", "D": "red", "H": "red", "S": "black"}
_FOUR_COLORS = {"C": "green", "D": "blue", "H": "red", "S": "black"}
_ON_GROUND = {"black": "ink", "red": "signal", "green": "move", "blue": "declarers"}
"""Colours that stand for those of cards on the picture's ground."""


@cache
def sheet(name: str) -> dict[str, Any]:
    """Return the content of one of the sheet's files; it must not be changed."""
    text = resources.files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


@dataclass(frozen=True)
class Style:
    """How a picture looks."""

    theme: str = "light"
    """Colours: light or dark."""
    language: str = "en"
    """Words: en or zh."""
    layout: str = "wide"
    """Shape: wide; narrow for phones held upright; low for phones held across."""
    four_colors: bool = False
    """Whether clubs are green and diamonds blue."""
    all_open: bool = False
    """Whether all hands have room for their cards, or only that of the viewer; `for_view` sets it."""

    def __post_init__(self) -> None:
        """Refuse what the sheet does not have."""
        for name, known in (
            ("theme", sheet("layout")["themes"]),
            ("language", sheet("words")),
            ("layout", sheet("layout")["layouts"]),
        ):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise ShengjiError(f"{name}={show(value)} is unknown; it is one of {', '.join(known)}")

    @property
    def colors(self) -> dict[str, str]:
        """Colours by name."""
        return dict(sheet("layout")["themes"][self.theme])

    @property
    def places(self) -> dict[str, Any]:
        """Where everything stands."""
        places = dict(sheet("layout")["layouts"][self.layout])
        return places | sheet("layout")["open"][self.layout] if self.all_open else places

    def for_view(self, view: View) -> "Style":
        """Return the style with room for the hands that a view shows."""
        return replace(self, all_open=view.viewer is None)

    def word(self, name: str, *values: object) -> str:
        """Return a word, with values in its gaps."""
        return str(sheet("words")[self.language][name]).format(*values)

    def suit_color(self, suit: str, *, on_card: bool = True) -> str:
        """Return the colour of a suit on a card, or on the picture's ground."""
        name = (_FOUR_COLORS if self.four_colors else _TWO_COLORS)[suit]
        return self.colors[name if on_card else _ON_GROUND[name]]
