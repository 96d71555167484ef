"""The table in the package's docstring names every module."""

import re
from pathlib import Path

import agents


def test_the_table_lists_every_module() -> None:
    listed = re.findall(r"^\| `(\w+)`", agents.__doc__ or "", re.MULTILINE)
    present = [path.stem for path in Path(agents.__file__).parent.glob("*.py") if path.stem != "__init__"]
    assert sorted(listed) == sorted(present)
