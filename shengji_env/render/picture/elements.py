"""SVG elements as plain values, so that pictures can be compared and written without a browser."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from math import floor
from typing import NamedTuple

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold."""


class Element(NamedTuple):
    """An element of SVG."""

    tag: str
    """Its name."""
    attributes: Mapping[str, str]
    """Its attributes."""
    children: tuple["Element | str", ...] = ()
    """Its content; texts are not escaped."""


def element(tag: str, attributes: Mapping[str, str | float], *children: Element | str) -> Element:
    """Make an element; numbers are written with one decimal place at most."""
    return Element(tag, {name: number(value) for name, value in attributes.items()}, children)


def group(*children: Element, **attributes: str | float) -> Element:
    """Make a group; underscores in names of attributes stand for hyphens."""
    return element("g", {name.replace("_", "-"): value for name, value in attributes.items()}, *children)


def rectangle(x: float, y: float, width: float, height: float, **attributes: str | float) -> Element:
    """Return a rectangle; ``_`` in names of attributes stands for ``-``."""
    named = {name.replace("_", "-"): value for name, value in attributes.items()}
    return element("rect", {"x": x, "y": y, "width": width, "height": height, **named})


def number(value: str | float) -> str:
    """Return an attribute as text. Halves are rounded up, as in the page's own code."""
    if isinstance(value, str):
        return value
    rounded = floor(value * 10 + 0.5) / 10
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def place(x: float, y: float, scale: float = 1.0) -> str:
    """Return the text of a transformation: scaled, then moved."""
    moved = f"translate({number(x)} {number(y)})"
    return moved if scale == 1.0 else f"{moved} scale({floor(scale * 1000 + 0.5) / 1000:g})"


def walk(root: Element) -> Iterator[Element]:
    """Yield an element and all elements in it."""
    yield root
    for child in root.children:
        if isinstance(child, Element):
            yield from walk(child)


def to_svg(root: Element) -> str:
    """Return an element as text."""
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in root.attributes.items())
    content = "".join(_text(child) if isinstance(child, str) else to_svg(child) for child in root.children)
    return f"<{root.tag}{attributes}>{content}</{root.tag}>" if content else f"<{root.tag}{attributes}/>"


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text))
