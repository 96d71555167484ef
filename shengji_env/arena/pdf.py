"""A chart of `svg.interval_chart` as a file of PDF, written without a library.

It needs no font, since journals refuse files that name a font and do not hold it: letters are the strokes of the card
sheet, and one that the sheet has not becomes a question mark.
"""

import re
from cmath import phase, rect
from collections.abc import Iterator
from xml.etree.ElementTree import Element, fromstring

from shengji_env.render.picture.lettering import CAPITAL, GAP, letters_of, text_width
from shengji_env.render.picture.sheet import sheet

_TEXT_HEIGHT = 8.5
"""Height of a capital where SVG has 12 px."""
_PENS = {"grid": ".8 G 1 w", "interval": "0 G 2 w"}
"""Colour and width of a line, by its class."""
_SIZES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "A": 7, "Z": 0}
"""How many numbers a command of a path takes."""
_ARC_STEPS = 8


def chart_pdf(chart: str) -> bytes:
    """Return a page of the chart's size."""
    root = fromstring(chart)
    width, height = root.attrib["viewBox"].split()[2:]
    drawn = "\n".join([f"1 0 0 -1 0 {height} cm 1 J 1 j", *map(_drawn, root)])
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R /Resources << >> >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
    )
    file, table = "%PDF-1.4\n", "0000000000 65535 f \n"
    for number, content in enumerate(objects, start=1):
        table += f"{len(file):010} 00000 n \n"
        file += f"{number} 0 obj\n{content}\nendobj\n"
    end = f"trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    return f"{file}xref\n0 5\n{table}{end}".encode("ascii")


def _drawn(node: Element) -> str:
    """Return the operators that draw an element; none for the title."""
    said = node.attrib
    match node.tag.rpartition("}")[2]:
        case "rect":
            color = " ".join(f"{part / 255:.3f}" for part in bytes.fromhex(said["fill"][1:]))
            return f"{color} rg {said['x']} {said['y']} {said['width']} {said['height']} re f"
        case "line":
            return f"{_PENS[said['class']]} {said['x1']} {said['y1']} m {said['x2']} {said['y2']} l S"
        case "text":
            return _text(node)
    return ""


def _text(node: Element) -> str:
    glyphs, scale = sheet("glyphs")["letters"], _TEXT_HEIGHT / CAPITAL
    text = "".join(letter if letter in glyphs else "?" for letter in node.text or "")
    anchor = {"end": 1.0, "middle": 0.5}.get(node.get("text-anchor", ""), 0.0)
    left = float(node.attrib["x"]) - anchor * text_width(text, _TEXT_HEIGHT)
    top = float(node.attrib["y"]) - _TEXT_HEIGHT
    letters = [glyphs[letter] for letter in letters_of(text)]
    drawn = [f"{' '.join(_strokes(path))} S 1 0 0 1 {width + GAP} 0 cm" for width, path in letters]
    return "\n".join([f"q {scale:.4f} 0 0 {scale:.4f} {left:.2f} {top:.2f} cm 0 G 8 w", *drawn, "Q"])


def _strokes(path: str) -> Iterator[str]:
    """Yield the operators of a path of SVG whose commands are absolute, and whose arcs are short ones of circles."""
    at = bend = 0j
    for command, text in re.findall("([A-Z])([^A-Z]*)", path):
        numbers, size = [float(each) for each in re.findall(r"-?[\d.]+", text)], _SIZES[command]
        for first in range(0, len(numbers), size or 1):
            part = numbers[first : first + size]
            points = [complex(x, y) for x, y in zip(part[::2], part[1::2], strict=False)]
            if command in "HV":
                points = [complex(part[0], at.imag) if command == "H" else complex(at.real, part[0])]
            elif command == "S":
                points = [2 * at - bend, *points]
            elif command == "A":
                points = _arc(at, complex(*part[5:]), part[0], 1 if part[4] else -1)
            at, bend = points[-1], points[-2] if command in "CS" else points[-1]
            named = "l" if first or command != "M" else "m"
            pairs = [f"{point.real:g} {point.imag:g}" for point in points]
            yield f"{' '.join(pairs)} c" if command in "CS" else " ".join(f"{pair} {named}" for pair in pairs)
        if command == "Z":
            yield "h"


def _arc(at: complex, to: complex, radius: float, turn: int) -> list[complex]:
    """Return points on the shorter arc of a circle, without its first; `turn` is 1 from x towards y, or -1."""
    half = abs(to - at) / 2
    center = (at + to) / 2 + turn * rect(max(radius**2 - half**2, 0.0) ** 0.5, phase((to - at) * 1j))
    angle = turn * abs(phase((to - center) / (at - center)))
    return [center + (at - center) * rect(1, angle * step / _ARC_STEPS) for step in range(1, _ARC_STEPS + 1)]
