"""Text as strokes: every letter is a symbol of its own, so pictures look the same everywhere.

A text with a character that the sheet does not have is left to the viewer's fonts as a whole.
"""

from shengji_env.render.picture.elements import Element, element, place
from shengji_env.render.picture.sheet import sheet

CAPITAL = 70
"""Height of a capital letter in the sheet's units."""
GAP = 15
"""Between two letters."""
_HAN_WIDTH = 80
"""Width of all Chinese letters, and of no other."""
_DENSE = 0.8
"""How much thinner the strokes of texts with Chinese letters are."""
_OTHER_WIDTH, _OTHER_WIDE = 55, 98
"""Rough widths of letters that the sheet does not have; East Asian ones are wide."""
_FIRST_WIDE = 0x1100
_FEWEST = 3
"""The fewest letters that a shortened text keeps."""


def letters_of(text: str) -> list[str]:
    """Return the letters of a text; a ten is one letter of its own."""
    return ["10"] if text == "10" else list(text)


def text_width(text: str, size: float) -> float:
    """Return how wide a text is; `size` is the height of a capital."""
    glyphs = sheet("glyphs")["letters"]
    widths = [glyphs[letter][0] if letter in glyphs else _other_width(letter) for letter in letters_of(text)]
    return (sum(widths) + GAP * max(0, len(widths) - 1)) * size / CAPITAL


def _other_width(letter: str) -> int:
    return _OTHER_WIDE if ord(letter) >= _FIRST_WIDE else _OTHER_WIDTH


def draw_text(
    text: str, x: float, y: float, size: float, color: str, *, anchor: float = 0.0, weight: float = 10.0
) -> Element:
    """Draw a text.

    Args:
        text: what to write.
        x: where the place named by `anchor` stands.
        y: the top of its capitals.
        size: their height.
        color: its colour.
        anchor: 0 for its left end, 0.5 for its middle, 1 for its right end.
        weight: width of the strokes, in the sheet's units.
    """
    glyphs = sheet("glyphs")["letters"]
    left = x - anchor * text_width(text, size)
    letters = letters_of(text)
    if not all(letter in glyphs for letter in letters):
        return _plain_text(text, left, y, size, color)
    uses, at = [], 0.0
    for letter in letters:
        if letter != " ":
            uses.append(element("use", {"href": f"#{letter_id(letter)}", "x": at}))
        at += glyphs[letter][0] + GAP
    thinner = _DENSE if any(glyphs[letter][0] == _HAN_WIDTH for letter in letters) else 1.0
    ends = {"stroke-linecap": "round", "stroke-linejoin": "round"}
    look: dict[str, str | float] = {"fill": "none", "stroke": color, **ends, "stroke-width": weight * thinner}
    return element("g", {**look, "transform": place(left, y, size / CAPITAL)}, *uses)


def _plain_text(text: str, left: float, y: float, size: float, color: str) -> Element:
    look: dict[str, str | float] = {"fill": color, "font-family": "system-ui, sans-serif", "font-size": size * 1.4}
    return element("text", {"x": left, "y": y + size, **look}, text)


def shorten(text: str, size: float, width: float) -> str:
    """Return as much of a text as fits: three letters and more, or nothing."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text + "…" if len(text) >= _FEWEST else ""


def least_width(text: str, size: float) -> float:
    """Return how wide a text is that was shortened as far as possible."""
    return min(text_width(text, size), text_width(text[:_FEWEST] + "…", size))


def letter_id(letter: str) -> str:
    """Return the id of a letter's symbol."""
    return "sj-" + "-".join(f"{ord(character):x}" for character in letter)


def letter_symbol(letter: str) -> Element:
    """Return the symbol of a letter."""
    return element("path", {"id": letter_id(letter), "d": sheet("glyphs")["letters"][letter][1]})


def draw_shape(name: str, x: float, y: float, size: float, color: str) -> Element:
    """Draw one of the sheet's shapes in a square."""
    return element("use", {"href": f"#sj-{name}", "fill": color, "transform": place(x, y, size / 100)})


def shape_symbol(name: str) -> Element:
    """Return the symbol of a shape."""
    return element("path", {"id": f"sj-{name}", "d": sheet("glyphs")["shapes"][name]})
