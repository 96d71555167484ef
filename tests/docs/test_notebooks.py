"""Notebooks run as they stand, and are saved with their pictures."""

import json
import re
from typing import Any

import nbformat
import pytest

from tests.helpers.paths import ROOT
from tools.run_notebooks import KEPT, PICTURES, executed

pytestmark = pytest.mark.thorough

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MAX_BYTES = 400_000


def shown_by(notebook: Any) -> str:
    """Return everything that the cells have printed or shown as text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return "\n".join(output.get("text", "") + output.get("data", {}).get("text/plain", "") for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_saved_with_their_pictures(path):
    outputs = [output for cell in nbformat.read(path, as_version=4).cells for output in cell.get("outputs", [])]
    assert any(PICTURES & output.get("data", {}).keys() for output in outputs), "run: make notebooks"
    assert all(output.output_type in KEPT for output in outputs), "run: make notebooks"
    assert path.stat().st_size <= MAX_BYTES, "show smaller pictures"
    assert not re.search(r"<[^<>]* at 0x[0-9a-f]+>", json.dumps(outputs)), "an output is another one at each run"


def test_the_quickstart_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHENGJI_NOTEBOOK_SECONDS", "2")
    shown = shown_by(executed(ROOT / "notebooks" / "quickstart.ipynb"))
    assert "'pass'" in shown
    assert "'done'" not in shown
    rates = re.findall(r"level rate against \w+: ([\d.]+)% \(95 % interval ([\d.]+)% to ([\d.]+)%\)", shown)
    assert len(rates) == 3
    assert all(float(low) <= float(rate) <= float(high) for rate, low, high in rates)


@pytest.mark.parametrize("name", [path.stem for path in NOTEBOOKS if path.stem != "quickstart"])
def test_the_others_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHENGJI_NOTEBOOK_DEALS", "4")
    assert shown_by(executed(ROOT / "notebooks" / f"{name}.ipynb"))
