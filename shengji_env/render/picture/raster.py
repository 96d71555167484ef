"""Pictures as pixels: an SVG text drawn by resvg, which the extra ``render`` installs."""

from importlib.util import find_spec
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from shengji_env.errors import RenderModeError
from shengji_env.support.extras import install_hint

_NEEDED = ("resvg_py", "PIL")


def can_rasterise() -> bool:
    """Return whether what is needed is installed."""
    return all(find_spec(name) for name in _NEEDED)


def check_can_rasterise() -> None:
    """Check that what is needed is installed.

    Raises:
        RenderModeError: it is not.
    """
    if not can_rasterise():
        raise RenderModeError(f"rgb_array needs two more libraries: {install_hint('render')}")


def rasterise(svg: str, *, width: int | None = None) -> NDArray[np.uint8]:
    """Return an SVG as pixels, shape (height, width, 3), red, green and blue from 0 to 255.

    Args:
        svg: the text of an SVG file.
        width: in pixels; None: its own width.

    Raises:
        RenderModeError: resvg is not installed.
    """
    check_can_rasterise()
    import resvg_py
    from PIL import Image

    png = resvg_py.svg_to_bytes(svg_string=svg, width=width)
    with Image.open(BytesIO(png)) as image:
        return np.array(image.convert("RGB"), dtype=np.uint8)
