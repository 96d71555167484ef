"""Runs notebooks and saves them with what they show: ``python -m tools.run_notebooks [notebooks/NAME.ipynb ...]``.

Pictures and values of cells are kept. What is printed is not: it says how fast the machine was and where files lie.
"""

import base64
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from PIL import Image

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
KEPT = ("display_data", "execute_result")
"""Types of the outputs that are kept."""
PICTURES = {"image/png", "image/svg+xml", "text/html"}
"""Forms of outputs beside which text says nothing."""
_SECONDS = 7200
"""Limit of a cell: the notebook quickstart trains in one."""


def executed(path: Path) -> Any:
    """Return a notebook with all its outputs.

    Raises:
        CellExecutionError: a cell raises.
    """
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # nbformat annotates only a part
    resources = {"metadata": {"path": str(path.parent)}}
    return NotebookClient(notebook, timeout=_SECONDS, resources=resources, record_timing=False).execute()


def save(path: Path) -> None:
    """Run a notebook and save it."""
    notebook = executed(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.output_type in KEPT and not _is_printed(output)]
            for output in cell.outputs:
                if PICTURES & output.data.keys():
                    output.data.pop("text/plain", None)
                if "image/png" in output.data:
                    output.data["image/png"] = smaller(output.data["image/png"])
    notebook.metadata.language_info = {"name": "python"}
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


def smaller(png: str) -> str:
    """Return a picture, PNG in base64, in 256 colours and without metadata: a third of the size for a plot."""
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        plain = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    written = io.BytesIO()
    plain.save(written, "PNG", optimize=True)
    return base64.b64encode(written.getvalue()).decode()


def _is_printed(output: Any) -> bool:
    """Return whether an output is text that Rich has printed: it shows it as HTML."""
    return str(output.data.get("text/html", "")).lstrip().startswith("<pre")


def main(arguments: Sequence[str]) -> None:
    """Run and save the notebooks of these paths, or all."""
    for path in map(Path, arguments or sorted(map(str, NOTEBOOKS.glob("*.ipynb")))):
        save(path)


if __name__ == "__main__":
    main(sys.argv[1:])
